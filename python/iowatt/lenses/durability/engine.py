"""The plan of the durability engine, and its answer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal

from iowatt.core import durability
from iowatt.lenses.durability.domains import HOUR_S
from iowatt.lenses.durability.drives import YEAR_S, DriveRisk
from iowatt.lenses.durability.groups import DataGroup
from iowatt.lenses.durability.result import ProbabilityRange, RebuildTime

if TYPE_CHECKING:
    from iowatt.lenses.book import Book

Method = Literal["auto", "markov", "monte-carlo"]
METHODS: Final[tuple[Method, ...]] = ("auto", "markov", "monte-carlo")
LEAST_REBUILD_S: Final = 1e-3


@dataclass(frozen=True)
class Precision:
    """How the engine computes: by which method, and when trials end."""

    method: Method = "auto"
    seed: int = 1
    relative_error: float = 0.05
    most_cpu_s: float = 60.0


@dataclass(frozen=True)
class RiskyGroup:
    """A group with the failures and the repair of its drives."""

    group: DataGroup
    risk: DriveRisk
    rebuild: RebuildTime

    @property
    def lasting_spares(self) -> bool:
        """Whether spare space is taken to last: of sets over many drives, with more than a code needs."""
        group = self.group
        return group.code["code"] == "declustered" and group.spares > group.survives

    def delay_s(self, book: Book) -> float:
        """Seconds from a failure to the start of the rebuild, with a spare at hand."""
        return book.number("durability.detect_hours") * HOUR_S + self.group.delay_s

    def rough_plan(self, book: Book) -> dict[str, Any]:
        """The plan of a group for thousands of estimates: a chain of few states.

        Drives fail at their annual rate, whatever their age and batch; domains do not fail, and sets lie on
        any of the drives.
        """
        plan = self.plan(book, 1.0)
        plan["code"].pop("apart", None)
        life = {"law": "exponential", "per_s": self.risk.inputs.afr.value / YEAR_S}
        return {**plan, "life": life, "batches": None, "domains": []}

    def plan(self, book: Book, years: float, *, hours: bool = True) -> dict[str, Any]:
        """``GroupPlan`` of the engine; without ``hours`` nothing is ever unavailable, which is quicker."""
        group = self.group
        declustered = group.code["code"] == "declustered"
        people_s = book.number("durability.replace_hours") * HOUR_S
        lasting = self.lasting_spares
        domains = [domain.plan(book) for domain in group.domains]
        for domain in domains:
            if not hours and not domain["lost_share"]:
                domain["failures_per_s"] = 0.0
        return {
            "count": group.count,
            "members": group.members,
            "code": dict(group.code),
            "user_bytes": group.user_bytes,
            "drive_bytes": group.drive_bytes,
            "life": self.risk.life(years),
            "batches": _batches(group, book),
            "repair": {
                "detect": {"mean_s": self.delay_s(book)},
                "spares": 0 if lasting else group.spares,
                "replace": {"mean_s": 0.0 if lasting else people_s},
                "rebuild_s": [max(LEAST_REBUILD_S, self.rebuild.seconds)],
                "critical_first": declustered,
            },
            "errors": self._errors(),
            "domains": domains,
        }

    def _errors(self) -> dict[str, Any]:
        """``ErrorPlan``: only an error in what holds data of the group loses any."""
        group, errors = self.group, self.risk.errors()
        share = min(1.0, group.filled * group.drive_bytes / group.drive["raw_bytes"])
        errors["latent_per_s"] *= share
        errors["unrecoverable_per_byte"] *= group.filled
        return errors


def _batches(group: DataGroup, book: Book) -> dict[str, Any] | None:
    factor = book.number("durability.batch.factor")
    share = book.number("durability.batch.bad_share") if factor > 1 else 0.0
    if not share:
        return None
    batches = max(1, round(group.members / book.number("durability.batch.drives")))
    return {"batches": batches, "frailty": {"law": "two-point", "bad_share": share, "factor": factor}}


def assess(groups: Sequence[Mapping[str, Any]], years: float, precision: Precision) -> dict[str, Any]:
    """``Results`` of the engine for plans of groups over ``years``."""
    plan = {
        "horizon_s": years * YEAR_S,
        "seed": precision.seed,
        "method": precision.method,
        "relative_error": precision.relative_error,
        "most_cpu_s": precision.most_cpu_s,
        "groups": list(groups),
    }
    return _answer(json.dumps(plan))


@lru_cache(maxsize=1024)
def _answer(plan: str) -> dict[str, Any]:
    """The answer to a plan, kept: prices and tables ask for the same system again and again."""
    found: dict[str, Any] = json.loads(durability(plan))
    return found


def estimate(found: Mapping[str, float]) -> ProbabilityRange:
    """An ``Estimate`` of the engine."""
    return ProbabilityRange(value=found["mean"], low=found["low"], high=found["high"])
