"""A rule for every parameter of DiskSim: the field that carries it, or why iowatt ignores it.

A `Table` holds one `Parameter` per name; `read_fields` applies it to a block. A parameter that iowatt does
not use becomes a sentence with its place; a missing one or one out of range is an error.
"""

from __future__ import annotations

import dataclasses
import difflib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeAlias

from iowatt.base.errors import InputError
from iowatt.model.library.disksim.tree import Block, Value

PRINTING = "it chooses what DiskSim prints; iowatt reports all it observes"

Kind: TypeAlias = Callable[[Value], object]


def _number(value: Value, expected: str) -> int | float:
    if isinstance(value, int | float):
        return value
    raise InputError("wrong-type", None, expected)


def whole(low: int = 0, high: int = 2**62) -> Kind:
    """A whole number from ``low`` to ``high``; ``3.0`` counts as one."""
    expected = f"a whole number from {low}" + (f" to {high}" if high < 2**62 else "")

    def read(value: Value) -> int:
        number = _number(value, expected)
        if number != int(number) or not low <= number <= high:
            raise InputError("out-of-range", None, expected)
        return int(number)

    return read


def flag(value: Value) -> bool:
    """0 or 1."""
    if value not in (0, 1):
        raise InputError("not-accepted", None, "0 (no) or 1 (yes)")
    return value == 1


def caching(value: Value) -> bool:
    """0, or a number that means yes: one shipped drive (HP C2490A) has 2."""
    if value not in (0, 1, 2):
        raise InputError("not-accepted", None, "0 (no), 1 or 2 (yes)")
    return value != 0


def real(low: float = -math.inf, high: float = math.inf, above: float = -math.inf) -> Kind:
    """A number from ``low`` to ``high``, and greater than ``above``."""
    bounds = [f"at least {low:g}"] * (low > -math.inf) + [f"at most {high:g}"] * (high < math.inf)
    bounds += [f"greater than {above:g}"] * (above > -math.inf)
    expected = " ".join(["a number", " and ".join(bounds)]).strip()

    def read(value: Value) -> float:
        number = float(_number(value, expected))
        if not (low <= number <= high and number > above):
            raise InputError("out-of-range", None, expected)
        return number

    return read


def seconds(value: Value) -> float:
    """Milliseconds, kept as seconds, to the last decimal digit; may be negative."""
    return scaled(_number(value, "a time in milliseconds"))


def duration(value: Value) -> float:
    """Milliseconds that cannot be negative, kept as seconds."""
    number = _number(value, "a time in milliseconds, at least 0")
    if number < 0:
        raise InputError("out-of-range", None, "a time in milliseconds, at least 0")
    return scaled(number)


def scaled(milliseconds: float) -> float:
    """Seconds: the nearest double to a thousandth of the decimal that was written."""
    return float(Decimal(repr(milliseconds)).scaleb(-3))


def milliseconds(seconds: float) -> float:
    """The number of which ``seconds`` is exactly the thousandth part."""
    return float(Decimal(repr(seconds)).scaleb(3))


def duration_text(seconds: float) -> str:
    """A time as device files have it."""
    return f"{Decimal(repr(milliseconds(seconds))):f}ms"


def word(value: Value) -> str:
    """A word or a number, as text."""
    if isinstance(value, str | int | float):
        return str(value)
    raise InputError("wrong-type", None, "a word")


def one_of(*accepted: str) -> Kind:
    """One of these words."""

    def read(value: Value) -> str:
        if not (isinstance(value, str) and value in accepted):
            raise InputError("not-accepted", None, ", ".join(accepted[:-1]) + f" or {accepted[-1]}")
        return value

    return read


def numbered(names: Mapping[int, str]) -> Kind:
    """One of these numbers, kept as the name that says what it means."""

    def read(value: Value) -> str:
        if not isinstance(value, int | float) or value not in names:
            listed = ", ".join(f"{number} ({name})" for number, name in names.items())
            raise InputError("not-accepted", None, f"one of {listed}")
        return names[int(value)]

    return read


def numbers(value: Value) -> tuple[float, ...]:
    """A list of numbers."""
    if not isinstance(value, list):
        raise InputError("wrong-type", None, "a list of numbers")
    return tuple(_number(item, "a list of numbers") for item in value)


def whole_numbers(value: Value) -> tuple[int, ...]:
    """A list of whole numbers, none negative."""
    integers = numbers(value)
    if any(number != int(number) or number < 0 for number in integers):
        raise InputError("out-of-range", None, "a list of whole numbers, none negative")
    return tuple(map(int, integers))


