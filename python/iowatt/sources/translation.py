"""From what the simulator returns (indices, nanoseconds, arrays) to the record of a run (names, tables).

The simulator knows numbers only; this is where its indices get their names back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from iowatt.base.units import format_bytes
from iowatt.model.scenario.raid import data_drives, usable_bytes
from iowatt.model.scenario.resolved import usable_and_effective
from iowatt.run.record import (
    Bus,
    CacheCounts,
    Capacity,
    Completions,
    Flow,
    Heat,
    HeatSpace,
    Hits,
    Moments,
    Rebuild,
    ReducedCounts,
    Station,
    Tables,
    TierCounts,
    VirtualPoolCounts,
    Window,
)
from iowatt.run.statistics import known_sum
from iowatt.run.summary_schema import Loss, Zeros
from iowatt.run.tables import CAUSES, FLASH, FLASH_OPERATIONS, STATES, frame
from iowatt.sources import paths
from iowatt.sources.wall import DRIVES_ALONE

if TYPE_CHECKING:
    import polars as pl

    from iowatt.run.idle_spool import IdleSpool

NS_PER_S = 1e9
NS_PER_MS = 1e6
OPS = ("read", "write")

Columns = Mapping[str, npt.NDArray[Any]]
Floats = npt.NDArray[np.float64]


def window(summary: Mapping[str, Any], warmup_s: float) -> Window:
    """The observed span in seconds."""
    span = summary["window"]
    last_ns = span["last_arrival_ns"]
    # Zero is also what stands there where nothing arrived.
    arrived = last_ns > 0 or summary["requests_simulated"] > 0
    return Window(
        start_s=span["start_ns"] / NS_PER_S,
        end_s=span["end_ns"] / NS_PER_S,
        warmup_s=warmup_s,
        last_arrival_s=last_ns / NS_PER_S if arrived else None,
    )


def flow(raw: Mapping[str, Any]) -> Flow:
    """A flow of requests, from its JSON."""
    plain = {key: value for key, value in raw.items() if key not in ("response", "completions")}
    return Flow(
        **plain,
        completions=Completions(**raw["completions"]),
        response={kind: Moments.doubling(**one) for kind, one in raw["response"].items()},
    )


def doubts(trace: Mapping[str, Any]) -> list[str]:
    """What makes a trace a doubtful load, by what its reader counted."""
    return [*trace["warnings"], *([trace["long_gap"]] if trace["long_gap"] else [])]


def reading(raw: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """What the reader of a trace counted: records that it read ahead and never issued are among them."""
    if raw is None:
        return None
    left_out = (
        "reads",
        "writes",
        "partial_sectors",
        "origin_unix_ns",
        "long_gap",
    )  # of what was read ahead; the origin stands there as text
    found = {
        "records_read" if key == "requests" else key: value
        for key, value in raw.items()
        if key not in left_out
    }
    return {**found, "warnings": doubts(raw)}


def capacity(
    names: Mapping[str, Any], simulation: Mapping[str, Any], summary: Mapping[str, Any] | None = None
) -> Capacity:
    """Bytes of all drives; what redundancy leaves of the pools that carry a volume, and virtual pools of
    them; what these are worth where capacity is optimised, less what snapshots keep."""
    pools = [_usable_bytes(pool) for pool in simulation["pools"]]
    carrying = {volume["pool"] for volume in simulation["volumes"]}
    done = (summary or {}).get("virtual_pools", ())
    kept = [(one.get("reduced") or {}).get("snapshot_bytes", 0) for one in done]
    usable, effective = usable_and_effective(pools, names.get("virtual_pools", ()), carrying, kept)
    raw = sum(device["raw_bytes"] for device in names["devices"])
    return Capacity(raw_bytes=raw, usable_bytes=usable, effective_bytes=effective)


def space_names(names: Mapping[str, Any]) -> list[str]:
    """Names of pools and, behind them, virtual pools, as volumes number them."""
    return [*names["pools"], *(virtual["name"] for virtual in names.get("virtual_pools", ()))]


def _usable_bytes(pool: Mapping[str, Any]) -> int:
    if (chunklets := pool.get("chunklets")) is not None:
        return sum(
            region["sets"]
            * data_drives(int(raid["level"]), region["set_size"])
            * (chunklets["bytes"] // raid["stripe_unit_bytes"] * raid["stripe_unit_bytes"])
            for region in chunklets["regions"]
            for raid in [region["raid"]]
        )
    drive, raid = pool["device"], pool["raid"]
    drive_bytes = drive["sectors"] * drive["sector_bytes"]
    return usable_bytes(int(raid["level"]), pool["count"], raid["stripe_unit_bytes"], drive_bytes)


def buses(names: list[str], summary: Mapping[str, Any]) -> list[Bus]:
    """The shared buses with their names."""
    return [
        Bus(
            name=name,
            transfers=raw["transfers"],
            busy_s=raw["busy_ns"] / NS_PER_S,
            wait_s=raw["wait_ns"] / NS_PER_S,
        )
        for name, raw in zip(names, summary["buses"], strict=True)
    ]


def station(raw: Mapping[str, Any] | None) -> Station | None:
    """A part of the controller, where it is modelled."""
    if raw is None:
        return None
    return Station(raw["visits"], raw["utilisation"], raw["wait_ns"] / NS_PER_S)


def cache(raw: Mapping[str, Any] | None) -> CacheCounts | None:
    """What the cache did, where there is one."""
    if raw is None:
        return None
    plain = {key: value for key, value in raw.items() if key not in ("space_wait_ns", "by_workload")}
    return CacheCounts(**plain, space_wait_s=raw["space_wait_ns"] / NS_PER_S)


def virtual_pools(
    names: Mapping[str, Any], simulation: Mapping[str, Any], summary: Mapping[str, Any]
) -> list[VirtualPoolCounts]:
    """What virtual pools did, with their names and those of their parts."""
    named = names.get("virtual_pools", ())
    plans = simulation.get("virtual_pools", ())
    counted = summary.get("virtual_pools", ())
    return [_virtual_pool(*each) for each in zip(named, plans, counted, strict=True)]


def _virtual_pool(
    name: Mapping[str, Any], plan: Mapping[str, Any], raw: Mapping[str, Any]
) -> VirtualPoolCounts:
    own = {key: raw[key] for key in ("migrations", "postponed", "write_backs", "evictions", "held")}
    parts = zip(name["parts"], plan["parts"], raw["parts"], strict=True)
    return VirtualPoolCounts(
        name=name["name"],
        scheme=name["scheme"],
        capacity_bytes=name["capacity_bytes"],
        requests=_pair(raw["requests"]),
        bytes=_pair(raw["bytes"]),
        **own,
        held_s=raw["held_ns"] / NS_PER_S,
        dirty_bytes_at_end=raw["dirty_bytes_at_end"],
        reduced=None if raw.get("reduced") is None else ReducedCounts(**raw["reduced"]),
        movement=raw.get("movement"),
        tiers=tuple(
            TierCounts(
                part=part["name"],
                pool=part["pool"],
                capacity_bytes=place["capacity_bytes"],
                **_counts(tier),
            )
            for part, place, tier in parts
        ),
    )


def _counts(raw: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _pair(value) if isinstance(value, list) else value for key, value in raw.items()}


def _pair(values: Sequence[int]) -> tuple[int, int]:
    read, write = values
    return read, write


def hits(raw: Mapping[str, Any] | None, workloads: int) -> list[Hits | None]:
    """What each workload found in the cache, where there is one."""
    return [None] * workloads if raw is None else [Hits(**found) for found in raw["by_workload"]]


def zeros(raw: Mapping[str, Any] | None) -> Zeros | None:
    """What zero detection did, where there is any."""
    return None if raw is None else Zeros(**raw)


def losses(raw: Sequence[Mapping[str, Any]]) -> list[Loss]:
    """What the controller lost, and what became of it."""

    def seconds(ns: int | None) -> float | None:
        return None if ns is None else ns / NS_PER_S

    return [
        Loss(
            of=loss["of"],
            at_s=seconds(loss["at_ns"]),
            back_s=seconds(loss["back_ns"]),
            dirty_bytes=loss["dirty_bytes"],
            flushed_s=seconds(loss["flushed_ns"]),
            written_through=loss["written_through"],
        )
        for loss in raw
    ]


def rebuilds(names: Mapping[str, Any], summary: Mapping[str, Any]) -> list[Rebuild]:
    """The drives that failed, with their names and what became of them."""

    def seconds(ns: int | None) -> float | None:
        return None if ns is None else ns / NS_PER_S

    return [
        Rebuild(
            pool=(pool := names["pools"][raw["pool"]]),
            drive=f"{pool}.{raw['drive']}",
            spare=None if raw["spare"] is None else f"{pool}.{raw['spare']}",
            failed_s=raw["failed_ns"] / NS_PER_S,
            started_s=seconds(raw["started_ns"]),
            finished_s=seconds(raw["finished_ns"]),
            rebuilt_bytes=raw["rebuilt_bytes"],
            lost_bytes=raw["lost_bytes"],
        )
        for raw in summary["rebuilds"]
    ]


def spinning_up_most(names: Mapping[str, Any], summary: Mapping[str, Any]) -> dict[str, int]:
    """Most drives that spun up at once, by pool; only pools where any did."""
    most = zip(names["pools"], summary.get("spinning_up_most", ()), strict=False)
    return {pool: count for pool, count in most if count}


def trouble(names: Mapping[str, Any], simulation: Mapping[str, Any], summary: Mapping[str, Any]) -> list[str]:
    """What a reader must know of failures and rebuilds."""
    said = []
    end_s = summary["window"]["end_ns"] / NS_PER_S
    for pool, plan in zip(names["pools"], simulation["pools"], strict=True):
        recovery = plan.get("recovery") or {"failures": []}
        for failure in recovery["failures"]:
            drive = f"{pool}.{failure['drive']}"
            if failure["at_s"] > end_s:
                said.append(f"{drive} was to fail at {failure['at_s']:g} s, after the end ({end_s:g} s)")
    for rebuild in rebuilds(names, summary):
        if rebuild.finished_s is None:
            share = "nothing" if rebuild.started_s is None else f"{rebuild.fraction:.1%}"
            said.append(
                f"{rebuild.drive} failed at {rebuild.failed_s:g} s; {share} of it was rebuilt at the end"
            )
    if summary["rebuilds"]:
        said.append("a failed drive draws no power; its time counts as standby")
    return said


def tables(
    names: Mapping[str, Any],
    volume_of_workload: list[int],
    raw: Mapping[str, Any],
    idle: IdleSpool | None = None,
) -> Tables:
    """The tables of the bundle, from that part of the plan file and from what the simulator returned."""
    volumes = [names["volumes"][volume] for volume in volume_of_workload]
    return Tables(
        intervals=intervals(raw["intervals"], names.get("states", [])),
        latency=latency(raw["latency"], names["workloads"], volumes),
        energy=energy(names["devices"], raw["summary"]["devices"], names.get("states", [])),
        devices=devices(names["devices"], raw["summary"], names.get("states", [])),
        idle=idle if idle is not None or "idle" not in raw else frame("idle", _cut(raw["idle"])),
        idle_short=frame("idle_short", raw["idle_short"]) if "idle_short" in raw else None,
        heat=heat_table(names, raw["heat"]) if "heat" in raw else None,
        **paths.tables(names, raw),
    )


def unknown_energy(devices: Sequence[Mapping[str, Any]]) -> str | None:
    """Which drives' watts are not known, in a sentence for people; None where all are."""
    lacking = {device["model"]: device["missing_watts"] for device in devices if device.get("missing_watts")}
    if not lacking:
        return None
    figures = (f"{model} has no {', '.join(f'power.{k}' for k in keys)}" for model, keys in lacking.items())
    return f"watts are not known: {'; '.join(figures)}"


