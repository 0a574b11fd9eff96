"""The library's folders of TOML files: names, documents, and the error for a name that is not in one."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from pydantic import BaseModel

from iowatt.base.document import TomlDocument
from iowatt.base.errors import InputError

#: By its path: the readers of ``importlib.resources`` take long to import.
LIBRARY: Final = Path(__file__).parent


@dataclass(frozen=True)
class LibraryFolder:
    """A folder of the library, such as ``devices``.

    ``item`` is what one file describes, ``listing`` where a user finds all of them.
    """

    name: str
    item: str
    listing: str

    def names(self) -> tuple[str, ...]:
        """Names of its files, sorted, without their ending."""
        return _names(self.name)

    def path(self, name: str) -> Path:
        """The path of a file."""
        return LIBRARY / self.name / f"{name}.toml"

    def document(
        self, name: str, overrides: Sequence[str] = (), model: type[BaseModel] | None = None
    ) -> TomlDocument:
        """A file of the folder; ``overrides`` are ``path=value``."""
        return TomlDocument(self.path(name).read_text("utf-8"), f"{name}.toml (library)", overrides, model)

    def unknown(
        self,
        name: str,
        accepted: str = "a library name or a file ending in .toml",
        *,
        item: str = "",
        known: Sequence[str] | None = None,
    ) -> InputError:
        """The error for a name that is not in the folder, with up to three near names.

        ``item`` and ``known`` narrow it to some of its files.
        """
        known = self.names() if known is None else known
        within = [one for one in known if len(name) > 2 and name.lower() in one]
        near = (within or difflib.get_close_matches(name.lower(), known, n=3, cutoff=0.6))[:3]
        item = item or self.item
        return InputError(
            "unknown-name",
            None,
            f"there is no {item} {name!r}; expected {accepted}",
            hint=f"did you mean {' or '.join(map(repr, near))}?"
            if near
            else f"{self.listing} lists the library's {len(known)} {item}s",
        )


@cache
def _names(folder: str) -> tuple[str, ...]:
    return tuple(sorted(file.stem for file in (LIBRARY / folder).glob("*.toml")))
