"""The grammar of ``over``: which keys change, and the values that they take.

path=v1,v2,...           one key; values as in an override, commas inside quotes and brackets do not separate
path=24..38:2            a range, both ends included where a step meets them; a step of 1 may be left out
path=4KiB..256KiB:x2     a range by a factor; the unit of the last value is that of all
a,b=(v1,w1),(v2,w2)      keys that change together (zipped)
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from iowatt.base.errors import Argument, InputError
from iowatt.base.keys import toml_text
from iowatt.base.overrides import parse_value

Cell = str | int | float | bool

MOST_VALUES: Final = 100_000
"""Values of one range; more is a slip of the pen."""

_NUMBER: Final = r"([+-]?[0-9]{1,15}(?:\.[0-9]{1,12})?)\s*([^\s0-9.:,+-]*)"
_RANGE: Final = re.compile(rf"\s*{_NUMBER}\s*\.\.\s*{_NUMBER}\s*(?::\s*(x?)\s*{_NUMBER}\s*)?", re.ASCII)
_OPEN: Final = {"(": ")", "[": "]", "{": "}"}
_EXAMPLE: Final = "for example array.pool.disks.count=24,26,28 or array.pool.disks.count=24..38:2"


@dataclass(frozen=True)
class Setting:
    """One value of each key of an axis, as the table shows it, and the overrides that bring it about."""

    values: tuple[Cell, ...]
    overrides: tuple[str, ...]


@dataclass(frozen=True)
class SweepAxis:
    """Keys that change together: their columns, and their settings in order."""

    columns: tuple[str, ...]
    settings: tuple[Setting, ...]


def parse_axes(given: Iterable[str] | Mapping[Any, Iterable[Any]]) -> list[SweepAxis]:
    """The axes of a sweep, from texts, or from a mapping.

    A mapping has a path (or a tuple of paths) to its values (or tuples of values).

    Raises ``InputError`` where a text does not fit the grammar, a list is empty, or a key is given twice.
    """
    if isinstance(given, str):
        given = [given]
    if isinstance(given, Mapping):
        found = [_of_mapping(paths, values) for paths, values in given.items()]
    else:
        found = [parse(text) for text in given]
    if not found:
        raise InputError("missing", Argument("over"), "no key to vary is given", hint=_EXAMPLE)
    seen: set[str] = set()
    for column in (column for axis in found for column in axis.columns):
        if column in seen:
            message = "this key is given twice"
            hint = "give all its values at once"
            raise InputError("duplicate", Argument("over", column), message, hint=hint)
        seen.add(column)
    return found


def parse(text: str) -> SweepAxis:
    """The axis of one text."""
    place = Argument("over", text)
    left, equals, right = text.partition("=")
    paths = tuple(path.strip() for path in left.split(","))
    if not equals or not all(paths):
        raise InputError("bad-syntax", place, "expected path=value,value,...", hint=_EXAMPLE)
    parts = split(right, place)
    if not parts or parts == [""]:
        raise InputError("empty", place, "the list of values is empty", hint=_EXAMPLE)
    if "" in parts:
        raise InputError(
            "empty", place, "a value is empty: two commas in a row, or one at the end", hint=_EXAMPLE
        )
    rows: list[tuple[str, ...]]
    if len(paths) == 1:
        rows = [(value,) for part in parts for value in expanded(part, place)]
    else:
        rows = [_tuple(part, paths, place) for part in parts]
    return _axis(paths, rows, place)


def split(text: str, place: str) -> list[str]:
    """``text`` at its commas, but for those inside quotes and brackets; parts are stripped."""
    parts, start, closing, quote = [], 0, [], ""
    for at, sign in enumerate(text):
        if quote:
            if sign == quote and (quote == "'" or text[at - 1] != "\\"):
                quote = ""
        elif sign in "\"'":
            quote = sign
        elif sign in _OPEN:
            closing.append(_OPEN[sign])
        elif closing and sign == closing[-1]:
            closing.pop()
        elif sign == "," and not closing:
            parts.append(text[start:at].strip())
            start = at + 1
    if quote or closing:
        raise InputError("bad-syntax", place, f"{quote or closing[-1]} is missing at the end")
    return [*parts, text[start:].strip()]


def expanded(text: str, place: str) -> list[str]:
    """The values of a range; any other text as the only value."""
    match = _RANGE.fullmatch(text)
    if match is None:
        return [text]
    first, first_unit, last, unit, factor, step_text, step_unit = match.groups()
    if {first_unit or unit, step_unit or unit} != {unit} or (factor and step_unit):
        message = f"the range {text!r} mixes units"
        raise InputError("bad-syntax", place, message, hint="give one unit, as in 4KiB..256KiB:x2")
    low, high, step = Decimal(first), Decimal(last), Decimal(step_text or 1)
    values = _steps(low, high, step, bool(factor))
    if not values:
        message = (
            f"the range {text!r} holds no values: {'a factor' if factor else 'a step'} of {step} does not "
            f"lead from {low} to {high}"
        )
        hint = "START..END:STEP (negative to count down), or START..END:xFACTOR with a factor above 1"
        raise InputError("empty", place, message, hint=hint)
    if len(values) > MOST_VALUES:
        raise InputError("too-large", place, f"the range {text!r} holds more than {MOST_VALUES:,} values")
    # Whole numbers stay whole; else all get the same number of decimals.
    places = max(max(0, -int(value.normalize().as_tuple().exponent)) for value in values)
    return [f"{value:.{places}f}{unit}" for value in values]


def _steps(low: Decimal, high: Decimal, step: Decimal, by_factor: bool) -> list[Decimal]:
    if step == 0 or (by_factor and (step <= 1 or low <= 0)):
        return []
    values, here = [], low
    up = by_factor or step > 0
    while (here <= high) if up else (here >= high):
        values.append(here)
        if len(values) > MOST_VALUES:
            break
        here = here * step if by_factor else here + step
    return values


def _tuple(part: str, paths: tuple[str, ...], place: str) -> tuple[str, ...]:
    if not (part.startswith("(") and part.endswith(")")):
        message = f"{part!r} is not a group of {len(paths)} values"
        hint = "keys that change together take groups: a,b=(1,2),(3,4)"
        raise InputError("bad-syntax", place, message, hint=hint)
    values = tuple(split(part[1:-1], place))
    if len(values) != len(paths) or "" in values:
        raise InputError("bad-syntax", place, f"{part} has {len(values)} values for {len(paths)} keys")
    return values


def _axis(paths: tuple[str, ...], rows: Sequence[tuple[str, ...]], place: str) -> SweepAxis:
    settings = []
    seen: set[tuple[str, ...]] = set()
    for row in rows:
        if row in seen:
            raise InputError("duplicate", place, f"the value {', '.join(row)} is given twice")
        seen.add(row)
        settings.append(
            Setting(
                tuple(cell(value) for value in row),
                tuple(f"{path}={value}" for path, value in zip(paths, row, strict=True)),
            )
        )
    return SweepAxis(paths, tuple(settings))


def cell(text: str) -> Cell:
    """A value as the table shows it: a number, a truth value, or text."""
    value = parse_value(text)
    return value if isinstance(value, bool | int | float | str) else text


def _of_mapping(paths: Any, values: Any) -> SweepAxis:
    names = (paths,) if isinstance(paths, str) else tuple(paths)
    place = Argument("over", ", ".join(names))
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InputError("wrong-type", place, f"expected a list of values, not {values!r}")
    listed = list(values)
    if not listed:
        raise InputError("empty", place, "the list of values is empty")
    rows = []
    for value in listed:
        row = (value,) if len(names) == 1 else tuple(value) if isinstance(value, Sequence) else (value,)
        if len(row) != len(names):
            raise InputError("wrong-type", place, f"{value!r} has {len(row)} values for {len(names)} keys")
        rows.append(tuple(_text(part) for part in row))
    return _axis(names, rows, place)


def _text(value: Any) -> str:
    """A Python value, NumPy's included, as the right side of an override."""
    plain = value.item() if hasattr(value, "item") else value
    return toml_text(plain)


