"""Finds what a plan leaves open: the rates of random phases, the outstanding requests of sequential ones.

- A random phase of full intensity runs at the highest rate that keeps its mean response time within the limit
  of the rules.
- A phase whose intensity is a share of another's (MW2 of MW1) runs at that share of what was found.
- A sequential phase runs as fast as it can, with as many requests outstanding as give the most.

Phases are taken in the order of the plan; those found already stand in it when the next one is run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from iowatt.base.errors import Argument, InputError
from iowatt.emerald.calibrate.bench import UNKNOWN_OUTSTANDING, Bench, SimulationBench
from iowatt.emerald.calibrate.outcome import Outcome
from iowatt.emerald.calibrate.result import (
    Calibration,
    Kind,
    Limit,
    Phase,
    Row,
    with_conditioning,
    with_load,
)
from iowatt.emerald.judge.generator import Cause, cause, words
from iowatt.emerald.plan.build import NO_LIMIT_MS
from iowatt.emerald.plan.model import Plan, PlanDeviation, Stage
from iowatt.emerald.plan.workloads import SEQUENTIAL, outstanding
from iowatt.emerald.rules import Rules, UnknownRuleError
from iowatt.evaluate.search.highest_rate import (
    KEEPS_UP,
    RateBracket,
    RateMeasurement,
    highest_rate,
    verdict_of,
)
from iowatt.evaluate.search.highest_throughput import highest_throughput
from iowatt.sources.export.outstanding import LEAST, MOST, needed

RESPONSE_RULE: Final = "response.mean_ms.random"
MINUTE_RULE: Final = "response.minute_ms.random"
ACHIEVED_RULE: Final = "rate.achieved_percent"
#: The first rate where nothing says a better one, requests per second.
FIRST_RATE: Final = 100.0
#: Times that a rate is lowered because the whole phase does not keep what its points promised.
_MOST_CHECKS: Final = 5
#: Share of a throughput that counts as gained.
_GAIN: Final = 0.05
_REMEDY: Final[dict[Cause, str]] = {
    "outstanding": "More outstanding requests gained nothing; another load generator, or several, may",
    "processor": "A faster host, or several, may go further",
    "issue": "More outstanding requests gained nothing; a faster host, or a longer queue of it, may",
}
#: Of the limit, kept free on real storage: a measurement at the very limit would fail every other time.
MARGIN: Final = 0.05


@dataclass(frozen=True)
class Asked:
    """What is asked of a calibration."""

    #: Mean response time of random phases in ms; None: as the rules say.
    limit_ms: float | None = None
    #: Share of the limit to stay below it; None: :data:`MARGIN` where a repetition differs, else none.
    margin: float | None = None
    tolerance: float = 0.02
    #: The first rate of every random phase; None: a probe says it.
    start: float | None = None
    #: Numbers of streams to try; none: the plan's.
    streams: Sequence[int] = ()
    most_outstanding: int = 1024
    #: Runs of the search of one phase.
    most_runs: int = 24
    #: Phases to calibrate; none: all.
    phases: Sequence[str] = ()


class Keeper(Protocol):
    """Runs a point, or remembers what it gave in a run that was interrupted."""

    def __call__(self, plan: Plan, stage: Stage, number: int) -> Outcome:
        """The outcome of a point."""


Told = Callable[[str, Row], None]


def calibrate(
    plan: Plan, rules: Rules, bench: Bench, asked: Asked, *, keeper: Keeper, tool: str, told: Told
) -> Calibration:
    """The plan with all rates found.

    Parameters
    ----------
    rules:
        Those of the plan, with an empty record.
    keeper:
        Runs points on the ``bench``.
    told:
        Called with the phase after every point.

    Raises
    ------
    InputError
        A phase is unknown, the rules do not say the limit, or a point cannot be run.
    DriverError
        The load generator failed.
    """
    return _Calibrator(plan, rules, bench, asked, keeper=keeper, tool=tool, told=told).run()


def limit(plan: Plan, rules: Rules, asked: Asked, *, exact: bool) -> Limit:
    """The limit of random phases, with nothing kept free by default where points repeat exactly.

    Raises ``InputError`` where neither the rules nor the user says it."""
    margin = (0.0 if exact else MARGIN) if asked.margin is None else asked.margin
    if asked.limit_ms is not None:
        return Limit(asked.limit_ms, None, verified=False, margin=margin)
    try:
        value = rules.number(RESPONSE_RULE, plan.category)
    except UnknownRuleError as error:
        raise InputError(
            "missing-figure",
            rules.name,
            f"the limit of the mean response time is not known: {error.message}",
            hint="give it: `limit=20`",
        ) from None
    rule = rules.rule(RESPONSE_RULE, plan.category)
    # Points on real storage are shorter than a minute.
    minute = rules.known(MINUTE_RULE, plan.category) if exact else None
    return Limit(value, rule.key, verified=rule.verified, margin=margin, minute_ms=minute)


class _Calibrator:
    def __init__(
        self,
        plan: Plan,
        rules: Rules,
        bench: Bench,
        asked: Asked,
        *,
        keeper: Keeper,
        tool: str,
        told: Told,
    ) -> None:
        self._given, self._plan = plan, plan
        self._rules, self._bench, self._asked = rules, bench, asked
        self._keeper, self._tool, self._told = keeper, tool, told
        self._limit: Limit | None = None
        self._keeps_up = KEEPS_UP
        self._numbers = 0
        # Of the phase: outstanding requests asked for by hand, and by what factor the rate needed more.
        self._least, self._more = LEAST, 1.0
        self._rows: list[Row] = []

    def run(self) -> Calibration:
        measured = [stage for stage in self._plan.stages if stage.role == "measurement"]
        self._check(measured)
        phases: list[Phase] = []
        found: dict[str, float] = {}
        for stage in measured:
            if self._asked.phases and stage.phase not in self._asked.phases:
                continue
            self._rows = []
            if stage.workload in SEQUENTIAL:
                phase = self._by_throughput(stage)
            elif (
                base := self._rules.known(f"workloads.{stage.phase}.intensity_of", self._plan.category)
            ) is None:
                phase = self._by_limit(stage, found)
            else:
                phase = self._by_share(stage, str(base), found)
            phases.append(phase)
            if phase.rate_iops is not None:
                found[stage.phase] = phase.rate_iops
        return self._result(phases)

    def _check(self, measured: Sequence[Stage]) -> None:
        known = [stage.phase for stage in measured]
        strange = next((name for name in self._asked.phases if name not in known), None)
        if strange is not None:
            raise InputError(
                "unknown-name",
                Argument("phase"),
                f"the plan has no phase {strange!r}; expected {', '.join(known)}",
            )
        if not measured:
            raise InputError("empty", f"plan {self._plan.name}", "the plan has no stage that is measured")

    def _result(self, phases: Sequence[Phase]) -> Calibration:
        plan = self._plan
        deviations = list(plan.deviations)
        if self._limit is not None and self._limit.rule is None:
            text = f"Rates found by a response-time limit given by hand: {self._limit.ms:g} ms"
            deviations.append(PlanDeviation(code="limit-by-hand", text=text))
        unverified = dict.fromkeys([*plan.rules.unverified, *(r.key for r in self._rules.unverified_used)])
        plan = plan.model_copy(
            update={
                "deviations": deviations,
                "rules": plan.rules.model_copy(update={"unverified": list(unverified)}),
            }
        )
        return Calibration(
            self._given,
            plan,
            phases,
            self._limit,
            self._asked.tolerance,
            self._tool,
            self._rules.caveat(),
        )

    # Points

    def _run(self, plan: Plan, stage: Stage, kind: Kind) -> Row:
        self._numbers += 1
        outcome = self._keeper(plan, stage, self._numbers)
        row = Row(
            self._numbers,
            kind,
            None if stage.closed else stage.rate_iops,
            stage.outstanding if stage.closed else outcome.outstanding,
            stage.streams if stage.closed and stage.workload in SEQUENTIAL else None,
            outcome,
        )
        self._rows.append(row)
        return row

    def _judge(self, row: Row, verdict: str | None, phase: str) -> Row:
        judged = replace(row, verdict=verdict)
        self._rows[-1] = judged
        self._told(phase, judged)
        return judged

    def _loaded(self, stage: Stage, **load: object) -> tuple[Plan, Stage]:
        """The plan with that load of the stage's phase, and the stage in it."""
        plan = with_load(self._plan, stage.phase, **load)
        return plan, next(one for one in plan.stages if one.id == stage.id)

    # Random phases

    def _by_limit(self, stage: Stage, found: dict[str, float]) -> Phase:
        self._more, self._least = 1.0, outstanding(stage)
        achieved = self._rules.known(ACHIEVED_RULE, self._plan.category)
        self._keeps_up = KEEPS_UP if achieved is None else float(achieved) / 100
        bound = self._limit or limit(self._plan, self._rules, self._asked, exact=self._bench.exact)
        self._limit, aim_s = bound, bound.aim_s

        def measure(rate: float) -> RateMeasurement:
            row = self._at_rate(stage, rate, bound)
            made = row.outcome
            if row.verdict == "generator":  # of the storage it says nothing
                return RateMeasurement(rate, made.iops, None)
            half = 0.0 if self._bench.exact else made.half_width_s or 0.0
            achieved, scatter = made.kept_up(rate)
            return RateMeasurement(rate, achieved, bound.judged_s(made), half, scatter)

        start = self._asked.start or self._start(stage, aim_s, found)
        whole = self._bench.kind != "simulation"
        highest = highest_rate(
            measure,
            aim_s,
            start=_rounded(start, whole=whole),
            tolerance=self._asked.tolerance,
            most_runs=self._asked.most_runs,
            rounded=lambda rate: _rounded(rate, whole=whole),
            keeps_up=self._keeps_up,
        )
        chosen = self._chosen(stage, highest, bound)
        limited = _limited(self._rows, chosen, bound)
        if limited is not None:
            chosen = None
        if chosen is not None and chosen.rate_iops is not None:
            load = {"rate_iops": chosen.rate_iops, **self._allowed(chosen.rate_iops, bound)}
            self._plan = with_load(self._plan, stage.phase, closed=False, **load)
            self._plan = with_conditioning(self._plan, stage.workload, **load)
        return Phase(
            stage.phase,
            "limit",
            tuple(self._rows),
            chosen,
            highest.settled and chosen is not None,
            (
                *_said(limited, None if limited is None else self._cause(limited, bound)),
                *(note.text for note in highest.notes),
                *_by_minute(self._rows, bound),
                *_passed_over(self._rows, chosen, self._keeps_up),
                *_warnings(chosen),
            ),
            self._bench.describe(stage),
        )

    def _allowed(self, rate: float, bound: Limit | None) -> dict[str, int]:
        """Outstanding requests to allow a load generator at a rate; a simulation has no bound."""
        if self._bench.kind == "simulation":
            return {}
        limit_ms = NO_LIMIT_MS if bound is None else bound.ms
        asked = self._more * max(needed(rate, limit_ms / 1e3), self._least)
        return {"outstanding": max(self._least, min(MOST, math.ceil(asked)))}

    def _at_rate(self, stage: Stage, rate: float, bound: Limit) -> Row:
        """A run at a rate; where the load generator was the limit, again with twice as many outstanding
        requests, as long as that gains throughput.
        """
        most = 0.0
        while True:
            allowed = self._allowed(rate, bound)
            plan, trial = self._loaded(stage, rate_iops=rate, closed=False, **allowed)
            row = self._run(*self._shortened(plan, trial, rate), "search")
            row = self._judge(row, self._verdict(row, rate, bound), stage.phase)
            gained = row.outcome.iops > most * (1 + _GAIN)
            if self._cause(row, bound) in (None, "processor") or not gained:
                return row
            if 2 * allowed["outstanding"] > MOST:
                return row
            most = row.outcome.iops
            self._more *= 2

    def _cause(self, row: Row, bound: Limit | None) -> Cause | None:
        """Why the load generator was the limit of a row, if it was."""
        if self._bench.kind == "simulation":
            return None
        made = row.outcome
        rate = row.rate_iops
        return cause(
            made.load(rate),
            None if bound is None else bound.aim_s,
            keeps_up=self._keeps_up,
            scatter=0.0 if rate is None else made.kept_up(rate)[1],
        )

    def _verdict(self, row: Row, rate: float, bound: Limit) -> str:
        if self._cause(row, bound) is not None:
            return "generator"
        achieved, scatter = row.outcome.kept_up(rate)
        response_s = bound.judged_s(row.outcome)
        return verdict_of(rate, achieved, response_s, bound.aim_s, scatter=scatter, keeps_up=self._keeps_up)

    def _start(self, stage: Stage, aim_s: float, found: dict[str, float]) -> float:
        """Where to begin: at what a closed loop gives, or at what the phase before could do."""
        if self._bench.kind == "fio" and stage.workload == "HB":  # it would not keep the shares
            return found[next(reversed(found))] if found else FIRST_RATE
        made = self._probed(stage, aim_s)
        if not made.iops:
            return FIRST_RATE
        # An open queue waits longer than a closed one of the same rate.
        return made.iops * (0.9 if made.response_s is not None and made.response_s < aim_s / 2 else 0.7)

    def _probed(self, stage: Stage, aim_s: float) -> Outcome:
        """A closed loop, of a load generator with twice as many requests until throughput stops rising or
        they wait longer than the limit; the last one that did not.
        """
        outstanding, best = UNKNOWN_OUTSTANDING, None
        while True:
            plan, probe = self._loaded(stage, closed=True, outstanding=outstanding, rate_iops=None)
            row = self._judge(self._run(*self._shortened(plan, probe, None), "probe"), None, stage.phase)
            made = row.outcome
            slow = made.response_s is None or made.response_s > aim_s
            if best is not None and (slow or made.iops < best.iops * (1 + _GAIN)):
                return best
            outstanding *= 2
            if slow or self._bench.kind == "simulation" or outstanding > MOST:
                return made
            best = made

    def _shortened(self, plan: Plan, stage: Stage, rate: float | None) -> tuple[Plan, Stage]:
        if isinstance(self._bench, SimulationBench):
            return self._bench.shortened(plan, stage, rate)
        return plan, stage

    def _chosen(self, stage: Stage, highest: RateBracket, bound: Limit) -> Row | None:
        """The row of the rate that was found; on the simulator checked as the measurement will have it."""
        if highest.best is None:
            return None
        rate = highest.best.rate
        chosen = next(row for row in reversed(self._rows) if row.rate_iops == rate)
        if not self._bench.exact:
            return chosen
        for _ in range(_MOST_CHECKS):
            plan, trial = self._loaded(stage, rate_iops=rate, closed=False)
            plan = with_conditioning(plan, stage.workload, rate_iops=rate)
            row = self._run(plan, trial, "check")
            row = self._judge(row, self._verdict(row, rate, bound), stage.phase)
            if row.verdict == "meets":
                return row
            rate = _rounded(rate * (1 - self._asked.tolerance), whole=False)
        return None

    def _by_share(self, stage: Stage, base: str, found: dict[str, float]) -> Phase:
        percent = self._rules.number(f"workloads.{stage.phase}.intensity_percent", self._plan.category)
        self._more, self._least = 1.0, LEAST
        rate = found.get(base) or next(
            (s.rate_iops for s in self._plan.stages if s.phase == base and s.rate_iops is not None), None
        )
        if rate is None:
            return Phase(stage.phase, "share", (), None, settled=False, notes=(f"{base} has no rate",))
        own, bound = rate * percent / 100, self._limit
        plan, trial = self._loaded(stage, rate_iops=own, closed=False, **self._allowed(own, bound))
        row = self._run(plan, trial, "check")
        limited = self._cause(row, bound)
        row = self._judge(row, None if limited is None else "generator", stage.phase)
        note = f"{percent:g} % of {rate:g} requests per second, the rate of {base}"
        if limited is None:
            self._plan = plan
        return Phase(
            stage.phase,
            "share",
            (row,),
            row if limited is None else None,
            settled=limited is None,
            notes=(*_said(row if limited else None, limited), note, *_warnings(row)),
            point=self._bench.describe(stage),
        )  # fmt: skip

    # Sequential phases

    def _by_throughput(self, stage: Stage) -> Phase:
        def measure(streams: int, outstanding: int) -> tuple[float, Row]:
            plan, trial = self._loaded(
                stage, closed=True, rate_iops=None, streams=streams, outstanding=outstanding
            )
            row = self._run(*self._shortened(plan, trial, None), "search")
            verdict = None if self._cause(row, None) is None else "generator"
            return row.outcome.mib_per_s, self._judge(row, verdict, stage.phase)

        most = highest_throughput(
            measure,
            streams=self._asked.streams or [stage.streams],
            most_outstanding=max(self._asked.most_outstanding, stage.streams),
            tolerance=self._asked.tolerance,
        )
        best = most.best
        # Where throughput stopped rising because the load generator did, the storage may give more.
        enough = best.throughput * (1 - self._asked.tolerance)
        limited = next(
            (p.made for p in most.points if p.made.verdict == "generator" and p.throughput >= enough), None
        )
        if limited is not None:
            return Phase(
                stage.phase, "throughput", tuple(self._rows), None, settled=False,
                notes=_said(limited, self._cause(limited, None)), point=self._bench.describe(stage),
            )  # fmt: skip
        self._plan = with_load(
            self._plan,
            stage.phase,
            closed=True,
            rate_iops=None,
            streams=best.streams,
            outstanding=best.outstanding,
        )
        notes = [] if most.settled else [
            f"throughput still grew at {self._asked.most_outstanding} outstanding requests"
        ]  # fmt: skip
        return Phase(
            stage.phase,
            "throughput",
            tuple(self._rows),
            best.made,
            most.settled,
            (*notes, *_within(self._rows, best.made, self._asked.tolerance), *_warnings(best.made)),
            self._bench.describe(stage),
        )


