"""Notes on models: that one is a stand-in or has assumed figures, and which models notes say so of."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

_STAND_IN: Final = " is a stand-in: "

ASSUMED: Final = "assumed, not published"
"""Before the figures of a model that its file leaves out and that are taken from other drives."""


def stand_in(name: str, what: str | None) -> list[str]:
    """The note on a model that is none of a maker's, or stands for one that is not known; none without it."""
    return [f"{name}{_STAND_IN}{what}"] if what else []


def stand_ins(notes: Iterable[str]) -> list[str]:
    """Names of the models that notes call stand-ins, each once."""
    return _named(notes, _STAND_IN)


def assumed(notes: Iterable[str]) -> list[str]:
    """Names of the models of which notes list assumed figures, each once."""
    return _named(notes, f": {ASSUMED}: ")


def _named(notes: Iterable[str], mark: str) -> list[str]:
    return list(dict.fromkeys(note.partition(mark)[0] for note in notes if mark in note))
