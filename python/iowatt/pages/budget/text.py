"""A latency budget on a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from iowatt.pages.budget import hops as drawn
from iowatt.pages.budget import words
from iowatt.pages.budget.figures import told
from iowatt.render import numbers

if TYPE_CHECKING:
    from rich.table import Table

Found = dict[str, Any]

#: What a terminal has room for; the page and --json have all.
_BANDS = ("p50", "p99", "p99.9")


def parts(found: Found) -> Iterator[Table | str]:
    """Tables and lines, in order."""
    for number, one in enumerate(found["classes"]):
        yield ("\n" if number else "") + _heading(one, found)
        yield _loads(one) if len(one["loads"]) > 1 else _hops(one)
    if found["level"] is not None:
        yield "\n" + "\n".join(line for one in found["classes"] for line in words.against(one, found))
    for note in found["notes"]:
        yield f"note: {note}"
    for line in words.validity(found):
        yield f"note: {line}"


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
    bands = [band for band in load["made_of"] if band["of"] in _BANDS]
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
    """Hops over the loads: waiting and service together, of the mean; small ones together."""
    loads = one["loads"]
    factor, unit = numbers.scale_for(max(load["response_ms"]["mean"] for load in loads), "ms")
    sums = [[hop["total_ms"] for hop in load["hops"]] for load in loads]
    chosen = drawn.shown([(each, [0.0] * len(each)) for each in sums])
    table = _table(f"{unit} at IOPS", *(numbers.significant(load["rate_iops"]) for load in loads))
    for at in chosen.alone:
        table.add_row(drawn.label(one["hops"][at]), *(_short(each[at] / factor) for each in sums))
    if chosen.others:
        table.add_row(
            "other hops", *(_short(sum(each[at] for at in chosen.others) / factor) for each in sums)
        )
    table.add_row("response time", *(_short(load["response_ms"]["mean"] / factor) for load in loads))
    if any(load["overloaded"] for load in loads):
        table.add_row("", *("overload" if load["overloaded"] else "" for load in loads))
    return table


def _short(value: float) -> str:
    return f"{value:.3f}" if value < 10 else numbers.significant(value)
