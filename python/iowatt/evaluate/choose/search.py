"""The search over all families at once.

1. Each design gets its smallest system that holds the data; the cheapest of each family comes first.
2. The estimator enlarges it until it carries the load, and it is simulated. What misses a service level
   grows; what keeps all and is larger than its data need shrinks.
3. The cheapest that keeps all is confirmed by several seeds, and with a simulated rebuild. One that fails
   grows or gets a hot spare.
4. A family goes on to its next designs while the least that one can cost is below what is confirmed.
5. The best of each family shrinks further, down to its smallest size that keeps all. In a family that has
   none, so does what misses nothing but limits that fewer drives mend: budget, watts, height.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from iowatt.base.errors import InputError
from iowatt.evaluate.choose import judge, size
from iowatt.evaluate.choose.confirm import confirmed_rows
from iowatt.evaluate.choose.course import REFINED as REFINED_AT
from iowatt.evaluate.choose.course import SIZED, ChooseCourse
from iowatt.evaluate.choose.design import NAS_BAYS, Design, OwnDesign, System
from iowatt.evaluate.choose.families import CandidateFamily, refused_drive
from iowatt.evaluate.choose.layout import is_warm
from iowatt.evaluate.choose.result import shortfall
from iowatt.evaluate.choose.state import Confirmed, DesignState, SearchedFamily, found_states
from iowatt.evaluate.choose.trials import Screened, Trials

WINDOW: Final = 3
"""Designs of a family that are simulated at a time, after its first."""
DEAR: Final = 3.0
"""Systems are of no interest that cost this many times the cheapest that keeps all."""
ROUNDS: Final = 5
"""Sizes of a design that are simulated at most, before one is confirmed."""
REFINED: Final = 8
"""More sizes of a family's best design."""
CONFIRMED: Final = 4
"""Systems of a family that are confirmed at most, of each window."""
GROWS: Final = 1.5
_MOST_GROWTH: Final = 8.0
SURE: Final = 10.0
"""Designs are not simulated whose loss at the book's rebuild rate is above the limit by this factor; a
simulated rebuild may be faster."""


def search(
    families: Sequence[CandidateFamily],
    own: Sequence[OwnDesign],
    trials: Trials,
    course: ChooseCourse | None = None,
) -> list[SearchedFamily]:
    """The best system of each family, one's own systems among them."""
    course = course or ChooseCourse()
    found = [*_sized(families, trials, course), *(_own(design, trials) for design in own)]
    window = 1  # the cheapest of each family first: what it costs bounds all others
    while taken := [(family, state) for family in found for state in _taken(family, found, window)]:
        window = WINDOW
        course.window()
        course.step("estimating", 0.2)
        trials.each(course.counted(len(taken), lambda pair: _screen(pair[1], trials)), taken)
        for family, state in taken:
            if state.screened.usd < _most(family, found):
                family.states.append(state)
        course.step("simulating", 0.4)
        _simulate([state for _, state in taken if state in found_states(found) and not state.rows], trials)
        for _ in range(ROUNDS - 1):
            kept = min((one.usd for one in found_states(found) if one.keeps is not None), default=math.inf)
            moved = [
                state
                for one in found
                for state in one.states
                if _resize(state, min(_most(one, found), DEAR * kept), trials)
            ]
            if not moved:
                break
            course.step("simulating", 0.3)
            _simulate(moved, trials)
        course.step("confirming", 0.8)
        _confirm(found, trials)
    course.phase(REFINED_AT)
    _refine(found, trials, course)
    return found


def _refine(found: Sequence[SearchedFamily], trials: Trials, course: ChooseCourse) -> None:
    """Shrink the best of each family as far as it keeps all, and confirm that.

    Of a family without one, what misses nothing but limits that fewer drives may keep: budget, watts, height.
    """
    tried = []
    for family in found:
        if family.best is not None:
            best = next(one for one in family.states if one.confirmed is family.best)
            rows, missed = dict(best.rows), dict(best.missed)
            family.states.append(replace(best, confirmed=None, rows=rows, missed=missed))
            tried.append((family, family.states[-1]))
        elif over := [
            (shortfall(one.missed[one.over]), one.usd, at)
            for at, one in enumerate(family.states)
            if one.over is not None
        ]:
            tried.append((family, family.states[min(over)[-1]]))
    for _ in range(REFINED):
        moved = [one for family, one in tried if _resize(one, _most(family, found), trials, ROUNDS + REFINED)]
        if not moved:
            break
        course.step("shrinking the best", 0.3)
        _simulate(moved, trials)
    course.step("confirming", 0.8)
    _confirm(found, trials)


