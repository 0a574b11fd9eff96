"""Lists of rule profiles and of their rules, ``iowatt.rule-profiles/1`` and ``iowatt.rule-list/1``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from iowatt.base.results import Result, ResultDocument
from iowatt.emerald.rules.profile import Rule


class ProfileEntry(Result):
    """A rule profile of the library; numbers of its rules."""

    name: str
    aliases: list[str]
    title: str
    version: str
    rules: int
    unverified: int
    unknown: int  #: Rules whose value is not known.


class ProfileList(ResultDocument):
    """The rule profiles of the library."""

    schema_id: Literal["iowatt.rule-profiles/1"] = Field(default="iowatt.rule-profiles/1", alias="schema")
    profiles: list[ProfileEntry]


class RuleList(ResultDocument):
    """Rules of one profile, sorted by key."""

    schema_id: Literal["iowatt.rule-list/1"] = Field(default="iowatt.rule-list/1", alias="schema")
    profile: str
    title: str
    version: str
    sha256: str
    lineage: list[str]  #: Profiles that it is made of, itself first.
    notes: list[str]
    rules: list[Rule]
