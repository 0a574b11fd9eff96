"""The controller of a run: what it is, from the plan, and what it did, from the summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from iowatt.model.scenario import cache_policies
from iowatt.render import numbers
from iowatt.render.figure import Cell, Column, Table

_WRITES = {
    "back": "write-back",
    "through": "write-through",
    "around": "write-around",
}
_TRANSFERS: dict[str, list[str]] = {
    "mixed": [],
    "whole": ["whole lines read and written"],
    "needed": ["only what is needed is read and written"],
}


_PARTS = {
    "Processors": "processors",
    "Host link": "host_link",
    "Mirror link": "mirror_link",
    "Write path": "write_path",
    "Back end": "back_end",
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
            if taken := _of_paths(processing):
                rows.append(["Requests over paths", taken])
        if bandwidth := controller.get("host_bandwidth_bytes_per_s"):
            rows.append(["Host link", f"{numbers.with_unit(bandwidth, 'B')}/s"])
        if split := controller.get("split"):
            most = f"{split['outstanding']:,} of a request at a time"
            rows.append(["Large requests", f"in pieces of {numbers.binary(split['bytes'])}, {most}"])
        if controller.get("zero_detect"):
            rows.append(["Writes of zeros", "detected, kept from the drives"])
        if cache := controller.get("cache"):
            rows.append(["Cache", _cache(cache)])
            rows.extend(_beside(cache))
        rows.extend(_back_end_of(controller.get("back_end")))
        rows.extend(["Loss", _loss(loss)] for loss in controller.get("losses", ()))
    return Table([Column("Part", text=True), Column("What", text=True)], rows)


def _of_paths(processing: Mapping[str, Any]) -> str:
    """What only requests over a path cost the processors."""
    parts = []
    if ready := processing.get("ready_s"):
        parts.append(f"{numbers.duration(ready)} to allocate room for a write")
    if interrupt := processing.get("interrupt_s"):
        parts.append(f"{numbers.duration(interrupt)} an interrupt")
    if held := processing.get("moderation_s"):
        most = processing["moderation_count"]
        parts.append(f"interrupts held back {numbers.duration(held)} or until there are {most}")
    return ", ".join(parts)


def _cache(cache: Mapping[str, Any]) -> str:
    parts = [
        f"{numbers.binary(cache['capacity_bytes'])} in lines of {numbers.binary(cache['line_bytes'])}",
        cache_policies.replacement_text(cache["replacement"]),
        _WRITES[cache["write"]],
    ]
    if not cache["read"]:
        parts.append("misses are not kept")
    if cache["write"] == "back":
        high, low = (numbers.percent(cache[key]) for key in ("high_watermark", "low_watermark"))
        most = numbers.binary(cache["destage_bytes"])
        if cache.get("destage") == "utilisation":
            parts.append(
                f"destaged by utilisation between {low} and {high} dirty, hot lines stay, {most} at most"
            )
        else:
            parts.append(f"destaged from {high} down to {low} dirty, {most} at most at a time")
    parts.extend(_TRANSFERS[cache.get("transfers", "mixed")])
    return ", ".join(parts)


def _beside(cache: Mapping[str, Any]) -> list[list[Cell]]:
    rows: list[list[Cell]] = []
    if ahead := cache.get("read_ahead"):
        first, most = (numbers.binary(ahead[f"{which}_bytes"]) for which in ("least", "most"))
        rows.append(["Read-ahead", f"{first} to {most}, of {ahead['streams']:,} streams at most"])
    if mirror := cache.get("mirror"):
        rate = numbers.with_unit(mirror["bandwidth_bytes_per_s"], "B")
        rows.append(["Mirror link", f"{rate}/s, {numbers.duration(mirror['latency_s'])} to the answer"])
    return rows


def _back_end_of(back: Mapping[str, Any] | None) -> list[list[Cell]]:
    rows: list[list[Cell]] = []
    if back and back["write_command_s"]:
        time = numbers.duration(back["write_command_s"])
        rows.append(["Write path", f"{back['write_processors']:,}; {time} a command made for a write"])
    if back and back["command_s"]:
        time = numbers.duration(back["command_s"])
        rows.append(["Back end", f"{back['processors']:,}; {time} a command to a drive"])
    return rows


def _loss(loss: Mapping[str, Any]) -> str:
    back = "" if loss["back_s"] is None else f", back at {numbers.duration(loss['back_s'])}"
    return f"{loss['of']} at {numbers.duration(loss['at_s'])}{back}"


def outcome(summary: Mapping[str, Any]) -> list[tuple[str, Table]]:
    """Titled tables of what the controller and the cache did; only those that the run has."""
    tables = []
    if parts := summary.get("controller"):
        rows: list[list[Cell]] = [
            [title, part["requests"], numbers.percent(part["utilisation"]), _ms(part["wait_mean_ms"])]
            for title, key in _PARTS.items()
            if (part := parts.get(key))
        ]
        columns = [Column("Part", text=True), Column("Requests"), Column("Busy", text=True)]
        if rows:
            tables.append(("Controller at work", Table([*columns, Column("Mean wait", text=True)], rows)))
        if parts.get("losses"):
            tables.append(("Losses", _losses(parts["losses"])))
        if zeros := parts.get("zeros"):
            tables.append(("Zeros kept from the drives", _zeros(zeros)))
    if cache := summary.get("cache"):
        tables.append(("Cache at work", _hits(cache)))
        if len(flows := [flow for flow in summary.get("workloads", ()) if flow.get("cache")]) > 1:
            tables.append(("Hits by workload", _hits_by(flows)))
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
        *_of_ahead(cache.get("read_ahead")),
        ["Overwritten while dirty", _bytes(cache.get("overwritten_bytes", 0))],
        ["Dirty at the end", _bytes(cache["dirty_bytes_at_end"])],
        ["Writes that waited for space", _waits(cache)],
    ]
    return Table([Column("What", text=True), Column("How much", text=True)], rows)


def _of_ahead(ahead: Mapping[str, Any] | None) -> list[list[Cell]]:
    if not ahead:
        return []
    used = f"{_share(ahead['used_ratio'])} used, {_bytes(ahead['wasted_bytes'])} wasted"
    return [["Of that, ahead of reads", f"{_bytes(ahead['bytes'])}, {used}"]]


def _hits_by(flows: Sequence[Mapping[str, Any]]) -> Table:
    keys = ("read_hit_ratio", "read_hit_bytes_ratio", "write_hit_ratio", "write_hit_bytes_ratio")
    rows: list[list[Cell]] = [[flow["name"], *(_share(flow["cache"][key]) for key in keys)] for flow in flows]
    titles = ("Workload", "Read hits", "of bytes read", "Write hits", "of bytes written")
    return Table([Column(title, text=True) for title in titles], rows)


def _losses(losses: Sequence[Mapping[str, Any]]) -> Table:
    def at(seconds: float | None) -> str:
        return numbers.NO_VALUE if seconds is None else numbers.duration(seconds)

    rows: list[list[Cell]] = [
        [
            loss["of"],
            at(loss["at_s"]),
            at(loss["back_s"]),
            _bytes(loss["dirty_bytes"]),
            at(loss["flushed_s"]),
            loss["written_through"],
        ]
        for loss in losses
    ]
    titles = ("What", "Lost at", "Back at", "Dirty then", "On the drives at")
    return Table([*(Column(title, text=True) for title in titles), Column("Writes through")], rows)


def _zeros(zeros: Mapping[str, Any]) -> Table:
    rows: list[list[Cell]] = [
        ["Written", _bytes(zeros["written_bytes"])],
        ["Read", _bytes(zeros["read_bytes"])],
        ["Written to the drives later", _bytes(zeros.get("given_up_bytes", 0))],
    ]
    return Table([Column("Direction", text=True), Column("Zeros", text=True)], rows)


def _waits(cache: Mapping[str, Any]) -> str:
    waits = numbers.count(cache["waits_for_space"])
    return f"{waits}, {_ms(cache['space_wait_mean_ms'])} on average" if cache["waits_for_space"] else waits


def _bytes(count: int) -> str:
    return numbers.with_unit(count, "B")


def _share(ratio: float | None) -> str:
    return numbers.NO_VALUE if ratio is None else numbers.percent(ratio)


def _ms(value: float | None) -> str:
    return numbers.NO_VALUE if value is None else numbers.with_unit(value, "ms")
