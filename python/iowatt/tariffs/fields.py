"""Values of a JSON object, checked as they are read, with the place of each error."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from iowatt.base.errors import InputError

#: Beyond any charge of a utility.
LARGEST: Final = 1e9
_SHOWN: Final = 40


@dataclass(frozen=True)
class Fields:
    """An object's values by key, and its name in messages.

    Keys are compared in lower case, as records have both ``lookbackPercent`` and ``lookbackpercent``; null
    counts as absent.
    """

    values: Mapping[str, object]
    where: str
    prefix: str = ""  #: Of this object's keys: "" or "energyratestructure[0][1].".

    @classmethod
    def of(cls, document: object, where: str, prefix: str = "") -> Fields:
        """The fields of a JSON object. Raises ``InputError`` for another value."""
        place = _joined(where, prefix.removesuffix("."))
        if not isinstance(document, Mapping):
            raise InputError("wrong-type", place, f"{shown(document)} is not a JSON object")
        values: dict[str, object] = {}
        for key, value in document.items():
            if value is None:
                continue
            lower = str(key).lower()
            if lower in values:
                raise InputError("duplicate", place, f"{lower} is given twice, with different capitals")
            values[lower] = value
        return cls(values, where, prefix)

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def place(self, key: str) -> str:
        """File and place, such as ``rate.json: demandwindow``."""
        return _joined(self.where, self.prefix + key)

    def wrong(self, code: str, key: str, message: str, hint: str | None = None) -> InputError:
        """An error at ``key``."""
        return InputError(code, self.place(key), message, hint=hint)

    def number(
        self, key: str, default: float | None = None, *, low: float = -LARGEST, high: float = LARGEST
    ) -> float | None:
        """The number at ``key``, from ``low`` to ``high``."""
        if key not in self.values:
            return default
        return self.measure(self.values[key], key, low, high)

    def numbers(
        self, key: str, count: int, *, low: float = -LARGEST, high: float = LARGEST
    ) -> list[float] | None:
        """The ``count`` numbers at ``key``."""
        rows = self.rows(key)
        if rows is None:
            return None
        if len(rows) != count:
            raise self.wrong(
                "wrong-type", key, f"there are {len(rows)} values; expected {count}, one for each month"
            )
        return [self.measure(value, f"{key}[{index}]", low, high) for index, value in enumerate(rows)]

    def rows(self, key: str) -> Sequence[object] | None:
        """The list at ``key``."""
        if key not in self.values:
            return None
        return self.listed(self.values[key], key)

    def listed(self, value: object, place: str) -> Sequence[object]:
        """``value``, which must be a list."""
        if not isinstance(value, list | tuple):
            raise self.wrong("wrong-type", place, f"{shown(value)} is not a list")
        return value

    def text(self, key: str, default: str = "") -> str:
        """The text at ``key``, in one line."""
        value = self.values.get(key, default)
        if not isinstance(value, str):
            raise self.wrong("wrong-type", key, f"{shown(value)} is not text")
        return " ".join(value.split())

    def texts(self, key: str) -> tuple[str, ...]:
        """The texts listed at ``key``; none where it is absent."""
        rows = {f"{key}[{index}]": value for index, value in enumerate(self.rows(key) or ())}
        return tuple(replace(self, values=rows).text(place) for place in rows)

    def flag(self, key: str) -> bool:
        """Whether ``key`` is true, as a boolean or a word."""
        value = self.values.get(key, False)
        if isinstance(value, str) and value.lower() in ("true", "false"):
            return value.lower() == "true"
        if not isinstance(value, bool):
            raise self.wrong("wrong-type", key, f"{shown(value)} is neither true nor false")
        return value

    def index(self, value: object, place: str, below: int, what: str) -> int:
        """``value``, which must be an index from 0 to less than ``below``."""
        number = self.measure(value, place, -LARGEST, LARGEST)
        if number != int(number) or not 0 <= number < below:
            known = f"0 to {below - 1}" if below > 1 else "0"
            raise self.wrong(
                "unknown-name", place, f"there is no period {number:g}; {what} has {below}: {known}"
            )
        return int(number)

    def measure(self, value: object, place: str, low: float, high: float) -> float:
        """``value``, which must be a number from ``low`` to ``high``."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.wrong("wrong-type", place, f"{shown(value)} is not a number")
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            raise self.wrong("out-of-range", place, f"{shown(value)} is not finite")
        if not low <= number <= high:
            raise self.wrong("out-of-range", place, f"{number:g} is outside {low:g} to {high:g}")
        return number


def shown(value: object) -> str:
    """A JSON value for a message, shortened."""
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > LARGEST:
        return "a very large number"
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


def _joined(where: str, place: str) -> str:
    return f"{where}: {place}" if place else where
