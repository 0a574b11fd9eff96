"""Two sides, before and after a change: the document ``iowatt.compare/1``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from iowatt.base.results import Note
from iowatt.lenses.compare import changes, flags, metric_verdicts, omission, over_time, response
from iowatt.lenses.compare.measurement import ComparedRun, Side
from iowatt.lenses.compare.measurement import sides as observed_sides
from iowatt.lenses.compare.over_time import spikes
from iowatt.lenses.compare.request import CompareRequest
from iowatt.lenses.compare.result import (
    AskedFor,
    BeforeAfter,
    BothSides,
    DirectionComparison,
    DirectionTimes,
    OverTime,
    RunOfSide,
    SideFigures,
)
from iowatt.lenses.durability import loss_of_run
from iowatt.lenses.evidence import joined, run_doubt

#: Response times of both directions, in addition to those of the request.
_DIRECTIONS: Final = (("all", "all requests"), ("read", "reads"), ("write", "writes"))


def analyse(
    request: CompareRequest, sides: tuple[Side, Side] | None = None, comparisons: int = 1
) -> BeforeAfter:
    """Compare two sides.

    Parameters
    ----------
    sides:
        Both sides where they are observed already; left out, those of the request.
    comparisons:
        How many are corrected together; this is one of them.

    Raises
    ------
    InputError
        A Run has no such workload, point of observation, or no such requests, or a table of it is damaged.
    """
    before, after = sides = observed_sides(request) if sides is None else sides
    given = request.threshold_s is not None
    if not given:
        request = replace(request, threshold_s=response.default_threshold_s(before))
    courses, width, about_courses = over_time.courses(sides, request)
    flagged = flags.flags(before, after, request)
    rows, statistics = metric_verdicts.differences(before, after, request, comparisons)
    withheld = [flag.key for flag in flagged if flag.withholds]
    found = {
        key: spikes(courses[key], request.used_threshold_s) if courses[key] else None
        for key in ("before", "after")
    }
    return BeforeAfter(
        asked=AskedFor(
            op=request.op, point=request.point, workload=request.workload,
            spike_ms=request.used_threshold_s * 1e3,
            spike_by="given" if given else "p99 before", confidence=request.confidence, seed=request.seed,
        ),
        before=_side(before),
        after=_side(after),
        changed=changes.changed(before, after),
        flags=flagged,
        withheld=list(dict.fromkeys(withheld)),
        differences=metric_verdicts.withhold(rows) if withheld else rows,
        statistics=statistics,
        response_time_ms=BothSides(before=response.percentiles(before), after=response.percentiles(after)),
        directions=_directions(sides),
        histograms=response.histograms(sides),
        distribution=BothSides(
            before=before.histogram.curve(), after=after.histogram.curve()
        ),
        over_threshold=BothSides(
            before=response.over(before.histogram, request.used_threshold_s),
            after=response.over(after.histogram, request.used_threshold_s),
        ),
        over_time=OverTime(
            width_s=width,
            before=courses["before"],
            after=courses["after"],
        ),
        spikes=BothSides(before=found["before"], after=found["after"]),
        omission=BothSides(
            before=omission.described(before, request), after=omission.described(after, request)
        ),
        notes=[*flags.remarks(before, after), *about_courses, *_bins(sides)],
    )  # fmt: skip


def _side(one: Side) -> SideFigures:
    return SideFigures(
        label=one.label, runs=[_run(part) for part in one.parts], requests=one.requests,
        window_s=one.window_s, iops=one.iops, mib_per_s=one.mib_per_s, power_w=one.watts,
        power_basis=_basis(one), joules_per_request=one.joules_per_request,
        tail_doubt=joined(run_doubt(part.run, "tail") for part in one.parts),
    )  # fmt: skip


def _basis(one: Side) -> str | None:
    found = {"wall" if part.at_wall else "device" for part in one.parts if part.joules is not None}
    return found.pop() if len(found) == 1 else None


def _run(part: ComparedRun) -> RunOfSide:
    summary = part.summary
    return RunOfSide(
        label=part.label, name=summary["name"], path=str(part.run.path) if part.run.path else None,
        source=summary["source"], seed=summary["provenance"]["seed"],
        started_at=summary["provenance"]["started_at"], window_s=part.window_s, requests=part.requests,
        loop=part.loop.kind, series=part.series is not None, loss_per_year=loss_of_run(part.run),
    )  # fmt: skip


def _directions(sides: Sequence[Side]) -> list[DirectionComparison]:
    """Mean and percentiles of ``run.json`` for both directions, where each side is one Run; no verdicts."""
    if any(len(one.parts) > 1 for one in sides):
        return []
    found = []
    for key, title in _DIRECTIONS:
        times = [one.parts[0].summary["response_time_ms"][key] for one in sides]
        if all(value["count"] for value in times):
            before, after = (
                DirectionTimes(**{part: value[part] for part in DirectionTimes.model_fields})
                for value in times
            )
            found.append(DirectionComparison(op=key, title=title, before=before, after=after))
    return found


def _bins(sides: Sequence[Side]) -> Iterator[Note]:
    """How wide the bins of the slow tail are, where that is more than a reader would think."""
    for one in sides:
        merged = one.histogram
        if not merged.total:
            yield Note(
                code="no-histogram",
                text=f"{one.label}: no histogram was kept, so there are no percentiles and no distribution.",
            )
            continue
        width = (merged.high_ns - merged.low_ns + 1) / merged.high_ns
        coarse = float((width * merged.count).sum() / merged.total)
        if coarse > 0.02:
            yield Note(
                code="wide-bins",
                text=f"{one.label}: its bins are {100 * coarse:.2g} % wide on average, and percentiles are "
                "their upper ends.",
            )
