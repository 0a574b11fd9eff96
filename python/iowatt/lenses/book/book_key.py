"""One key of the book: unit, bounds, words and meaning. ``*`` in its pattern matches a name."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class BookKey:
    """A key of the book; with ``words`` its value is one of them, else a number within bounds."""

    pattern: str
    unit: str
    text: str
    low: float = 0.0
    high: float = float("inf")
    words: tuple[str, ...] = ()
    #: A word that is checked where it is used.
    any_word: bool = False
