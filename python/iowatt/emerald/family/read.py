"""Reading a family file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from iowatt.base.document import Document, read_text
from iowatt.emerald.family.contradictions import problems
from iowatt.emerald.family.family import Family
from iowatt.emerald.family.file import FamilyFile


def load(path: Path, sets: Sequence[str] = ()) -> Family:
    """The family of a file.

    Parameters
    ----------
    sets:
        ``path=value`` overrides.

    Raises
    ------
    InputError
        What is wrong with its keys, what contradicts what, and devices that do not exist, with lines.
    """
    return read(
        read_text(path, "docs/howto/emerald-bff.md builds one; `iowatt schema family` describes it"),
        str(path),
        path.parent,
        sets,
    )


def read(text: str, source: str, base: Path, sets: Sequence[str] = ()) -> Family:
    """The family of a text; ``source`` is its name in messages. Raises as :func:`load`."""
    document = Document(text, source, sets, FamilyFile)
    family = Family(document.validate(FamilyFile), document, base, text, tuple(sets))
    document.fail(problems(family))
    return family
