"""Breaks between the requests of two stages, and other deviations that the stages' own output shows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from iowatt.base.errors import InputError
from iowatt.emerald import hosts, targets
from iowatt.emerald.conduct.drivers import HostsDriver, idle
from iowatt.emerald.conduct.session import Session
from iowatt.emerald.conduct.state import read_state
from iowatt.emerald.finding import Finding
from iowatt.emerald.generator import limited_stage
from iowatt.emerald.plan import PlanStage
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
        observed = None
        if attempt is not None:
            observed = _observed(session, stage, session.folder.path / attempt.folder)
        if attempt is None or observed is None:
            before = None
            continue
        # Where no stage ended before it in its session, the resume has judged the break.
        if before is not None and attempt.gap_s is not None:
            gap = observed.start - before
            found.append({"stage": stage.id, "seconds": round(gap, 3)})
            known = attempt.gap_s > session.gap_limit_s  # already in the journal
            if gap > session.gap_limit_s and not known and not filled:
                session.deviation(stage, f"no request was made for {gap:.1f} s before {stage.id}")
        before, filled = observed.end, stage.role == "prefill"
    return found


def _observed(session: Session, stage: PlanStage, folder: Path) -> Observation | None:
    """What a stage left, with its deviations written down; None of a rest, or where it cannot be read."""
    if stage.workload is None:
        paths = None if session.plan.hosts else targets.paths(session.plan)
        disturbed = idle.disturbed(folder, paths)
        if disturbed:
            session.deviation(stage, disturbed)
        return None
    for on_host in _of_hosts(session, stage, folder):
        session.deviation(stage, on_host.text)
    try:
        observed = session.driver.observe(session.plan, stage, folder)
    except InputError as error:
        session.deviation(stage, f"its results cannot be read: {error}")
        return None
    if isinstance(observed, Run):
        return None
    if not any(i.read.requests or i.write.requests for i in observed.intervals):
        session.deviation(stage, f"not one request completed in {stage.id}")
    elif stage.role == "measurement":
        for limited in limited_stage(session.plan, stage, observed):
            session.deviation(stage, limited.text)
    return observed


def _of_hosts(session: Session, stage: PlanStage, folder: Path) -> Iterator[Finding]:
    """What was found on the load hosts of a stage, where it had several."""
    if isinstance(session.driver, HostsDriver):
        try:
            yield from hosts.findings(session.plan, stage, folder, session.driver.observe_one)
        except InputError:  # the stage's results cannot be read either, which is said
            return
