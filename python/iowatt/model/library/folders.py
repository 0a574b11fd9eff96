"""The library's folders of TOML files (devices, parts, fabric, profiles): names, documents, near names."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

from pydantic import BaseModel

from iowatt.base.document import TomlDocument

#: By its path: the readers of ``importlib.resources`` take long to import.
LIBRARY: Final = Path(__file__).parent


@cache
def names(folder: str) -> tuple[str, ...]:
    """Names of the files of a folder, sorted, without their ending."""
    return tuple(sorted(file.stem for file in (LIBRARY / folder).glob("*.toml")))


def path(folder: str, name: str) -> Path:
    """Where a file of the library lies."""
    return LIBRARY / folder / f"{name}.toml"


def document(
    folder: str, name: str, overrides: Sequence[str] = (), model: type[BaseModel] | None = None
) -> TomlDocument:
    """A file of the library; ``overrides`` are ``path=value``."""
    text = path(folder, name).read_text("utf-8")
    return TomlDocument(text, f"{name}.toml (library)", overrides, model)


def near_names(folder: str, name: str, otherwise: str) -> str:
    """``did you mean ...?`` with up to three names; ``otherwise`` where none is near."""
    known = names(folder)
    within = [one for one in known if len(name) > 2 and name.lower() in one]
    choices = (within or difflib.get_close_matches(name.lower(), known, n=3, cutoff=0.6))[:3]
    return f"did you mean {' or '.join(map(repr, choices))}?" if choices else otherwise
