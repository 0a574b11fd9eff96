"""Rules in force: values with unit, source and verification, and a record of the rules that were used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, Field, model_validator

from iowatt.base.errors import InputError
from iowatt.base.problems import nearest
from iowatt.base.results import Result, is_none
from iowatt.base.strict import Strict, key

Mark = Literal["read", "run", "derived", "recalled", "assumed"]
Confidence = Literal["high", "medium", "low"]

#: Marks whose values may be verified: what is only remembered or chosen by us cannot.
VERIFIABLE: Final = ("read", "run", "derived")


class UnknownRuleError(InputError):
    """A rule is needed whose value is not known."""


def several(value: Any) -> Any:
    """One text, or a list of texts, as a tuple."""
    return (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list) else value


class RuleKeys(Strict):
    """A rule as its profile states it."""

    value: Any = key("The value, in its unit.", default=None, unset="unknown says why")
    unknown: str | None = key(
        "What is known of an unknown value.", default=None, unset="there is a value", min_length=1
    )
    unit: str = key("The unit, or what kind of value it is.", min_length=1)
    source: Annotated[tuple[str, ...], BeforeValidator(several)] = key(
        "Keys of sources.toml.", min_length=1, accepts="a text or a list of texts"
    )
    mark: Mark = key(
        "read: it is in the source; run: found by running the software; derived: concluded from what was "
        "read; recalled: from memory; assumed: our choice."
    )
    confidence: Confidence | None = key(
        "Confidence in a recalled value.", default=None, unset="it is not recalled"
    )
    verified: bool = key("Compared with the specification, or a publication of those who wrote it.")
    note: str | None = key("A remark for a reader.", default=None, unset="nothing", min_length=1)

    @model_validator(mode="after")
    def _consistent(self) -> RuleKeys:
        if (self.value is None) == (self.unknown is None):
            raise ValueError("a rule has either a value or unknown")
        if self.verified and self.mark not in VERIFIABLE:
            raise ValueError(f"a rule with the mark {self.mark!r} cannot be verified")
        if (self.mark == "recalled") != (self.confidence is not None):
            raise ValueError('a confidence belongs to the mark "recalled", and to no other')
        return self


class Rule(Result):
    """A rule in force, with where it was stated."""

    key: str  #: Its path, such as ``response.mean_ms.random``.
    value: Any = Field(default=None, exclude_if=is_none)  #: None where ``unknown`` says what is known.
    unknown: str | None = Field(default=None, exclude_if=is_none)
    unit: str
    mark: Mark
    verified: bool  #: Compared with the specification, or with a publication of its authors.
    confidence: Confidence | None = Field(default=None, exclude_if=is_none)
    note: str | None = Field(default=None, exclude_if=is_none)
    sources: tuple[str, ...]  #: Titles, not keys of sources.toml.
    profile: str  #: Name of the profile that states it.


class RulesReference(Result):
    """The rules of a result, to the byte, and the keys of used ones that are not verified."""

    profile: str
    version: str
    sha256: str
    unverified: list[str]


@dataclass(frozen=True)
class Rules:
    """A rule profile with all that it extends, and a record of the rules that were used.

    A key may differ by category: ``value("phases.order", "removable-media-library")`` looks for
    ``removable-media-library.phases.order`` first. One ``Rules`` serves one judgement; :meth:`fresh` starts
    another record.
    """

    name: str
    #: The argument of ``load`` that finds it from any folder: the library's name, or the path of a file.
    given: str
    title: str
    version: str  #: Of the specification: "4.0.0".
    sha256: str  #: Of the texts of the profile and all that it extends, in order.
    notes: tuple[str, ...]
    lineage: tuple[str, ...]  #: Profiles whose texts it is made of, itself first.
    rules: Mapping[str, Rule]
    _used: dict[str, Rule] = field(default_factory=dict, repr=False, compare=False)

    def rule(self, key: str, category: str | None = None) -> Rule:
        """The rule of ``key``, recorded as used. Raises ``InputError`` where the profile has none."""
        found = self.find(key, category)
        if found is None:
            near = nearest(key, self.rules)
            hint = near and f"did you mean {near!r}?"
            raise InputError("unknown-name", self.name, f"there is no rule {key!r}", hint=hint)
        self._used[found.key] = found
        return found

    def value(self, key: str, category: str | None = None) -> Any:
        """The value of a rule, recorded as used; its unit is that of the key's name.

        Raises ``UnknownRuleError`` where the rule exists and its value is not known.
        """
        rule = self.rule(key, category)
        if rule.value is None:
            raise UnknownRuleError(
                "missing-figure",
                self.name,
                f"the value of {rule.key} is not known: {rule.unknown}",
                hint=f'state it in a file of your own that has extends = "{self.name}"',
            )
        return deepcopy(rule.value)

    def number(self, key: str, category: str | None = None) -> float:
        """The value as a number. Raises ``InputError`` where it is not a number."""
        value = self.value(key, category)
        if isinstance(value, bool) or not isinstance(value, int | float):
            text = f"the value is {value!r}; expected a number"
            raise InputError("wrong-type", f"{self.name}: {key}", text)
        return float(value)

    def names(self, key: str, category: str | None = None) -> tuple[str, ...]:
        """The value as names. Raises ``InputError`` where it is not a list of texts."""
        value = self.value(key, category)
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            text = f"the value is {value!r}; expected a list of names"
            raise InputError("wrong-type", f"{self.name}: {key}", text)
        return tuple(value)

    def known(self, key: str, category: str | None = None) -> Any | None:
        """The value, or None where the rule or its value is not known; recorded as used."""
        rule = self.find(key, category)
        if rule is not None:
            self._used[rule.key] = rule
        return None if rule is None else deepcopy(rule.value)

    def find(self, key: str, category: str | None = None) -> Rule | None:
        """The rule of ``key``, or None; not recorded."""
        own = self.rules.get(f"{category}.{key}") if category else None
        return own or self.rules.get(key)

    def matching(self, pattern: str) -> Iterator[Rule]:
        """Rules whose keys match ``taxonomy.online.*``; not recorded."""
        return (rule for key, rule in self.rules.items() if fnmatchcase(key, pattern))

    def fresh(self) -> Rules:
        """The same rules with an empty record."""
        return replace(self, _used={})

    @property
    def used(self) -> tuple[Rule, ...]:
        """Rules in the order of their first use."""
        return tuple(self._used.values())

    @property
    def unverified_used(self) -> tuple[Rule, ...]:
        """Used rules that are not verified."""
        return tuple(rule for rule in self.used if not rule.verified)

    def caveat(self) -> str | None:
        """How many unverified rule values a judgement used, and which; None where it used none."""
        unverified = self.unverified_used
        if not unverified:
            return None
        values = "value" if len(unverified) == 1 else "values"
        return (
            f"judged with {len(unverified)} unverified rule {values}: {', '.join(r.key for r in unverified)}"
        )

    def reference(self) -> RulesReference:
        """Name, version and digest of the rules, and the unverified ones that were used."""
        unverified = [rule.key for rule in self.unverified_used]
        return RulesReference(
            profile=self.given, version=self.version, sha256=self.sha256, unverified=unverified
        )
