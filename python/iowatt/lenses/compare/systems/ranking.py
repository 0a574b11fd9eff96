"""Which systems are ranked, on which terms, and which has the lowest response time and power.

A system that fell behind its load, whose requests are others, or that misses the service level is not ranked.
One under another load keeps its watts for the same work, and its response times are not ranked.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from iowatt.base.results import Note
from iowatt.lenses.budget.result import ServiceLevel
from iowatt.lenses.compare import response
from iowatt.lenses.compare.measurement import Side
from iowatt.lenses.compare.result import BeforeAfter, Verdict
from iowatt.lenses.compare.systems.result import ComparedSystem, LowestFigure
from iowatt.lenses.durability import loss_of_run
from iowatt.lenses.equal_terms import Delivered, EqualTerms, equal_terms
from iowatt.lenses.evidence import joined, run_doubt
from iowatt.lenses.kept_up import KeptUp
from iowatt.lenses.warm_start import warm_starts
from iowatt.render.phrases import listed

RESPONSE_BY: Final = "p95"
"""The response time that is ranked without a service level."""

_OTHER_LOAD: Final = {
    "loop": "they come from another kind of loop",
    "rate": "they come from another load",
    "workload": "they come from another workload",
}
"""Flags of a pair that keep response times from being ranked."""


@dataclass(frozen=True)
class Judged:
    """A system with what keeps it from being ranked."""

    side: Side
    loads: Sequence[KeptUp]
    #: Its comparison with the baseline; None of the baseline.
    pair: BeforeAfter | None
    level: ServiceLevel | None

    @property
    def times(self) -> dict[str, float | None]:
        """Mean and percentiles in ms, by their keys in documents."""
        found = response.percentiles(self.side).model_dump()
        return {name: found[name] for name in ("mean", "p50", "p90", "p95", "p99", "p999", "p9999")}

    @property
    def not_ranked(self) -> str:
        """Why it is not ranked at all; empty where it is."""
        late = next((load.why for load in self.loads if not load.kept_up), None)
        if late is not None:
            return f"it is overloaded: {late}"
        flagged = () if self.pair is None else self.pair.flags
        # An overload that withholds is that of the baseline: then there is none to compare with.
        other = next((one.text for one in flagged if one.withholds and one.key != "overload"), None)
        if other is not None:
            return f"both its load and the system differ from the baseline: {other}"
        missed = "" if self.level is None else self.level.missed(self.times)
        return f"it misses the service level: {missed}" if missed else ""

    @property
    def response_not_ranked(self) -> str:
        """Why its response times are not ranked; empty where they are, or where nothing is."""
        keys = [flag.key for flag in self.pair.flags] if self.pair is not None else []
        return "" if self.not_ranked else next((_OTHER_LOAD[key] for key in _OTHER_LOAD if key in keys), "")

    @property
    def delivered(self) -> Delivered:
        """Requests per second (all, whatever is compared), their size, and the usable capacity in GB."""
        parts = [part.run.summary for part in self.side.parts]
        done = sum(part.paid for part in self.side.parts)
        moved = math.fsum(one["requests"]["bytes_read"] + one["requests"]["bytes_written"] for one in parts)
        completed = sum(one["requests"]["completed"] for one in parts)
        usable = [one["capacity_gb"]["usable"] for one in parts]
        return Delivered(
            work=done / self.side.window_s if self.side.window_s > 0 else None,
            request_bytes=moved / completed if completed else None,
            usable_gb=min(usable) if all(usable) else None,
        )

    @property
    def basis(self) -> str | None:
        """Where its power is known: ``wall`` or ``device``; None where not, or where its Runs differ."""
        found = {"wall" if part.at_wall else "device" for part in self.side.parts if part.joules is not None}
        return found.pop() if len(found) == 1 else None

    def shown(self, terms: EqualTerms) -> ComparedSystem:
        """Its row of the document."""
        side, given = self.side, self.delivered
        copies = None if self.not_ranked else terms.copies(given)
        watts, done = side.watts, [one.done_share for one in self.loads if one.done_share is not None]
        losses = [loss_of_run(part.run) for part in side.parts]
        return ComparedSystem(
            label=side.label, runs=len(side.parts),
            paths=[str(part.run.path) for part in side.parts if part.run.path is not None],
            response_time_ms=response.percentiles(side), iops=side.iops, requests_per_s=given.work,
            done_share=min(done) if len(done) == len(self.loads) else None,
            power_w=watts, power_basis=self.basis, joules_per_request=side.joules_per_request,
            usable_tb=None if given.usable_gb is None else given.usable_gb / 1e3,
            loss_per_year=max((one for one in losses if one is not None), default=None),
            copies=copies, power_equal_w=None if watts is None or copies is None else watts * copies,
            not_ranked=self.not_ranked, response_not_ranked=self.response_not_ranked,
            tail_doubt=joined(run_doubt(part.run, "tail") for part in side.parts),
        )  # fmt: skip


def terms_of(judged: Sequence[Judged]) -> EqualTerms:
    """The amounts of work and capacity that ranked systems are put to."""
    return equal_terms([one.delivered for one in judged if not one.not_ranked])


def lowest(
    rows: Sequence[ComparedSystem],
    terms: EqualTerms,
    level: ServiceLevel | None,
    verdicts: Mapping[str, BeforeAfter],
) -> Iterator[LowestFigure]:
    """The lowest response time and the lowest power of those that are ranked, where at least two are.

    ``verdicts`` are the comparisons with the baseline, by system.
    """
    of = RESPONSE_BY if level is None else level.of
    ranked = [one for one in rows if not one.not_ranked]
    times = [
        (time, one.label)
        for one in ranked
        if not one.response_not_ranked and (time := one.response_time_ms.named(of)) is not None
    ]
    yield from _least("response", f"{of} response time", "ms", times, _verdicts(verdicts, of))
    if len(bases(ranked)) == 1:
        at_equal = f" at equal {' and '.join(terms.unequal)}" if terms.unequal else ""
        watts = [(one.power_equal_w, one.label) for one in ranked if one.power_equal_w is not None]
        # Watts at equal work are joules a request; at equal capacity they are arithmetic, and not tested.
        by = {(): "power_w", ("work",): "joules_per_request"}.get(tuple(terms.unequal))
        tested = {} if by is None else _verdicts(verdicts, by)
        yield from _least("power_equal_w", f"mean power{at_equal}", "W", watts, tested)


def bases(rows: Sequence[ComparedSystem]) -> set[str | None]:
    """Where the power of the systems is known that have any: one alone can be ranked."""
    return {one.power_basis for one in rows if one.power_w is not None}


def _verdicts(pairs: Mapping[str, BeforeAfter], metric: str) -> dict[str, Verdict]:
    """The verdict on a figure of each system against the baseline."""
    return {
        label: row.verdict
        for label, pair in pairs.items()
        for row in pair.differences
        if row.metric == metric
    }


def _least(
    metric: Literal["response", "power_equal_w"],
    title: str,
    unit: str,
    known: Sequence[tuple[float, str]],
    verdicts: Mapping[str, Verdict],
) -> Iterator[LowestFigure]:
    if len(known) < 2:
        return
    (value, label), (next_value, after), *_ = sorted(known, key=lambda one: one[0])
    yield LowestFigure(
        metric=metric, title=title, unit=unit, system=label, value=value, next=after, next_value=next_value,
        verdict=verdicts.get(label),
    )  # fmt: skip


def notes(judged: Sequence[Judged], rows: Sequence[ComparedSystem], terms: EqualTerms) -> Iterator[Note]:
    """What keeps figures from being put to equal terms, or makes them another's than they seem."""
    ranked = [(one, row) for one, row in zip(judged, rows, strict=True) if not row.not_ranked]
    if len(bases([row for _, row in ranked])) > 1:
        text = (
            "Power is not ranked: it is known at the wall for some systems, for the drives only for others."
        )
        yield Note(code="power-basis", text=text, decides=True)
    if terms.work_differs is None and ranked:
        text = (
            "Request sizes differ by more than 5 %, so requests are no common unit of work: power is not "
            "compared at equal work."
        )
        yield Note(code="other-requests", text=text, decides=True)
    unknown = [row.label for _, row in ranked if row.usable_tb is None]
    if unknown and len(unknown) < len(ranked):
        text = (
            f"The usable capacity of {listed(unknown)} is not known: power is not compared at equal capacity."
        )
        yield Note(code="no-capacity", text=text, decides=True)
    for one, row in ranked:
        for part in one.side.parts:
            for text in warm_starts(part.run):
                yield Note(code="warm-start", text=f"{row.label}: {text}.", decides=True)
