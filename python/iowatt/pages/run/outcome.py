"""What the parts of a system did, as tables from the summary: controller, cache, pools, instruments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from iowatt.pages.run import clusters, libraries, parity_logs, replication
from iowatt.render import numbers
from iowatt.render.figure import Cell, Column, Table, text_columns

Titled = tuple[str, Table]

_PARTS: Final = {
    "Processors": "processors",
    "Host link": "host_link",
    "Mirror link": "mirror_link",
    "Mesh": "mesh",
    "Write path": "write_path",
    "Back end": "back_end",
}
MOVEMENT: Final = {
    "reads": "Reads",
    "read_hits": "Reads served by the cache alone",
    "read_bytes": "Read in total",
    "read_hit_bytes": "Read from the cache",
    "writes": "Writes",
    "logged_writes": "Writes absorbed by the cache alone",
    "logged_bytes": "Written to the cache alone",
    "copied_bytes": "Copied to the cache",
    "destaged_bytes": "Destaged to data drives",
    "evictions": "Lines evicted",
    "dirty_bytes_at_end": "Dirty in the cache at the end",
    "migrations": "Extents moved",
    "migrated_bytes": "Bytes moved",
    "given_up": "Moves abandoned at the next period",
    "held_writes": "Writes held by a move",
    "off_loaded_writes": "Writes off-loaded to a log",
    "off_loaded_bytes": "Written to logs",
    "refused_writes": "Writes that woke their part: no log awake",
    "log_reads": "Reads served by logs",
    "log_read_bytes": "Read from logs",
    "superseded_bytes": "Overwritten before they were reclaimed",
    "reclaimed_bytes": "Reclaimed to their part",
    "log_bytes_most": "In logs at most",
    "log_bytes_at_end": "In logs at the end",
    "reclaims": "Reclaims",
    "drains": "Wake-ups forced by a full log or cache",
    "host_write_amplification": "Write amplification (zones over hosts)",
    "written_bytes": "Written to zones for hosts",
    "moved_bytes": "Moved by cleaning",
    "cleaning_read_bytes": "Read by cleaning",
    "modify_bytes": "Read for partial-unit writes",
    "unwritten_bytes": "Read of unwritten space",
    "zone_writes": "Zone writes for hosts",
    "read_transfers": "Zone reads for hosts",
    "zones_reset": "Zones reset",
    "stalls": "Stalls for a free zone",
    "stalled_ms": "Stall time (ms)",
}
"""Counts of schemes that move data by themselves, by their names in ``run.json``."""


def tables(summary: Mapping[str, Any]) -> list[Titled]:
    """Titled tables of what the Run has."""
    return [
        *_controller(summary),
        *_cache(summary),
        *_capacity(summary),
        *_movement(summary),
        *parity_logs.tables(summary),
        *libraries.tables(summary),
        *clusters.tables(summary),
        *replication.tables(summary),
        *_measured(summary),
    ]


def _controller(summary: Mapping[str, Any]) -> Iterator[Titled]:
    controller = summary.get("controller") or {}
    rows: list[list[Cell]] = [
        [
            title,
            part["requests"],
            numbers.percent(part["utilisation"]),
            numbers.with_unit(part["wait_mean_ms"], "ms"),
        ]
        for title, key in _PARTS.items()
        if (part := controller.get(key))
    ]
    columns = [Column("Part", text=True), Column("Requests"), Column("Busy", text=True)]
    if rows:
        yield "Controller activity", Table([*columns, Column("Mean wait", text=True)], rows)
    if losses := controller.get("losses"):
        yield "Losses", _losses(losses)
    if zeros := controller.get("zeros"):
        counts = {
            "Written": zeros["written_bytes"],
            "Read": zeros["read_bytes"],
            "Written to the drives later": zeros.get("given_up_bytes", 0),
        }
        yield (
            "Zeros not written to the drives",
            _pairs("Direction", "Zeros", {k: _bytes(v) for k, v in counts.items()}),
        )


def _losses(losses: Sequence[Mapping[str, Any]]) -> Table:
    def time(seconds: float | None) -> str:
        return numbers.NO_VALUE if seconds is None else numbers.duration(seconds)

    rows: list[list[Cell]] = [
        [
            loss["of"], time(loss["at_s"]), time(loss["back_s"]), _bytes(loss["dirty_bytes"]),
            time(loss["flushed_s"]), loss["written_through"],
        ]
        for loss in losses
    ]  # fmt: skip
    columns = text_columns("What", "Lost at", "Back at", "Dirty at the loss", "Destaged at")
    return Table([*columns, Column("Writes through")], rows)


def _cache(summary: Mapping[str, Any]) -> Iterator[Titled]:
    cache = summary.get("cache")
    if not cache:
        return
    rows: list[list[Cell]] = [
        [title, numbers.percent(cache[f"{kind}hit_ratio"]), numbers.percent(cache[f"{kind}hit_bytes_ratio"])]
        for title, kind in (("Reads", "read_"), ("Writes", "write_"), ("All", ""))
    ]
    yield (
        "Cache activity",
        Table(text_columns("Direction", "Hits, share of requests", "Hits, share of bytes"), rows),
    )
    flows = [flow for flow in summary.get("workloads", ()) if flow.get("cache")]
    if len(flows) > 1:
        keys = ("read_hit_ratio", "read_hit_bytes_ratio", "write_hit_ratio", "write_hit_bytes_ratio")
        rows = [[flow["name"], *(numbers.percent(flow["cache"][key]) for key in keys)] for flow in flows]
        titles = ("Workload", "Read hits", "of bytes read", "Write hits", "of bytes written")
        yield "Hits by workload", Table(text_columns(*titles), rows)
    yield "Cache and drives", _pairs("What", "Amount", _back_end(cache))


def _back_end(cache: Mapping[str, Any]) -> dict[str, str]:
    waits = numbers.count(cache["waits_for_space"])
    if cache["waits_for_space"]:
        waits += f", {numbers.with_unit(cache['space_wait_mean_ms'], 'ms')} on average"
    amounts = {
        "Read from drives": f"{numbers.count(cache['fetches'])} times, {_bytes(cache['fetched_bytes'])}",
        "Destaged": f"{numbers.count(cache['destages'])} times, {_bytes(cache['destaged_bytes'])}",
    }
    if ahead := cache.get("read_ahead"):
        used, wasted = numbers.percent(ahead["used_ratio"]), _bytes(ahead["wasted_bytes"])
        amounts["Of that, read ahead"] = f"{_bytes(ahead['bytes'])}, {used} used, {wasted} wasted"
    return {
        **amounts,
        "Overwritten while dirty": _bytes(cache.get("overwritten_bytes", 0)),
        "Dirty at the end": _bytes(cache["dirty_bytes_at_end"]),
        "Writes that waited for space": waits,
    }


def _capacity(summary: Mapping[str, Any]) -> Iterator[Titled]:
    """Virtual pools that reduce data, and the capacity of all; nothing where nothing is reduced."""
    reduced = [pool for pool in summary.get("virtual_pools") or () if pool.get("reduction")]
    for pool in reduced:
        (store,) = [tier for tier in summary["tiers"] if tier["virtual_pool"] == pool["name"]]
        counts = pool["reduction"]
        amounts = {
            "Pages written": numbers.count(counts["pages_written"]),
            "Of these, duplicates": numbers.percent(counts["duplicate_ratio"]),
            "Of these, first writes": numbers.count(counts["pages_allocated"]),
            "Reads of unwritten data, no I/O": _bytes(counts["unallocated_bytes_read"]),
            "Read for partial-page writes": _bytes(counts["modify_bytes_read"]),
            "Copied for snapshots": _bytes(counts["snapshot_copied_bytes"]),
            "Read from the part": _bytes(store["bytes_read"] + store["migration_bytes_read"]),
            "Written to the part": _bytes(store["bytes_written"] + store["migration_bytes_written"]),
            "Stored by hosts (logical), at the end": _bytes(counts["logical_bytes"]),
            "Stored physically, snapshots included": _bytes(counts["stored_bytes"]),
            f"Kept by snapshots ({counts['snapshots']} taken)": _bytes(counts["snapshot_bytes"]),
        }
        yield f"Capacity optimisation: {pool['name']}", _pairs("What", "Amount", amounts)
    if reduced:
        titles = {
            "Raw": "raw",
            "Usable, after redundancy": "usable",
            "Effective, at the ratios assumed": "effective",
        }
        capacity, efficiency = summary["capacity_gb"], summary["efficiency"]
        rows: list[list[Cell]] = [
            [title, capacity[key], efficiency[f"{key}_gb_per_w"]] for title, key in titles.items()
        ]
        yield "Capacity", Table([Column("Capacity", text=True), Column("GB"), Column("GB/W")], rows)


def _movement(summary: Mapping[str, Any]) -> Iterator[Titled]:
    """Virtual pools that move data to save power."""
    for pool in summary.get("virtual_pools") or ():
        if (counts := pool.get("data_movement")) is None:
            continue
        amounts = {
            title: numbers.with_unit(counts[name], "B", 4)
            if "bytes" in name.split("_")
            else numbers.significant(counts[name])
            if isinstance(counts[name], float)
            else numbers.count(counts[name])
            for name, title in MOVEMENT.items()
            if counts.get(name) is not None
        }
        for number, requests in enumerate(counts.get("requests_by_part", ())):
            amounts[f"Requests to part {number}"] = numbers.count(requests)
        yield f"Data moved by {pool['name']}", _pairs("What", "Count", amounts)


def _measured(summary: Mapping[str, Any]) -> Iterator[Titled]:
    """The load generator and the instruments; nothing of a simulation."""
    if driver := summary.get("driver"):
        yield "Load generator", _pairs("What", "How", _load_generator(driver))
        if driver["shares"]:
            columns = [
                Column("Stream", text=True),
                Column("Asked", "%"),
                Column("Observed", "%"),
                Column("Off", "points"),
            ]
            shares: list[list[Cell]] = [
                [share["stream"], share["asked"], share["observed"], share["observed"] - share["asked"]]
                for share in driver["shares"]
            ]
            yield "Shares of the streams", Table(columns, shares)
    if not (instruments := summary.get("instruments")):
        return
    heads = ("Instrument", "Reads", "Kind", "Model", "Serial", "Calibrated", "Grade", "Because")
    rows: list[list[Cell]] = [
        [
            *(meter[key] for key in ("name", "role", "kind", "model", "serial", "calibrated")),
            "Emerald grade" if meter["grade"] == "emerald" else "indicative", meter["why"],
        ]
        for meter in instruments
    ]  # fmt: skip
    yield "Instruments", Table(text_columns(*heads), rows)
    problems: list[list[Cell]] = [
        [
            meter["name"], problem["kind"],
            None if problem["at_s"] is None else f"{problem['at_s']:.0f} s", problem["text"],
        ]
        for meter in instruments
        for problem in meter["problems"]
    ]  # fmt: skip
    if problems:
        yield (
            "Problems of the instruments",
            Table(text_columns("Instrument", "Problem", "At", "What"), problems),
        )


def _load_generator(driver: Mapping[str, Any]) -> dict[str, str]:
    asked = driver["asked_iops"]
    facts = {
        "Program": driver["version"],
        "Asked for": "as fast as it could" if asked is None else numbers.with_unit(asked, "IOPS"),
        "Achieved": numbers.with_unit(driver["achieved_iops"], "IOPS"),
    }
    if reported := driver.get("reported"):
        units = {"iops": "IOPS", "mib_per_s": "MiB/s", "response_mean_ms": "ms"}
        figures = [
            numbers.with_unit(reported[key], unit) for key, unit in units.items() if reported[key] is not None
        ]
        facts["Its own summary"] = ", ".join(figures)
    if driver["histogram"]:
        facts["Response-time histogram"] = driver["histogram"]
    return facts


def _pairs(first: str, second: str, pairs: Mapping[str, str]) -> Table:
    return Table(text_columns(first, second), [[name, value] for name, value in pairs.items()])


def _bytes(count: int) -> str:
    return numbers.with_unit(count, "B")