MOST_POINTS: Final = 1_000_000


@dataclass(frozen=True)
class SweepPoint:
    """One combination; ``number`` counts from 1 in the order of the table."""

    number: int
    settings: tuple[Setting, ...]

    @property
    def values(self) -> tuple[Cell, ...]:
        """Values of all columns."""
        return tuple(value for setting in self.settings for value in setting.values)

    @property
    def overrides(self) -> tuple[str, ...]:
        """The point as overrides."""
        return tuple(override for setting in self.settings for override in setting.overrides)


def all_points(axes: Sequence[SweepAxis]) -> list[SweepPoint]:
    """All points."""
    count = math.prod(len(axis.settings) for axis in axes)
    if count > MOST_POINTS:
        raise InputError(
            "too-large", Argument("over"), f"{count:,} points are too many; at most {MOST_POINTS:,} are run"
        )
    combined = itertools.product(*(axis.settings for axis in axes))
    return [SweepPoint(number, settings) for number, settings in enumerate(combined, 1)]


def swept_columns(axes: Sequence[SweepAxis]) -> tuple[str, ...]:
    """The columns of the table that say where a point is."""
    return tuple(column for axis in axes for column in axis.columns)


def short_names(paths: Sequence[str]) -> dict[str, str]:
    """Each path by its shortest ending that no other path has: ``count``, ``raid.level``."""
    found = {}
    for path in paths:
        steps = path.split(".")
        for length in range(1, len(steps) + 1):
            ending = ".".join(steps[-length:])
            if sum(other == ending or other.endswith(f".{ending}") for other in paths) == 1:
                break
        found[path] = ending
    return found


def point_label(point: SweepPoint, paths: Sequence[str]) -> str:
    """A point for people: ``count=24, raid.level=5``."""
    names = short_names(paths)
    return ", ".join(
        f"{names[path]}={show_value(value)}" for path, value in zip(paths, point.values, strict=True)
    )


def show_value(value: Cell) -> str:
    """A value as TOML writes it, without quotes; whole numbers without decimals."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def own_seed(seed: int, point: SweepPoint) -> int:
    """A seed of a point's own, from the scenario's and its values, whatever other points there are."""
    text = json.dumps([seed, *point.overrides])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1