def _limited(rows: Sequence[Row], chosen: Row | None, bound: Limit) -> Row | None:
    """The run by which the search ended though it was the load generator's limit, not the storage's.

    That is where the next rate above the chosen one that tells anything is such a run: a storage that is over
    the limit has shown its own.
    """
    least = 0.0 if chosen is None else chosen.rate_iops or 0.0
    last = {row.rate_iops: row for row in rows if row.kind == "search" and row.rate_iops is not None}
    for rate in sorted(rate for rate in last if rate > least):
        row = last[rate]
        if row.verdict == "generator":
            return row
        if row.outcome.response_s is not None and row.outcome.response_s > bound.aim_s:
            return None
    return None


def _said(row: Row | None, why: Cause | None) -> tuple[str, ...]:
    """That the load generator was the limit, and what to do."""
    if row is None or why is None:
        return ()
    return (
        f"{words(row.outcome.load(row.rate_iops), why)}: no rate of the storage is known. {_REMEDY[why]}",
    )


def _by_minute(rows: Sequence[Row], bound: Limit) -> list[str]:
    """Whether the limit of a minute decided anywhere."""
    decided = sum(
        row.verdict == "over" and row.outcome.response_s is not None and row.outcome.response_s <= bound.aim_s
        for row in rows
    )
    if not decided:
        return []
    return [f"in {decided} runs the mean kept to its limit, but a minute exceeded {bound.minute_ms:g} ms"]


