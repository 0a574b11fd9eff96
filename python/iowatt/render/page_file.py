"""A page of its own: where it may be written, and writing it never half."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from iowatt.base import atomic_path
from iowatt.base.errors import InputError

if TYPE_CHECKING:
    from iowatt.render.figure import Figure
    from iowatt.render.headline import Headline


@dataclass(frozen=True)
class Part:
    """One subject of a page of a lens (`description.html`); ``key`` makes the ids of its figures unique."""

    key: str
    name: str
    meta: str
    headlines: Sequence[Headline]
    sections: Sequence[tuple[str, str, Sequence[Figure]]]
    notes: Sequence[str]
    #: What a reader must know before any figure.
    verdict: Sequence[str] = ()


def check_target(target: Path, force: bool, what: str) -> None:
    """Raise ``InputError`` where the page cannot be written; ``what`` names the page."""
    if target.suffix.lower() != ".html":
        raise InputError(
            "not-accepted", str(target), f"{what} is an HTML file; expected a name that ends in .html"
        )
    check_place(target, force)


def check_place(target: Path, force: bool) -> None:
    """Raise ``InputError`` where no file of that name can be written, whatever it is."""
    if not target.parent.is_dir():
        raise InputError("not-found", str(target.parent), "the directory for the report does not exist")
    if target.is_dir():
        raise InputError("wrong-kind", str(target), "is a directory; a report is a file")
    if target.exists() and not force:
        raise InputError("exists", str(target), "exists already", hint="`force=True` replaces it")


def write(text: str, target: Path) -> None:
    """Write the page aside, then rename it."""
    write_aside(target, lambda made: made.write_text(text, encoding="utf-8", newline="\n"))


def write_aside(target: Path, make: Callable[[Path], object]) -> None:
    """Let ``make`` write a file beside ``target``, then rename it; ``InputError`` where it cannot be."""
    with atomic_path.file(target) as made:
        make(made)
