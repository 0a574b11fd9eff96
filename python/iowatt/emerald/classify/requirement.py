"""What a cell of the taxonomy's tables asks for, and whether a product has it."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from iowatt.base.errors import InputError
from iowatt.emerald.classify.product import Product

#: Rows of the tables in the order in which they are shown, and how people call them.
ATTRIBUTES: Final = {
    "connectivity": "connectivity",
    "consumer": "consumer or component",
    "integrated_controller": "integrated controller",
    "storage_protection": "storage protection",
    "no_single_point_of_failure": "no single point of failure",
    "non_disruptive_serviceability": "non-disruptive serviceability",
    "fba_ckd": "FBA and CKD",
    "robotics": "robotics",
    "maximum_configuration": "maximum configuration",
}

_REACH: Final = {"not specified": 0, "none": 0, "hosts": 1, "network": 2}
_BOUNDS: Final[dict[str, Callable[[float, float], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_BOUND: Final = re.compile(r"(<=|>=|<|>)?\s*([0-9.]+)")
_RANGE: Final = re.compile(r"([0-9.]+) to ([0-9.]+)")


@dataclass(frozen=True)
class Unmet:
    """An attribute that stands between a product and a class."""

    attribute: str
    #: What the class asks for: "required", "network", "> 100".
    needs: str
    #: What the product has; None where it does not say.
    has: str | None

    @property
    def text(self) -> str:
        """In words."""
        name = ATTRIBUTES[self.attribute]
        if self.has is None:
            return f"{name} ({self.needs}; the product does not say)"
        return (
            f"{name} ({self.needs}; it has {self.has})"
            if self.needs[0] in "<>0123456789"
            else (f"{name} ({self.needs}; the product: {self.has})")
        )


def within(bound: str, number: float) -> bool:
    """Whether a number is ``< 80``, ``>= 12``, ``80 to 300000`` (both included) or up to a plain ``4``."""
    both = _RANGE.fullmatch(bound)
    if both:
        return float(both[1]) <= number <= float(both[2])
    one = _BOUND.fullmatch(bound)
    if one is None:
        raise InputError(
            "bad-syntax",
            None,
            f"{bound!r} is not a bound; expected one such as '< 80', '>= 12', '4' or '80 to 300000'",
        )
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


def had(product: Product, attribute: str) -> str | None:
    """What the product has of an attribute, in words; None where it does not say."""
    value = getattr(product, attribute)
    return (
        None
        if value is None
        else {True: "yes", False: "no"}[value]
        if isinstance(value, bool)
        else str(value)
    )


def unmet(product: Product, attribute: str, needs: str) -> Unmet | None:
    """What stands between the product and a class that ``needs`` this of an attribute, or nothing."""
    value = getattr(product, attribute)
    met = {
        "optional": True,
        "not specified": True,
        "required": value is True,
        "prohibited": value is False,
    }.get(needs)
    if met is None:
        met = _REACH[value] >= _REACH[needs] if attribute == "connectivity" else within(needs, value)
    return None if met else Unmet(attribute, needs, had(product, attribute))
