"""What a report consists of, whatever prints it: pages of titled tables and sentences."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from iowatt.render.figure import Cell, Column, Figure, Table


@dataclass(frozen=True)
class Lines:
    """A chart of columns of a block's table over its first column."""

    title: str
    #: Titles of columns.
    columns: Sequence[str]
    unit: str
    from_zero: bool = True


@dataclass(frozen=True)
class Block:
    """A table, what it is called and how it is read."""

    title: str
    table: Table
    caption: str = ""
    charts: Sequence[Lines] = ()
    #: The same as figures of a page.
    figures: Sequence[Figure] = ()
    #: Whether another of its kind may stand beside it.
    half: bool = False


@dataclass(frozen=True)
class Page:
    """A page of a report; a sheet of a workbook."""

    key: str
    title: str
    blocks: Sequence[Block] = ()
    #: Sentences before the tables.
    sentences: Sequence[str] = field(default_factory=tuple)


def pairs(title: str, rows: Iterable[tuple[str, Any]], caption: str = "") -> Block:
    """A table of what is what; what is not known says so."""
    columns = [Column("Item", text=True), Column("Value", text=True)]
    return Block(title, Table(columns, [[name, said(value)] for name, value in rows]), caption, half=True)


def rows(
    title: str,
    columns: Sequence[Column],
    cells: Iterable[Sequence[Any]],
    caption: str = "",
    *,
    half: bool = False,
) -> Block:
    """A table; dates and yes/no become text."""
    made = [[one if isinstance(one, int | float) and not isinstance(one, bool) else _cell(one) for one in row]
            for row in cells]  # fmt: skip
    return Block(title, Table(list(columns), made), caption, half=half)


def text(*titles: str) -> list[Column]:
    """Columns of text."""
    return [Column(title, text=True) for title in titles]


def _cell(value: Any) -> Cell:
    return None if value is None else value if isinstance(value, str) else said(value)


def said(value: Any) -> str:
    """A value in words: yes and no, "not stated" for nothing."""
    if value is None or value == "":
        return NOT_STATED
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.10g}" if math.isfinite(value) else NOT_STATED
    if isinstance(value, list | tuple):
        return ", ".join(map(said, value)) or NOT_STATED
    return str(value)


NOT_STATED = "not stated"


def moment(at: float | None) -> str:
    """A Unix time in UTC."""
    if at is None:
        return NOT_STATED
    return f"{datetime.datetime.fromtimestamp(at, datetime.UTC):%Y-%m-%d %H:%M:%S} UTC"


def minutes(seconds: float | None) -> float | None:
    """Seconds as minutes."""
    return None if seconds is None else seconds / 60


def gigabytes(size: int | None) -> str:
    """Bytes as decimal GB."""
    return NOT_STATED if size is None else f"{size / 1e9:,.10g} GB"
