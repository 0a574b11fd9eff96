"""Kinds of parameter: from what a file says to what iowatt keeps, or an InputError with what is accepted."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import TypeAlias

from iowatt.base.errors import InputError
from iowatt.model.library.disksim.tree import Value

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
    """0, or a number that stands for yes: one shipped drive (HP C2490A) says 2."""
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
    """Seconds: the decimal that was written, a thousandth of it, and then the nearest double."""
    return float(Decimal(repr(milliseconds)).scaleb(-3))


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
    found = numbers(value)
    if any(number != int(number) or number < 0 for number in found):
        raise InputError("out-of-range", None, "a list of whole numbers, none negative")
    return tuple(int(number) for number in found)