def _passed_over(rows: Sequence[Row], chosen: Row | None, keeps_up: float) -> list[str]:
    """Why a point that achieved more than the chosen one was not chosen, though it is in the table."""
    if chosen is None:
        return []
    faster = [r for r in rows if r.verdict == "saturated" and r.outcome.iops > chosen.outcome.iops]
    most = max(faster, key=lambda row: row.outcome.iops, default=None)
    if most is None or most.rate_iops is None:
        return []
    return [
        f"{most.outcome.iops:.4g} IOPS were achieved too, but {most.rate_iops:g} were asked for: a rate "
        f"counts only where {100 * keeps_up:g} % of it are achieved, else requests queue up without end"
    ]


def _within(rows: Sequence[Row], chosen: Row, tolerance: float) -> list[str]:
    """Why the highest throughput was not chosen."""
    most = max(rows, key=lambda row: row.outcome.mib_per_s)
    if most.outcome.mib_per_s <= chosen.outcome.mib_per_s:
        return []
    return [
        f"{most.outcome.mib_per_s:.4g} MiB/s were reached too, with {most.outstanding} outstanding: within "
        f"{100 * tolerance:g} % counts as equal, and of equals the fewest outstanding are taken"
    ]


def _warnings(chosen: Row | None) -> tuple[str, ...]:
    """What the load generator warned of in the run that was chosen; those of others stand with them."""
    return () if chosen is None else chosen.outcome.warnings


def _rounded(rate: float, *, whole: bool) -> float:
    """A rate that can be asked for: load generators take whole numbers, reports four digits."""
    if whole:
        return float(max(1, round(rate)))
    return 0.0 if rate <= 0 or not math.isfinite(rate) else float(f"{rate:.4g}")
