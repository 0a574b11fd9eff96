"""What tests assert of notes: their codes and the figures in them, never their wording."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from iowatt.base.results import Note


def noted(notes: Iterable[Note | Mapping[str, Any]]) -> dict[str, str]:
    """Texts of notes by code, those of one code on a line each."""
    found: dict[str, str] = {}
    for note in notes:
        code, text = (note.code, note.text) if isinstance(note, Note) else (note["code"], note["text"])
        found[code] = f"{found[code]}\n{text}" if code in found else text
    return found
