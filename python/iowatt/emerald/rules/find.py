"""Rule profiles by name or file, with what they extend."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final

from iowatt.base.document import read_text
from iowatt.base.errors import InputError
from iowatt.base.problems import suggestion
from iowatt.emerald.rules.profile import Rules
from iowatt.emerald.rules.read import Stated, Unverified, parse
from iowatt.emerald.rules.rule import Rule

_NO_PROFILE: Final = "sources"


@dataclass(frozen=True)
class _Whole:
    """A profile with all that it extends."""

    stated: Stated
    rules: dict[str, Rule]
    #: Names, and the texts, itself first.
    lineage: tuple[str, ...]
    texts: tuple[str, ...]
    notes: tuple[str, ...]


def load(name: str, *, base_dir: Path | None = None) -> Rules:
    """The rules of a library name or alias, or of a file that ends in ``.toml``, with an empty record.

    Raises
    ------
    InputError
        There is no such profile, or something in it is wrong (with file and line).
    """
    path = ((base_dir or Path()) / name).resolve() if name.endswith(".toml") else None
    whole = _from_library(name) if path is None else _from_file(name, base_dir or Path(), ())
    head = whole.stated.head
    if head.abstract or head.version is None:
        raise InputError(
            "not-applicable",
            name,
            "the profile is abstract: it can only be extended",
            hint=f"profiles: {', '.join(profile_names())}",
        )
    digest = hashlib.sha256("\n".join(whole.texts).encode()).hexdigest()
    given = head.name if path is None else str(path)
    return Rules(head.name, given, head.title, head.version, digest, whole.notes, whole.lineage, whole.rules)


@cache
def profile_names() -> tuple[str, ...]:
    """Names of the library's profiles that can be judged by, sorted."""
    return tuple(name for name in file_names() if not stated(name).head.abstract)


@cache
def aliases() -> dict[str, str]:
    """The profile's name by each other name of it."""
    return {alias: name for name in file_names() for alias in stated(name).head.aliases}


@cache
def stated(name: str) -> Stated:
    """What the library's file of a name states itself, abstract ones included."""
    return parse(_text(name), f"{name}.toml (library)")


@cache
def file_names() -> tuple[str, ...]:
    """Names of all files of rules in the library, sorted."""
    entries = resources.files("iowatt.model.library").joinpath("rules").iterdir()
    found = (e.name.removesuffix(".toml") for e in entries if e.name.endswith(".toml"))
    return tuple(sorted(name for name in found if name != _NO_PROFILE))


def _text(name: str) -> str:
    return resources.files("iowatt.model.library").joinpath("rules", f"{name}.toml").read_text("utf-8")


@cache
def _from_library(name: str) -> _Whole:
    real = aliases().get(name, name)
    if real not in file_names():
        known = [*profile_names(), *aliases()]
        raise InputError(
            "unknown-name",
            None,
            f"there are no rules {name!r}; expected a name in the library or a file ending in .toml",
            hint=suggestion(name, known, "profiles"),
        )
    own = stated(real)
    return _joined(own, _text(real), [_from_library(parent) for parent in own.head.extends])


def _from_file(name: str, base_dir: Path, below: tuple[Path, ...]) -> _Whole:
    path = base_dir / name
    if path.resolve() in below:
        raise InputError("conflict", str(path), "the profile extends itself")
    text = read_text(path)
    own = parse(text, str(path))
    parents = []
    for number, parent in enumerate(own.head.extends):
        try:
            if parent.endswith(".toml"):
                parents.append(_from_file(parent, path.parent, (*below, path.resolve())))
            else:
                parents.append(_from_library(parent))
        except InputError as error:
            raise error.at(own.document.place(("extends", number))) from None
    return _joined(own, text, parents)


def _joined(own: Stated, text: str, parents: Sequence[_Whole]) -> _Whole:
    inherited: dict[str, Rule] = {}
    for parent in reversed(parents):
        inherited |= parent.rules
    rules = {key: _doubted(rule, own.head.unverified) for key, rule in inherited.items()} | dict(own.rules)
    return _Whole(
        own,
        rules,
        (own.head.name, *(name for parent in parents for name in parent.lineage)),
        (text, *(one for parent in parents for one in parent.texts)),
        (*own.head.notes, *(note for parent in parents for note in parent.notes)),
    )


def _doubted(rule: Rule, unverified: Sequence[Unverified]) -> Rule:
    """An inherited rule as the heir sees it: what was read of another version is not verified here."""
    why = [one.why for one in unverified if any(fnmatchcase(rule.key, pattern) for pattern in one.rules)]
    if not why or not rule.verified:
        return rule
    note = "; ".join([*([rule.note] if rule.note else []), *why])
    return rule.model_copy(update={"verified": False, "note": note})
