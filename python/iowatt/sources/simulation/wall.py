"""From the drives of a Run to the wall: its parts, supplies and their losses, by interval.

The intervals know the watts of all drives together. They are shared out over the enclosures as the drives'
energy over the whole window is: exact in the sum, and where all drives do alike; else the load of each supply
is a little off at times, to which its efficiency is not sensitive.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from iowatt.model.library import stand_ins
from iowatt.model.power import ArrayPart, ArrayPlan, Enclosure

if TYPE_CHECKING:
    import numpy.typing as npt
    import polars as pl

    from iowatt.run.record import Tables

    Floats = npt.NDArray[np.float64]

#: What the joules and watts of a Run cover, where its array's parts are not modelled and where they are.
DRIVES_ALONE: Final = "energy and power are those of the drives alone"
WHOLE_ARRAY: Final = (
    "energy and power_w.wall_* are those of the whole system at the wall; power_w.mean, max and idle are "
    "those of the drives"
)
LIBRARIES_WHOLE: Final = "watts of a library are those at its input, with frame, robots and supplies"
SUPPLIES_OVERLOADED: Final = "supplies gave out more than the needed ones are rated for"


@dataclass(frozen=True)
class AtWall:
    """Tables with the array's own power, its watts when idle by component, and remarks."""

    tables: Tables
    idle_w: Mapping[str, float]
    notes: Sequence[str]


def at_wall(
    plan: Mapping[str, Any],
    tables: Tables,
    processors: Mapping[str, Any] | None,
    links: Mapping[str, float] | None = None,
    nodes: Mapping[str, Floats] | None = None,
) -> AtWall | None:
    """The tables of a Run with parts and supplies; None where the plan file ``plan`` has no power.

    The watts of libraries are those at the wall; they are known there where a Run has nothing else.

    ``processors`` is the controller's part of the summary, where it is modelled (``utilisation``), ``links``
    the busy share of each bus and link over the window, by the name that parts give it, ``nodes`` that of the
    cores of each kind of nodes by interval.
    """
    if not plan.get("power"):
        names = plan["names"]
        return _libraries(tables) if names.get("libraries") and not names["pools"] else None
    array = ArrayPlan.of(plan["power"])
    intervals = tables.intervals
    width = (intervals["end_s"] - intervals["start_s"]).to_numpy()
    rates = _Rates.of(intervals, width, plan["simulation"], processors)
    carried = _carried(links or {}, rates.bytes_per_s, width) | dict(nodes or {})
    nodes_left = _nodes_left(plan["simulation"], intervals)
    there = _cluster_nodes_there(plan, intervals)
    drives = _drive_shares(array, plan["names"]["devices"], tables.energy)
    drives_w = intervals["power_w"].fill_null(0.0).to_numpy()

    rows: list[dict[str, Any]] = []
    parts_w, loss_w = np.zeros(len(width)), np.zeros(len(width))
    overloaded = 0
    for enclosure, shares in zip(array.enclosures, drives, strict=True):
        fed = np.zeros(len(width))
        for part in enclosure.parts:
            busy = part.utilisation(rates.iops, rates.bytes_per_s, rates.processors, carried)
            left = nodes_left if part.kind == "controller" else np.ones(len(width))
            if enclosure.name in there and part.kind in ("server", "adapter"):
                left = there[enclosure.name]
                # Busy shares are of all nodes: the same work is done by those that are there.
                busy = np.clip(busy / np.where(left > 0, left, 1.0), 0.0, 1.0)
            watts = np.array([part.watts(float(share)) for share in busy]) * left
            rows += _part_rows(enclosure, part, busy, width, left)
            parts_w += enclosure.count * watts
            fed += 0.0 if part.at_wall else watts
        lost, beyond = _losses(enclosure, shares, drives_w, fed)
        loss_w += lost
        overloaded += int(beyond.sum())
        if enclosure.supplies is not None:
            rows.append(_row(f"{enclosure.name}.supplies", "supply", "supply_loss", lost, width))
    notes = [WHOLE_ARRAY]
    if any(part.law in ("constant", "charging") and part.active_w > part.idle_w for _, part in array.parts):
        notes.append("parts without a law of work draw their idle watts throughout")
    if overloaded:
        notes.append(
            f"{SUPPLIES_OVERLOADED} in {overloaded} intervals: "
            "the array would not survive the loss of one there"
        )
    return AtWall(
        replace(
            tables,
            intervals=_with_columns(intervals, parts_w, loss_w, drives_w, width),
            energy=_with_rows(tables.energy, rows),
        ),
        _idle(array),
        [*notes, *(source for source in array.sources() if stand_ins([source]))],
    )


