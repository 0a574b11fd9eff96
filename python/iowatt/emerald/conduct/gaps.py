"""Breaks between the requests of two stages, and other deviations that the stages' own output shows."""

from __future__ import annotations

import math
from collections.abc import Iterator

from iowatt.base.errors import InputError
from iowatt.emerald import generator, targets
from iowatt.emerald.conduct.drivers import idle
from iowatt.emerald.conduct.session import Session
from iowatt.emerald.conduct.state import read_state
from iowatt.emerald.finding import Finding
from iowatt.emerald.phases import RANDOM
from iowatt.emerald.plan import Plan, PlanStage, limit_ms
from iowatt.emerald.plan.load import outstanding
from iowatt.emerald.rules import load
from iowatt.run.bundle import Run
from iowatt.sources.observation import Observation


def gaps_between_stages(session: Session) -> list[dict[str, object]]:
    """Breaks between requests of two stages, as the load generator's own logs have them.

    What cannot be read, or has no request, is a deviation: a stage that ended should have left it.
    """
    if session.driver.kind == "simulation":
        return []
    found: list[dict[str, object]] = []
    before: float | None = None
    filled = False  # the stage after the pre-fill may begin at any time
    state = read_state(session.folder.path, session.plan)
    for one in state.stages:
        stage, attempt = one.stage, one.counted
        if stage.workload is None or attempt is None:
            if attempt is not None:
                folder = session.folder.path / attempt.folder
                disturbed = idle.disturbed(folder, targets.paths(session.plan))
                if disturbed:
                    session.deviation(stage, disturbed)
            before = None
            continue
        try:
            observed = session.driver.observe(session.plan, stage, session.folder.path / attempt.folder)
        except InputError as error:
            session.deviation(stage, f"its results cannot be read: {error}")
            before = None
            continue
        if isinstance(observed, Run):
            continue
        if not any(i.read.requests or i.write.requests for i in observed.intervals):
            session.deviation(stage, f"not one request completed in {stage.id}")
        elif stage.role == "measurement":
            for limited in generator_limited(session.plan, stage, observed):
                session.deviation(stage, limited.text)
        # Where no stage ended before it in its session, the resume has judged the break.
        if before is not None and attempt.gap_s is not None:
            gap = observed.start - before
            found.append({"stage": stage.id, "seconds": round(gap, 3)})
            known = attempt.gap_s > session.gap_limit_s  # already in the journal
            if gap > session.gap_limit_s and not known and not filled:
                session.deviation(stage, f"no request was made for {gap:.1f} s before {stage.id}")
        before, filled = observed.end, stage.role == "prefill"
    return found


def generator_limited(plan: Plan, stage: PlanStage, observed: Observation) -> Iterator[Finding]:
    """The finding that the load generator was the limit of a measured stage, if it was."""
    rules = load(plan.rules.profile)
    limit = limit_ms(rules, plan.category) if stage.workload in RANDOM else None
    parts = [part for i in observed.intervals if i.counted for part in (i.read, i.write)]
    counted = [i for i in observed.intervals if i.counted] or observed.intervals
    seconds = counted[-1].end - counted[0].start
    requests = sum(part.requests for part in parts)
    timed = sum(part.known for part in parts if part.response_mean_s is not None)
    waited = math.fsum(
        part.known * part.response_mean_s for part in parts if part.response_mean_s is not None
    )
    measured = generator.GeneratorLoad(
        asked_iops=None if stage.closed else observed.asked_iops or stage.rate_iops,
        achieved_iops=requests / seconds,
        response_s=waited / timed if timed else None,
        seconds=seconds,
        outstanding=observed.outstanding or outstanding(stage),
        busy_percent=observed.busy_percent,
    )
    yield from generator.limited(
        measured,
        None if limit is None else limit / 1e3,
        keeps_up=rules.number("rate.achieved_percent", plan.category) / 100,
        scatter=3 * math.sqrt(requests) / seconds,
    )
