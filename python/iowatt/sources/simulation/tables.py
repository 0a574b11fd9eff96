"""The tables of a simulated Run: indices get their names, nanoseconds become seconds or ms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from iowatt.run.record import Tables
from iowatt.run.statistics import known_sum
from iowatt.run.tables import CAUSES, FLASH, FLASH_OPERATIONS, POINTS, SERIES, STATES, frame
from iowatt.sources.simulation.counts import NS_PER_S, Columns, slots, space_names

if TYPE_CHECKING:
    import polars as pl

    from iowatt.run.idle_spool import IdleSpool

NS_PER_MS = 1e6
OPS = ("read", "write")
Floats = npt.NDArray[np.float64]


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
        idle=idle
        if idle is not None or "idle" not in raw
        else frame("idle", {**raw["idle"], "cut": raw["idle"]["cut"] != 0}),
        idle_short=frame("idle_short", raw["idle_short"]) if "idle_short" in raw else None,
        heat=heat_table(names, raw["heat"]) if "heat" in raw else None,
        **path_tables(names, raw),
    )


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


def path_tables(names: Mapping[str, Any], raw: Mapping[str, Any]) -> dict[str, Any]:
    """The tables ``series`` and ``hops``; None where the simulator returned none."""
    return {
        "series": _series_when_read(raw, names["workloads"]) if "series" in raw else None,
        "hops": hops(raw["hops"], names) if names.get("paths") and "hops" in raw else None,
    }


def _series_when_read(raw: Mapping[str, Any], workloads: Sequence[str]) -> pl.LazyFrame:
    """The table ``series``, made for those who read it: a point of a sweep does not."""
    from iowatt.base import frames

    return frames.lazy(lambda: iter([series(raw["series"], raw["series_bins"], workloads)]), SERIES)


def series(raw: Columns, bins: Columns, workloads: Sequence[str]) -> pl.DataFrame:
    """The table ``series``: a row by point, workload, direction and block; ``bins`` are theirs in order."""
    import polars as pl

    held = raw["bins"].astype(np.int64)
    rows = len(held)
    # Of every row its bins as a list: rows without any are empty lists, not nulls.
    flat = pl.DataFrame(
        {
            "row": np.repeat(np.arange(rows, dtype=np.uint32), held),
            **{name: np.asarray(bins[name], dtype=np.uint64) for name in ("low_ns", "high_ns", "count")},
        }
    )
    lists = flat.group_by("row", maintain_order=True).agg("low_ns", "high_ns", "count")
    every = pl.DataFrame({"row": np.arange(rows, dtype=np.uint32)})
    lists = every.join(lists, on="row", how="left", maintain_order="left")
    return frame(
        "series",
        {
            "point": pl.Series(POINTS, dtype=pl.String)[raw["point"]],
            "workload": pl.Series(workloads, dtype=pl.String)[raw["workload"]],
            "op": pl.Series(OPS, dtype=pl.String)[raw["way"]],
            "start_s": raw["start_ns"] / NS_PER_S,
            "end_s": raw["end_ns"] / NS_PER_S,
            **{name: raw[name] for name in ("count", "sum_ns", "max_ns")},
            "low_ns": lists["low_ns"].fill_null([]),
            "high_ns": lists["high_ns"].fill_null([]),
            "bin_count": lists["count"].fill_null([]),
        },
    )


def hops(raw: Columns, names: Mapping[str, Any]) -> pl.DataFrame:
    """The table ``hops``: where the time of requests went, by path, workload, direction and bin."""
    import polars as pl

    known = [slots(path) for path in names["paths"]]
    where = [known[path][slot] for path, slot in zip(raw["path"], raw["slot"], strict=True)]
    titles = pl.Series([path["name"] for path in names["paths"]], dtype=pl.String)
    return frame(
        "hops",
        {
            "path": titles[raw["path"]],
            "workload": pl.Series(names["workloads"], dtype=pl.String)[raw["workload"]],
            "op": pl.Series(OPS, dtype=pl.String)[raw["way"]],
            "hop": [hop for hop, _, _ in where],
            "place": [place for _, place, _ in where],
            "way": [way for _, _, way in where],
            **{name: raw[name] for name in ("low_ns", "high_ns", "requests", "wait_ns", "service_ns")},
        },
    )
