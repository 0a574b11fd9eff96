"""Documents as a workbook: what to conclude on the first sheet, then a sheet for each figure's table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from iowatt.render.document import Document
from iowatt.render.figure import Cell, Column, Table
from iowatt.render.sheets import Sheets

_MOST: Final = 31
"""Characters of a sheet's name: the limit of the format."""


def write(documents: Sequence[Document], path: Path) -> None:
    """Write the workbook."""
    from xlsxwriter import Workbook

    with Workbook(str(path)) as book:
        sheets = Sheets(book)
        columns = [
            Column("Figure", text=True),
            Column("Value"),
            Column("Unit", text=True),
            Column("Remark", text=True),
        ]
        sheets.table_and_prose(
            "Summary", Table(columns, list(_headlines(documents))), list(_prose(documents))
        )
        taken = {"summary"}
        for document in documents:
            for figure in document.figures():
                sheets.table(_name(figure.title, taken), figure.table)


def _headlines(documents: Sequence[Document]) -> Iterator[list[Cell]]:
    for document in documents:
        for one in document.headlines:
            title = one.title if len(documents) == 1 else f"{document.title}: {one.title}"
            yield [title, one.value, one.unit, one.remark]


def _prose(documents: Sequence[Document]) -> Iterator[tuple[str, Sequence[str]]]:
    for document in documents:
        yield document.title, [*([document.meta] if document.meta else []), *document.verdict]
        if document.caveats:
            yield "Caveats", [caveat.text for caveat in document.caveats]
        if document.provenance:
            yield "Provenance", [f"{name}: {value}" for name, value in document.provenance]


def _name(title: str, taken: set[str]) -> str:
    """A sheet's name from a title: allowed characters, short, and not used yet."""
    plain = re.sub(r"[\[\]:*?/\\']+", " ", title).strip()[:_MOST] or "Table"
    name, number = plain, 2
    while name.lower() in taken:
        ending = f" {number}"
        name, number = plain[: _MOST - len(ending)] + ending, number + 1
    taken.add(name.lower())
    return name
