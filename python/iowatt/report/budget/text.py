"""A latency budget on a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from iowatt.report import numbers
from iowatt.report.budget import words
from iowatt.report.figures import hops as drawn
from iowatt.report.figures.budget import told

if TYPE_CHECKING:
    from rich.table import Table

Found = dict[str, Any]


def parts(found: Found) -> Iterator[Table | str]:
    """Tables and lines, in order."""
    for one in found["classes"]:
        yield _heading(one, found)
        yield _loads(one) if len(one["loads"]) > 1 else _hops(one)
    if found["level"] is not None:
        yield "\n".join(line for one in found["classes"] for line in words.against(one, found))
    for note in found["notes"]:
        yield f"note: {note}"
    for line in dict.fromkeys(said for one in found["classes"] for said in _validity(one)):
        yield f"note: {line}"


def _validity(one: Found) -> list[str]:
    return list(one["against"]["validity"]) if one["against"] else []


def _heading(one: Found, found: Found) -> str:
    load = told(one)
    times = ", ".join(
        f"{name} {numbers.with_unit(value, 'ms')}" for name, value in load["response_ms"].items()
    )
    rate = numbers.with_unit(load["own_iops"], "IOPS")
    return f"{one['path']}, {one['name']}: {times}; {numbers.count(load['requests'])} requests at {rate}"


def _table(*columns: str) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for number, column in enumerate(columns):
        table.add_column(column, justify="left" if number == 0 else "right", no_wrap=number == 0)
    return table


def _hops(one: Found) -> Table:
    load = told(one)
    bands = [band for band in load["made_of"] if band["of"].startswith("p")]
    table = _table("hop", "busy", "waiting", "service", "share", *(band["of"] for band in bands))
    for at, hop in enumerate(load["hops"]):
        if not hop["total_ms"]:
            continue
        shares = [
            numbers.percent((band["waiting_ms"][at] + band["service_ms"][at]) / band["response_ms"])
            if band["response_ms"]
            else numbers.NO_VALUE
            for band in bands
        ]
        table.add_row(
            drawn.label(hop),
            numbers.percent(hop["utilisation"]),
            numbers.with_unit(hop["waiting_ms"], "ms"),
            numbers.with_unit(hop["service_ms"], "ms"),
            numbers.percent(hop["share"]),
            *shares,
        )
    return table


def _loads(one: Found) -> Table:
    """Hops over the loads: waiting and service together, of the mean."""
    loads = one["loads"]
    table = _table("hop, ms", *(f"{numbers.significant(load['rate_iops'])} IOPS" for load in loads))
    for at, hop in enumerate(one["hops"]):
        if any(load["hops"][at]["total_ms"] for load in loads):
            table.add_row(
                drawn.label(hop), *(numbers.significant(load["hops"][at]["total_ms"]) for load in loads)
            )
    means = [numbers.significant(load["response_ms"]["mean"]) for load in loads]
    table.add_row("response time", *means)
    if any(load["overloaded"] for load in loads):
        table.add_row("", *("overloaded" if load["overloaded"] else "" for load in loads))
    return table