def _cut(raw: Columns) -> Columns:
    return {**raw, "cut": raw["cut"] != 0}


def heat(names: Mapping[str, Any], simulation: Mapping[str, Any], raw: Mapping[str, Any]) -> Heat | None:
    """What extents and periods are, and which address spaces were looked at."""
    measures, asked = raw["summary"].get("heat"), simulation["observe"].get("heat")
    if measures is None or asked is None:
        return None
    volumes = simulation["volumes"]
    front = [
        HeatSpace("front", name, volume["capacity_bytes"])
        for name, volume in zip(names["volumes"], volumes, strict=True)
    ]
    carrying = sorted({volume["pool"] for volume in volumes})
    named = space_names(names)
    back = [
        HeatSpace("back", named[space], _held(space, volumes, measures, raw["heat"])) for space in carrying
    ]
    spaces = [*(front if asked["front"] else ()), *(back if asked["back"] else ())]
    return Heat(measures["extent_bytes"], measures["period_ns"] / NS_PER_S, spaces)


def _held(space: int, volumes: Sequence[Mapping[str, Any]], measures: Mapping[str, Any], raw: Columns) -> int:
    """Bytes of a pool that hold data: to the end of its last volume, or of what was read beyond that."""
    end = max(v["offset_bytes"] + v["capacity_bytes"] for v in volumes if v["pool"] == space)
    own = raw["extent"][(raw["point"] == 1) & (raw["space"] == space)]
    if len(own):
        extent_bytes = int(measures["extent_bytes"])
        last = int(own.max())
        end = max(end, last * extent_bytes + 1)
    return int(min(end, measures["space_bytes"][space]))


