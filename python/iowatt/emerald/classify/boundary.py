"""Where a little more, or another view of one attribute, would change the class: the grey cases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from iowatt.base.results import Note
from iowatt.emerald.classify.product import Product
from iowatt.emerald.classify.requirement import ATTRIBUTES, Unmet, limits, threshold
from iowatt.emerald.rules import Rules

#: How near a number is to a limit that it is called near: a tenth of it.
NEAR: Final = 0.1


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
    """Higher classes that one attribute, or what the product does not say, keeps it from; near limits."""
    class_ = max((number for number, rest in unmet_by.items() if not rest), default=0)
    for number, rest in unmet_by.items():
        silent = [ATTRIBUTES[one.attribute] for one in rest if one.has is None]
        if number < class_ or not rest:
            continue
        if len(silent) == len(rest):
            text = f"class {number} depends on what the product does not say: {', '.join(silent)}"
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
    return abs(number - limit) <= NEAR * limit
