"""A plan for a terminal, and as the plain text that lies in its folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from iowatt.emerald.plan.calendar import clock_text, span_text
from iowatt.emerald.plan.checklist import STATES

Found = dict[str, Any]


def lines(found: Found) -> Iterator[str]:
    """The whole of it, line by line."""
    plan = found["plan"]
    yield f"{plan['name']}: {headline(found)}"
    yield from deviations(found)
    yield ""
    yield from _calendar(found)
    yield ""
    yield "Check-list"
    for state in STATES:
        for item in found["checklist"]:
            if item["state"] == state:
                box = {"in place": "[x]", "not possible": "[-]"}.get(state, "[ ]")
                doubt = "" if item["verified"] in (None, True) else " (unverified)"
                yield f"  {box} {state}: {item['topic']}: {item['text']}{doubt}"
    if found["files"]:
        yield ""
        yield "Files"
        width = max(len(one["path"]) for one in found["files"])
        for one in found["files"]:
            verdict = "ok" if one["problem"] is None else f"REFUSED: {one['problem']}"
            yield f"  {one['path']:<{width}}  {one['what']}; {one['checked_by']}: {verdict}"
    yield ""
    if found["caveat"] is not None:
        yield found["caveat"]
    for note in found["notes"]:
        yield f"note: {note}"


def headline(found: Found) -> str:
    """What it is, in a line."""
    plan = found["plan"]
    class_ = "" if plan["class"] is None else f" {plan['class']}"
    where = plan["target"]["path"] or plan["target"]["scenario"]
    return f"{plan['category']}{class_} by {plan['rules']['profile']}, {plan['source']} on {where}"


def deviations(found: Found) -> Iterator[str]:
    """Why its results are no Emerald results."""
    for one in found["plan"]["deviations"]:
        yield f"NON-COMPLIANT: {one}"


def stage_words(stage: Found) -> str:
    """What a stage requests."""
    if stage["workload"] is None:
        return "no requests"
    if stage["closed"]:
        streams = "" if stage["streams"] == 1 else f", {stage['streams']} streams"
        return f"{stage['workload']}, {stage['outstanding']} outstanding{streams}"
    rate = stage["rate_iops"]
    return f"{stage['workload']}, " + ("rate to be found" if rate is None else f"{rate:g} IOPS")


def _calendar(found: Found) -> Iterator[str]:
    by_id = {stage["id"]: stage for stage in found["plan"]["stages"]}
    rows: list[Sequence[str]] = [("stage", "starts", "takes", "requests")]
    for one in found["calendar"]["stages"]:
        rows.append((one["stage"], begins(one), takes(one), stage_words(by_id[one["stage"]])))
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    yield "Calendar"
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row[:3], widths, strict=True)]
        yield "  " + "  ".join([*cells, row[3]]).rstrip()
    yield "  " + total(found)


def begins(entry: Found) -> str:
    """When a stage starts."""
    if entry["starts"] is not None:
        return str(entry["starts"])
    since = "" if entry["since"] is None else f"{entry['since']} + "
    return since + clock_text(entry["start_s"])


def takes(entry: Found) -> str:
    """How long it takes."""
    if entry["seconds"] is None:
        return "until it has ended"
    return ("about " if entry["estimated"] else "") + span_text(entry["seconds"])


def total(found: Found) -> str:
    """How long all of it takes."""
    known, unknown = found["calendar"]["known_seconds"], found["calendar"]["unknown"]
    more = (
        f" and {', '.join(unknown)}, whose length is not known (--fill-rate estimates it)" if unknown else ""
    )
    part = found["calendar"]["uninterrupted"]
    return (
        f"in all {span_text(known)}{more}; without a break from {part['from']} to {part['to']}: "
        f"{span_text(part['seconds'])}"
    )