def heat_table(names: Mapping[str, Any], raw: Columns) -> pl.DataFrame:
    """The ``heat`` table."""
    import polars as pl

    behind = raw["point"] == 1
    titles = pl.Series([*names["volumes"], *space_names(names)], dtype=pl.String)
    counted = ("extent", "reads", "writes", "bytes_read", "bytes_written")
    return frame(
        "heat",
        {
            "point": pl.Series(["front", "back"])[raw["point"]],
            "space": titles[raw["space"] + np.where(behind, len(names["volumes"]), 0).astype(np.uint64)],
            "start_s": raw["start_ns"] / NS_PER_S,
            **{name: raw[name] for name in counted},
        },
    )


def remarks(
    names: Mapping[str, Any],
    raw: Mapping[str, Any],
    asked_interval_s: float | None,
    *,
    drives_alone: bool = True,
    asked_extent_bytes: int = 0,
    asked_series_s: float | None = None,
) -> list[str]:
    """What a reader must know about the figures beyond what the plan says already."""
    said = [DRIVES_ALONE] if drives_alone else []
    widths = raw["intervals"]["end_ns"] - raw["intervals"]["start_ns"]
    if len(widths):
        widest = widths.max() / NS_PER_S
        said.append(
            f"power_w.max is the highest mean over one interval of {widest:g} s (one that the end of the "
            "window cuts short does not count), not the power of an instant"
        )
        if asked_interval_s is not None and widest > 1.001 * asked_interval_s:
            said.append(
                f"intervals were widened from {asked_interval_s:g} s to {widest:g} s to bound their number"
            )
    said.extend(paths.remarks(raw, asked_series_s))
    heat = raw["summary"].get("heat")
    if heat is not None and heat["extent_bytes"] > asked_extent_bytes > 0:
        said.append(
            f"extents of the heat map were widened from {asked_extent_bytes} to {heat['extent_bytes']} bytes "
            "to bound their number"
        )
    if names["workloads"] and not raw["summary"]["total"]["arrived"]:
        said.append("no request arrived inside the window: it has no response times")
    cached = raw["summary"].get("controller", {}).get("cache")
    if cached and cached["dirty_bytes_at_end"]:
        dirty = format_bytes(cached["dirty_bytes_at_end"], binary=True)
        said.append(f"{dirty} of written data were in the cache only at the end: no drive has written them")
    said.extend(_lost(raw["summary"].get("controller", {}).get("losses", [])))
    to_drives = raw["summary"].get("trims") or [0] * len(names["workloads"])
    for name, trace, passed in zip(names["workloads"], raw["summary"]["sources"], to_drives, strict=True):
        if trace is None:
            continue
        bad, trims, flushes = trace["skipped_bad"], trace["trims"] - passed, trace["flushes"]
        if passed:
            said.append(f"workload {name}: {passed} trims went to drives; no other figure counts them")
        if bad:
            said.append(f"workload {name}: {bad} malformed records of its trace were skipped")
        if trims or flushes:
            said.append(f"workload {name}: {trims} trims and {flushes} flushes of its trace were left out")
    return said


