"""What copies on remote arrays did, as tables from the summary."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from iowatt.base.units import format_bytes
from iowatt.render import numbers
from iowatt.render.figure import Cell, Table, text_columns


def tables(summary: Mapping[str, Any]) -> Iterator[tuple[str, Table]]:
    """Of each replication what was sent and how far the copy was behind, and where a shipment's time went."""
    for one in summary.get("replications") or ():
        title = f"Replication {one['name']}"
        rows: list[list[Cell]] = [[what, how_much] for what, how_much in _amounts(one).items()]
        yield title, Table(text_columns("Item", "Amount"), rows)
        hops: list[list[Cell]] = [
            [f"{hop['hop']} {hop['way']}".strip(), *(numbers.with_unit(hop[key], "ms") for key in _MEANS)]
            for hop in one["shipment"]
        ]
        if hops:
            yield f"{title}: a shipment", Table(text_columns("Hop", "Mean wait", "Mean service"), hops)


_MEANS = ("wait_mean_ms", "service_mean_ms")


def _amounts(one: Mapping[str, Any]) -> dict[str, str]:
    lag = one["lag"]
    amounts = {
        "Volumes": f"{', '.join(one['volumes'])}, {one['mode']}",
        "Writes": _counted(one["writes"], one["written_bytes"]),
        "At the remote array": _counted(one["shipped"], one["shipped_bytes"]),
        "Lag, mean": _behind(lag["mean_s"], lag["mean_bytes"]),
        "Lag, maximum": _behind(lag["max_s"], lag["max_bytes"]),
        "Lag, at the end": _behind(lag["end_s"], lag["end_bytes"]),
        "Resent after losing the path": numbers.count(one["resent"]),
        "Writes that waited for path or journal": numbers.count(one["held"]),
    }
    if one["held"]:
        mean = numbers.with_unit(one["held_mean_ms"], "ms")
        amounts["Writes that waited for path or journal"] += f", {mean} on average"
    if one["mode"] == "journal":
        amounts["Journal overflows"] = numbers.count(one["overflows"])
    if one["mode"] == "cycles":
        late = numbers.count(one["late_cycles"])
        amounts["Cycles"] = f"{numbers.count(one['cycles'])}, {late} ended after the next was due"
    for number, span in enumerate(one["suspensions"], 1):
        until = span["until_s"]
        end = "not by the end of the run" if until is None else f"at {numbers.duration(until)}"
        amounts[f"Suspension {number}"] = f"at {numbers.duration(span['from_s'])}, resynchronized {end}"
    return amounts


def _counted(count: int, size: float) -> str:
    return f"{numbers.count(count)}, {format_bytes(round(size))}"


def _behind(seconds: float, size: float) -> str:
    return f"{numbers.duration(seconds)}, {format_bytes(round(size))}"