def _most(family: SearchedFamily, found: Sequence[SearchedFamily]) -> float:
    """Dollars at and above which a system of a family is of no interest."""
    cheapest = min((one.best.usd for one in found if one.best is not None), default=math.inf)
    return min(DEAR * cheapest, math.inf if family.best is None else family.best.usd)


def _taken(family: SearchedFamily, found: Sequence[SearchedFamily], window: int) -> list[DesignState]:
    """The next designs of a family: none where the next cannot be cheaper than what is known."""
    most = _most(family, found) if family.states else math.inf
    taken = [one for one in family.waiting[:window] if one.floor_usd < most]
    del family.waiting[: len(taken) or len(family.waiting)]
    return taken


def _sized(families: Sequence[CandidateFamily], trials: Trials, course: ChooseCourse) -> list[SearchedFamily]:
    """Families with their designs, sized to the data, the cheapest first."""
    designs = [(family, design) for family in families for design in family.designs()]
    course.phase(SIZED)
    course.step("sizing designs", 1.0)
    made = trials.each(course.counted(len(designs), lambda pair: _first(pair[1], trials)), designs)
    found = []
    for family in families:
        mine = [one for (other, _), one in zip(designs, made, strict=True) if other is family]
        waiting = [one for one in mine if isinstance(one, DesignState)]
        waiting.sort(key=lambda one: (one.floor_usd, one.now.title))
        refused = [one for one in mine if isinstance(one, str)]
        found.append(SearchedFamily(family.name, family.title, len(mine), waiting=waiting, refused=refused))
    return found


def _screen(state: DesignState, trials: Trials) -> None:
    """Size a design by the estimator; one's own Run needs none."""
    design = state.least.design
    if isinstance(design, OwnDesign) and design.run is not None:
        return
    state.screened = size.carrying(state.least, trials, mean_limit(trials))
    state.now = state.screened.system


def _first(design: Design, trials: Trials) -> DesignState | str:
    """The smallest system of a design, or why it has none."""
    question = trials.question
    refused = refused_drive(design, question.limits)
    if refused is None and design.middle is not None and not is_warm(design, trials.workloads):
        refused = "pages move over days, and the data touched are more than the first tier"
    least = size.least(design, trials) if refused is None else refused
    if isinstance(least, str):
        return least
    loss = trials.loss_per_year(least)
    if loss is not None and loss > question.durability.loss_per_year and design.takes_spare(least.count):
        least = System(design.spared(1), least.count)
    refused = _unfit(least, trials)
    if refused is not None:
        return refused
    floor = trials.floor_usd(least)
    return DesignState(design.family, least, least, Screened(least, {}, False, floor), floor)


def _unfit(system: System, trials: Trials) -> str | None:
    """Why even the smallest system of a design cannot meet the requirements."""
    question, design, units = trials.question, system.design, system.rack_units
    if question.chassis == "nas" and (design.kind == "cluster" or design.drives(system.count) > NAS_BAYS):
        return f"{system.title} does not fit into one box of {NAS_BAYS} bays"
    if units is not None and question.limits.rack_units is not None and units > question.limits.rack_units:
        return f"{system.title} takes {units} rack units"
    if _loses(system, trials):
        return f"{system.title} would lose data in {trials.loss_per_year(system):.2g} of years"
    return None


def _loses(system: System, trials: Trials) -> bool:
    """Whether a system surely misses the limit of its loss."""
    loss = trials.loss_per_year(system)
    return loss is not None and loss > SURE * trials.question.durability.loss_per_year


def _own(design: OwnDesign, trials: Trials) -> SearchedFamily:
    system = System(design, 1)
    if design.run is None:
        try:
            trials.prepared(system)
        except InputError as error:
            return SearchedFamily(design.family, design.title(1), 1, refused=[error.message])
    state = DesignState(design.family, system, system, Screened(system, {}, False, 0.0))
    return SearchedFamily(design.family, design.title(1), 1, waiting=[state])


def mean_limit(trials: Trials) -> float | None:
    """The mean response time that estimates are held to, s.

    Each limit is divided by what its percentile is of the mean of an exponential distribution.
    """
    limits = [
        limit / _OVER_MEAN[name] for one in trials.question.workload for name, limit in one.limits_s.items()
    ]
    return min(limits, default=None)


_OVER_MEAN: Final = {"mean": 1.0, "p50": math.log(2), "p95": math.log(20), "p99": math.log(100)}


def _simulate(states: Sequence[DesignState], trials: Trials) -> None:
    records = trials.simulate([state.now for state in states])
    for state, record in zip(states, records, strict=True):
        _judge(state, record, trials)


