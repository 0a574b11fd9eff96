"""A classification for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from iowatt.emerald.classify.classify import Classification, title
from iowatt.emerald.classify.requirement import ATTRIBUTES, had

if TYPE_CHECKING:
    from rich.table import Table


def parts(found: Classification) -> Iterator[Table | str]:
    """Lines and a table, in order."""
    yield from _head(found)
    if found.table:
        yield _table(found)
    for line in found.boundary:
        yield f"boundary: {line}"
    for line in found.notes:
        yield f"note: {line}"
    caveat = _caveat(found)
    if caveat:
        yield caveat


def _head(found: Classification) -> Iterator[str]:
    rules, product = found.rules, found.product
    computed = title(found.category, found.class_, rules)
    if found.override is not None:
        yield f"{product.title}: {title(*found.found, rules)}, decided on: {found.override.note}"
        yield f"by its attributes: {computed}" + (
            "" if found.class_ is not None or not found.unmet else ", no class met"
        )
    elif found.category is None:
        yield f"{product.title}: no category of {rules.name}"
    elif found.class_ is None and found.unmet:
        yield f"{product.title}: {computed}, but no class of it"
    else:
        yield f"{product.title}: {computed}"
    if found.category is None:
        for name, why in found.reasons.items():
            yield f"  not {name}: {'; '.join(why)}"
    elif not found.unmet:
        yield "this category has no classes and no test procedure"
    elif found.next_class is None:
        yield "there is no higher class"
    else:
        reasons = ", ".join(one.text for one in found.stops)
        yield f"what stops it from {title(found.category, found.next_class, rules)}: {reasons}"


def _table(found: Classification) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("! = not met, ? = not stated", no_wrap=True)
    table.add_column("product", no_wrap=True)
    for number in found.unmet:
        table.add_column(f"{number} *" if number == found.class_ else str(number), no_wrap=True)
    for name, row in found.table.items():
        cells = [
            _short(needs) + ("!" if any(one.attribute == name for one in rest) else "")
            for needs, rest in zip(row, found.unmet.values(), strict=True)
        ]
        table.add_row(ATTRIBUTES[name], _short(had(found.product, name) or "?"), *cells)
    return table


#: Six classes fit side by side into 80 columns.
_SHORT: Final = {
    "required": "req",
    "optional": "-",
    "prohibited": "no",
    "not specified": "-",
    "network": "net",
}


def _short(cell: str) -> str:
    return _SHORT.get(cell, cell.replace(" ", ""))


def _caveat(found: Classification) -> str | None:
    unverified = found.rules.unverified_used
    if not unverified:
        return None
    values = "value" if len(unverified) == 1 else "values"
    return f"judged with {len(unverified)} unverified rule {values} of {found.rules.name} (--json names them)"