def _libraries(tables: Tables) -> AtWall:
    intervals = tables.intervals
    width = (intervals["end_s"] - intervals["start_s"]).to_numpy()
    nothing = np.zeros(len(width))
    drawn = intervals["power_w"].fill_null(0.0).to_numpy()
    with_wall = _with_columns(intervals, nothing, nothing, drawn, width)
    return AtWall(replace(tables, intervals=with_wall), {}, [LIBRARIES_WHOLE])


@dataclass(frozen=True)
class _Rates:
    """By interval: requests and bytes a second, and the busy share of the controller's processors."""

    iops: Floats
    bytes_per_s: Floats
    processors: Floats | None

    @classmethod
    def of(
        cls,
        intervals: pl.DataFrame,
        width: Floats,
        simulation: Mapping[str, Any],
        processors: Mapping[str, Any] | None,
    ) -> _Rates:
        counts = {
            name: intervals[name].cast(float).to_numpy()
            for name in ("completions", "reads", "writes", "bytes_read", "bytes_written")
        }
        span = np.where(width > 0, width, 1.0)
        busy: Floats | None = None
        processing = (simulation.get("controller") or {}).get("processing")
        if processing is not None and processors is not None:
            asked = counts["reads"] * processing["read_s"] + counts["writes"] * processing["write_s"]
            total = float(asked.sum())
            # Completions give the course over time, the processors' utilisation the total.
            seen = processors["utilisation"] * float(width.sum())
            busy = asked / span * (seen / total) if total > 0 else np.zeros(len(width))
        return cls(
            counts["completions"] / span, (counts["bytes_read"] + counts["bytes_written"]) / span, busy
        )


def _carried(links: Mapping[str, float], bytes_per_s: Floats, width: Floats) -> dict[str, Floats]:
    """Busy shares of links by interval: as over the whole window, with the course of the bytes."""
    span, total = math.fsum(width), math.fsum(bytes_per_s * width)
    if not total > 0:
        return {name: np.full(len(width), share) for name, share in links.items()}
    return {name: bytes_per_s * (share * span / total) for name, share in links.items()}


def _drive_shares(
    array: ArrayPlan, devices: Sequence[Mapping[str, Any]], energy: pl.DataFrame
) -> list[list[float]]:
    """Share of the drives' energy that falls to each enclosure, by enclosure kind."""
    joules: dict[str, float] = {}
    for name, value in energy.select("component", "energy_j").iter_rows():
        joules[name] = joules.get(name, 0.0) + value
    by_pool: dict[str, list[float]] = {}
    for device in devices:
        drives = device.get("drives", 1)
        each = joules.get(device["name"], 0.0) / drives
        by_pool.setdefault(device["pool"], []).extend([each] * drives)
    total = math.fsum(joules.values())
    at = dict.fromkeys(by_pool, 0)
    shares = []
    for enclosure in array.enclosures:
        mine = []
        for mix in enclosure.each():
            own = 0.0
            for pool, number in zip(enclosure.pools, mix, strict=True):
                own += math.fsum(by_pool[pool][at[pool] : at[pool] + number])
                at[pool] += number
            mine.append(own / total if total > 0 else 0.0)
        shares.append(mine)
    return shares


def _losses(
    enclosure: Enclosure, shares: Sequence[float], drives_w: Floats, fed: Floats
) -> tuple[Floats, Floats]:
    """Watts that the supplies of all enclosures of a kind lose, and where one of them was asked too much."""
    lost = np.zeros(len(drives_w))
    beyond = np.zeros(len(drives_w), dtype=bool)
    supplies = enclosure.supplies
    if supplies is None:
        return lost, beyond
    for share in shares:
        given = share * drives_w + fed
        lost += supplies.input_w(given) - given
        beyond |= given > supplies.capacity_w
    return lost, beyond


def _nodes_left(simulation: Mapping[str, Any], intervals: pl.DataFrame) -> Floats:
    """By interval, the share of the controller nodes that are there; without nodes all are."""
    controller = simulation.get("controller") or {}
    starts, ends = (intervals[name].to_numpy() for name in ("start_s", "end_s"))
    left = np.ones(len(starts))
    nodes: Mapping[str, Any] = controller.get("nodes") or {}
    for loss in controller.get("losses", ()) if nodes else ():
        if loss["of"] == "controller":
            back_s = math.inf if loss["back_s"] is None else loss["back_s"]
            lost_s = np.clip(np.minimum(ends, back_s) - np.maximum(starts, loss["at_s"]), 0.0, None)
            left -= lost_s / np.where(ends > starts, ends - starts, 1.0) / nodes["count"]
    return left


