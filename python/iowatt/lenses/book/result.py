"""A figure of the book as results list it."""

from __future__ import annotations

from iowatt.base.printable import PrintableResult


class Assumption(PrintableResult):
    """A figure of the book with its range and its source."""

    key: str
    unit: str
    #: Its meaning.
    text: str
    value: float | str
    low: float | None
    high: float | None
    source: str
    date: str | None
    quality: str
    note: str
