"""Power and throughput at fractions of the highest load, and what a day of a usage class takes.

With P(f) and X(f) the mean power in W and the throughput at the fraction f of the highest one, and h the
hours of a class, nominal power is ``(h_idle P(0) + h_moderate P(0.5) + h_heavy P(0.8)) / 24``, nominal
traffic the same of X, and their ratio the efficiency. A year has 8,760 hours; heat in BTU/h is W x 3.412142
(International Table BTU: 1055.05585262 J).

Useful work over the energy that it took, over a window with its idle hours, is The Green Grid's Data Center
energy Productivity (DCeP, 2014: useful work produced / total energy consumed by the data centre), which
leaves it to the user what work is: here requests, or GB moved, X x 3.6e6 / P, and over the facility's energy
that over PUE. Capacity kept is work, too: GB h over kWh.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from iowatt.base.errors import Argument, InputError
from iowatt.base.results import Note
from iowatt.lenses.duty.result import Duty, Hours, LoadPoint, UsageFigures, WeighedLoad
from iowatt.lenses.one_array import MEASURES, WITHIN, ArrayMeasurement, measure_of, same_array
from iowatt.run.record import MODELLED

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

MODERATE: Final = 0.5
"""Load of a moderate hour, share of the highest throughput."""

HEAVY: Final = 0.8
"""Load of a heavy hour."""


@dataclass(frozen=True)
class UsageClass:
    """Hours of a day."""

    name: str
    idle_h: float
    moderate_h: float
    heavy_h: float

    def weighted(self, idle: float, moderate: float, heavy: float) -> float:
        """Mean over the day of a figure that is known at the three loads."""
        return (self.idle_h * idle + self.moderate_h * moderate + self.heavy_h * heavy) / 24


CLASSES: Final = (
    UsageClass("nominal", 16, 8, 0),
    UsageClass("medium", 6, 14, 4),
    UsageClass("high", 0, 6, 18),
)


HOURS_A_YEAR: Final = 8760.0
JOULES_PER_KWH: Final = 3.6e6
#: Requests, or GB moved, in a second of a unit of throughput.
_PER_UNIT: Final = {"iops": 1.0, "mib_per_s": 2**20 / 1e9}
BTU_PER_WH: Final = 3600 / 1055.05585262


def analyse(runs: Sequence[Run], *, measure: str | None = None, pue: float | None = None) -> Duty:
    """The figures as a document, ``iowatt.duty/1``.

    Parameters
    ----------
    runs:
        One without requests, and at least two at different loads of the same array; simulated or measured.
    measure:
        ``iops`` or ``mib_per_s``; left out, by the mean size of requests (128 KiB and more are streams).
    pue:
        Power usage effectiveness of the data centre, 1 and more: energy of the facility over that of its IT.

    Raises
    ------
    InputError
        A PUE below 1; no idle Run; too few loads; power that is unknown in one; arrays or kinds of power that
        differ; loads that do not span what a class needs.
    """
    if measure is not None and measure not in MEASURES:
        raise InputError(
            "not-accepted",
            Argument("measure"),
            f"{measure!r} is not a measure of load; expected {' or '.join(MEASURES)}",
        )
    if pue is not None and not 1 <= pue < math.inf:
        message = "a facility draws what its equipment draws at least: 1 and more"
        raise InputError("out-of-range", Argument("pue", f"{pue:g}"), message)
    same_array([ArrayMeasurement.of(run) for run in runs])
    idle = [run for run in runs if not run.summary["requests"]["count"]]
    loaded = [run for run in runs if run.summary["requests"]["count"]]
    if len(idle) != 1:
        raise InputError(
            "ambiguous" if idle else "missing",
            ", ".join(run.name for run in idle or runs),
            f"{len(idle)} of the Runs have no requests; exactly one must have none, for idle power",
            hint=None
            if idle
            else 'run the scenario with `workload = []` and `observe.duration = "10min"` for it',
        )
    if not loaded:
        raise InputError(
            "missing",
            ", ".join(run.name for run in runs),
            "no Run has requests; a duty cycle needs Runs at several loads",
            hint="`iowatt curve --bundles` writes them",
        )
    by = measure or _measure(loaded)
    highest = max(float(run.summary["throughput"][by]) for run in loaded)
    points = sorted((_measured(run, by, highest) for run in loaded), key=lambda point: point.throughput)
    at_rest = _measured(idle[0], by, highest)
    moderate, heavy = (_at(points, share, highest) for share in (MODERATE, HEAVY))
    raw_gb = runs[0].summary["capacity_gb"]["raw"]
    return Duty(
        measure=by,
        unit=MEASURES[by],
        power_basis=runs[0].summary["power_basis"],
        modelled=all(run.summary["source"] in MODELLED for run in runs),
        highest=highest,
        work="requests" if by == "iops" else "GB",
        pue=pue,
        points=[at_rest, *points],
        loads=[
            WeighedLoad(load=load, **dict(point))
            for load, point in (("idle", at_rest), ("moderate", moderate), ("heavy", heavy))
        ],
        classes=[_class(usage, (at_rest, moderate, heavy), raw_gb, _PER_UNIT[by], pue) for usage in CLASSES],
        notes=_notes(runs, moderate, heavy),
    )


def _class(
    usage: UsageClass,
    loads: Sequence[LoadPoint],
    raw_gb: float | None,
    work_per_unit: float,
    pue: float | None,
) -> UsageFigures:
    """``loads`` are idle, moderate and heavy; ``work_per_unit``: requests or GB in a second of a unit."""
    at_rest, moderate, heavy = loads
    watts = usage.weighted(at_rest.watts, moderate.watts, heavy.watts)
    traffic = usage.weighted(0.0, moderate.throughput, heavy.throughput)
    work = traffic * work_per_unit * JOULES_PER_KWH / watts if watts > 0 else None
    return UsageFigures(
        usage=usage.name,
        hours=Hours(idle=usage.idle_h, moderate=usage.moderate_h, heavy=usage.heavy_h),
        nominal_w=watts,
        nominal_throughput=traffic,
        throughput_per_w=traffic / watts if watts > 0 else None,
        annual_kwh=watts * HOURS_A_YEAR / 1000,
        heat_btu_per_h=watts * BTU_PER_WH,
        raw_gb_per_w=None if raw_gb is None or watts <= 0 else raw_gb / watts,
        work_per_kwh=work,
        facility_work_per_kwh=None if work is None or pue is None else work / pue,
        raw_gb_h_per_kwh=None if raw_gb is None or watts <= 0 else raw_gb / watts * 1000,
    )


def _measure(loaded: Sequence[Run]) -> str:
    requests = sum(run.summary["throughput"]["completions"] for run in loaded)
    moved = sum(
        run.summary["throughput"]["mib_per_s"] * run.summary["window"]["duration_s"] * 2**20 for run in loaded
    )
    return measure_of(requests, moved)


def _measured(run: Run, measure: str, highest: float) -> LoadPoint:
    power = run.summary["power_w"]
    watts = power["wall_mean"] if power["wall_mean"] is not None else power["mean"]
    if watts is None:
        why = run.summary.get("energy", {}).get("unknown")
        message = "its power is not known" + (f": {why}" if why else "")
        raise InputError("missing-figure", str(run.path or run.name), message)
    name = run.path.name if run.path is not None else run.name
    response_ms = run.summary["response_time_ms"]["all"]["mean"]
    return _point(
        name,
        float(run.summary["throughput"][measure]),
        float(watts),
        response_ms,
        runs=[name],
        highest=highest,
    )


def _point(
    name: str, throughput: float, watts: float, response_ms: float | None, *, runs: list[str], highest: float
) -> LoadPoint:
    return LoadPoint(
        name=name,
        fraction=throughput / highest,
        throughput=throughput,
        watts=watts,
        throughput_per_w=throughput / watts if watts > 0 else None,
        response_ms=response_ms,
        runs=runs,
    )


def _at(points: Sequence[LoadPoint], share: float, highest: float) -> LoadPoint:
    """The point at a share of the highest throughput: a Run's, else on the line between its neighbours.

    Raises ``InputError`` where all loads are higher: a line from idle would skip every load between.
    """
    throughput = share * highest
    nearest = min(points, key=lambda point: abs(point.throughput - throughput))
    if abs(nearest.throughput - throughput) <= WITHIN * highest:
        return nearest
    below = [point for point in points if point.throughput < throughput]
    if not below:
        raise InputError(
            "missing-figure",
            points[0].name,
            f"the power at {share:.0%} of the highest throughput is not known: all loads are higher",
            hint="add a Run at a lower rate; `iowatt curve --bundles` writes Runs at several",
        )
    low, high = below[-1], next(point for point in points if point.throughput > throughput)
    along = (throughput - low.throughput) / (high.throughput - low.throughput)

    def between(a: float, b: float) -> float:
        return a + along * (b - a)

    response_ms = None
    if low.response_ms is not None and high.response_ms is not None:
        response_ms = between(low.response_ms, high.response_ms)
    name, runs = f"between {low.name} and {high.name}", [low.name, high.name]
    return _point(name, throughput, between(low.watts, high.watts), response_ms, runs=runs, highest=highest)


def _notes(runs: Sequence[Run], moderate: LoadPoint, heavy: LoadPoint) -> list[Note]:
    notes = [
        Note(
            code="not-spc",
            text="weighed like the SPC-1 and SPC-2 energy extensions; not an SPC result, nor comparable "
            "with one",
        ),
        Note(
            code="classes-unverified",
            text="hours and loads of the usage classes are not verified against the benchmarks' own text",
        ),
        Note(
            code="highest-of-runs",
            text="the highest throughput is that of the Runs given, whatever its response time",
        ),
    ]
    notes += [
        Note(code="interpolated", text=f"{name} is interpolated: {' and '.join(point.runs)}")
        for name, point in (("moderate", moderate), ("heavy", heavy))
        if len(point.runs) > 1
    ]
    if runs[0].summary["power_basis"] == "device":
        text = "power is that of the drives only, without controllers, shelves and supplies"
        notes.append(Note(code="drives-only", text=text, decides=True))
    sources = {run.summary["source"] for run in runs}
    text = "modelled" if sources <= MODELLED else f"from Runs of {', '.join(sorted(sources))}"
    notes.append(Note(code="source", text=text))
    return notes
