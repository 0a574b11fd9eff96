"""Two sides, before and after a change, as plain data: the document ``iowatt.compare/1``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from iowatt.lenses.compare import flags, judge, omission, over_time, response
from iowatt.lenses.compare.asked import Asked
from iowatt.lenses.compare.observed import Observed, Side
from iowatt.lenses.compare.observed import sides as observed_sides
from iowatt.lenses.compare.spikes import spikes

SCHEMA: Final = "iowatt.compare/1"

#: Response times of both directions, beside those that were asked for.
_DIRECTIONS: Final = (("all", "all requests"), ("read", "reads"), ("write", "writes"))


def analyse(asked: Asked) -> dict[str, Any]:
    """Compare two sides.

    Returns
    -------
    dict
        Schema ``iowatt.compare/1``, see docs/reference/cli.md. Response times in ms, other times in s; shares
        from 0 to 1.

    Raises
    ------
    InputError
        A Run has no such workload, point of observation, or no such requests, or a table of it is damaged.
    """
    before, after = sides = observed_sides(asked)
    given = asked.threshold_s is not None
    if not given:
        asked = replace(asked, threshold_s=response.usual_limit_s(before))
    courses, width, about_courses = over_time.courses(sides, asked)
    flagged = flags.flags(before, after, asked)
    judged = judge.differences(before, after, asked)
    withheld = [flag["key"] for flag in flagged if flag["withholds"]]
    if withheld:
        judge.withhold(judged.rows)
    return {
        "schema": SCHEMA,
        "asked": {
            "op": asked.op,
            "point": asked.point,
            "workload": asked.workload,
            "spike_ms": asked.spike_s * 1e3,
            "spike_by": "given" if given else "p99 before",
            "confidence": asked.confidence,
            "seed": asked.seed,
        },
        **{one.key: _side(one) for one in sides},
        "changed": flags.changed(before, after),
        "flags": flagged,
        "withheld": list(dict.fromkeys(withheld)),
        "differences": judged.rows,
        "statistics": judged.about,
        "response_time_ms": {one.key: response.percentiles(one) for one in sides},
        "directions": _directions(sides),
        "histograms": response.histograms(sides),
        "distribution": {one.key: response.curve(one.histogram) for one in sides},
        "over_threshold": {one.key: response.over(one.histogram, asked.spike_s) for one in sides},
        "over_time": {
            "width_s": width,
            **{key: [over_time.described(course) for course in found] for key, found in courses.items()},
        },
        "spikes": {key: spikes(found, asked.spike_s) if found else None for key, found in courses.items()},
        "omission": {one.key: omission.described(one, asked) for one in sides},
        "notes": [*flags.remarks(before, after), *about_courses, *_bins(sides)],
    }


def _side(one: Side) -> dict[str, Any]:
    return {
        "label": one.label,
        "runs": [_run(part) for part in one.parts],
        "requests": one.requests,
        "window_s": one.window_s,
        "iops": one.iops,
        "mib_per_s": one.mib_per_s,
        "power_w": one.watts,
        "power_basis": _basis(one),
        "joules_per_request": one.joules_per_request,
    }


def _basis(one: Side) -> str | None:
    found = {"wall" if part.at_wall else "device" for part in one.parts if part.joules is not None}
    return found.pop() if len(found) == 1 else None


def _run(part: Observed) -> dict[str, Any]:
    summary = part.summary
    return {
        "label": part.label,
        "name": summary["name"],
        "path": str(part.run.path) if part.run.path else None,
        "source": summary["source"],
        "seed": summary["provenance"]["seed"],
        "started_at": summary["provenance"]["started_at"],
        "window_s": part.window_s,
        "requests": part.requests,
        "loop": part.loop.kind,
        "series": part.series is not None,
    }


def _directions(sides: Sequence[Side]) -> list[dict[str, Any]]:
    """Mean and percentiles of ``run.json`` for both directions, where each side is one Run; no verdicts."""
    if any(len(one.parts) > 1 for one in sides):
        return []
    found = []
    for key, title in _DIRECTIONS:
        times = {one.key: one.parts[0].summary["response_time_ms"][key] for one in sides}
        if all(value["count"] for value in times.values()):
            kept = ("count", "mean", "p50", "p99", "p999", "max")
            found.append(
                {
                    "op": key,
                    "title": title,
                    **{name: {part: value[part] for part in kept} for name, value in times.items()},
                }
            )
    return found


def _bins(sides: Sequence[Side]) -> list[str]:
    """How wide the bins of the slow tail are, where that is more than a reader would think."""
    said = []
    for one in sides:
        merged = one.histogram
        if not merged.total:
            said.append(
                f"{one.label}: no histogram was kept, so there are no percentiles and no distribution"
            )
            continue
        width = (merged.high_ns - merged.low_ns + 1) / merged.high_ns
        coarse = float((width * merged.count).sum() / merged.total)
        if coarse > 0.02:
            said.append(
                f"{one.label}: its bins are {100 * coarse:.2g} % wide on average, and percentiles are their "
                "upper "
                "ends"
            )
    return said
