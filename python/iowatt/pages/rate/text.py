"""The highest rate as text."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from iowatt.base.digits import apart
from iowatt.render import numbers

Found = Mapping[str, Any]


def lines(found: Found) -> Iterator[str]:
    """A document ``iowatt.rate/1`` for people."""
    yield f"{found['scenario']}: {answer(found)}"
    yield f"  limit: {limit(found)}; tolerance {_percent(found['tolerance'])}"
    if said := interval(found):
        yield f"  {said}"
    yield f"  {response(found)}"
    if said := figures(found):
        yield f"  at this rate: {said}"
    yield ""
    yield from _points(found)
    yield ""
    yield f"{runs(found)}"
    for note in found["notes"]:
        yield f"note: {note}"


def answer(found: Found) -> str:
    """What was found, in a line."""
    whose = f" of {', '.join(found['workloads'])}" if found["workloads"] else ""
    settled = "" if found["settled"] else ", not settled"
    if found["loop"] == "closed":
        return (
            f"a closed loop of {shown(found['outstanding'])} outstanding requests makes "
            f"{shown(found['rate_iops'])} requests per second at the limit{settled}"
        )
    over = found["beyond_iops"]
    beyond = "" if over is None else f"; {apart(over, found['rate_iops'], 4)} is over"
    return f"{shown(found['rate_iops'])} requests per second{whose} are within the limit{beyond}{settled}"


def limit(found: Found) -> str:
    """The limit in words."""
    name = "mean response time" if found["statistic"] == "mean" else f"{found['statistic']} of response times"
    also = [
        f"{found[key]:g} ms of {what}"
        for key, what in (("read_limit_ms", "reads"), ("write_limit_ms", "writes"))
        if found[key] is not None
    ]
    return f"{name} {found['limit_ms']:g} ms" + (f", {' and '.join(also)}" if also else "")


def interval(found: Found) -> str:
    """Where the limit is met, and how well that is known; empty where runs do not tell."""
    if found["crossing_iops"] is None or found["loop"] == "closed":
        return ""
    said = f"the limit is met at {shown(found['crossing_iops'])} requests per second"
    between = found["crossing_ci95_iops"]
    if between is None:
        return said
    by = (
        f"{found['replications']} seeds, Student's t"
        if found["interval_by"] == "replications"
        else "batch means of one seed"
    )
    return f"{said}, 95 % interval {shown(between[0])} to {shown(between[1])} ({by})"


def response(found: Found) -> str:
    """The response time at the rate found."""
    half = found["response_half_width_ms"]
    around = "" if half is None else f" +- {numbers.significant(half, 2)}"
    return f"response time at the rate: {shown(found['response_ms'])}{around} ms"


def figures(found: Found) -> str:
    """Power and efficiency at the rate found."""
    row = found["at_rate"] or {}
    at_wall = row.get("power_w.wall_mean") is not None
    watts = row.get("power_w.wall_mean") if at_wall else row.get("power_w.mean")
    parts = []
    if watts is not None:
        parts.append(f"{shown(watts)} W{' at the wall' if at_wall else ''}")
    if row.get("efficiency.iops_per_w") is not None:
        parts.append(f"{shown(row['efficiency.iops_per_w'])} IOPS/W")
    if row.get("devices.utilisation.mean") is not None:
        parts.append(f"drives busy {_percent(row['devices.utilisation.mean'])}")
    return ", ".join(parts)


def runs(found: Found) -> str:
    """How many runs it took."""
    if found["loop"] == "closed":
        return f"{found['runs']} runs of closed loops, all with the same seed"
    seeds = len(found["seeds"])
    said = f"{found['runs']} runs"
    if seeds > 1:
        said += f", the last {sum(p['runs'] > 1 for p in found['points'])} rates with {seeds} seeds each"
    return said + "; the same seeds at every rate"


def shown(value: float | None) -> str:
    """Four significant digits."""
    return numbers.NO_VALUE if value is None else numbers.significant(value, 4)


def nearest(found: Found) -> Mapping[str, Any]:
    """The population of a closed loop that was run nearest the limit."""
    known = [point for point in found["points"] if point["kind"] != "probe" and point["response_ms"]]
    return min(known, key=lambda point: abs(math.log(point["response_ms"] / found["limit_ms"])))


def progress(point: Any) -> str:
    """A rate as it is finished."""
    asked = (
        f"closed loop, {point.outstanding} outstanding"
        if point.rate is None
        else f"{shown(point.rate)} asked"
    )
    time = "nothing completed" if point.response_s is None else f"{shown(point.response_s * 1e3)} ms"
    verdict = "" if point.verdict is None else f", {point.verdict}"
    return f"{asked}: {shown(point.achieved)} IOPS, {time}{verdict}"


def cells(point: Mapping[str, Any]) -> list[str]:
    """A point's cells: asked, achieved, response time, requests of a run, runs, verdict."""
    rate, half = point["rate_iops"], point["half_width_ms"]
    response_ms = shown(point["response_ms"])
    if half is not None:
        response_ms += f" +- {numbers.significant(half, 2)}"
    return [
        f"{point['outstanding']} outstanding" if rate is None else shown(rate),
        shown(point["achieved_iops"]),
        response_ms,
        numbers.count(point["requests"]),
        str(point["runs"]),
        point["verdict"] or point["kind"],
    ]


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


_HEADING = ["asked IOPS", "achieved IOPS", "response ms", "requests", "seeds", "verdict"]


def _points(found: Found) -> Iterator[str]:
    rows = [_HEADING, *(cells(point) for point in found["points"])]
    widths = [max(len(row[at]) for row in rows) for at in range(len(_HEADING))]
    last = max(
        (at for at, point in enumerate(found["points"]) if point["rate_iops"] == found["rate_iops"]),
        default=-1,
    )
    if found["loop"] == "closed":
        last = found["points"].index(nearest(found))
    for at, row in enumerate(rows, start=-1):
        padded = "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        yield f"  {'*' if at == last and last >= 0 else ' '} {padded}".rstrip()
