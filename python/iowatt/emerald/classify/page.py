"""The page of ``iowatt emerald classify``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from iowatt.emerald.classify.requirement import stated
from iowatt.emerald.classify.result import ATTRIBUTES
from iowatt.emerald.classify.taxonomy import Classification, title
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Cell, Figure, Table, text_columns


def document(found: Classification) -> Document:
    """The document of a classification."""
    return Document(
        key="class",
        kind="product class",
        title=found.product.title,
        meta=f"rules {found.rules.name}",
        verdict=list(_verdict(found)),
        sections=[Section("attributes", "Attributes", [_attributes(found)] if found.table else [])],
        caveats=list(_caveats(found)),
    )


def _verdict(found: Classification) -> Iterator[str]:
    rules = found.rules
    computed = title(found.category, found.class_, rules)
    if found.override is not None:
        yield f"{title(*found.found, rules)}, decided on: {found.override.note}"
        yield f"By its attributes: {computed}" + (
            "." if found.class_ is not None or not found.unmet else ", no class met."
        )
    elif found.category is None:
        yield f"No category of {rules.name}."
    elif found.class_ is None and found.unmet:
        yield f"{computed}, but no class of it."
    else:
        yield f"{computed}."
    if found.category is None:
        for name, why in found.reasons.items():
            yield f"Not {name}: {'; '.join(why)}."
    elif not found.unmet:
        yield "This category has no classes and no test procedure."
    elif found.next_class is None:
        yield "There is no higher class."
    else:
        reasons = ", ".join(one.text for one in found.stops)
        yield f"What stops it from {title(found.category, found.next_class, rules)}: {reasons}."


def _attributes(found: Classification) -> Figure:
    rows: list[list[Cell]] = []
    for name, row in found.table.items():
        cells = [
            _short(needs) + ("!" if any(one.attribute == name for one in rest) else "")
            for needs, rest in zip(row, found.unmet.values(), strict=True)
        ]
        rows.append([ATTRIBUTES[name], _short(stated(found.product, name) or "?"), *cells])
    classes = (f"{number} *" if number == found.class_ else str(number) for number in found.unmet)
    return Figure(
        "attributes",
        "Attributes and classes (! not met, ? not stated, * its class)",
        "The requirements of each class.",
        Table(text_columns("Attribute", "Product", *classes), rows),
        wide=True,
        brief=True,
    )


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


def _caveats(found: Classification) -> Iterator[Caveat]:
    for note in found.boundary:
        yield Caveat(f"Boundary: {note.text}", True)
    for note in found.notes:
        yield Caveat(note.text, note.decides)
    caveat = found.rules.caveat()
    if caveat:
        yield Caveat(caveat)
