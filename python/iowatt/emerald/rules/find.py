"""Rule profiles by name or file, with the profiles that they extend."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, ValidationError

from iowatt.base import pydantic_problems
from iowatt.base.document import TomlDocument, read_text
from iowatt.base.errors import InputError
from iowatt.base.problems import Problem, suggestion
from iowatt.base.strict import Strict, key
from iowatt.emerald.rules.profile import Rule, RuleKeys, Rules, several

_NOT_A_PROFILE: Final = "sources"


class Unverified(Strict):
    """Inherited rules that are verified for another version only."""

    rules: list[str] = key("Keys of rules; `instruments.*` covers all keys below it.", min_length=1)
    why: str = key("Why they are not verified.", min_length=1)


class Head(Strict):
    """The head of a profile."""

    schema_: Literal["iowatt.rules/1"] = key("The version of this format.", alias="schema")
    name: str = key("Its name.", min_length=1)
    aliases: list[str] = key("Other names for it.", default=[])
    title: str = key("Its title, in a line.", min_length=1)
    version: str | None = key("Version of the rules.", default=None, unset="abstract")
    abstract: bool = key("Only there to be extended.", default=False)
    extends: Annotated[tuple[str, ...], BeforeValidator(several)] = key(
        "Profiles whose rules it inherits; the first decides.",
        default=(),
        accepts="a text or a list of texts",
    )
    notes: list[str] = key("Remarks for its users.", default=[])
    unverified: list[Unverified] = key("Inherited rules that are not verified here.", default=[])


@dataclass(frozen=True)
class ProfileFile:
    """The content of one file."""

    head: Head
    rules: Mapping[str, Rule]  #: By key.
    document: TomlDocument


@cache
def sources() -> dict[str, str]:
    """Titles of sources by the keys in a rule's ``source``."""
    return {name: str(words) for name, words in tomllib.loads(_text("sources")).items()}


def parse(text: str, source: str) -> ProfileFile:
    """The profile in ``text``, called ``source`` in messages.

    Raises ``InputError``: with file, line and key of everything that is wrong.
    """
    document = TomlDocument(text, source)
    own = {field.alias or name for name, field in Head.model_fields.items()}
    problems: list[Problem] = []
    head = None
    values = {name: value for name, value in document.raw.items() if name in own}
    try:
        head = Head.model_validate(values)
    except ValidationError as error:
        problems += pydantic_problems.problems(error, values, Head)
    # A source of a user's file that sources.toml does not have is its own title.
    titles = sources()
    rules: dict[str, Rule] = {}
    for path, raw in _leaves({name: value for name, value in document.raw.items() if name not in own}):
        if not isinstance(raw, dict):
            text = "this is not a rule; expected a table with value, unit, source, mark and verified"
            problems.append(Problem("wrong-type", path, text))
            continue
        try:
            keys = RuleKeys.model_validate(raw)
        except ValidationError as error:
            problems += [
                Problem(found.code, (*path, *found.path), found.message, found.hint)
                for found in pydantic_problems.problems(error, raw, RuleKeys)
            ]
            continue
        name = ".".join(path)
        rules[name] = Rule(
            **keys.model_dump(exclude={"source"}),
            key=name,
            sources=tuple(titles.get(one, one) for one in keys.source),
            profile=head.name if head else "",
        )
    if head and not head.extends:
        text = "the profile extends no other, so it inherits no rules"
        problems += [Problem("not-applicable", ("unverified", n), text) for n in range(len(head.unverified))]
    document.fail(problems)
    assert head is not None
    return ProfileFile(head, rules, document)


