"""Which system is cheapest where, and when it pays to stop a disk, in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from iowatt.pages.cost import words
from iowatt.render import numbers

Found = dict[str, Any]


def sentences(found: Found) -> list[str]:
    """Lines on who is cheapest along each assumption that was varied, and where that changes."""
    told: list[str] = []
    if not found["crossovers"]:
        return told
    differ = found["choice"]["capacities_differ"] is not False
    told.append("cheapest in total (usable capacities are not the same):" if differ else "cheapest:")
    for one in found["crossovers"]:
        told += words.wrapped(f"  by {words.varied(one)}{_in_force(one)}: {stretches(one)}")
        for pair in one["pairs"]:
            told += [line for sentence in crossings(one, pair) for line in words.wrapped(f"    {sentence}")]
    return told


def stretches(crossover: Found) -> str:
    """Who is cheapest where: ``a below 4.2 years, b above``."""
    unit, parts = crossover["unit"], crossover["cheapest"]
    if len(parts) == 1:
        ends = f"{words.figure(crossover['low'])} to {words.amount(crossover['high'], unit)}"
        return f"{parts[0]['system']} throughout, from {ends}"
    said = [f"{parts[0]['system']} up to {words.amount(parts[0]['until'], unit)}"]
    said += [f"then {one['system']} to {words.amount(one['until'], unit)}" for one in parts[1:-1]]
    return ", ".join([*said, f"{parts[-1]['system']} beyond"])


def crossings(crossover: Found, pair: Found) -> Iterator[str]:
    """Where two systems change places, with the range over the draws."""
    unit = crossover["unit"]
    for number, one in enumerate(pair["crossings"]):
        also = "".join(
            f"; {more['text']} {words.amount(more['value'], more['unit'])}" for more in one["also"]
        )
        drawn = _drawn(pair["range"], unit) if number == 0 else ""
        if one["kind"] == "tie":
            between = f"{words.figure(one['lower'])} to {words.amount(one['upper'], unit)}"
            yield f"{pair['a']} and {pair['b']} cost the same from {between}{also}{drawn}"
        else:
            jumps = " (a jump)" if one["kind"] == "jump" else ""
            yield (
                f"{one['cheaper_below']} below, {one['cheaper_above']} above "
                f"{words.amount(one['at'], unit)}{jumps}{also}{drawn}"
            )
    ranged = pair["range"]
    if not pair["crossings"] and ranged is not None and ranged["share_crossing"] > 0:
        yield f"{pair['a']} and {pair['b']} change places{_drawn(ranged, unit).removeprefix(';')} only"


def _in_force(crossover: Found) -> str:
    value = crossover["value"]
    return "" if value is None else f" (here {words.amount(value, crossover['unit'])})"


def _drawn(ranged: Found | None, unit: str) -> str:
    if ranged is None:
        return ""
    share = numbers.percent(ranged["share_crossing"]).replace("\u00a0", " ")
    if ranged["p50"] is None:
        return f"; in {share} of {ranged['draws']} draws"
    return (
        f"; in {share} of {ranged['draws']} draws, mostly {words.figure(ranged['p5'])} to "
        f"{words.amount(ranged['p95'], unit)}"
    )


def spin_downs(system: Found) -> Iterator[str]:
    """For each kind of disk and level: how long a rest must last to save joules, and to save dollars."""
    for one in system["spin_down"]:
        for pays in one["break_even"]:
            at_most = "at most " if pays["at_most"] else ""
            dollars = f"dollars after {lasting(pays['dollars_s'])}"
            if not one["priced"]:
                dollars = "dollars not known: the drive has no price"
            yield (
                f"{one['pool']}, {pays['level'].replace('_', ' ')}: saves energy after {at_most}"
                f"{lasting(pays['energy_s'])}, {dollars}"
                + (f" ({pays['by'].replace('_', ' ')})" if pays["by"] else "")
            )


def lasting(seconds: float | None) -> str:
    """The length of a rest; never where it does not pay."""
    return "never" if seconds is None else numbers.duration(seconds).replace("\u00a0", " ")
