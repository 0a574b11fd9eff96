"""A calibration as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from iowatt.render import numbers

_HEADINGS: Final = {
    "limit": ("asked IOPS", "achieved IOPS", "response ms", "verdict"),
    "share": ("asked IOPS", "achieved IOPS", "response ms", "verdict"),
    "throughput": ("streams", "outstanding", "MiB/s", "response ms"),
}


def lines(found: Mapping[str, Any]) -> Iterator[str]:
    """``calibration.json`` for people."""
    yield f"{found['name']}: calibrated by {found['tool']}"
    if found["limit"] is not None:
        yield f"  {limit(found['limit'])}"
    for text in (one["text"] for one in found["deviations"]):
        yield f"  NON-COMPLIANT: {text}"
    for phase in found["phases"]:
        yield ""
        yield f"{phase['phase']}: {answer(phase)}"
        if phase["points"]:
            yield from _points(phase)
        for text in phase["notes"]:
            yield f"  note: {text}"
    if found["caveat"]:
        yield ""
        yield found["caveat"]
    for text in found["notes"]:
        yield f"note: {text}"


def limit(given: Mapping[str, Any]) -> str:
    """The limit with where it comes from."""
    text = f"limit of the mean response time of random phases: {given['response_mean_ms']:g} ms"
    if given["margin"]:
        text += f", of which {100 * given['margin']:.3g} % is kept free"
    if given["rule"] is None:
        return f"{text} (given by hand)"
    return f"{text} ({given['rule']}, {'verified' if given['verified'] else 'UNVERIFIED'})"


def answer(phase: Mapping[str, Any]) -> str:
    """What was found, in a line."""
    chosen = phase["chosen"]
    if chosen is None:
        return "nothing found"
    response = "" if chosen["response_ms"] is None else f" at {shown(chosen['response_ms'])} ms"
    settled = "" if phase["settled"] else ", not settled"
    if phase["method"] == "throughput":
        return (
            f"{shown(chosen['mib_per_s'])} MiB/s with {chosen['outstanding']} outstanding over "
            f"{streams(chosen['streams'])}{response}{settled}"
        )
    return f"{chosen['rate_iops']:g} IOPS{response}{settled}"


def streams(number: int) -> str:
    """Sequential cursors in words."""
    return "1 stream" if number == 1 else f"{number} streams"


def shown(value: float | None) -> str:
    """Four significant digits."""
    return numbers.NO_VALUE if value is None else numbers.significant(value, 4)


def progress(phase: str, row: Any) -> str:
    """A point as it is finished."""
    made = row.outcome
    if row.rate_iops is None:
        over = "" if row.streams is None else f" over {streams(row.streams)}"
        asked = f"{row.outstanding} outstanding{over}"
    else:
        asked = f"{row.rate_iops:g} IOPS"
    response = "no response time" if made.response_s is None else f"{shown(made.response_s * 1e3)} ms"
    verdict = "" if row.verdict is None else f", {row.verdict}"
    kind = "" if row.kind == "search" else f" ({row.kind})"
    got = f"{shown(made.iops)} IOPS, {shown(made.mib_per_s)} MiB/s, {response}"
    return f"{phase}{kind}: {asked} -> {got}{verdict}"


def cells(phase: Mapping[str, Any], point: Mapping[str, Any]) -> list[str]:
    """A point's cells under the headings of its method."""
    response = shown(point["response_ms"])
    if point["response_half_width_ms"] is not None:
        response += f" +- {numbers.significant(point['response_half_width_ms'], 2)}"
    if phase["method"] == "throughput":
        return [str(point["streams"]), str(point["outstanding"]), shown(point["mib_per_s"]), response]
    rate = point["rate_iops"]
    asked = f"{point['outstanding']} outstanding" if rate is None else f"{rate:g}"
    return [asked, shown(point["achieved_iops"]), response, point["verdict"] or point["kind"]]


def _points(phase: Mapping[str, Any]) -> Iterator[str]:
    rows = [list(_HEADINGS[phase["method"]])]
    chosen = (phase["chosen"] or {}).get("number")
    rows += [cells(phase, point) for point in phase["points"]]
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    marks = ["", *("*" if point["number"] == chosen else "" for point in phase["points"])]
    for row, mark in zip(rows, marks, strict=True):
        padded = "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        yield f"  {mark:1} {padded}".rstrip()
    yield f"  a point: {phase['point']}"