def _judge(state: DesignState, record: Mapping[str, Any], trials: Trials) -> None:
    count, row = state.now.count, record.get("row")
    if row is None:
        state.error = record["error"]["message"]
        state.rows[count], state.missed[count] = {}, []
        return
    missed = judge.missed(trials.question, state.now, row, trials.rate_iops)
    state.rows[count], state.missed[count] = row, missed
    if any(judge.mends_with_drives(one) for one in missed):
        state.below = max(state.below, count)
    elif not missed:
        state.keeps = min(count, state.keeps or count)
    elif all(judge.mends_with_fewer(one) for one in missed):
        state.over = min(count, state.over or count)


def _resize(state: DesignState, most_usd: float, trials: Trials, rounds: int = ROUNDS) -> bool:
    """Choose the next size of a design; False where its smallest is found, or it cannot be of interest."""
    if state.error is not None or state.confirmed is not None or not state.now.design.sized:
        return False
    if len(state.rows) >= rounds:
        return False
    step = state.now.design.step
    low = max(state.below, state.least.count - step)
    most = state.over if state.keeps is None else state.keeps
    if most is None:
        count = _grown(state, most_usd, trials)
    elif most > low + step:
        count = (low + most) / 2 if state.below else state.least.count
    else:
        count = None
    if count is None:
        return False
    rounded = state.now.design.rounded(math.ceil(count))
    if rounded in state.rows or state.now.design.drives(rounded) > size.MOST_DRIVES:
        return False
    state.now = System(state.now.design, rounded)
    return True


def _grown(state: DesignState, most_usd: float, trials: Trials) -> float | None:
    """The next larger number; None where it costs too much, or more drives do not bring what is missed."""
    now = state.now.count
    row = state.rows[now]
    if not any(judge.mends_with_drives(one) for one in state.missed[now]):
        return None
    done = row.get("done_share") if row.get("overloaded") else None
    grows = GROWS if not done else min(_MOST_GROWTH, max(GROWS, 1.3 / done))
    if state.usd * grows >= most_usd or not _reaches(state, trials):
        return None
    larger = System(state.now.design, state.now.design.rounded(math.ceil(now * grows)))
    return None if _loses(larger, trials) else larger.count


def _reaches(state: DesignState, trials: Trials) -> bool:
    """Whether growing further at the pace so far reaches the service levels in the rounds that are left."""
    counts = sorted(state.rows)
    rows = [state.rows[count] for count in counts[-2:]]
    if len(rows) < 2 or any(row.get("overloaded") for row in rows):
        return True
    was, now = (judge.headroom(trials.question, row) for row in rows)
    pace = math.log(now / was) / math.log(counts[-1] / counts[-2]) * math.log(GROWS)
    return pace > 0 and now * math.exp(pace * (ROUNDS - len(counts))) >= 1


def _confirm(families: Sequence[SearchedFamily], trials: Trials) -> None:
    """Confirm the cheapest system of each family that keeps all, until one holds."""
    for _ in range(CONFIRMED):
        chosen = [state for one in families if (state := _unconfirmed(one, _most(one, families))) is not None]
        if not chosen:
            return
        rows = confirmed_rows([state.kept for state in chosen if state.kept is not None], trials)
        for state, row in zip(chosen, rows, strict=True):
            family = next(one for one in families if state in one.states)
            _hold(state, family, row, trials)


def _unconfirmed(family: SearchedFamily, most: float) -> DesignState | None:
    """The cheapest that keeps all by one seed, if it costs less than ``most``."""
    waiting = [
        one for one in family.states if one.keeps is not None and one.confirmed is None and one.usd < most
    ]
    return min(waiting, key=lambda one: (one.usd, one.now.title), default=None)


def _hold(state: DesignState, family: SearchedFamily, row: Mapping[str, Any], trials: Trials) -> None:
    """Take a confirmed system, and where it fails the next one of its design."""
    system = state.kept
    assert system is not None
    missed = judge.missed(trials.question, system, row, trials.rate_iops)
    state.confirmed = Confirmed(system, row, missed)
    family.confirmed.append(state.confirmed)
    design = system.design
    if not missed or isinstance(design, OwnDesign):
        return
    if any(judge.mends_with_drives(one) for one in missed):
        larger = design.rounded(system.count + design.step)
        family.states.append(_next(state, System(design, larger), row))
    elif missed[0].what in ("loss_per_year", "unavailable") and design.takes_spare(system.count):
        family.states.append(_next(state, System(design.spared(1), system.count), row))


def _next(state: DesignState, system: System, row: Mapping[str, Any]) -> DesignState:
    """A state of a design that is taken to keep all, as its smaller sibling did by one seed."""
    return DesignState(
        state.family, system, system, state.screened, below=state.below, keeps=system.count,
        rows={system.count: row}, missed={system.count: []},
    )  # fmt: skip