def _lost(found: Sequence[Mapping[str, Any]]) -> list[str]:
    """What a reader must know of a controller or battery that failed."""
    said = []
    for loss in losses(found):
        if loss.at_s is None:
            said.append(f"the run ended before the {loss.of} was to fail")
            continue
        half = ", half of the cache and of the processors gone" if loss.of == "controller" else ""
        until = "the end" if loss.back_s is None else f"{loss.back_s:g} s"
        flushed = (
            "not on the drives at the end"
            if loss.flushed_s is None
            else f"on the drives {loss.flushed_s - loss.at_s:.3g} s later"
        )
        dirty = format_bytes(loss.dirty_bytes, binary=True)
        said.append(
            f"{loss.of} lost from {loss.at_s:g} s to {until}: no write-back meanwhile{half}; "
            f"{dirty} were dirty, {flushed}"
        )
    return said


def _ratio(above: npt.NDArray[Any], below: npt.NDArray[Any]) -> Floats:
    """``above / below``, NaN where ``below`` is zero."""
    result = np.full(len(below), np.nan)
    np.divide(above, below, out=result, where=below != 0, casting="unsafe")
    return result


def _ms(column: npt.NDArray[Any], completions: npt.NDArray[Any]) -> list[float | None]:
    """Nanoseconds as ms, null in intervals where nothing completed."""
    return _nullable(np.where(completions > 0, column / NS_PER_MS, np.nan))


