"""Parts of the way between hosts and an array, by name: the files of the library's folder ``fabric``."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Final, TypeVar

from iowatt.base.document import Document
from iowatt.base.errors import InputError
from iowatt.base.problems import nearest
from iowatt.model.library.fabric_figures import AdapterFile, LinkFile, PartFile, ProtocolFile, SwitchFile

KINDS: Final[dict[str, type[PartFile]]] = {
    "link": LinkFile,
    "switch": SwitchFile,
    "adapter": AdapterFile,
    "protocol": ProtocolFile,
}
"""Models by the kind that a file says."""

_Kind = TypeVar("_Kind", LinkFile, SwitchFile, AdapterFile, ProtocolFile)


@cache
def names(kind: str | None = None) -> tuple[str, ...]:
    """Names of the parts of one kind, or of all, sorted."""
    entries = resources.files("iowatt.model.library").joinpath("fabric").iterdir()
    found = sorted(e.name.removesuffix(".toml") for e in entries if e.name.endswith(".toml"))
    return tuple(name for name in found if kind is None or _document(name).raw.get("kind") == kind)


@cache
def part(name: str) -> PartFile:
    """The part called ``name``, of whatever kind.

    Raises
    ------
    InputError
        Where there is none, with the nearest name.
    """
    if name not in names():
        raise _unknown(name, "part", names())
    document = _document(name)
    return document.validate(KINDS[str(document.raw["kind"])])


def part_of(kind: type[_Kind], name: str) -> _Kind:
    """The part called ``name``, which must be of a kind.

    Raises
    ------
    InputError
        Where there is none of that kind, with the nearest name.
    """
    word = next(word for word, model in KINDS.items() if model is kind)
    found = part(name) if name in names() else None
    if isinstance(found, kind):
        return found
    error = _unknown(name, word, names(word))
    if found is None:
        raise error
    raise InputError(
        "not-accepted", None, f"{name!r} is a {found.kind}; expected a {word} of the library", hint=error.hint
    )


def _unknown(name: str, word: str, known: tuple[str, ...]) -> InputError:
    near = nearest(name, known)
    hint = f"did you mean {near!r}?" if near else f"`iowatt fabric list` has them: {', '.join(known)}"
    return InputError(
        "unknown-name", None, f"there is no {word} {name!r}; expected a name of the library", hint=hint
    )


def _document(name: str) -> Document:
    text = resources.files("iowatt.model.library").joinpath("fabric", f"{name}.toml").read_text("utf-8")
    return Document(text, f"{name}.toml (library)")
