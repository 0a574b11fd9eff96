"""Files that a form can begin with: shipped examples, and files of the workspace."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from iowatt.base.errors import InputError
from iowatt.base.results import Result
from iowatt.model.scenario import EXAMPLES

SHIPPED: Final = "example:"
"""Begins the id of a shipped file."""
_LEVELS: Final = 3
_MOST_BYTES: Final = 200_000
_MOST_ENTRIES: Final = 20_000
_MOST_FOUND: Final = 200
_TITLE_CHARS: Final = 300
#: Folders of results, whose files are copies of what was asked for.
_RESULTS: Final = frozenset({"answers", "what-if", "imported"})


class FormStart(Result):
    """A file to begin with. ``id`` is its path, after ``example:`` where it is shipped."""

    id: str
    name: str
    title: str
    #: Folder that its paths are relative to, as jobs have it.
    base: str


@dataclass(frozen=True)
class StartText:
    """A file, read."""

    text: str
    base: str


def shipped_starts(pattern: str) -> Iterator[FormStart]:
    """The shipped examples of a pattern, by name."""
    for path in sorted(EXAMPLES.glob(pattern)):
        relative = path.relative_to(EXAMPLES).as_posix()
        yield _start(f"{SHIPPED}{relative}", path.stem, path.read_text("utf-8"))


def workspace_starts(root: Path, mark: str) -> Iterator[FormStart]:
    """TOML files of the workspace that have a mark, not deeper than three folders; no link is followed."""
    found = 0
    for path in _toml_files(root.resolve()):
        text = _text(path)
        if text is not None and mark in text:
            yield _start(path.relative_to(root.resolve()).as_posix(), path.stem, text)
            found += 1
            if found >= _MOST_FOUND:
                return


def start_text(root: Path, identity: str) -> StartText:
    """A file to begin with by its id. Paths of a shipped one are made absolute.

    Raises ``InputError``: there is none, or it lies elsewhere.
    """
    from iowatt.web.jobs import file_of

    if identity.startswith(SHIPPED):
        path = file_of(EXAMPLES, identity.removeprefix(SHIPPED))
        folder = path.parent.parent.as_posix()
        return StartText(path.read_text("utf-8").replace('"../', f'"{folder}/'), _base(identity))
    text = _text(file_of(root, identity))
    if text is None:
        message = f"expected a text of at most {_MOST_BYTES:,} bytes"
        raise InputError("wrong-kind", identity, message)
    return StartText(text, _base(identity))


def _start(identity: str, name: str, text: str) -> FormStart:
    return FormStart(id=identity, name=name, title=_title(text) or name, base=_base(identity))


def _title(text: str) -> str:
    """The first sentence of the comment on top of a file."""
    said: list[str] = []
    for line in text.splitlines():
        words = line.removeprefix("#").strip()
        if not line.startswith("#") or (said and not words):
            break
        if words and not words.startswith(":schema"):
            said.append(words)
    first = re.match(r".+?[.?](?= |$)", " ".join(said))
    return (first[0] if first else " ".join(said))[:_TITLE_CHARS]


def _base(identity: str) -> str:
    folder = identity.rpartition("/")[0]
    return SHIPPED + folder.removeprefix(SHIPPED) if identity.startswith(SHIPPED) else folder


def _toml_files(root: Path) -> Iterator[Path]:
    left = _MOST_ENTRIES
    for folder, folders, files in os.walk(root):
        here = Path(folder)
        deep = len(here.relative_to(root).parts) >= _LEVELS
        hidden = [name for name in folders if name.startswith(".") or (here == root and name in _RESULTS)]
        folders[:] = [] if deep else sorted(set(folders) - set(hidden))
        left -= len(files) + len(folders)
        if left < 0:
            return
        for name in sorted(files):
            path = here / name
            if name.endswith(".toml") and not name.startswith(".") and not path.is_symlink():
                yield path


def _text(path: Path) -> str | None:
    """The text of a small file; None where it is none."""
    try:
        if not path.is_file() or path.stat().st_size > _MOST_BYTES:
            return None
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
