"""Where things are in the workbook: names of sheets, addresses of cells."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from xlsxwriter.utility import xl_rowcol_to_cell

#: The format's own limit of a sheet's name, in units of UTF-16, and the characters that it forbids there.
_NAME_MOST: Final = 31
_FORBIDDEN: Final = re.compile(r"[\[\]:*?/\\'\x00-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True)
class Cells:
    """Names of cells of the sheet of assumptions, by key of the book."""

    names: Mapping[str, str]
    basis: str = "horizon_basis"
    amount: str = "horizon_amount"


@dataclass(frozen=True)
class Place:
    """What the summary refers to of the sheet of one system."""

    sheet: str
    groups: str
    usd: str
    total: str
    present: str
    repeats: str
    years: str
    operational: str
    embodied: str


def absolute(row: int, column: int) -> str:
    """``$B$3``."""
    return str(xl_rowcol_to_cell(row, column, row_abs=True, col_abs=True))


def span(column: int, first: int, last: int) -> str:
    """Cells of one column."""
    return f"{absolute(first, column)}:{absolute(last, column)}"


def on(sheet: str, cells: str) -> str:
    """Cells of another sheet."""
    return f"'{sheet}'!{cells}"


def sheet_names(labels: Sequence[str]) -> list[str]:
    """Names of the systems' sheets: numbered, so that none is another's or one of ours."""
    return [_short(f"{at} {_FORBIDDEN.sub('_', label)}") for at, label in enumerate(labels, 1)]


def _short(name: str) -> str:
    while len(name.encode("utf-16-le")) > 2 * _NAME_MOST:
        name = name[:-1]
    return name.strip()


def cell_names(keys: Sequence[str]) -> dict[str, str]:
    """A name of a cell for each key: ``cooling.pue`` is ``cooling_pue``."""
    made: dict[str, str] = {}
    for key in keys:
        # An underscore always follows the first word of a key, so that no name is read as a cell (A1, R1C1).
        wanted = re.sub(r"[^A-Za-z0-9]", "_", key)[:120]
        name, number = wanted, 2
        while name.casefold() in {one.casefold() for one in made.values()}:
            name, number = f"{wanted}_{number}", number + 1
        made[key] = name
    return made
