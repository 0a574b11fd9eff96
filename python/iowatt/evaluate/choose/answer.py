"""The answer: each family's best, priced together, and what would change the decision."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from iowatt.base.units import format_bytes
from iowatt.evaluate.choose import change, footprint, judge
from iowatt.evaluate.choose.course import ChooseCourse
from iowatt.evaluate.choose.design import Design, System
from iowatt.evaluate.choose.figures import figures
from iowatt.evaluate.choose.load import scaled_workloads, trace_info
from iowatt.evaluate.choose.notes import notes
from iowatt.evaluate.choose.question import StorageQuestion
from iowatt.evaluate.choose.result import (
    Choose,
    EstimateError,
    FamilyAnswer,
    FootprintMeasure,
    OtherFootprint,
    Relaxed,
    SystemFigures,
    TooClose,
    TurningPoint,
    shortfall,
)
from iowatt.evaluate.choose.state import Confirmed, DesignState, SearchedFamily
from iowatt.evaluate.choose.ties import near_ties
from iowatt.evaluate.choose.trials import Trials
from iowatt.render.numbers import probability

if TYPE_CHECKING:
    from iowatt.evaluate.choose.request import ChooseRequest
    from iowatt.lenses.cost import Cost

CLOSE: Final = 0.2
"""Share of draws of all prices in which another system is cheaper from which on the two are too close to
call."""
UNNAMED: Final = "question"
"""The name of a question that nobody gave one: that of the form, and of a file ``question.toml``."""
MOST_PRICED: Final = 4
"""Families whose best are priced with their uncertainty."""
MOST_OTHERWISE: Final = 8
"""Systems that are simulated with the trace scaled the other way."""


def answer(
    request: ChooseRequest, trials: Trials, found: Sequence[SearchedFamily], course: ChooseCourse
) -> Choose:
    """The document of what was searched."""
    question = request.question
    best = {one.name: one.best for one in found}
    ranked = sorted(
        (one for one in best.values() if one is not None), key=lambda one: (one.usd, one.system.title)
    )
    course.phase(1.0)
    course.step("comparing prices", 0.0)
    cost, evens, close = _decisions(request, trials, found, ranked)
    relaxed = change.relaxed(question, found, ranked[0].usd if ranked else math.inf)
    course.step("scaling traces otherwise", 0.3)
    others = _otherwise(request, trials, [*(one.system for one in ranked), *_named(found, relaxed)])
    course.step("other data and load", 1.0)
    families = [_family(one, trials, others) for one in found]
    by_title = {one.best.title: one.best for one in families if one.best is not None}
    winners = [_ranged(by_title[one.system.title], cost) for one in ranked]
    return Choose(
        name=_name(question, trials),
        asked=_asked(request, trials),
        years=question.years,
        winner=winners[0] if winners else None,
        next=winners[1] if len(winners) > 1 else None,
        too_close=close,
        near_ties=near_ties(winners, close),
        families=families,
        systems=[*_systems(found, trials)],
        errors=[*_errors(found)],
        break_evens=evens,
        relaxed=relaxed,
        what_if=change.what_ifs(request, trials, found, course) if ranked else [],
        footprints=[*_footprints(request, trials)],
        cost=cost,
        scenarios=[],
        simulations=trials.simulations,
        notes=[*notes(request, trials, found, ranked, others=others, cost=cost)],
    )


def _ranged(best: SystemFigures, cost: Cost | None) -> SystemFigures:
    """Figures with the range of their dollars over draws of all prices, where it was priced so."""
    drawn = [] if cost is None or cost.uncertainty is None else cost.uncertainty.systems
    of = next((one.quantiles for one in drawn if one.name == best.family), None)
    return best if of is None else best.model_copy(update={"usd_low": of.p5, "usd_high": of.p95})


def _name(question: StorageQuestion, trials: Trials) -> str:
    """The name of the question; what it asks for in a few words where it has none of its own."""
    if question.name != UNNAMED:
        return question.name
    loads = question.workload
    levels = [f"{name} {1e3 * limit:g} ms" for name, limit in loads[0].limits_s.items()]
    words = [format_bytes(question.usable), f"{_rate(trials.rate_iops)} requests/s"]
    return ", ".join([*words, *(levels if len(loads) == 1 else [f"{len(loads)} workloads"])])


def _asked(request: ChooseRequest, trials: Trials) -> str:
    question = request.question
    levels = [
        f"{one.name} {name} within {limit:g} s"
        if limit >= 1
        else f"{one.name} {name} within {1e3 * limit:g} ms"
        for one in question.workload
        for name, limit in one.limits_s.items()
    ]
    grown = " in the last year" if question.grown > 1 or question.load_grown > 1 else ""
    size = format_bytes(int(question.bought_bytes))
    default = "" if "loss_per_year" in question.durability.model_fields_set else " (the default)"
    return (
        f"{size} ({question.bought_bytes / 2**40:.4g} TiB) usable and "
        f"{_rate(trials.rate_iops)} requests a second{grown}, {', '.join(levels)}, "
        f"data loss below {probability(question.durability.loss_per_year)} a year{default}, "
        f"{question.years:g} years"
    )


def _rate(iops: float) -> str:
    return f"{iops:,.0f}" if iops >= 100 else f"{iops:.3g}"


def _family(found: SearchedFamily, trials: Trials, others: Mapping[str, OtherFootprint]) -> FamilyAnswer:
    """A family by its best system; else the one that comes nearest."""
    tried = [*_tried(found)] if found.best is None else [(found.best, True)]
    nearest = min(
        tried, key=lambda one: (shortfall(one[0].missed), one[0].usd, one[0].system.title), default=None
    )
    shown = None
    if nearest is not None:
        one, confirmed = nearest
        shown = figures(trials, one.system, one.row, one.missed, confirmed=confirmed)
    errors = [state.error for state in found.states if state.error is not None]
    refused = next(iter([*found.refused, *errors]), None)
    return FamilyAnswer(
        name=found.name, title=found.title, best=shown, designs=found.designs, simulated=found.simulated,
        refused=refused if shown is None else None, otherwise=others.get(found.name),
    )  # fmt: skip


def _tried(found: SearchedFamily) -> Iterator[tuple[Confirmed, bool]]:
    """All systems of a family that were simulated, and whether they are confirmed.

    What keeps all by one seed counts only where nothing of the family was confirmed.
    """
    sure = {one.system for one in found.confirmed}
    yield from ((one, True) for one in found.confirmed)
    for state, count in _simulated(found):
        system, missed = System(state.now.design, count), state.missed[count]
        if system not in sure and (missed or not sure):
            yield Confirmed(system, state.rows[count], missed), False


def _systems(found: Sequence[SearchedFamily], trials: Trials) -> Iterator[SystemFigures]:
    for family in found:
        sure = {one.system: one for one in family.confirmed}
        for one in sure.values():
            yield figures(trials, one.system, one.row, one.missed, confirmed=True)
        for state, count in _simulated(family):
            system = System(state.now.design, count)
            if system not in sure:
                yield figures(trials, system, state.rows[count], state.missed[count], confirmed=False)


def _simulated(family: SearchedFamily) -> Iterator[tuple[DesignState, int]]:
    """Each system of a family once, by the state of its design and its number."""
    seen: set[System] = set()
    for state in family.states:
        for count, row in sorted(state.rows.items()):
            system = System(state.now.design, count)
            if row and system not in seen:
                seen.add(system)
                yield state, count


def _errors(found: Sequence[SearchedFamily]) -> Iterator[EstimateError]:
    """How far estimates are from simulations; an estimated p95 is that of an exponential distribution."""
    pairs: dict[str, list[float]] = {"usd": [], "watts": [], "p95_ms": []}
    for family in found:
        for state, count in _simulated(family):
            made, row = state.screened.row, state.rows[count]
            if count != state.screened.system.count or row.get("overloaded") or not made:
                continue
            estimates = {
                "usd": (made.get("cost.total_usd"), row.get("cost.total_usd")),
                "watts": (judge.watts(made), judge.watts(row)),
                "p95_ms": (_p95(made), row.get("response_time_ms.all.p95")),
            }
            for name, (estimate, simulated) in estimates.items():
                if estimate and simulated:
                    pairs[name].append(abs(estimate / simulated - 1))
    for name, errors in pairs.items():
        if errors:
            yield EstimateError(
                of=name, systems=len(errors), median=float(np.median(errors)),
                p95=float(np.quantile(errors, 0.95)),
            )  # fmt: skip


def _p95(made: Mapping[str, float]) -> float | None:
    mean = made.get("response_time_ms.all.mean")
    return None if mean is None else math.log(20) * mean


def _decisions(
    request: ChooseRequest, trials: Trials, found: Sequence[SearchedFamily], ranked: Sequence[Confirmed]
) -> tuple[Cost | None, list[TurningPoint], list[TooClose]]:
    """Dollars of the best with their uncertainty, what would change the ranking, and what may be as cheap."""
    bought = [one for one in ranked if isinstance(one.system.design, Design)]
    if not bought:
        return None, [], []
    names = {one.system.title: one.system.design.family for one in bought}
    candidates = {
        **change.contenders(found),
        **{one.system.title: one.system for one in bought[:MOST_PRICED]},
    }
    keys = {title: names.get(title, f"other-{number}") for number, title in enumerate(candidates, 1)}
    runs = trials.runs({keys[title]: system for title, system in candidates.items()})
    titles = {key: title for title, key in keys.items()}
    first = [names[one.system.title] for one in bought[:MOST_PRICED]]
    best_runs = {name: runs[name] for name in first}
    cost = change.priced(request, trials, best_runs, devices=(), samples=change.SAMPLES)
    devices = list(dict.fromkeys(device for one in bought[:2] for device in one.system.design.devices))
    along = change.priced(request, trials, runs, devices=devices, samples=0)
    evens = [*change.break_evens(along, titles, bought[0].system.title)] if bought[0] is ranked[0] else []
    return cost, evens, [*_close(cost, evens, titles)] if bought[0] is ranked[0] else []


def _close(cost: Cost, evens: Sequence[TurningPoint], titles: Mapping[str, str]) -> Iterator[TooClose]:
    """What may be cheaper than the first system, and the assumption whose least change makes it so."""
    if cost.uncertainty is None:
        return
    first = cost.systems[0].name
    for one in cost.uncertainty.differences:
        if one.a != first or one.share_b_cheaper <= CLOSE:
            continue
        title = titles[one.b]
        turns = [
            (abs(math.log(at / even.value)), even, at)
            for even in evens
            for at, name in ((even.below, even.below_winner), (even.above, even.above_winner))
            if at and even.value and name == title
        ]
        decisive = min(turns, key=lambda turn: turn[0], default=None)
        yield TooClose(
            title=title, family=one.b, share=one.share_b_cheaper,
            decides=None if decisive is None else decisive[1].of,
            text="" if decisive is None else decisive[1].text,
            now=None if decisive is None else decisive[1].value,
            at=None if decisive is None else decisive[2], unit="" if decisive is None else decisive[1].unit,
        )  # fmt: skip


def _named(found: Sequence[SearchedFamily], relaxed: Sequence[Relaxed]) -> list[System]:
    """The systems that a looser limit would admit."""
    titles = {one.title for one in relaxed}
    known = {
        System(state.now.design, count) for family in found for state in family.states for count in state.rows
    } | {one.system for family in found for one in family.confirmed}
    return sorted((one for one in known if one.title in titles), key=lambda one: one.title)


def _otherwise(
    request: ChooseRequest, trials: Trials, systems: Sequence[System]
) -> dict[str, OtherFootprint]:
    """The best of each family with the trace scaled the other way: clones for stretching, or the reverse."""
    question = request.question
    scaled = [one.trace is not None and one.footprint in _OTHER for one in question.workload]
    if not any(scaled):
        return {}
    loads = [one.model_copy(update={"footprint": _OTHER[one.footprint]}) if traced else one
             for one, traced in zip(question.workload, scaled, strict=True)]  # fmt: skip
    changed = question.model_copy(update={"workload": loads})
    other = trials.asked(changed, scaled_workloads(changed, request.document, request.base))
    if [one.table for one in other.workloads] == [one.table for one in trials.workloads]:
        return {}  # the trace fills the capacity as it is
    tried = [one for one in systems if isinstance(one.design, Design)][:MOST_OTHERWISE]
    names = sorted({loads[index].footprint for index, traced in enumerate(scaled) if traced})
    found = {}
    for system, record in zip(tried, other.simulate(tried), strict=True):
        row: Mapping[str, Any] = record.get("row", {})
        if row and system.design.family not in found:
            found[system.design.family] = OtherFootprint(
                title=system.title, footprint=" and ".join(names), p95_ms=row.get("response_time_ms.all.p95"),
                usd=row.get("cost.total_usd"),
                missed=judge.missed(changed, system, row, other.rate_iops),
            )  # fmt: skip
    return found


_OTHER: Final = {"clones": "stretch", "stretch": "clones"}


def _footprints(request: ChooseRequest, trials: Trials) -> Iterator[FootprintMeasure]:
    question = request.question
    for asked, scaled in zip(question.workload, trials.workloads, strict=True):
        if asked.trace is not None:
            found = trace_info(asked, request.base)
            yield from footprint.footprints(asked, scaled, found, request.base, question.seed)
