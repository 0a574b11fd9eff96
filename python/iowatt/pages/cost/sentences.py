"""Conclusions in sentences: the cheapest system, ranges, what moves them, crossovers, replacements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from iowatt.lenses.cost.result import (
    Choice,
    Cost,
    CostCrossing,
    Crossover,
    PairCrossings,
    PlaceRange,
    SystemCost,
    TornadoBar,
)
from iowatt.pages.cost import words
from iowatt.pages.cost.words import GROUP_TITLES, usable, usd, withheld
from iowatt.pages.risk import often_lost
from iowatt.render import numbers


def verdict(cost: Cost) -> list[str]:
    """The cheapest system, the systems that are not candidates, and those that often lose data."""
    excluded = [
        f"{one.system} is overloaded and not a candidate: {one.why}."
        if one.late
        else f"{one.system} misses the service level and is not a candidate: {one.why}."
        for one in cost.choice.excluded
    ]
    return [
        _alone(cost) if len(cost.systems) < 2 else _cheapest(cost),
        *_repeated(cost),
        *excluded,
        *_all_meet(cost.choice),
        *often_lost([(one.name, one.loss_per_year) for one in cost.systems]),
    ]


def _repeated(cost: Cost) -> list[str]:
    """Systems whose dollars repeat a failure of their Run over the horizon."""
    names = [
        system.name
        for system in cost.systems
        if any(note.code == "failure-repeated" for note in (*system.cautions, *system.notes))
    ]
    return [f"The cost of {name} repeats the failure of its Run throughout the horizon." for name in names]


def _alone(cost: Cost) -> str:
    """The cost of the only system."""
    system = cost.systems[0]
    if withheld(cost, system):
        return f"{system.name} was overloaded: its cost is not comparable and not shown."
    if system.usd is None:
        return (
            f"The cost of {system.name} is not known, as a drive has no price; all that has a price costs "
            f"{usd(system.known_usd)} over {numbers.years(system.years)}."
        )
    most = max(system.by_group.items(), key=lambda group: group[1] or 0.0, default=None)
    share = (
        ""
        if most is None or not most[1] or not system.usd
        else (f", {numbers.percent(most[1] / system.usd)} of it {GROUP_TITLES[most[0]].lower()}")
    )
    return f"{system.name} costs {usd(system.usd)} over {numbers.years(system.years)}{share}."


def _all_meet(choice: Choice) -> list[str]:
    """That every system that kept up with its load meets the service level, where one is asked for."""
    level, candidates = choice.level, choice.candidates
    if level is None or not candidates or not all(one.late for one in choice.excluded):
        return []
    who = f"{candidates[0]} meets" if len(candidates) == 1 else "All candidates meet"
    return [f"{who} the service level: {level.of} response time within {level.within_ms:g} ms."]


def _cheapest(cost: Cost) -> str:
    """The cheapest of the candidates."""
    choice, systems = cost.choice, {one.name: one for one in cost.systems}
    candidates = choice.candidates
    if not candidates:
        return "No system is a candidate."
    if len(candidates) == 1:
        only = systems[candidates[0]]
        known = "its total is not known" if only.usd is None else usd(only.usd)
        return f"{only.name} ({known}) is the only system that {_kept(choice)}."
    total, equal = choice.cheapest.total, choice.cheapest.equal
    if total is None:
        unpriced = [name for name in candidates if systems[name].usd is None]
        verb = "has" if len(unpriced) == 1 else "have"
        return f"The cheapest is not known: {', '.join(unpriced)} {verb} no total."
    ranked = [systems[name] for name in candidates]
    of = f" of those that {_kept(choice)}" if choice.excluded else ""
    if words.at_equal(cost) and equal is not None:
        cheapest = f"{equal} ({usd(systems[equal].usd_equal)}{_less(equal, ranked, equal=True)})"
        in_total = (
            "also the lowest total"
            if total == equal
            else f"lowest total: {total} ({usd(systems[total].usd)})"
        )
        where = f"{of}{',' if of else ''} {words.at_equal(cost)} of {words.amounts(cost)}"
        return f"Cheapest{where}: {cheapest}; {in_total}. {_unequal(cost, ranked)}"
    cheapest = f"{total} ({usd(systems[total].usd)}{_less(total, ranked)})"
    unknown = _not_equal(choice, ranked)
    if unknown:
        return f"Lowest total{of}: {cheapest}. {unknown}"
    return f"Cheapest{of}: {cheapest}; work and usable capacity are equal."


def _unequal(cost: Cost, ranked: Sequence[SystemCost]) -> str:
    """What differs, of each candidate, and what could not be put to equal amounts."""
    terms, told = cost.choice.terms, []
    if terms.capacities_differ:
        sizes = ", ".join(f"{one.name} {usable(one)}" for one in ranked)
        told.append(f"Usable capacities differ: {sizes}.")
    if terms.work_differs:
        told.append(f"Work differs: {', '.join(f'{one.name} {words.work(cost, one)}' for one in ranked)}.")
    return " ".join(filter(None, [*told, _not_equal(cost.choice, ranked)]))


def _not_equal(choice: Choice, ranked: Sequence[SystemCost]) -> str:
    """What is not known to be equal, or cannot be made so."""
    told = []
    if choice.terms.capacities_differ is None:
        unknown = [one.name for one in ranked if not one.capacity_gb.usable]
        told.append(
            f"The usable capacity of {', '.join(unknown)} is not known, so systems are not compared at equal "
            "capacity."
        )
    if choice.terms.work_differs is None:
        told.append(
            "Their requests differ in size by more than 5\u00a0%, so systems are not compared at equal work."
        )
    idle = [one.name for one in ranked if not one.work.requests]
    if choice.terms.work_differs and idle:
        told.append(f"{', '.join(idle)} does no work, so systems are not compared at equal work.")
    return " ".join(told)


def _less(cheapest: str, candidates: Sequence[SystemCost], *, equal: bool = False) -> str:
    """By how much the cheapest system costs less than the next one, in total or on equal terms."""
    dollars_of = {one.name: one.usd_equal if equal else one.usd for one in candidates}
    ranked = sorted((usd_of or 0.0, name) for name, usd_of in dollars_of.items() if name != cheapest)
    least = dollars_of[cheapest]
    if not ranked or least is None or ranked[0][0] <= 0.0:
        return ""
    dearer, name = ranked[0]
    return f", {numbers.percent(1.0 - least / dearer)} less than {name}"


def _kept(choice: Choice) -> str:
    """The conditions that the candidates met and the excluded systems did not."""
    late = {one.late for one in choice.excluded}
    kept = [*(["kept up with the load"] if True in late else []),
            *(["met the service level"] if False in late else [])]  # fmt: skip
    return " and ".join(kept)


def leaning(cost: Cost) -> list[str]:
    """Totals off the middle of their draws, with the figures that can move them one way only.

    Such a figure's value is at an end of its range. Systems with the same result share a sentence.
    """
    spread = cost.uncertainty
    by_side: dict[tuple[bool, tuple[str, ...]], list[str]] = {}
    for one in () if spread is None else spread.systems:
        ends, above = one.quantiles, one.share_above
        up = above > 0.5
        bars: list[TornadoBar] = next(
            (t.bars for t in cost.tornado if t.of == "total" and t.system == one.name), []
        )
        keys = tuple(bar.key for bar in bars if _one_way(bar, one.usd, up))
        if above != 0.5 and (keys or not ends.p25 <= one.usd <= ends.p75):
            share = numbers.percent(above if up else 1 - above)
            by_side.setdefault((up, keys), []).append(f"{share} of the draws of {one.name}")
    return [
        f"{', '.join(shares)} lie {'above' if up else 'below'} the total at the book's values"
        + (f"; these figures can only {'raise' if up else 'lower'} it: {', '.join(keys)}." if keys else ".")
        for (up, keys), shares in by_side.items()
    ]  # fmt: skip


def _one_way(bar: TornadoBar, total: float, up: bool) -> bool:
    ends = (bar.usd_low - total, bar.usd_high - total)
    most, other = (max(ends), min(ends)) if up else (-min(ends), -max(ends))
    return bool(most > 0.0 and other >= -1e-9 * abs(total))


#: Bars of a tornado, and differences, that sentences name.
_BARS: Final = 3
_DIFFERENCES: Final = 3


def cheapest_where(cost: Cost) -> list[str]:
    """The cheapest system along each varied assumption, and where it changes."""
    terms = cost.choice.terms
    same = terms.capacities_differ is False and terms.work_differs is False
    what = f"Cheapest {words.at_equal(cost) or ('' if same else 'in total')}".rstrip()
    return [
        f"{what} by {words.varied(one.of)}{_in_force(one)}: "
        + ". ".join([stretches(one), *(text for pair in one.pairs for text in crossings(one, pair))])
        + "."
        for one in cost.crossovers
    ]


def stretches(crossover: Crossover) -> str:
    """The cheapest system by stretches: ``a up to 4.2 years, b beyond``."""
    unit, parts = crossover.unit, crossover.cheapest
    if len(parts) == 1:
        ends = f"{numbers.figure(crossover.low)} to {words.amount(crossover.high, unit)}"
        return f"{parts[0].system} throughout, from {ends}"
    texts = [f"{parts[0].system} up to {words.amount(parts[0].until, unit)}"]
    texts += [f"then {one.system} to {words.amount(one.until, unit)}" for one in parts[1:-1]]
    return ", ".join([*texts, f"{parts[-1].system} beyond"])


def crossings(crossover: Crossover, pair: PairCrossings) -> Iterator[str]:
    """Where two systems cross over, with the range over the draws."""
    unit, names = crossover.unit, f"{pair.a} and {pair.b}"
    for number, one in enumerate(pair.crossings):
        also = elsewhere(one)
        drawn = f"; {_drawn(pair.range, unit)}" if number == 0 and pair.range is not None else ""
        if one.kind == "tie":
            between = f"{numbers.figure(one.lower)} to {words.amount(one.upper, unit)}"
            yield f"{names} cost the same from {between}{also}{drawn}"
        else:
            jumps = " (a jump)" if one.kind == "jump" else ""
            yield f"{names} cross over at {words.amount(one.at, unit)}{jumps}{also}{drawn}"
    ranged = pair.range
    if not pair.crossings and ranged is not None and ranged.share_crossing > 0:
        yield f"{names} cross over only {_drawn(ranged, unit)}"


def elsewhere(crossing: CostCrossing) -> str:
    """A crossing in other terms: years of each system, repetitions, mean prices."""
    return "".join(f"; {more.text} {words.amount(more.value, more.unit)}" for more in crossing.also)


def _in_force(crossover: Crossover) -> str:
    value = crossover.value
    return "" if value is None else f" (now {words.amount(value, crossover.unit)})"


def _drawn(ranged: PlaceRange, unit: str) -> str:
    share = f"in {numbers.percent(ranged.share_crossing)} of {ranged.draws} draws"
    if ranged.p5 is None or ranged.p95 is None:
        return share
    return f"{share}, mostly at {numbers.figure(ranged.p5)} to {words.amount(ranged.p95, unit)}"


def spin_downs(cost: Cost) -> Iterator[str]:
    """The lengths from which on a rest saves joules, and dollars, for each kind of disk and level."""
    for name, system in words.named(cost):
        for one in system.spin_down:
            for pays in one.break_even:
                at_most = "at most " if pays.at_most else ""
                dollars = f"dollars after {lasting(pays.dollars_s)}"
                if not one.priced:
                    dollars = "dollars not known: the drive has no price"
                by = f" ({pays.by.replace('_', ' ')})" if pays.by else ""
                yield (
                    f"{name}, {one.pool}: {pays.level.replace('_', ' ')} saves energy after "
                    f"{at_most}{lasting(pays.energy_s)}, {dollars}{by}."
                )


def lasting(seconds: float | None) -> str:
    """The length of a rest; never where it does not pay."""
    return "never" if seconds is None else numbers.duration(seconds).replace("\u00a0", " ")


def ranges(cost: Cost) -> Iterator[str]:
    """The range of the total of each system."""
    spread = cost.uncertainty
    if spread is None:
        return
    for one in spread.systems:
        digits = words.decimals([one.quantiles.p95])
        low, middle, high = (
            words.dollars(end, digits) for end in (one.quantiles.p5, one.quantiles.p50, one.quantiles.p95)
        )
        share = ""
        if len(spread.systems) > 1:
            total = numbers.percent(one.cheapest_share)
            share = f"; cheapest in {total} of them"
            if equal := words.at_equal(cost):
                of_equal = numbers.percent(one.cheapest_equal_share)
                share = f"; cheapest {equal} in {of_equal} of them, in total in {total}"
        today = " of today" if words.discounted(cost) and spread.dollars == "present" else ""
        yield (
            f"{one.name}: 90 % of {spread.samples:,} draws of the assumptions give {low} to {high} "
            f"USD{today} (median {middle}){share}."
        )


def moving(cost: Cost) -> Iterator[str]:
    """The assumptions that move each difference most, or the total of a single system."""
    wanted = "difference" if len(cost.systems) > 1 else "total"
    apart = f" {words.at_equal(cost)}".rstrip()
    for one in [one for one in cost.tornado if one.of == wanted and one.bars][:_DIFFERENCES]:
        what = f"{one.b} less {one.a}{apart}" if wanted == "difference" else f"the total of {one.system}"
        bars = [
            f"{bar.key} ({numbers.figure(bar.low)} to {words.amount(bar.high, bar.unit)}: "
            f"{words.dollars(min(bar.usd_low, bar.usd_high))} to "
            f"{words.usd(max(bar.usd_low, bar.usd_high))}{', changes which is cheaper' if bar.flips else ''})"
            for bar in one.bars[:_BARS]
        ]
        yield f"What moves {what} ({words.usd(one.usd)}) most: {', '.join(bars)}."


def replacements(cost: Cost) -> Iterator[str]:
    """Drives that are replaced within the horizon, when first and why."""
    for name, system in words.named(cost):
        for drives in words.drive_groups(system):
            drive = words.worst(drives)
            if drive.replacements:
                first = drive.replacements[0]
                why = "worn out" if first.reason == "worn" else "at the end of their service life"
                count = sum(one.replaced for one in drives)
                yield (
                    f"{name}, {drive.pool} ({numbers.counted(len(drives), 'drive')}): first replaced after "
                    f"{numbers.years(first.at_years)}, {why}; {numbers.counted(count, 'replacement')} in all."
                )
