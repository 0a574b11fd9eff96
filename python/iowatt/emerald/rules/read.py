"""The text of a rule profile into its head and its rules; all that is wrong with it, with lines."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, ValidationError

from iowatt.base import translate
from iowatt.base.document import Document
from iowatt.base.problems import KeyPath, Problem
from iowatt.base.strict import Strict, key
from iowatt.emerald.rules.rule import Rule, RuleKeys

RULES_SCHEMA: Final = "iowatt.rules/1"


def _many(value: Any) -> Any:
    return (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list) else value


class Unverified(Strict):
    """Inherited rules that are verified for another version only."""

    rules: list[str] = key("Keys of rules; `instruments.*` stands for all below.", min_length=1)
    why: str = key("Why they are not.", min_length=1)


class Head(Strict):
    """What a profile says of itself."""

    schema_: Literal["iowatt.rules/1"] = key("The version of this format.", alias="schema")
    name: str = key("Its name.", min_length=1)
    aliases: list[str] = key("Other names for it.", default=[])
    title: str = key("What it is, in a line.", min_length=1)
    version: str | None = key("Version of the rules.", default=None, unset="abstract")
    abstract: bool = key("Only there to be extended.", default=False)
    extends: Annotated[tuple[str, ...], BeforeValidator(_many)] = key(
        "Profiles whose rules hold here too; of several the first decides.",
        default=(),
        accepts="a text or a list of texts",
    )
    notes: list[str] = key("What whoever uses it should know.", default=[])
    unverified: list[Unverified] = key("Inherited rules that are not verified here.", default=[])


@dataclass(frozen=True)
class Stated:
    """What one file states."""

    head: Head
    #: By key.
    rules: Mapping[str, Rule]
    document: Document


@cache
def sources() -> dict[str, str]:
    """What the keys in a rule's ``source`` stand for."""
    text = resources.files("iowatt.model.library").joinpath("rules", "sources.toml").read_text("utf-8")
    return {name: str(words) for name, words in tomllib.loads(text).items()}


def parse(text: str, source: str) -> Stated:
    """The profile in ``text``, called ``source`` in messages.

    Raises
    ------
    InputError
        With file, line and key of everything that is wrong.
    """
    document = Document(text, source)
    own = {field.alias or name for name, field in Head.model_fields.items()}
    problems: list[Problem] = []
    head = None
    given = {name: value for name, value in document.raw.items() if name in own}
    try:
        head = Head.model_validate(given)
    except ValidationError as error:
        problems += translate.problems(error, given, Head)
    # Words of a user's file that no list of ours knows are its sources themselves.
    texts = sources()
    rules: dict[str, Rule] = {}
    for path, raw in _leaves({name: value for name, value in document.raw.items() if name not in own}):
        if not isinstance(raw, dict):
            problems.append(
                Problem(
                    "wrong-type",
                    path,
                    "this is not a rule; expected a table with value, unit, source, mark and verified",
                )
            )
            continue
        try:
            keys = RuleKeys.model_validate(raw)
        except ValidationError as error:
            problems += [
                Problem(found.code, (*path, *found.path), found.message, found.hint)
                for found in translate.problems(error, raw, RuleKeys)
            ]
            continue
        name = ".".join(path)
        rules[name] = Rule(
            key=name,
            value=keys.value,
            unknown=keys.unknown,
            unit=keys.unit,
            sources=tuple(texts.get(one, one) for one in keys.source),
            mark=keys.mark,
            confidence=keys.confidence,
            verified=keys.verified,
            note=keys.note,
            profile=head.name if head else "",
        )
    places: list[KeyPath] = [("unverified", n) for n in range(len(head.unverified))] if head else []
    problems += [
        Problem("not-applicable", place, "the profile extends no other, so it inherits no rules")
        for place in places
        if head and not head.extends
    ]
    document.fail(problems)
    assert head is not None
    return Stated(head, rules, document)


def _leaves(table: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Rules by path: tables that have a key of a rule's own, and whatever is no table."""
    for name, value in table.items():
        here = (*path, name)
        if isinstance(value, dict) and not _is_rule(value):
            yield from _leaves(value, here)
        else:
            yield here, value


def _is_rule(table: Mapping[str, Any]) -> bool:
    return any(name in table and not isinstance(table[name], dict) for name in ("unit", "mark", "verified"))
