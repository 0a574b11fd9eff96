"""What to conclude of costs: which system is the cheapest, and which are no candidates."""

from __future__ import annotations

from collections.abc import Sequence

from iowatt.lenses.cost.result import Bar, Choice, Cost, SystemCost
from iowatt.pages.cost.words import NAMES, dollars, usable, usd, withheld, years
from iowatt.render import numbers


def verdict(found: Cost) -> list[str]:
    """What a reader must know before any figure: who is the cheapest at what, then who is no candidate."""
    excluded = [
        f"{one.system} could not keep up with its load and is no candidate: {one.why}."
        if one.late
        else f"{one.system} misses the service level and is no candidate: {one.why}."
        for one in found.choice.excluded
    ]
    return [
        _alone(found) if len(found.systems) < 2 else _cheapest(found),
        *excluded,
        *_all_meet(found.choice),
    ]


def _alone(found: Cost) -> str:
    """What the only system costs."""
    system = found.systems[0]
    if withheld(found, system):
        return f"The work of {system.name} is too late to be worth any dollars."
    if system.usd is None:
        return (
            f"What {system.name} costs is not known, as a drive has no price; what has one costs "
            f"{usd(system.known_usd)} over {years(system.years)}."
        )
    most = max(system.by_group.items(), key=lambda group: group[1] or 0.0, default=None)
    share = (
        ""
        if most is None or not most[1] or not system.usd
        else (f", {numbers.percent(most[1] / system.usd)} of it {NAMES[most[0]].lower()}")
    )
    return f"{system.name} costs {usd(system.usd)} over {years(system.years)}{share}."


def _all_meet(choice: Choice) -> list[str]:
    """That every system that kept up with its load meets the service level, where one is asked for."""
    level, candidates = choice.level, choice.candidates
    if level is None or not candidates or not all(one.late for one in choice.excluded):
        return []
    who = f"{candidates[0]} meets" if len(candidates) == 1 else "All candidates meet"
    return [f"{who} the service level: {level.of} response time within {level.within_ms:g} ms."]


def _cheapest(found: Cost) -> str:
    """Who is the cheapest of the candidates among several systems."""
    choice, systems = found.choice, {one.name: one for one in found.systems}
    candidates = choice.candidates
    if not candidates:
        return "No system is left to choose."
    if len(candidates) == 1:
        only = systems[candidates[0]]
        known = "its total is not known" if only.usd is None else usd(only.usd)
        return f"{only.name} ({known}) is the only system that {_kept(choice)}."
    total, per_tb = choice.cheapest.total, choice.cheapest.per_usable_tb
    if total is None:
        unpriced = [name for name in candidates if systems[name].usd is None]
        return f"Nobody is the cheapest: the total is not known of {', '.join(unpriced)}."
    cheapest = f"{total} ({usd(systems[total].usd)}{_less(total, [systems[name] for name in candidates])})"
    of = f" of those that {_kept(choice)}" if choice.excluded else ""
    if choice.capacities_differ is None:
        unknown = [name for name in candidates if not systems[name].capacity_gb.usable]
        return (
            f"Cheapest in total{of}: {cheapest}. Usable capacity is not known of {', '.join(unknown)}: "
            "nothing is compared per usable TB."
        )
    if choice.capacities_differ and per_tb is not None:
        sizes = ", ".join(f"{name} {usable(systems[name])}" for name in candidates)
        rate = f"{per_tb} ({dollars(systems[per_tb].usd_per_usable_tb)} USD/TB)"
        return f"Cheapest in total{of}: {cheapest}; per usable TB: {rate}. Usable capacities differ: {sizes}."
    return f"Cheapest{of}: {cheapest}; usable capacities are the same."


def _less(cheapest: str, candidates: Sequence[SystemCost]) -> str:
    """By how much the cheapest system costs less than the next one."""
    ranked = sorted((one.usd or 0.0, one.name) for one in candidates if one.name != cheapest)
    usd_of = next(one.usd for one in candidates if one.name == cheapest)
    if not ranked or usd_of is None or ranked[0][0] <= 0.0:
        return ""
    dearer, name = ranked[0]
    return f", {numbers.percent(1.0 - usd_of / dearer)} less than {name}"


def _kept(choice: Choice) -> str:
    """What the candidates did and the excluded systems did not."""
    late = {one.late for one in choice.excluded}
    kept = [*(["kept up with the load"] if True in late else []),
            *(["met the service level"] if False in late else [])]  # fmt: skip
    return " and ".join(kept)


def leaning(found: Cost) -> list[str]:
    """On which side of its draws a total lies that is off their middle, and what can move it one way only.

    That is a figure whose value stands at an end of its range. Systems of which the same is said share a
    sentence.
    """
    spread = found.uncertainty
    told: dict[tuple[bool, tuple[str, ...]], list[str]] = {}
    for one in () if spread is None else spread.systems:
        ends, above = one.quantiles, one.share_above
        up = above > 0.5
        bars: list[Bar] = next(
            (t.bars for t in found.tornado if t.of == "total" and t.system == one.name), []
        )
        keys = tuple(bar.key for bar in bars if _one_way(bar, one.usd, up))
        if above != 0.5 and (keys or not ends.p25 <= one.usd <= ends.p75):
            share = numbers.percent(above if up else 1 - above)
            told.setdefault((up, keys), []).append(f"{share} of the draws of {one.name}")
    return [
        f"{', '.join(shares)} lie {'above' if up else 'below'} the total at the book's values"
        + (f"; within their ranges these can only {'raise' if up else 'lower'} it: {', '.join(keys)}." if keys
           else ".")
        for (up, keys), shares in told.items()
    ]  # fmt: skip


def _one_way(bar: Bar, total: float, up: bool) -> bool:
    ends = (bar.usd_low - total, bar.usd_high - total)
    most, other = (max(ends), min(ends)) if up else (-min(ends), -max(ends))
    return bool(most > 0.0 and other >= -1e-9 * abs(total))
