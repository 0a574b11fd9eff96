"""The metrics of a family: those of its rules, and its further mixes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from iowatt.base.errors import Argument, InputError
from iowatt.base.problems import suggestion
from iowatt.emerald.family.family import Family
from iowatt.emerald.phases import PHASES
from iowatt.emerald.rules import Rules, UnknownRuleError, load

Kind = Literal["random", "sequential", "idle"]


@dataclass(frozen=True)
class EmeraldMetric:
    """One metric, EP of a phase."""

    name: str
    title: str
    kind: Kind
    unit: str
    profile: str | None = None  #: Profile of the library for its load.
    read_percent: int | None = None  #: Reads in percent, of random metrics of one stream.
    share_of: str | None = None  #: The metric at a share of whose rate it runs.
    share: float = 1.0  #: The share.

    @property
    def key(self) -> str:
        """Its name as part of another: 60-40."""
        return self.name.replace("/", "-").lower()


def all_metrics(family: Family) -> tuple[EmeraldMetric, ...]:
    """The metrics of a family in the order of the rules, further mixes after the mixed one, RI last.

    Raises ``InputError`` where its rules do not exist or have no block phases.
    """
    rules = load(family.file.rules)
    found: list[EmeraldMetric] = []
    for name in rules.names("phases.order"):
        phase = PHASES.get(name)
        if phase is None:
            continue
        access = phase.access
        if access == "file":
            text = "tests file access, and families are simulated for block access"
            raise InputError("unsupported", rules.name, text, hint="`rules=emerald` has its phases")
        share = rules.known(f"workloads.{name}.intensity_percent")
        found.append(
            EmeraldMetric(
                name,
                phase.title,
                access,
                f"{phase.unit}/W",
                phase.profile,
                phase.read_percent,
                rules.known(f"workloads.{name}.intensity_of"),
                1.0 if share is None else float(share) / 100,
            )
        )
    own = [one.read_percent for one in found if one.share_of is None]
    mixes = [_mix(share) for share in dict.fromkeys(family.file.test.mixes) if share not in own]
    at = next((n for n, one in enumerate(found) if one.name in ("MW1", "HB")), -1) + 1
    found[at:at] = sorted(mixes, key=lambda one: one.read_percent or 0)
    idle = PHASES["RI"]
    return (*found, EmeraldMetric("RI", idle.title, "idle", f"{idle.unit}/W"))


def _mix(reads: int) -> EmeraldMetric:
    name = f"{reads}/{100 - reads}"
    return EmeraldMetric(name, f"Mixed {name}", "random", "IOPS/W", PHASES["MW1"].profile, reads)


def find_metric(family: Family, name: str) -> EmeraldMetric:
    """The metric of a name; MW1 may be called 70/30.

    Raises ``InputError`` where there is none.
    """
    known = all_metrics(family)
    for one in known:
        if one.name.lower() == name.strip().lower():
            return one
    for one in known:
        if one.share_of is None and one.read_percent is not None and name == _mix(one.read_percent).name:
            return one
    hint = suggestion(name, [one.name for one in known], "metrics")
    raise InputError("unknown-name", Argument("metric"), f"there is no metric {name!r}", hint=hint)


def limit_s(family: Family, rules: Rules) -> float:
    """Mean response time that random metrics must keep to, s: the family's own, or the rules'.

    Raises ``InputError`` where neither has it.
    """
    if family.file.test.limit is not None:
        return family.file.test.limit
    try:
        return rules.number("response.mean_ms.random") / 1e3
    except UnknownRuleError as error:
        text = f"the limit of the mean response time is not known: {error.message}"
        hint = "give it in the family file as test.limit, or with `limit=`"
        raise InputError("missing-figure", rules.name, text, hint=hint) from None
