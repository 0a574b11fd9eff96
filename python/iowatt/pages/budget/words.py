"""Sentences of a latency budget, computed from its document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iowatt.base.results import Note
from iowatt.lenses.budget.result import (
    BetweenLoads,
    BothWays,
    Budget,
    ClassLoad,
    Estimated,
    HopName,
    RequestClass,
)
from iowatt.pages.budget.figures import MOST_CLASSES
from iowatt.render import numbers
from iowatt.render.phrases import listed

if TYPE_CHECKING:
    pass


def largest(load: ClassLoad, most: int = 3) -> list[BothWays]:
    """The hops that take most of a load's mean response time, both ways together, the largest first."""
    ranked = sorted(load.both_ways, key=lambda hop: -hop.total_ms)
    return [hop for hop in ranked[:most] if hop.total_ms > 0]


def where(one: RequestClass, found: Budget) -> str:
    """Where the mean response time of a class goes, in a sentence."""
    load = one.shown_load
    parts = [f"{hop.hop} {numbers.percent(hop.share)}{_waiting(hop)}" for hop in largest(load)]
    mean = numbers.with_unit(load.response_ms["mean"], "ms")
    return f"{found.title(one)}: of {mean} on average, {listed(parts)}."


def _waiting(hop: BothWays) -> str:
    if hop.waiting_ms < 0.01 * hop.total_ms:
        return ""
    return f" ({numbers.with_unit(hop.waiting_ms, 'ms')} of it waiting)"


def tail(one: RequestClass, found: Budget) -> str | None:
    """What the slowest 1 % are made of more than all requests are; None where nothing stands out."""
    bands = {band.of: band for band in one.shown_load.made_of}
    if "slowest 1 %" not in bands:
        return None
    every, slow = bands["mean"], bands["slowest 1 %"]
    if slow.anecdote or not every.response_ms or not slow.response_ms:
        return None
    grown = [
        (
            late / slow.response_ms - usual / every.response_ms, at, kind, usual / every.response_ms,
            late / slow.response_ms,
        )
        for kind, (all_times, slow_times) in {
            "waiting for": (every.waiting_ms, slow.waiting_ms),
            "in": (every.service_ms, slow.service_ms),
        }.items()
        for at, (usual, late) in enumerate(zip(all_times, slow_times, strict=True))
    ]  # fmt: skip
    more, at, doing, before, after = max(grown)
    if more < 0.1:
        return None
    return (
        f"{found.title(one)}: the slowest 1 % take {numbers.with_unit(slow.response_ms, 'ms')}, "
        f"{numbers.percent(after)} of it {doing} {hop_name(one.hops[at])} ({numbers.percent(before)} of all "
        "requests)."
    )


def hop_name(hop: HopName) -> str:
    """A hop with its way."""
    return f"{hop.hop} ({hop.way})" if hop.way else hop.hop


def against(one: RequestClass, found: Budget) -> list[str]:
    """A class against the service level, in sentences."""
    held = one.against
    if held is None:
        return []
    name, within = found.title(one), numbers.with_unit(held.within_ms, "ms")
    what = "mean" if held.of == "mean" else held.of
    return (
        _estimated(held, name, within, what)
        if isinstance(held, Estimated)
        else _seen(held, name, within, what)
    )


def _estimated(held: Estimated, name: str, within: str, what: str) -> list[str]:
    seen, room = (numbers.with_unit(abs(value), "ms") for value in (held.seen_ms, held.slack_ms))
    first = held.first
    if not held.kept:
        most = f", most of it at {hop_name(first)}" if first is not None else ""
        kept = f"; estimated to be kept up to {_rate(held.rate_iops)}" if held.rate_iops else ""
        return [f"{name}: {what} {seen} exceeds {within} by {room}{most}{kept}"]
    said = f"{name}: {what} {seen} is {room} below {within}"
    if held.rate_iops is None:
        return [f"{said}; the rate that breaks it cannot be estimated"]
    said += f"; estimated to break at {_rate(held.rate_iops)}"
    if first is not None and first.alone_iops is not None:
        said += f", first by {hop_name(first)} ({_rate(first.alone_iops)} by itself)"
    return [said]


def _seen(held: BetweenLoads, name: str, within: str, what: str) -> list[str]:
    first = held.first
    if held.between_iops is None or first is None:
        highest = held.seen[-1]
        room = numbers.with_unit(highest.slack_ms, "ms")
        return [f"{name}: {what} within {within} at every load; {room} left at {_rate(highest.rate_iops)}"]
    low, high = held.between_iops
    if not low:
        return [
            f"{name}: {what} exceeds {within} at the lowest load already, most of it at {hop_name(first)}"
        ]
    at = f"at {_rate(held.rate_iops)} (" if held.rate_iops else "("
    grew = f"{numbers.with_unit(first.unloaded_ms, 'ms')} to {numbers.with_unit(first.there_ms, 'ms')}"
    return [
        f"{name}: {what} breaks {within} {at}between {_rate(low)} and {_rate(high)}) by {hop_name(first)}, "
        f"which grew from {grew}"
    ]


def _rate(rate: float) -> str:
    return numbers.with_unit(rate, "IOPS")


def validity(found: Budget) -> list[Note]:
    """What the comparison with the level rests on; what is not of all classes, with their names."""
    notes = {found.title(one): one.against.validity for one in found.classes if one.against}
    classes: dict[Note, list[str]] = {}
    for name, listed_notes in notes.items():
        for note in listed_notes:
            classes.setdefault(note, []).append(name)
    return [
        note
        if len(names) == len(notes)
        else note.model_copy(update={"text": f"{', '.join(names)}: {note.text}"})
        for note, names in classes.items()
    ]


def findings(found: Budget) -> list[str]:
    """What a report says of a Run's budget: where the time goes, and what the slowest are made of."""
    said = []
    for one in found.single[:MOST_CLASSES]:
        said += [text for text in (where(one, found), tail(one, found)) if text is not None]
    return said
