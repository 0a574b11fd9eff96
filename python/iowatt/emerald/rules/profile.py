"""Rules in force, and which of them a judgement used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from iowatt.base.errors import InputError
from iowatt.base.problems import nearest
from iowatt.emerald.rules.rule import Rule, UnknownRuleError


@dataclass(frozen=True)
class Rules:
    """A rule profile with all that it extends, and a record of what was asked of it.

    A key may differ by category: ``value("phases.order", "removable-media-library")`` looks for
    ``removable-media-library.phases.order`` first. One ``Rules`` serves one judgement; :meth:`fresh` gives
    the next one its own record.
    """

    name: str
    #: What ``load`` finds it by anywhere on this machine: the library's name, or the path of a file.
    given: str
    title: str
    #: Of the specification: "4.0.0".
    version: str
    #: Of the texts of the profile and all that it extends, in order.
    sha256: str
    notes: tuple[str, ...]
    #: Profiles whose texts it is made of, itself first.
    lineage: tuple[str, ...]
    rules: Mapping[str, Rule]
    _used: dict[str, Rule] = field(default_factory=dict, repr=False, compare=False)

    def rule(self, key: str, category: str | None = None) -> Rule:
        """The rule of ``key``, recorded as used. Raises ``InputError`` where the profile has none."""
        found = self.find(key, category)
        if found is None:
            near = nearest(key, self.rules)
            raise InputError(
                "unknown-name",
                self.name,
                f"there is no rule {key!r}",
                hint=near and f"did you mean {near!r}?",
            )
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
        """The same as a number. Raises ``InputError`` where it is none."""
        value = self.value(key, category)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InputError(
                "wrong-type", f"{self.name}: {key}", f"the value is {value!r}; expected a number"
            )
        return float(value)

    def names(self, key: str, category: str | None = None) -> tuple[str, ...]:
        """The same as names. Raises ``InputError`` where it is no list of texts."""
        value = self.value(key, category)
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise InputError(
                "wrong-type", f"{self.name}: {key}", f"the value is {value!r}; expected a list of names"
            )
        return tuple(value)

    def known(self, key: str, category: str | None = None) -> Any | None:
        """The value, or None where there is no such rule or nobody knows it; recorded if there is one."""
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
        return Rules(
            self.name, self.given, self.title, self.version, self.sha256, self.notes, self.lineage, self.rules
        )

    @property
    def used(self) -> tuple[Rule, ...]:
        """Rules that were asked for, in order of their first use."""
        return tuple(self._used.values())

    @property
    def unverified_used(self) -> tuple[Rule, ...]:
        """Those of them that nobody has verified."""
        return tuple(rule for rule in self.used if not rule.verified)

    def caveat(self) -> str | None:
        """What must stand beside a judgement: how many unverified rule values it used, and which."""
        unverified = self.unverified_used
        if not unverified:
            return None
        values = "value" if len(unverified) == 1 else "values"
        return (
            f"judged with {len(unverified)} unverified rule {values}: {', '.join(r.key for r in unverified)}"
        )

    def as_dict(self) -> dict[str, Any]:
        """Which rules, to the byte, and what of them was used without having been verified."""
        return {
            "profile": self.given,
            "version": self.version,
            "sha256": self.sha256,
            "unverified": [rule.key for rule in self.unverified_used],
        }