def _nullable(values: Floats) -> list[float | None]:
    return [None if np.isnan(value) else float(value) for value in values]


def intervals(raw: Columns, levels: Sequence[str] = ()) -> pl.DataFrame:
    """The ``intervals`` table. Power is the mean over the interval, of all states of all drives.

    ``levels`` names the further power levels, in the order of their numbers.
    """
    span_s = (raw["end_ns"] - raw["start_ns"]) / NS_PER_S
    completions = raw["completions"]
    joules = {f"{state}_j": raw[f"energy_{state}_j"] for state in STATES}
    joules |= {f"{level}_j": raw[f"energy_level_{i}_j"] for i, level in enumerate(levels)}
    same = (
        "arrivals", "completions", "reads", "writes", "bytes_read", "bytes_written",
        "in_flight_mean", "queue_length_mean",
    )  # fmt: skip
    mean_ns = _ratio(raw["response_sum_ns"], completions)
    return frame(
        "intervals",
        {
            "start_s": raw["start_ns"] / NS_PER_S,
            "end_s": raw["end_ns"] / NS_PER_S,
            **{name: raw[name] for name in same},
            "response_mean_ms": _ms(mean_ns, completions),
            "response_max_ms": _ms(raw["response_max_ns"], completions),
            **{f"response_{p}_ms": _ms(raw[f"response_{p}_ns"], completions) for p in ("p50", "p95", "p99")},
            "power_w": _nullable(_ratio(np.sum(list(joules.values()), axis=0), span_s)),
            **{name: _nullable(values) for name, values in joules.items()},
        },
        levels,
    )


def latency(raw: Columns, workloads: list[str], volumes: list[str]) -> pl.DataFrame:
    """The ``latency`` table: one row per bin, by workload and direction.

    ``volumes`` are those of the workloads, in the same order.
    """
    return frame(
        "latency",
        {
            "workload": [workloads[i] for i in raw["workload"]],
            "volume": [volumes[i] for i in raw["workload"]],
            "op": [OPS[i] for i in raw["op"]],
            "low_ns": raw["low_ns"],
            "high_ns": raw["high_ns"],
            "count": raw["count"],
        },
    )


def energy(
    names: list[Mapping[str, Any]], measured: list[Mapping[str, Any]], levels: Sequence[str] = ()
) -> pl.DataFrame:
    """The ``energy`` table: one row per drive and state that it has.

    ``power_w`` is the mean power while in the state, null where it was never entered; that and the joules are
    null where its watts are not known.
    """
    columns: dict[str, list[Any]] = {
        key: [] for key in ("component", "kind", "state", "time_s", "power_w", "energy_j")
    }
    for name, device in zip(names, measured, strict=True):
        used = {state: (device["state_ns"][state], device["energy_j"][state]) for state in STATES}
        used |= {level: (ns, joules) for level, ns, joules in _at_levels(name, device, levels)}
        for state, (time_ns, joules) in used.items():
            time_s = time_ns / NS_PER_S
            columns["component"].append(name["name"])
            columns["kind"].append(name.get("kind", "hdd"))
            columns["state"].append(state)
            columns["time_s"].append(time_s)
            columns["power_w"].append(None if joules is None or time_s <= 0 else joules / time_s)
            columns["energy_j"].append(joules)
    return frame("energy", columns)