@dataclass(frozen=True)
class Parameter:
    """What iowatt does with one parameter.

    field: The field that carries its value, or empty.
    required: Whether it must be given; otherwise the field has a default.
    ignored: Why iowatt does not use it; empty where it does. With a ``field``, it is read but not modelled.
    neutral: The value at which ignoring it changes nothing and is not reported.
    only_with: Another parameter; while that is 0 or absent, this one has no effect in DiskSim either.
    read_elsewhere: A block or list with its own reader.
    """

    field: str = ""
    kind: Kind = word
    required: bool = True
    ignored: str = ""
    neutral: object = None
    only_with: str = ""
    read_elsewhere: bool = False

    @property
    def use(self) -> str:
        """How it is used, for the documentation."""
        if self.ignored:
            return f"ignored: {self.ignored}"
        return f"`{self.field}`" if self.field else "read by itself"


Table: TypeAlias = Mapping[str, Parameter]


def used(field: str, kind: Kind, *, required: bool = True) -> Parameter:
    """A parameter that iowatt uses."""
    return Parameter(field, kind, required)


def stored(
    key: str, kind: Kind, *, ignored: str = "", neutral: object = None, default: Any = dataclasses.MISSING
) -> Any:
    """A field of a dataclass that carries the parameter ``key``; optional where it has a default."""
    required = default is dataclasses.MISSING
    parameter = Parameter("", kind, required, ignored, neutral)
    return dataclasses.field(default=default, metadata={"key": key, "parameter": parameter})


def table_of(record: type) -> dict[str, Parameter]:
    """The parameters that the fields of a dataclass carry, by name."""
    carried = [part for part in dataclasses.fields(record) if part.metadata]
    return {
        part.metadata["key"]: dataclasses.replace(part.metadata["parameter"], field=part.name)
        for part in carried
    }


def part(field: str = "", *, required: bool = True) -> Parameter:
    """A block or list with a reader of its own."""
    return Parameter(field, required=required, read_elsewhere=True)


def ignored(reason: str, *, neutral: object = None, only_with: str = "") -> Parameter:
    """A parameter that iowatt does not use."""
    return Parameter(required=False, ignored=reason, neutral=neutral, only_with=only_with)


def read_fields(block: Block, table: Table, warnings: list[str]) -> dict[str, Any]:
    """The fields that ``table`` makes of ``block``; unused parameters are added to ``warnings``.

    Raises ``InputError`` where a parameter is missing or is not of its kind.
    """
    fields: dict[str, Any] = {}
    for key, parameter in table.items():
        entry = block.entries.get(key)
        if entry is None:
            if parameter.required:
                raise InputError(
                    "missing",
                    block.where(),
                    f"{block} has no {key!r}",
                    hint=f"DiskSim 4.0 requires it too: add '{key} = ...'",
                )
        elif parameter.field and not parameter.read_elsewhere:
            fields[parameter.field] = convert(block, key, parameter.kind)
    warnings.extend(_unused(block, table, fields))
    return fields


def convert(block: Block, key: str, kind: Kind) -> Any:
    """The value of ``key``; ``InputError`` with its place where it is of another kind."""
    value = block.entries[key].value
    try:
        return kind(value)
    except InputError as error:
        message = f"{key!r} must be {error.message}, not {_shown(value)}"
        raise InputError(error.code, block.where(key), message) from None


def sub_block(block: Block, key: str, *types: str) -> Block:
    """The block that ``key`` holds; ``InputError`` where it is missing or not a block of these types."""
    entry = block.entries.get(key)
    wanted = " or ".join(types)
    if entry is None:
        raise InputError("missing", block.where(), f"{block} has no {key!r}: a block of type {wanted}")
    value = entry.value
    if not isinstance(value, Block):
        raise InputError("wrong-type", block.where(key), f"{key!r} must be a block of type {wanted}")
    if value.type not in types:
        raise InputError(
            "unsupported",
            block.where(key),
            f"{key!r} is of type {value.type}, which iowatt does not read; expected {wanted}",
        )
    return value


def _unused(block: Block, table: Table, fields: Mapping[str, Any]) -> list[str]:
    unused = []
    for key, entry in block.entries.items():
        parameter = table.get(key)
        if parameter is None:
            near = difflib.get_close_matches(key, table, n=1, cutoff=0.8)
            guess = f" (did you mean {near[0]!r}?)" if near else ""
            reason = f"not a parameter of {block.type} that iowatt knows{guess}"
        elif parameter.ignored:
            master = block.entries.get(parameter.only_with)
            if parameter.only_with and (master is None or master.value == 0):
                continue
            value = fields.get(parameter.field, entry.value)
            if parameter.neutral is not None and value == parameter.neutral:
                continue
            reason = parameter.ignored
        else:
            continue
        unused.append(f"{block.where(key)}: {block}: {key} = {_shown(entry.value)} is ignored: {reason}")
    return unused


def _shown(value: Value) -> str:
    if isinstance(value, Block):
        return f"{value.type} {{...}}"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    text = repr(value) if isinstance(value, int | float) else str(value)
    return text if len(text) <= 60 else text[:57] + "..."
