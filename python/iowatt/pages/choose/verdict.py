"""The verdict of an answer in sentences, and its figures as people say them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from iowatt.evaluate.choose.result import (
    Choose,
    FigureBeside,
    Missed,
    NearTie,
    Relaxed,
    SystemFigures,
    TooClose,
    TurningPoint,
    shortfall,
)
from iowatt.render import numbers

_NEAREST: Final = 3
"""Families that miss something and are named where none meets the requirements."""
_MOST: Final = 2
"""Systems too close to call that are named, near-ties beside them, and both with break-evens."""
_NAMES: Final = {
    "budget": "purchase", "rack_units": "height", "watts": "power", "unavailable": "unavailability",
}  # fmt: skip
"""What is limited, where that is not the name of its key."""


def verdict(found: Choose) -> Iterator[str]:
    """What to buy, what comes next, what would change it."""
    best, second = found.winner, found.next
    if best is None:
        yield from _none(found)
        return
    yield f"Cheapest that meets the requirements: {best.title}, {_short(best, found.years)}."
    if second is not None:
        yield f"Next: {second.title}, {_short(second, found.years)}."
    better = {one.family: one for one in found.near_ties}
    close = found.too_close[:_MOST]
    ties = [one for one in found.near_ties if one.family not in [each.family for each in close]][:_MOST]
    for tie in ties:
        yield _tie(tie, found)
    for each in close:
        yield _close(each, better.get(each.family))
    said = [one.decides for one in close]
    evens = [one for one in _nearest_break_evens(found.break_evens) if one.of not in said]
    for even in evens[: max(0, _MOST - len(close) - len(ties))]:
        yield _break_even(even)
    for relaxed in _told(found.relaxed):
        yield _relaxed(relaxed, found)
    unfit = [one for one in found.families if one.best is None or not one.best.keeps]
    if unfit:
        yield f"Ruled out: {', '.join(f'{one.title} ({brief(one.best)})' for one in unfit)}."


def _none(found: Choose) -> Iterator[str]:
    """That no system meets the requirements, and which come nearest; or why none was simulated."""
    near = sorted(
        (one.best for one in found.families if one.best is not None), key=lambda one: shortfall(one.missed)
    )
    if near:
        yield "No system of these families meets the requirements. The nearest:"
        for one in near[:_NEAREST]:
            yield f"{one.title}: {misses(one)}."
        return
    yield "No system of these families can meet the requirements, so none was simulated:"
    reasons = list(dict.fromkeys(one.refused for one in found.families if one.refused))
    for reason in reasons[:_NEAREST]:
        yield f"{reason}."
    if len(reasons) > _NEAREST:
        yield f"and {len(reasons) - _NEAREST} more, in the table of families, By how much."


def _short(one: SystemFigures, years: float) -> str:
    dollars = "without a price" if one.usd is None else f"{money(one.usd)} over {numbers.years(years)}"
    if one.usd_low is not None and one.usd_high is not None:
        dollars += f" (90 % of price draws: {money(one.usd_low)} to {money(one.usd_high)})"
    watts = "" if one.watts is None else f", {numbers.with_unit(one.watts, 'W')}"
    p95 = "" if one.p95_ms is None else f", p95 {numbers.with_unit(one.p95_ms, 'ms')}"
    loss = "" if one.loss_per_year is None else f", data loss {numbers.probability(one.loss_per_year)} a year"
    return f"{dollars}{watts}{p95}{loss}"


def _tie(one: NearTie, found: Choose) -> str:
    """A system about as dear as the cheapest or the next, and what it does better."""
    which = "the cheapest" if found.winner is not None and one.beside == found.winner.title else "the next"
    more = numbers.percent(one.usd / one.beside_usd - 1)
    return f"Near-tie with {which}: {one.title}, {money(one.usd)} ({more} more), {_differs(one)}."


def _differs(one: NearTie) -> str:
    worse = f"; but {', '.join(map(_beside, one.worse))}" if one.worse else ""
    return f"{', '.join(map(_beside, one.better))}{worse}"


def _beside(one: FigureBeside) -> str:
    if one.of == "loss_per_year":
        own, other = numbers.probability(one.value), numbers.probability(one.beside)
        return f"data loss {own} a year for {other}"
    name, unit = ("p95 ", "ms") if one.of == "p95_ms" else ("", "W")
    return f"{name}{numbers.with_unit(one.value, unit)} for {numbers.with_unit(one.beside, unit)}"


def _close(one: TooClose, tie: NearTie | None) -> str:
    share = numbers.percent(one.share)
    text = f"Too close to call at these prices: {one.title} is cheaper in {share} of draws"
    if tie is not None:
        text += f", {_differs(tie)}"
    if one.decides is None or one.at is None:
        return f"{text}."
    now = "" if one.now is None else f" (now {amount(one.now, one.unit)})"
    return f"{text}. {one.text}{now} decides: break-even at {amount(one.at, one.unit)}."


def _break_even(one: TurningPoint) -> str:
    sides = []
    for side, at, name in (("below", one.below, one.below_winner), ("above", one.above, one.above_winner)):
        if at is not None and name is not None:
            sides.append(f"{side} {amount(at, one.unit)}, {name} is cheapest")
    return f"{one.text} (now {amount(one.value, one.unit)}): {'; '.join(sides)}."


def _nearest_break_evens(evens: list[TurningPoint]) -> list[TurningPoint]:
    """Those with a change, the nearest first."""
    changing = [one for one in evens if one.below is not None or one.above is not None]
    return sorted(changing, key=_distance)


def _distance(one: TurningPoint) -> float:
    return min(max(at / one.value, one.value / at) for at in (one.below, one.above) if at and one.value)


def amount(value: float, unit: str) -> str:
    """A figure of the price book."""
    if unit.startswith("USD"):
        return money(value)
    return numbers.years(value) if unit == "years" else numbers.significant(value)


def _told(relaxed: list[Relaxed]) -> list[Relaxed]:
    """The nearest, and the cheapest of the same limit."""
    near = sorted(relaxed, key=lambda one: one.needed / one.limit)[:1]
    same = [one for one in relaxed if near and one.what == near[0].what and one.usd < near[0].usd]
    return [*near, *sorted(same, key=lambda one: one.usd)[:1]]


def _relaxed(one: Relaxed, found: Choose) -> str:
    needed, asked = apart(one.needed, one.limit, one.unit)
    limit = f"{'the default' if one.default else 'asked'}: {asked}"
    text = f"If {named(one.what)} of {needed} is acceptable ({limit}): {one.title}, {money(one.usd)}"
    other = next((family.otherwise for family in found.families if family.name == one.family), None)
    if other is None or other.title not in ("", one.title):
        return f"{text}."
    scaled = f'with footprint = "{other.footprint}" instead, it'
    late = [each for each in other.missed if each.what == "load"]
    new = [each.what for each in other.missed if each.what != one.what]
    if late:
        return f"{text}; {scaled} {missed(late[0]).replace('does', 'does only')}."
    return f"{text}; {scaled} misses {', '.join(new)}." if new else f"{text}."


def named(what: str) -> str:
    """A limit in a sentence."""
    names = {
        "loss_per_year": "a yearly data loss", "rack_units": "a height", "watts": "a power",
        "budget": "a budget", "unavailable": "an unavailability",
    }  # fmt: skip
    return names.get(what) or "a {1} of {0}".format(*what.rsplit(".", 1))


def _limit(value: float, unit: str, digits: int | None = None) -> str:
    """A limit, or what was found beside it; with ``digits`` where both would read alike."""
    if unit == "probability":
        return (
            numbers.probability(value) if digits is None else f"{value:.{digits - 1}e}".replace("e-0", "e-")
        )
    if unit == "USD":
        return money(value) if digits is None else f"${numbers.significant(value, digits)}"
    return numbers.with_unit(value, unit, digits or 3)


def apart(found: float, limit: float, unit: str) -> tuple[str, str]:
    """Two figures, with as many digits as tell them apart."""
    texts = _limit(found, unit), _limit(limit, unit)
    if texts[0] != texts[1]:
        return texts
    return next(
        (
            pair
            for digits in range(3, 8)
            if (pair := (_limit(found, unit, digits), _limit(limit, unit, digits)))[0] != pair[1]
        ),
        texts,
    )


def misses(one: SystemFigures) -> str:
    """What a system misses, in one line."""
    return "; ".join(missed(each) for each in one.missed)


def missed(one: Missed) -> str:
    """A limit that is missed, and by how much."""
    if one.what == "load":
        return "the load" if one.found is None else f"does {numbers.percent(one.found)} of the load"
    if one.found is None:
        return f"{one.what}: not measured"
    name, limit = _NAMES.get(one.what, one.what), "budget" if one.what == "budget" else "limit"
    if one.unit == "probability":
        loss, times = numbers.probability(one.found), numbers.significant(one.found / one.limit)
        return f"data loss {loss} a year, {times} times the limit"
    if one.undecided:
        return (
            f"{name}: up to {_limit(one.found, one.unit)}, too close to {_limit(one.limit, one.unit)} to call"
        )
    times = numbers.significant(one.found / one.limit)
    return f"{name}: {_limit(one.found, one.unit)}, {times} times the {limit}"


def money(usd: float) -> str:
    """Dollars, scaled: ``$31.2k``."""
    for least, unit in ((1e6, "M"), (1e3, "k")):
        if usd >= least:
            return f"${numbers.significant(usd / least)}{unit}"
    return f"${numbers.significant(usd)}"


def brief(one: SystemFigures | None) -> str:
    """What a system misses in a word or two; of none, that there is none."""
    if one is None:
        return "not possible"
    names = {"loss_per_year": "data loss", "unavailable": "availability", "rack_units": "height"}
    late = is_late(one)
    # Response times of a system that does not keep up grow with the length of a run: they say nothing more.
    said = [each.what for each in one.missed if not (late and "." in each.what)]
    return ", ".join(names.get(what, what) for what in said) or "nothing"


def is_late(one: SystemFigures) -> bool:
    """Whether a system does not keep up with the load, so that its dollars and watts are of less work."""
    return any(each.what == "load" for each in one.missed)
