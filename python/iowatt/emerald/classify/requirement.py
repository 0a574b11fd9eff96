"""Cells of the taxonomy's tables: whether a product meets them, and how near it is to others."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from iowatt.base.errors import InputError
from iowatt.base.results import Note
from iowatt.emerald.classify.product import Product
from iowatt.emerald.classify.result import ATTRIBUTES, Unmet
from iowatt.emerald.rules import Rules

_REACH: Final = {"not specified": 0, "none": 0, "hosts": 1, "network": 2}
_BOUNDS: Final[dict[str, Callable[[float, float], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_BOUND: Final = re.compile(r"(<=|>=|<|>)?\s*([0-9.]+)")
_RANGE: Final = re.compile(r"([0-9.]+) to ([0-9.]+)")


def within(bound: str, number: float) -> bool:
    """Whether a number is ``< 80``, ``>= 12``, ``80 to 300000`` (both included) or up to a plain ``4``."""
    both = _RANGE.fullmatch(bound)
    if both:
        return float(both[1]) <= number <= float(both[2])
    one = _BOUND.fullmatch(bound)
    if one is None:
        text = f"{bound!r} is not a bound; expected one such as '< 80', '>= 12', '4' or '80 to 300000'"
        raise InputError("bad-syntax", None, text)
    return _BOUNDS[one[1] or "<="](number, float(one[2]))


def limits(bound: str) -> tuple[float, ...]:
    """The numbers of a bound."""
    both = _RANGE.fullmatch(bound)
    found = both.groups() if both else [match[2] for match in [_BOUND.fullmatch(bound)] if match]
    return tuple(float(text) for text in found)


def threshold(bound: str) -> float | None:
    """The number of a lower bound; None of others."""
    one = _BOUND.fullmatch(bound)
    return float(one[2]) if one is not None and one[1] in (">", ">=") else None


def stated(product: Product, attribute: str) -> str | None:
    """An attribute of the product in words; None where it is not stated."""
    value = getattr(product, attribute)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return None if value is None else str(value)


def unmet(product: Product, attribute: str, needs: str) -> Unmet | None:
    """The attribute where the product does not meet a class that ``needs`` this of it; else None."""
    value = getattr(product, attribute)
    words = {"optional": True, "not specified": True, "required": value is True, "prohibited": value is False}
    met = words.get(needs)
    if met is None:
        met = _REACH[value] >= _REACH[needs] if attribute == "connectivity" else within(needs, value)
    return None if met else Unmet(attribute, needs, stated(product, attribute))


_NEAR: Final = 0.1  #: A number is near a limit within this share of it.


def near_categories(product: Product, categories: Iterable[str], rules: Rules) -> Iterator[Note]:
    """Limits of the time to first data that the product is near to."""
    milliseconds = product.time_to_first_data * 1000
    bounds = [rules.value(f"taxonomy.{name}.time_to_first_data_ms") for name in categories]
    for limit in sorted({limit for bound in bounds for limit in limits(bound)}):
        if _near(milliseconds, limit):
            text = f"a time to first data of {milliseconds:g} ms is near {limit:g} ms, where categories meet"
            yield Note(code="near-category", text=text)


def near_classes(
    product: Product, unmet_by: Mapping[int, Sequence[Unmet]], table: Mapping[str, Sequence[str]]
) -> Iterator[Note]:
    """Higher classes that one attribute, or attributes that are not stated, keep it from; near limits."""
    class_ = max((number for number, rest in unmet_by.items() if not rest), default=0)
    for number, rest in unmet_by.items():
        silent = [ATTRIBUTES[one.attribute] for one in rest if one.has is None]
        if number < class_ or not rest:
            continue
        if len(silent) == len(rest):
            text = (
                f"class {number} depends on attributes that the product does not state: {', '.join(silent)}"
            )
            yield Note(code="not-stated", text=text)
        elif len(rest) == 1:
            text = f"one attribute alone keeps it from class {number}: {ATTRIBUTES[rest[0].attribute]}"
            yield Note(code="one-attribute", text=text)
    most = product.maximum_configuration
    seen: set[str] = set()
    for number, bound in zip(unmet_by, table.get("maximum_configuration", ()), strict=False):
        least = threshold(bound)
        if least is not None and bound not in seen and _near(most, least):
            text = f"a maximum configuration of {most} is near the limit of class {number} ({bound})"
            yield Note(code="near-limit", text=text)
        seen.add(bound)


def _near(number: float, limit: float) -> bool:
    return abs(number - limit) <= _NEAR * limit
