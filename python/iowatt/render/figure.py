"""What a figure is: a plain plotly spec and the table that says the same in numbers.

A spec is a dict with ``data`` and ``layout``, ready for plotly.js and for ``plotly.graph_objects.Figure``.
It carries no fonts, grid or background: the page that shows it knows whether it is dark.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from iowatt.render import numbers

Cell = str | float | int | None
Spec = dict[str, Any]

LONG_CELL: Final = 60
"""Characters beyond which the text of a cell is broken into lines."""
STACKED_COLUMNS, ALWAYS_STACKED, MOST_STACKED = 4, 6, 24
"""Columns from which a narrow screen shows rows as lists; rows up to which it does, and with long texts."""

SAME: Final = 1e-3
"""Difference up to which two figures of a column may read alike, as a share of the largest."""


@dataclass(frozen=True)
class Column:
    """A column of a table: its title, its unit, and whether it is text.

    Where a table is too wide, columns of the highest ``rank`` are left out first; long text
    is broken into lines.
    """

    title: str
    unit: str = ""
    text: bool = False
    rank: int = 0

    @property
    def heading(self) -> str:
        """Title with unit, as the header of a table and of a CSV shows it."""
        return f"{self.title} ({self.unit})" if self.unit else self.title

    def show(self, cell: Cell) -> str:
        """One cell as a person reads it."""
        if cell is None:
            return numbers.NO_VALUE
        if isinstance(cell, str):
            return cell
        if isinstance(cell, Labelled):
            return cell.text
        return numbers.count(cell) if isinstance(cell, int) else numbers.significant(cell, 4)

    def texts(self, cells: Sequence[Cell]) -> list[str]:
        """The column's cells as text, floats with one number of decimals for all.

        It is the least that gives the largest figure three significant digits and keeps figures apart that
        differ by more than ``SAME`` of the largest. What would read as nought is shown as less than the last
        decimal.
        """
        values = [abs(cell) for cell in cells if isinstance(cell, float) and not isinstance(cell, Labelled)]
        largest = max(values, default=0.0)
        if not largest or type(self).show is not Column.show:
            return [self.show(cell) for cell in cells]
        first = max(0, 2 - math.floor(math.log10(largest)))
        distinct = sorted(set(values))
        apart = [(a, b) for a, b in itertools.pairwise(distinct) if b - a > SAME * largest]
        decimals = next(
            (n for n in range(first, first + 3) if all(f"{a:.{n}f}" != f"{b:.{n}f}" for a, b in apart)),
            first + 3,
        )
        return [
            self._fixed(cell, decimals)
            if isinstance(cell, float) and not isinstance(cell, Labelled)
            else self.show(cell)
            for cell in cells
        ]

    @staticmethod
    def _fixed(value: float, decimals: int) -> str:
        text = f"{value:,.{decimals}f}"
        least = 10.0**-decimals
        if value == 0 or abs(value) >= least / 2:
            return text if value else "0"
        return f"{'<' if value > 0 else '>-'}{least:.{decimals}f}"


@dataclass(frozen=True)
class Significant(Column):
    """A column of figures of very different size, each with three significant digits."""

    def show(self, cell: Cell) -> str:
        """A cell as a person reads it."""
        return numbers.significant(cell) if isinstance(cell, float) else super().show(cell)


@dataclass(frozen=True)
class Exact(Column):
    """A column of figures that are shown with a fixed number of significant digits, each for itself."""

    digits: int = 6

    def show(self, cell: Cell) -> str:
        """A cell as a person reads it."""
        if not isinstance(cell, float):
            return super().show(cell)
        return f"{cell:.{self.digits}g}" if abs(cell) < 10**self.digits else f"{cell:,.0f}"


class Labelled(float):
    """A figure that a person reads as ``text``; files and scripts have the number."""

    __slots__ = ("text",)
    text: str

    def __new__(cls, value: float, text: str) -> Labelled:
        """``Labelled(12.3, "12.3 (+5 %)")``."""
        cell = super().__new__(cls, value)
        cell.text = text
        return cell


class PublishedFigure(str):
    """A figure as rules have it published (``12.3``), with the figure in full behind it."""

    __slots__ = ("full",)
    full: float

    def __new__(cls, text: str, full: float) -> PublishedFigure:
        """``PublishedFigure("12.3", 12.317)``."""
        made = super().__new__(cls, text)
        made.full = full
        return made

    @property
    def decimals(self) -> int:
        """Digits behind the point."""
        return len(self.partition(".")[2])

    @property
    def as_number(self) -> float:
        """In full where a number format shows it as published; else (1230 of 1234.5) what is published."""
        same = f"{self.full:.{self.decimals}f}" == str(self)
        return self.full if same else float(self)


@dataclass(frozen=True)
class Table:
    """Rows under typed columns; ``None`` where there is no value, never NaN or an infinity.

    ``links`` are addresses that a page has behind cells of the first column.
    """

    columns: list[Column]
    rows: list[list[Cell]]
    links: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"a row of {len(row)} cells under {len(self.columns)} columns")
            row[:] = [None if isinstance(cell, float) and not math.isfinite(cell) else cell for cell in row]

    def texts(self) -> list[list[str]]:
        """The rows as a person reads them."""
        if not self.rows:
            return []
        columns = [
            column.texts(cells)
            for column, cells in zip(self.columns, zip(*self.rows, strict=True), strict=True)
        ]
        return [list(row) for row in zip(*columns, strict=True)]

    @property
    def stacks(self) -> bool:
        """Whether a narrow screen shows each row as a list: few rows of many columns, or with long texts."""
        if len(self.columns) < STACKED_COLUMNS or len(self.rows) > MOST_STACKED:
            return False
        return len(self.rows) <= ALWAYS_STACKED or any(
            isinstance(cell, str) and len(cell) > LONG_CELL for row in self.rows for cell in row
        )

    def column(self, title: str) -> list[Any]:
        """All cells under a title."""
        at = [column.title for column in self.columns].index(title)
        return [row[at] for row in self.rows]


@dataclass(frozen=True)
class Figure:
    """One figure of a report.

    ``caption`` says how to read it; ``remarks`` say what was left out or merged; ``spec`` is ``None``
    where the table alone is the figure; ``wide`` asks for the full width of a page; the table of a ``brief``
    figure is printed on a terminal, all its rows where it is ``complete``. A page shows a figure with a
    ``template`` by that template.
    """

    key: str
    title: str
    caption: str
    table: Table
    spec: Spec | None = None
    remarks: list[str] = field(default_factory=list)
    wide: bool = False
    brief: bool = False
    complete: bool = False
    template: str = ""


def text_columns(*titles: str) -> list[Column]:
    """Columns of text."""
    return [Column(title, text=True) for title in titles]


def plain(name: str) -> str:
    """A name that a chart shows as it is: plotly reads a few HTML tags and entities in its texts."""
    return name.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def axis(title: str, **more: Any) -> dict[str, Any]:
    """An axis with its title, quantity and unit."""
    digits = {"exponentformat": "none", "separatethousands": True}
    return {"title": {"text": title}, "automargin": True, **digits, **more}


def layout(x: dict[str, Any], y: dict[str, Any], **more: Any) -> dict[str, Any]:
    """The layout of a chart with a legend above it."""
    legend = {"orientation": "h", "x": 0, "xanchor": "left", "y": 1.02, "yanchor": "bottom"}
    legend["traceorder"] = "normal"
    return {"xaxis": x, "yaxis": y, "legend": legend, **more}
