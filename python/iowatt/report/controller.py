"""The controller of a run: what it is, from the plan, and what it did, from the summary."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from iowatt.report import numbers
from iowatt.report.figures.figure import Cell, Column, Table
from iowatt.scenario import replacement

_WRITES = {
    "back": "write-back",
    "through": "write-through",
    "around": "write-around",
}


def described(controller: Mapping[str, Any] | None) -> Table:
    """The parts of the controller, one row each; no rows where there is none."""
    rows: list[list[Cell]] = []
    if controller:
        if processing := controller.get("processing"):
            times = [numbers.duration(processing[key]) for key in ("read_s", "write_s")]
            rows.append(
                ["Processors", f"{processing['processors']:,}; {times[0]} a read, {times[1]} a write"]
            )
        if bandwidth := controller.get("host_bandwidth_bytes_per_s"):
            rows.append(["Host link", f"{numbers.with_unit(bandwidth, 'B')}/s"])
        if cache := controller.get("cache"):
            rows.append(["Cache", _cache(cache)])
    return Table([Column("Part", text=True), Column("What", text=True)], rows)


def _cache(cache: Mapping[str, Any]) -> str:
    parts = [
        f"{numbers.binary(cache['capacity_bytes'])} in lines of {numbers.binary(cache['line_bytes'])}",
        replacement.shown(cache["replacement"]),
        _WRITES[cache["write"]],
    ]
    if not cache["read"]:
        parts.append("misses are not kept")
    if cache["write"] == "back":
        high, low = (numbers.percent(cache[key]) for key in ("high_watermark", "low_watermark"))
        most = numbers.binary(cache["destage_bytes"])
        parts.append(f"destaged from {high} down to {low} dirty, {most} at most at a time")
    return ", ".join(parts)


def outcome(summary: Mapping[str, Any]) -> list[tuple[str, Table]]:
    """Titled tables of what the controller and the cache did; only those that the run has."""
    tables = []
    if parts := summary.get("controller"):
        rows: list[list[Cell]] = [
            [title, part["requests"], numbers.percent(part["utilisation"]), _ms(part["wait_mean_ms"])]
            for title, part in (("Processors", parts["processors"]), ("Host link", parts["host_link"]))
            if part
        ]
        columns = [Column("Part", text=True), Column("Requests"), Column("Busy", text=True)]
        tables.append(("Controller at work", Table([*columns, Column("Mean wait", text=True)], rows)))
    if cache := summary.get("cache"):
        tables.append(("Cache at work", _hits(cache)))
        tables.append(("Cache and drives", _back_end(cache)))
    return tables


def _hits(cache: Mapping[str, Any]) -> Table:
    rows: list[list[Cell]] = [
        [title, _share(cache[f"{kind}hit_ratio"]), _share(cache[f"{kind}hit_bytes_ratio"])]
        for title, kind in (("Reads", "read_"), ("Writes", "write_"), ("All", ""))
    ]
    columns = ("Direction", "Hits, share of requests", "Hits, share of bytes")
    return Table([Column(title, text=True) for title in columns], rows)


def _back_end(cache: Mapping[str, Any]) -> Table:
    rows: list[list[Cell]] = [
        ["Read from drives", f"{numbers.count(cache['fetches'])} times, {_bytes(cache['fetched_bytes'])}"],
        ["Destaged", f"{numbers.count(cache['destages'])} times, {_bytes(cache['destaged_bytes'])}"],
        ["Dirty at the end", _bytes(cache["dirty_bytes_at_end"])],
        ["Writes that waited for space", _waits(cache)],
    ]
    return Table([Column("What", text=True), Column("How much", text=True)], rows)


def _waits(cache: Mapping[str, Any]) -> str:
    waits = numbers.count(cache["waits_for_space"])
    return f"{waits}, {_ms(cache['space_wait_mean_ms'])} on average" if cache["waits_for_space"] else waits


def _bytes(count: int) -> str:
    return numbers.with_unit(count, "B")


def _share(ratio: float | None) -> str:
    return numbers.NO_VALUE if ratio is None else numbers.percent(ratio)


def _ms(value: float | None) -> str:
    return numbers.NO_VALUE if value is None else numbers.with_unit(value, "ms")
