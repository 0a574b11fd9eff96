"""What decides, in sentences: ranges, what moves them, who is cheapest where, when drives are replaced."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from iowatt.lenses.cost.result import Cost, Crossover, Pair, PlaceRange
from iowatt.pages.cost import words
from iowatt.render import numbers

#: Bars of a tornado, and differences, that sentences name.
_BARS: Final = 3
_DIFFERENCES: Final = 3


def sentences(found: Cost) -> list[str]:
    """Lines on who is cheapest along each assumption that was varied, and where that changes."""
    differ = found.choice.capacities_differ is not False
    what = "Cheapest in total" if differ else "Cheapest"
    return [
        f"{what} by {words.varied(one.of)}{_in_force(one)}: "
        + ". ".join([stretches(one), *(text for pair in one.pairs for text in crossings(one, pair))])
        + "."
        for one in found.crossovers
    ]


def stretches(crossover: Crossover) -> str:
    """Who is cheapest where: ``a below 4.2 years, b above``."""
    unit, parts = crossover.unit, crossover.cheapest
    if len(parts) == 1:
        ends = f"{words.figure(crossover.low)} to {words.amount(crossover.high, unit)}"
        return f"{parts[0].system} throughout, from {ends}"
    said = [f"{parts[0].system} up to {words.amount(parts[0].until, unit)}"]
    said += [f"then {one.system} to {words.amount(one.until, unit)}" for one in parts[1:-1]]
    return ", ".join([*said, f"{parts[-1].system} beyond"])


def crossings(crossover: Crossover, pair: Pair) -> Iterator[str]:
    """Where two systems change places, with the range over the draws."""
    unit, names = crossover.unit, f"{pair.a} and {pair.b}"
    for number, one in enumerate(pair.crossings):
        also = "".join(f"; {more.text} {words.amount(more.value, more.unit)}" for more in one.also)
        drawn = f"; {_drawn(pair.range, unit)}" if number == 0 and pair.range is not None else ""
        if one.kind == "tie":
            between = f"{words.figure(one.lower)} to {words.amount(one.upper, unit)}"
            yield f"{names} cost the same from {between}{also}{drawn}"
        else:
            jumps = " (a jump)" if one.kind == "jump" else ""
            yield f"{names} change places at {words.amount(one.at, unit)}{jumps}{also}{drawn}"
    ranged = pair.range
    if not pair.crossings and ranged is not None and ranged.share_crossing > 0:
        yield f"{names} change places only {_drawn(ranged, unit)}"


def _in_force(crossover: Crossover) -> str:
    value = crossover.value
    return "" if value is None else f" (here {words.amount(value, crossover.unit)})"


def _drawn(ranged: PlaceRange, unit: str) -> str:
    share = f"in {numbers.percent(ranged.share_crossing)} of {ranged.draws} draws"
    if ranged.p5 is None or ranged.p95 is None:
        return share
    return f"{share}, mostly at {words.figure(ranged.p5)} to {words.amount(ranged.p95, unit)}"


def spin_downs(found: Cost) -> Iterator[str]:
    """For each kind of disk and level: how long a rest must last to save joules, and to save dollars."""
    for name, system in zip(words.labels(found), found.systems, strict=True):
        for one in system.spin_down:
            for pays in one.break_even:
                at_most = "at most " if pays.at_most else ""
                dollars = f"dollars after {lasting(pays.dollars_s)}"
                if not one.priced:
                    dollars = "dollars not known: the drive has no price"
                by = f" ({pays.by.replace('_', ' ')})" if pays.by else ""
                yield (
                    f"{name}, {one.pool}: a rest in {pays.level.replace('_', ' ')} saves energy after "
                    f"{at_most}{lasting(pays.energy_s)}, {dollars}{by}."
                )


def lasting(seconds: float | None) -> str:
    """The length of a rest; never where it does not pay."""
    return "never" if seconds is None else numbers.duration(seconds).replace("\u00a0", " ")


def ranges(found: Cost) -> Iterator[str]:
    """How far the total of each system may lie from its figure."""
    spread = found.uncertainty
    if spread is None:
        return
    for one in spread.systems:
        digits = words.decimals([one.quantiles.p95])
        low, middle, high = (
            words.dollars(end, digits) for end in (one.quantiles.p5, one.quantiles.p50, one.quantiles.p95)
        )
        share = ""
        if len(spread.systems) > 1:
            share = f"; it is the cheapest in {numbers.percent(one.cheapest_share)} of them"
            if found.choice.capacities_differ and one.cheapest_per_tb_share is not None:
                share += f", per usable TB in {numbers.percent(one.cheapest_per_tb_share)}"
        today = " of today" if words.discounted(found) and spread.dollars == "present" else ""
        yield (
            f"{one.name}: 90 % of {spread.samples:,} draws of the assumptions give {low} to {high} "
            f"USD{today} "
            f"(median {middle}){share}."
        )


def moving(found: Cost) -> Iterator[str]:
    """Which assumptions move each difference most; those of the total where there is one system only."""
    wanted = "difference" if len(found.systems) > 1 else "total"
    for one in [one for one in found.tornado if one.of == wanted and one.bars][:_DIFFERENCES]:
        what = f"{one.b} less {one.a}" if wanted == "difference" else f"the total of {one.system}"
        bars = [
            f"{bar.key} ({words.figure(bar.low)} to {words.amount(bar.high, bar.unit)}: "
            f"{words.dollars(min(bar.usd_low, bar.usd_high))} to "
            f"{words.usd(max(bar.usd_low, bar.usd_high))}{', changes which is cheaper' if bar.flips else ''})"
            for bar in one.bars[:_BARS]
        ]
        yield f"What moves {what} ({words.usd(one.usd)}) most: {', '.join(bars)}."


def replacements(found: Cost) -> Iterator[str]:
    """Which drives are replaced within the horizon, when first and why."""
    for name, system in zip(words.labels(found), found.systems, strict=True):
        for drives in words.drive_groups(system):
            drive = words.worst(drives)
            if drive.replacements:
                first = drive.replacements[0]
                why = "worn out" if first.reason == "worn" else "at the end of their service life"
                count = sum(one.replaced for one in drives)
                yield (
                    f"{name}, {drive.pool} ({numbers.counted(len(drives), 'drive')}): first replaced after "
                    f"{words.years(first.at_years)}, {why}; {numbers.counted(count, 'replacement')} in all."
                )
