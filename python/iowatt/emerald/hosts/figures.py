"""The figures of several load hosts as one observation, and the findings on each host."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from iowatt.base.errors import InputError
from iowatt.emerald.finding import Finding, invalid, non_compliant
from iowatt.emerald.generator import limited_stage
from iowatt.emerald.hosts import record
from iowatt.emerald.hosts.record import HostRecord
from iowatt.emerald.hosts.share import HostShare, shares
from iowatt.emerald.plan import Plan, PlanStage
from iowatt.emerald.rules import load
from iowatt.run.bundle import Run
from iowatt.sources.joined import joined, shifted
from iowatt.sources.observation import Observation

#: Reads a stage that one host ran: its plan, its part of the stage, the folder with the output, and the time
#: of its clock from which intervals are counted (None: its first request).
ReadOne = Callable[[Plan, PlanStage, Path, float | None], Observation | Run]
#: Hosts that begin further apart than this share of an interval are counted from one moment.
_APART: Final = 0.01


def observe(plan: Plan, stage: PlanStage, folder: Path, read_one: ReadOne) -> Observation:
    """A stage of all hosts as one observation, by the clock of the conducting host.

    Raises ``InputError``: no host left figures, or those of one cannot be read or joined.
    """
    return joined(_parts(plan, stage, folder, read_one))


def _parts(plan: Plan, stage: PlanStage, folder: Path, read_one: ReadOne) -> dict[str, Observation]:
    of_host = {share.name: share for share in shares(plan)}
    there = [one for one in record.read(folder) if one.lost is None and one.name in of_host]
    if not there:
        text = "no host has figures of the stage: all of them were lost"
        raise InputError("empty", str(folder / record.HOSTS), text)

    def seen(one: HostRecord, origin: float | None) -> Observation:
        share, place = of_host[one.name], record.folder_of(folder, one.name)
        its_origin = None if origin is None else origin - one.shift_s
        found = read_one(share.plan, share.stage(stage), place, its_origin)
        assert isinstance(found, Observation)
        return shifted(_busy(found, one), one.shift_s)

    found = {one.name: seen(one, None) for one in there}
    begun = [part.intervals[0].start for part in found.values()]
    if max(begun) - min(begun) > _APART * stage.interval_s:
        found = {one.name: seen(one, min(begun)) for one in there}
    return found


def _busy(seen: Observation, one: HostRecord) -> Observation:
    """With how busy its processors were altogether, in place of what its threads alone can say."""
    known = [busy for busy in (seen.busy_percent, one.cpu_percent) if busy is not None]
    return replace(seen, busy_percent=max(known, default=None))


def findings(plan: Plan, stage: PlanStage, folder: Path, read_one: ReadOne) -> Iterator[Finding]:
    """Findings on the hosts of a stage: lost, another time, itself the limit.

    Raises ``InputError`` where there is no record of them.
    """
    records = record.read(folder)
    limit_s = load(plan.rules.profile).number("instruments.clock.apart_s", plan.category)
    for one in records:
        yield from _lost(one, stage)
        yield from _clock(one, stage, limit_s)
    if stage.role != "measurement":
        return
    try:
        parts = _parts(plan, stage, folder, read_one)
    except InputError:  # a finding of its own wherever the stage itself is read
        return
    by_name: Mapping[str, HostShare] = {share.name: share for share in shares(plan)}
    for one in records:
        if (seen := parts.get(one.name)) is not None:
            share = by_name[one.name]
            for found in limited_stage(share.plan, share.stage(stage), seen, link_percent=one.link_percent):
                yield replace(
                    found, text=f"host {one.name}: {found.text}", values={**found.values, "host": one.name}
                )


def _lost(one: HostRecord, stage: PlanStage) -> Iterator[Finding]:
    if one.lost is None:
        return
    if one.lost_after_s is None:
        when = f"was not there in {stage.id}"
    else:
        when = f"was lost {one.lost_after_s:.4g} s into {stage.id}"
    text = f"host {one.name} {when} ({one.lost}): its requests are in none of the figures"
    yield invalid("host-lost", text, host=one.name, stage=stage.id, after_s=one.lost_after_s, why=one.lost)


def _clock(one: HostRecord, stage: PlanStage, limit_s: float) -> Iterator[Finding]:
    best = one.clock_best
    if best is None:
        return
    values = {"host": one.name, "stage": stage.id, "most_s": limit_s}
    if best.round_trip_s / 2 > limit_s:
        text = (
            f"the clock of host {one.name} cannot be compared during {stage.id}: an answer took "
            f"{best.round_trip_s:.3g} s at least, and clocks may be {limit_s:g} s apart"
        )
        yield invalid("host-clock", text, round_trip_s=best.round_trip_s, **values)
        return
    start, end = one.clock_start, one.clock_end
    if start is not None and end is not None:
        moved = end.offset_s - start.offset_s
        if abs(moved) - (start.round_trip_s + end.round_trip_s) / 2 > limit_s:
            text = (
                f"the clock of host {one.name} moved by {moved:+.3g} s during {stage.id}; "
                f"{limit_s:g} s is allowed"
            )
            yield invalid("host-clock", text, moved_s=moved, **values)
            return
    if abs(best.offset_s) - best.round_trip_s / 2 > limit_s:
        text = (
            f"the clock of host {one.name} was {best.offset_s:+.3g} s from that of the conducting host "
            f"during {stage.id}; {limit_s:g} s is allowed. Its times were corrected by that"
        )
        yield non_compliant("host-clock", text, offset_s=best.offset_s, **values)
