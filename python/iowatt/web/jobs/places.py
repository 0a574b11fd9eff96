"""Where files of a workspace lie: no path of a request, nor of a document in one, leads out of it."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from iowatt.base.errors import Argument, InputError

EXAMPLE: Final = "example:"
"""Begins a folder among the shipped examples."""
_MOST_FILES: Final = 64
_LONGEST_PATH: Final = 4096


@dataclass(frozen=True)
class JobBase:
    """The folder that the paths of a document are relative to, and the folders that they may lead to."""

    folder: Path
    roots: tuple[Path, ...]


def base_of(workspace: Path, base: str) -> JobBase:
    """The folder ``base`` of a workspace, or of the shipped examples.

    Raises ``InputError`` where there is no such folder there.
    """
    from iowatt.model.scenario import EXAMPLES

    root = workspace.resolve()
    if not base.startswith(EXAMPLE):
        return JobBase(_inside(root, base, "base", "workspace"), (root,))
    examples = EXAMPLES.resolve()
    return JobBase(_inside(examples, base.removeprefix(EXAMPLE), "base", "examples"), (examples, root))


def file_of(workspace: Path, path: str) -> Path:
    """A file of a workspace by its path relative to it.

    Raises ``InputError`` where there is none, or it lies elsewhere, by a link too.
    """
    found = _inside(workspace.resolve(), path, "path", "workspace", folder=False)
    if not found.is_file():
        raise InputError("wrong-kind", Argument("path", path), "expected a file")
    return found


def _inside(root: Path, path: str, argument: str, what: str, *, folder: bool = True) -> Path:
    place = Argument(argument, path)
    try:
        found = (root / path).resolve()
        if not found.is_relative_to(root):
            raise InputError("not-accepted", place, f"this is not in the {what}")
        there = found.is_dir() if folder else found.exists()
    except (OSError, ValueError, RuntimeError):  # too long, a NUL, links in a circle
        there = False
    if not there:
        raise InputError("not-found", place, f"no such {'folder' if folder else 'file'}")
    return found


def refuse_outside(document: Any, base: JobBase) -> None:
    """Raise ``InputError`` where a text anywhere in a document, read as a path, leads out of the roots.

    TOML files that the document names (devices, profiles, scenarios) are looked at as well. Standard input
    is no file of a workspace.
    """
    seen: set[Path] = set()
    waiting: list[tuple[Any, Path]] = [(document, base.folder)]
    while waiting:
        part, folder = waiting.pop()
        for place, text in _texts(part):
            named = _named(text, folder)
            if named is None:
                continue
            if text == "-" or not any(named.is_relative_to(root) for root in base.roots):
                message = f"{text!r} is outside the workspace"
                raise InputError("not-accepted", place or None, message, hint="copy the file into it")
            if named.suffix == ".toml" and named not in seen and named.is_file():
                seen.add(named)
                if len(seen) > _MOST_FILES:
                    raise InputError("too-large", place or None, f"more than {_MOST_FILES} files")
                waiting.append((_toml(named), named.parent))


def _named(text: str, folder: Path) -> Path | None:
    """Where a text leads as a path; None where it cannot be one."""
    if not text or len(text) > _LONGEST_PATH or "\0" in text:
        return None
    path = folder / text
    try:
        if "/" not in text and text != ".." and not os.path.lexists(path):
            return path if text == "-" else None
        return path.resolve()
    except (OSError, RuntimeError):
        return None


def _texts(value: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """Every text in a document, with its key path; documents are not nested deeply."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, dict):
        for key, below in value.items():
            yield from _texts(below, f"{place}.{key}" if place else str(key))
    elif isinstance(value, Sequence):
        for number, below in enumerate(value):
            yield from _texts(below, f"{place}.{number}")


def _toml(file: Path) -> Any:
    from iowatt.base.document import TomlDocument, read_text

    try:
        return TomlDocument(read_text(file), str(file)).raw
    except (InputError, tomllib.TOMLDecodeError):  # who reads it says what is wrong with it
        return {}