def _leaves(table: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Rules by path: tables with a key of a rule, and all that is not a table."""
    for name, value in table.items():
        here = (*path, name)
        if isinstance(value, dict) and not _is_rule(value):
            yield from _leaves(value, here)
        else:
            yield here, value


def _is_rule(table: Mapping[str, Any]) -> bool:
    return any(name in table and not isinstance(table[name], dict) for name in ("unit", "mark", "verified"))


@dataclass(frozen=True)
class _Resolved:
    """A profile with all that it extends."""

    file: ProfileFile
    rules: dict[str, Rule]
    lineage: tuple[str, ...]  #: Names, and the texts, itself first.
    texts: tuple[str, ...]
    notes: tuple[str, ...]


def load(name: str, *, base_dir: Path | None = None) -> Rules:
    """The rules of a library name or alias, or of a file that ends in ``.toml``, with an empty record.

    Raises ``InputError``: there is no such profile, or something in it is wrong (with file and line).
    """
    path = ((base_dir or Path()) / name).resolve() if name.endswith(".toml") else None
    resolved = _from_library(name) if path is None else _from_file(name, base_dir or Path(), ())
    head = resolved.file.head
    if head.abstract or head.version is None:
        hint = f"profiles: {', '.join(profile_names())}"
        text = "the profile is abstract: it can only be extended"
        raise InputError("not-applicable", name, text, hint=hint)
    digest = hashlib.sha256("\n".join(resolved.texts).encode()).hexdigest()
    given = head.name if path is None else str(path)
    return Rules(
        head.name, given, head.title, head.version, digest, resolved.notes, resolved.lineage, resolved.rules
    )


@cache
def profile_names() -> tuple[str, ...]:
    """Names of the library's profiles that are not abstract, sorted."""
    return tuple(name for name in file_names() if not profile_file(name).head.abstract)


@cache
def aliases() -> dict[str, str]:
    """The profile's name by each other name of it.

    Raises ``InputError`` where another profile has that name or alias.
    """
    found: dict[str, str] = {}
    for name in file_names():
        own = profile_file(name)
        for number, alias in enumerate(own.head.aliases):
            other = alias if alias in file_names() else found.get(alias)
            if other is not None:
                text = f"{alias!r} already names the profile {other}"
                raise InputError("duplicate", own.document.place(("aliases", number)), text)
            found[alias] = name
    return found


@cache
def profile_file(name: str) -> ProfileFile:
    """The library's file of a name, abstract ones included."""
    return parse(_text(name), f"{name}.toml (library)")


@cache
def file_names() -> tuple[str, ...]:
    """Names of all files of rules in the library, sorted."""
    entries = resources.files("iowatt.model.library").joinpath("rules").iterdir()
    found = (e.name.removesuffix(".toml") for e in entries if e.name.endswith(".toml"))
    return tuple(sorted(name for name in found if name != _NOT_A_PROFILE))


def _text(name: str) -> str:
    return resources.files("iowatt.model.library").joinpath("rules", f"{name}.toml").read_text("utf-8")


@cache
def _from_library(name: str) -> _Resolved:
    real = aliases().get(name, name)
    if real not in file_names():
        known = [*profile_names(), *aliases()]
        text = f"there are no rules {name!r}; expected a name in the library or a file ending in .toml"
        raise InputError("unknown-name", None, text, hint=suggestion(name, known, "profiles"))
    own = profile_file(real)
    return _merged(own, _text(real), [_from_library(parent) for parent in own.head.extends])


def _from_file(name: str, base_dir: Path, below: tuple[Path, ...]) -> _Resolved:
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
    return _merged(own, text, parents)


def _merged(own: ProfileFile, text: str, parents: Sequence[_Resolved]) -> _Resolved:
    inherited: dict[str, Rule] = {}
    for parent in reversed(parents):
        inherited |= parent.rules
    rules = {key: _inherited(rule, own.head.unverified) for key, rule in inherited.items()} | dict(own.rules)
    return _Resolved(
        own,
        rules,
        (own.head.name, *(name for parent in parents for name in parent.lineage)),
        (text, *(one for parent in parents for one in parent.texts)),
        (*own.head.notes, *(note for parent in parents for note in parent.notes)),
    )


def _inherited(rule: Rule, unverified: Sequence[Unverified]) -> Rule:
    """An inherited rule: one that was read in another version is not verified here."""
    why = [one.why for one in unverified if any(fnmatchcase(rule.key, pattern) for pattern in one.rules)]
    if not why or not rule.verified:
        return rule
    note = "; ".join([*([rule.note] if rule.note else []), *why])
    return rule.model_copy(update={"verified": False, "note": note})
