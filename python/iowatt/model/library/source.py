"""Sources of figures: where they come from, how good they are, and where they must not be used."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

from iowatt.base.strict import Strict, key

Quality = Literal["measured", "stated", "derived", "assumed", "common-knowledge"]
Grade = Literal["A", "B", "C", "D"]


class FigureSource(Strict):
    """One publication or method, and the figures that it stands for."""

    figures: list[str] = key(
        "Key paths of the figures, such as `power.idle`; a table stands for all in it.", min_length=1
    )
    quality: Quality = key(
        "measured: on a real drive; stated: published for it; derived: computed from such figures; assumed; "
        "common-knowledge: known among users of the drive, without a document."
    )
    grade: Grade | None = key(
        "Of power figures. A: idle, read and write watts; B: idle and one active figure; C: one figure, or "
        "only a limit; D: none that is of use.",
        unset="no power figures",
    )
    basis: str | None = key(
        "What a watt means here, such as `stated watts`.", unset="as the figure's name says"
    )
    caution: str | None = key(
        "Why these figures do not describe work; they are shown, and no scenario uses them.",
        unset="they may be used",
    )
    text: str = key("The publication, file or method.", min_length=1)

    def covers(self, figure: str) -> int:
        """How exactly this source names ``figure``: the length of the path that does, or 0."""
        return max((len(p) for p in self.figures if figure == p or figure.startswith(f"{p}.")), default=0)


class DatedSource(FigureSource):
    """A source with its date."""

    date: str = key(
        "When it was published, or put down: a year, or year and month.", pattern=r"^[0-9]{4}(-[0-9]{2})?$"
    )


def source_of(sources: Iterable[FigureSource], figure: str) -> FigureSource | None:
    """The source of a figure by its key path; the most specific one, the first among equals."""
    best = max(sources, key=lambda source: source.covers(figure), default=None)
    return best if best is not None and best.covers(figure) else None


_STAND_IN: Final = " is a stand-in: "

ASSUMED: Final = "assumed, not published"
"""Starts the list of figures of a model that its file leaves out and that are taken from other drives."""


def stand_in(name: str, what: str | None) -> list[str]:
    """The note on a model that stands in for another or for an unknown one; empty where ``what`` is None."""
    return [f"{name}{_STAND_IN}{what}"] if what else []


def stand_ins(notes: Iterable[str]) -> list[str]:
    """Names of the models that notes call stand-ins, each once."""
    return _named(notes, _STAND_IN)


def assumed(notes: Iterable[str]) -> list[str]:
    """Names of the models of which notes list assumed figures, each once."""
    return _named(notes, f": {ASSUMED}: ")


def _named(notes: Iterable[str], mark: str) -> list[str]:
    return list(dict.fromkeys(note.partition(mark)[0] for note in notes if mark in note))