def devices(
    names: list[Mapping[str, Any]], summary: Mapping[str, Any], levels: Sequence[str] = ()
) -> pl.DataFrame:
    """The ``devices`` table: one row per drive. What a drive has no level for is null."""
    span_ns = summary["window"]["end_ns"] - summary["window"]["start_ns"]
    pairs = zip(names, summary["devices"], strict=True)
    rows = [_device(name, raw, span_ns, levels) for name, raw in pairs]
    keys = rows[0] if rows else {}
    return frame("devices", {key: [row[key] for row in rows] for key in keys}, levels)


def _flash(raw: Mapping[str, Any] | None) -> dict[str, Any]:
    """What the flash of an SSD did; null for disks."""
    if raw is None:
        return dict.fromkeys(f"flash_{key}" for key in FLASH)
    joules = {
        f"energy_{operation}_j": raw["energy_by_operation_j"][operation] for operation in FLASH_OPERATIONS
    }
    return {f"flash_{key}": joules[key] if key in joules else raw[key] for key in FLASH}


def _at_levels(
    name: Mapping[str, Any], raw: Mapping[str, Any], levels: Sequence[str]
) -> list[tuple[str, int, float | None]]:
    """The further power levels that a drive has: name, nanoseconds, joules."""
    every = zip(levels, raw.get("level_ns", ()), raw.get("level_j", ()), strict=True) if levels else ()
    return [found for found in every if found[0] in name.get("levels", ())]


def _device(
    name: Mapping[str, Any], raw: Mapping[str, Any], span_ns: int, levels: Sequence[str]
) -> dict[str, Any]:
    def over(key: str, count: str, scale: float = 1.0) -> float | None:
        return raw[key] / raw[count] / scale if raw[count] else None

    held = raw["commands_mean"]
    busy_ns = raw["state_ns"]["active"] + raw["state_ns"]["positioning"]
    same = (
        "queue_length_mean", "accesses", "reads", "writes", "seeks",
        "spin_ups", "spin_downs", "bytes_read", "bytes_written", "background_accesses",
        "buffer_hits",
    )  # fmt: skip
    at_levels: dict[str, float | None] = dict.fromkeys(f"time_{level}_s" for level in levels)
    at_levels |= dict.fromkeys(f"energy_{level}_j" for level in levels)
    for level, time_ns, joules in _at_levels(name, raw, levels):
        at_levels |= {f"time_{level}_s": time_ns / NS_PER_S, f"energy_{level}_j": joules}
    return {
        "name": name["name"],
        "model": name["model"],
        "pool": name["pool"],
        "utilisation": busy_ns / span_ns if span_ns else 0.0,
        **{key: raw[key] for key in same},
        "queue_length_seen": over("queue_seen_sum", "arrivals"),
        "queue_length_mean_host": None if held is None else max(0.0, raw["queue_length_mean"] - held),
        "queue_length_mean_drive": held,
        "seek_distance_mean_cylinders": over("seek_cylinders", "seeks"),
        "seek_s": raw["seek_ns"] / NS_PER_S,
        "rotation_s": raw["rotation_ns"] / NS_PER_S,
        "transfer_s": raw["transfer_ns"] / NS_PER_S,
        "service_time_mean_ms": over("service_ns", "accesses", NS_PER_MS),
        "response_time_mean_ms": over("response_ns", "accesses", NS_PER_MS),
        "wear_fraction": raw.get("wear_fraction"),
        **_flash(raw.get("flash")),
        **{f"time_{state}_s": raw["state_ns"][state] / NS_PER_S for state in STATES},
        **{f"energy_{state}_j": raw["energy_j"][state] for state in STATES},
        **at_levels,
        "energy_total_j": known_sum([*raw["energy_j"].values(), *raw["level_j"]]),
        "level_changes": raw["descents"],
        "delayed_accesses": raw["delayed"],
        "delay_s": raw["delay_ns"] / NS_PER_S,
        "batch_delay_s": raw["batch_delay_ns"] / NS_PER_S,
        **{f"cause_{cause}_j": raw["cause_j"][cause] for cause in CAUSES},
    }
