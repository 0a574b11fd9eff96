"""Tables of a report as figures, and how it writes values."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable, Sequence
from typing import Any, Final

from iowatt.render.figure import Column, Figure, Table, text_columns

NOT_STATED: Final = "not stated"


def table(
    title: str,
    columns: Sequence[Column],
    rows: Iterable[Sequence[Any]],
    caption: str = "",
    *,
    wide: bool = True,
) -> Figure:
    """A table; dates and yes/no become text. Two that are not ``wide`` share a row."""
    cells = [
        [
            one
            if one is None or (isinstance(one, str | int | float) and not isinstance(one, bool))
            else text(one)
            for one in row
        ]
        for row in rows
    ]
    key = "-".join(title.lower().split())
    return Figure(key, title, caption, Table(list(columns), cells), wide=wide)


def pairs(title: str, rows: Iterable[tuple[str, Any]], caption: str = "") -> Figure:
    """A table of items and their values."""
    return table(
        title, text_columns("Item", "Value"), [[name, text(one)] for name, one in rows], caption, wide=False
    )


def text(value: Any) -> str:
    """A value as text: yes, no, or "not stated" for None."""
    if value is None or value == "":
        return NOT_STATED
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.10g}" if math.isfinite(value) else NOT_STATED
    if isinstance(value, list | tuple):
        return ", ".join(map(text, value)) or NOT_STATED
    return str(value)


def joined(*texts: str | None) -> str | None:
    """The stated texts, separated by spaces; None where all are missing."""
    return " ".join(filter(None, texts)) or None


def moment(seconds: float | None) -> str:
    """A Unix time in UTC."""
    if seconds is None:
        return NOT_STATED
    return f"{datetime.datetime.fromtimestamp(seconds, datetime.UTC):%Y-%m-%d %H:%M:%S} UTC"


def minutes(seconds: float | None) -> float | None:
    """Seconds as minutes."""
    return None if seconds is None else seconds / 60


def gigabytes(size: int | None) -> str:
    """Bytes as decimal GB."""
    return NOT_STATED if size is None else f"{size / 1e9:,.10g} GB"