def _cluster_nodes_there(plan: Mapping[str, Any], intervals: pl.DataFrame) -> dict[str, Floats]:
    """By kind of nodes of a cluster, the share of them that are switched on, by interval.

    A node that joins is off before, one that has failed is off from then on. Kinds of which all are on all
    the time are left out.
    """
    starts, ends = (intervals[name].to_numpy() for name in ("start_s", "end_s"))
    found: dict[str, Floats] = {}
    every = zip(plan["names"].get("clusters", ()), plan["simulation"].get("clusters", ()), strict=True)
    for named, cluster in every:
        failed_s: dict[int, float] = {}
        for failure in cluster["failures"]:
            for number, node in enumerate(cluster["nodes"]):
                if failure["index"] == (number if failure["unit"] == "node" else node["rack"]):
                    failed_s[number] = min(failed_s.get(number, math.inf), failure["at_s"])
        first = 0
        for kind in named["classes"]:
            numbers = range(first, first := first + kind["count"])
            shares = []
            for number in numbers:
                on_s = cluster["nodes"][number].get("joins_at_s") or 0.0
                off_s = failed_s.get(number, math.inf)
                if on_s > 0 or off_s < math.inf:
                    spent = np.clip(np.minimum(ends, off_s) - np.maximum(starts, on_s), 0.0, None)
                    shares.append(spent / np.where(ends > starts, ends - starts, 1.0))
            if shares:
                always = kind["count"] - len(shares)
                found[f"{named['name']}.{kind['name']}"] = (np.sum(shares, axis=0) + always) / kind["count"]
    return found


def _part_rows(
    enclosure: Enclosure, part: ArrayPart, busy: Floats, width: Floats, left: Floats
) -> list[dict[str, Any]]:
    """A part is active for its utilisation's share of the time, and idles for the rest.

    Of parts that are lost (``left`` below 1) the rest draws; their time counts as idle.
    """
    name, span = enclosure.component(part), math.fsum(width)
    if part.law in ("constant", "charging", "speed-cubed"):
        drawn = enclosure.count * part.watts(0.0) * left
        return [_row(name, part.kind, "parts_idle", drawn, width)]
    active_s = min(span, math.fsum(busy * width))
    number, there = enclosure.count * part.count, width * left
    worked_s = min(math.fsum(there), math.fsum(busy * there))
    states = {
        "parts_idle": (span - active_s, math.fsum(there) - worked_s, part.idle_w),
        "parts_active": (active_s, worked_s, part.active_w),
    }
    return [
        {
            "component": name, "kind": part.kind, "state": state, "time_s": time,
            "power_w": number * watts * (drawn_s / time) if time > 0 else None,
            "energy_j": number * watts * drawn_s,
        }
        for state, (time, drawn_s, watts) in states.items()
    ]  # fmt: skip


def _row(name: str, kind: str, state: str, watts: Floats, width: Floats) -> dict[str, Any]:
    span, joules = math.fsum(width), math.fsum(watts * width)
    return {
        "component": name, "kind": kind, "state": state, "time_s": span,
        "power_w": joules / span if span > 0 else None, "energy_j": joules,
    }  # fmt: skip


def _with_rows(energy: pl.DataFrame, rows: list[dict[str, Any]]) -> pl.DataFrame:
    import polars as pl

    return pl.concat([energy, pl.DataFrame(rows, schema=energy.schema)]) if rows else energy


def _with_columns(
    intervals: pl.DataFrame, parts_w: Floats, loss_w: Floats, drives_w: Floats, width: Floats
) -> pl.DataFrame:
    import polars as pl

    return intervals.with_columns(
        pl.Series("parts_j", parts_w * width, dtype=pl.Float64),
        pl.Series("supply_loss_j", loss_w * width, dtype=pl.Float64),
        pl.Series("wall_w", drives_w + parts_w + loss_w, dtype=pl.Float64),
    )


def _idle(array: ArrayPlan) -> dict[str, float]:
    """Watts of parts and supply losses by component, all drives idle."""
    from iowatt.model.power import component_watts

    return {
        part.name: part.watts["normal"]["idle"] for part in component_watts(array) if part.kind != "drives"
    }
