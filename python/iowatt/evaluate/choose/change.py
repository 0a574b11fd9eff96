"""What would change the decision.

Prices, energy and years: the cost lens on Runs of all systems that keep everything, along one assumption at a
time. Limits: the systems
that were simulated and miss one. Data and load: the same designs sized again by the estimator.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from iowatt.evaluate.choose import size
from iowatt.evaluate.choose.course import ChooseCourse
from iowatt.evaluate.choose.design import Design, OwnDesign, System
from iowatt.evaluate.choose.load import scaled_workloads
from iowatt.evaluate.choose.question import StorageQuestion
from iowatt.evaluate.choose.result import Missed, Relaxed, TurningPoint, WhatIf
from iowatt.evaluate.choose.search import mean_limit
from iowatt.evaluate.choose.state import Confirmed, SearchedFamily, found_states
from iowatt.evaluate.choose.trials import Screened, Trials
from iowatt.model.library import device_file

if TYPE_CHECKING:
    from iowatt.evaluate.choose.request import ChooseRequest
    from iowatt.lenses.cost import Cost
    from iowatt.lenses.cost.result import Crossover
    from iowatt.run.bundle import Run

FACTORS: Final = (0.5, 2.0)
NEAR: Final = 2.0
"""Designs are sized again for other data or load that cost less than this many times the cheapest."""
SAMPLES: Final = 200
CONTENDERS: Final = 8
"""Systems whose dollars are followed along an assumption, the cheapest that keep all."""
FAR: Final = 5.0
"""An assumption is followed to this many times its value, and to that part of it."""
LONGEST_YEARS: Final = 15.0
_ALWAYS: Final = ("energy.factor", "purchase.part.controller", "purchase.part.io-module")


def contenders(found: Sequence[SearchedFamily]) -> dict[str, System]:
    """The cheapest systems that keep all, by title, the best of each family before any other.

    What one owns is left out: it is not bought at any price.
    """
    best = [one.best for one in found if one.best is not None]
    others = [
        Confirmed(state.kept, {"cost.total_usd": state.usd}, [])
        for state in found_states(found)
        if state.kept is not None and (state.confirmed is None or not state.confirmed.missed)
    ]
    ordered = [*sorted(best, key=_order), *sorted(others, key=_order)]
    systems = {
        one.system.title: one.system for one in ordered if not isinstance(one.system.design, OwnDesign)
    }
    return dict(list(systems.items())[:CONTENDERS])


def _order(one: Confirmed) -> tuple[float, str]:
    return one.usd, one.system.title


def priced(
    request: ChooseRequest,
    trials: Trials,
    runs: Mapping[str, Run],
    *,
    devices: Sequence[str],
    samples: int,
) -> Cost:
    """Runs priced together: with ``samples`` their uncertainty, with ``devices`` the cheapest by price.

    Each drive has a price of its own in the book, so that it can be varied: that of its file or class, with
    its range.
    """
    from iowatt.lenses.cost import CostRequest, price_runs

    asked = request.pricing
    own = {name: (usd, text) for run in runs.values() for name, usd, text in _own_prices(trials, run)}
    bounds = {
        f"purchase.model.{name}": (own[name][0] / FAR, own[name][0] * FAR) for name in devices if name in own
    }
    if devices:
        book = trials.pricing.book
        bounds |= {key: (book.number(key) / FAR, book.number(key) * FAR) for key in _ALWAYS}
        bounds["years"] = (1.0, max(LONGEST_YEARS, 2 * request.question.years))
    sets = [*(text for _, text in own.values()), *asked.assume]
    return price_runs(
        CostRequest(
            runs=list(runs.values()), preset=asked.preset, sets=sets,
            tariff=asked.tariff, years=asked.years, crossovers=tuple(bounds) if len(runs) > 1 else (),
            crossover_bounds=bounds, crossover_draws=0, equal_work=False,
            samples=samples, seed=request.question.seed,
        )
    )  # fmt: skip


def break_evens(cost: Cost, titles: Mapping[str, str], winner: str) -> Iterator[TurningPoint]:
    """Where another system becomes the cheapest along each assumption; ``titles`` by the names of Runs."""
    for along in cost.crossovers:
        value = along.value
        if value is None:
            continue
        at = next((i for i, one in enumerate(along.cheapest) if one.start <= value <= one.until), None)
        if at is None or titles[along.cheapest[at].system] != winner:
            continue
        below = along.cheapest[at - 1] if at else None
        above = along.cheapest[at + 1] if at + 1 < len(along.cheapest) else None
        yield TurningPoint(
            of=along.of, text=_text(along), unit=along.unit, value=value,
            below=None if below is None else below.until,
            below_winner=None if below is None else titles[below.system],
            above=None if above is None else above.start,
            above_winner=None if above is None else titles[above.system],
            low=along.low, high=along.high,
        )  # fmt: skip


def _text(along: Crossover) -> str:
    """What is varied, as people say it."""
    for start in ("purchase.model.", "purchase.part."):
        if along.of.startswith(start):
            name = along.of.removeprefix(start)
            return f"Price of {device_file(name).title if start == 'purchase.model.' else name}"
    return {"years": "Years", "energy.factor": "Price of energy, times today's"}.get(along.of, along.text)


def _own_prices(trials: Trials, run: Run) -> Iterator[tuple[str, float, str]]:
    """Each drive model of a Run, its price in USD, and that with its range as an assumption of the book."""
    from iowatt.lenses.cost.pricing import CostCase
    from iowatt.lenses.cost.systems import observe

    prices = trials.pricing
    system = observe(run).merged()
    case = CostCase.of(system, prices.book.changed({}), prices.tariff, prices.horizon, prices.start)
    for drive in system.drives:
        price = case.price_of(drive)
        figure = prices.book.find(price.key)
        if not price.known or figure is None:
            continue
        value = float(figure.value)
        low, high = (price.usd * float(end or value) / value for end in (figure.low, figure.high))
        text = f"purchase.model.{drive.model}={price.usd:.6g}"
        yield drive.model, price.usd, text if low >= high else f"{text}:{low:.6g}..{high:.6g}"


def relaxed(question: StorageQuestion, found: Sequence[SearchedFamily], winner_usd: float) -> list[Relaxed]:
    """Of each limit and family the least change that admits a cheaper system, which misses nothing else.

    They are sorted by limit and by how far it gives way.
    """
    nearest: dict[tuple[str, str], Relaxed] = {}
    stated = question.durability.model_fields_set
    for family in found:
        for system, usd, missed in _judged(family):
            if len(missed) != 1 or usd >= winner_usd or missed[0].found is None or missed[0].what == "load":
                continue
            [one] = missed
            entry = Relaxed(
                what=one.what, limit=one.limit, needed=one.found, unit=one.unit, title=system.title,
                family=system.design.family, usd=usd,
                default=one.what == "loss_per_year" and one.what not in stated,
            )  # fmt: skip
            key = (one.what, family.name)
            if key not in nearest or entry.needed < nearest[key].needed:
                nearest[key] = entry
    return sorted(nearest.values(), key=lambda one: (one.what, one.needed, one.title))


def _judged(family: SearchedFamily) -> Iterator[tuple[System, float, list[Missed]]]:
    for one in family.confirmed:
        yield one.system, one.usd, one.missed
    known = {one.system for one in family.confirmed}
    for state in family.states:
        for count, missed in state.missed.items():
            system, usd = System(state.now.design, count), state.rows[count].get("cost.total_usd")
            if system not in known and missed and usd is not None:
                yield system, float(usd), missed


def what_ifs(
    request: ChooseRequest, trials: Trials, found: Sequence[SearchedFamily], course: ChooseCourse
) -> list[WhatIf]:
    """The cheapest system for less and for more data and load, among designs that kept all that was asked."""
    lowest = min(one.best.usd for one in found if one.best is not None)
    kept = [one for one in found_states(found) if one.kept is not None and one.usd < NEAR * lowest]
    designs = list(
        dict.fromkeys(one.now.design for one in sorted(kept, key=lambda one: (one.usd, one.now.title)))
    )
    question = request.question
    asked = []
    for what in ("data", "load"):
        for factor in FACTORS:
            if what == "data":
                changed = question.model_copy(update={"usable": int(question.usable * factor)})
            else:
                loads = [one.model_copy(update={"times": one.times * factor}) for one in question.workload]
                changed = question.model_copy(update={"workload": loads})
            asked.append(
                (
                    what,
                    factor,
                    trials.asked(changed, scaled_workloads(changed, request.document, request.base)),
                )
            )
    pairs = [(other, design) for _, _, other in asked for design in designs if isinstance(design, Design)]

    def one_sized(pair: tuple[Trials, Design]) -> Screened | None:
        return _sized(*pair)

    sized = dict(zip(pairs, trials.each(course.counted(len(pairs), one_sized), pairs), strict=True))
    made = []
    for what, factor, other in asked:
        mine = [one for (owner, _), one in sized.items() if owner is other and one is not None]
        best = min(mine, key=lambda screened: (screened.usd, screened.system.title), default=None)
        made.append(
            WhatIf(
                what=what, factor=factor, winner=None if best is None else best.system.title,
                family=None if best is None else best.system.design.family,
                usd=None if best is None else best.usd,
            )
        )  # fmt: skip
    return made


def _sized(trials: Trials, design: Design) -> Screened | None:
    limit_s = mean_limit(trials)
    least = size.least(design, trials)
    if isinstance(least, str):
        return None
    screened = size.carrying(least, trials, limit_s)
    loss = screened.loss_per_year
    if (
        screened.refused
        or screened.saturated
        or size.is_slow(screened, limit_s)
        or not math.isfinite(screened.usd)
    ):
        return None
    if loss is not None and loss > trials.question.durability.loss_per_year:
        return None
    return screened
