"""Power and throughput at fractions of the highest load, and what a day of a usage class takes.

With P(f) and X(f) the mean power in W and the throughput at the fraction f of the highest one, and h the
hours of a class, nominal power is ``(h_idle P(0) + h_moderate P(0.5) + h_heavy P(0.8)) / 24``, nominal
traffic the same of X, and their ratio the efficiency. A year has 8,760 hours; heat in BTU/h is W x 3.412142
(International Table BTU: 1055.05585262 J).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from iowatt.base.errors import Argument, InputError
from iowatt.base.results import Note
from iowatt.lenses.duty.classes import CLASSES, HEAVY, MODERATE, UsageClass
from iowatt.lenses.duty.result import Duty, Hours, LoadPoint, UsageFigures, WeighedLoad
from iowatt.lenses.one_array import MEASURES, WITHIN, Seen, measure_of, same_array

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

HOURS_A_YEAR: Final = 8760.0
BTU_PER_WH: Final = 3600 / 1055.05585262


@dataclass(frozen=True)
class Point:
    """A load at which throughput and power are known."""

    name: str
    throughput: float
    watts: float
    response_ms: float | None
    #: Names of the Runs it comes from: two where it lies between them.
    runs: tuple[str, ...] = ()


def analyse(runs: Sequence[Run], *, measure: str | None = None) -> Duty:
    """The figures as a document, ``iowatt.duty/1``.

    Parameters
    ----------
    runs:
        One without requests, and at least two at different loads of the same array; simulated or measured.
    measure:
        ``iops`` or ``mib_per_s``; left out, by the mean size of requests (128 KiB and more are streams).

    Raises
    ------
    InputError
        No idle Run; too few loads; power that is unknown in one; arrays or kinds of power that differ; loads
        that do not span what a class needs.
    """
    if measure is not None and measure not in MEASURES:
        raise InputError(
            "not-accepted",
            Argument("measure"),
            f"{measure!r} is not a measure of load; expected {' or '.join(MEASURES)}",
        )
    same_array([Seen.of(run) for run in runs])
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
            hint="`iowatt curve` makes them, and keeps their bundles on request",
        )
    by = measure or _measure(loaded)
    points = sorted((_point(run, by) for run in loaded), key=lambda point: point.throughput)
    highest = points[-1].throughput
    rest = _point(idle[0], by)
    every = [rest, *points]
    moderate, heavy = (_at(every, share * highest, highest, share) for share in (MODERATE, HEAVY))
    raw_gb = runs[0].summary["capacity_gb"]["raw"]
    return Duty(
        measure=by,
        unit=MEASURES[by],
        power_basis=runs[0].summary["power_basis"],
        modelled=all(run.summary["source"] == "simulation" for run in runs),
        highest=highest,
        points=[LoadPoint(**_row(point, highest)) for point in every],
        loads=[
            WeighedLoad(load="idle", **_row(rest, highest)),
            WeighedLoad(load="moderate", **_row(moderate, highest)),
            WeighedLoad(load="heavy", **_row(heavy, highest)),
        ],
        classes=[_class(used, rest, moderate, heavy, raw_gb) for used in CLASSES],
        notes=_notes(runs, moderate, heavy),
    )


def _class(
    used: UsageClass, rest: Point, moderate: Point, heavy: Point, raw_gb: float | None
) -> UsageFigures:
    watts = used.weighted(rest.watts, moderate.watts, heavy.watts)
    traffic = used.weighted(0.0, moderate.throughput, heavy.throughput)
    return UsageFigures(
        usage=used.name,
        hours=Hours(idle=used.idle_h, moderate=used.moderate_h, heavy=used.heavy_h),
        nominal_w=watts,
        nominal_throughput=traffic,
        throughput_per_w=traffic / watts if watts > 0 else None,
        annual_kwh=watts * HOURS_A_YEAR / 1000,
        heat_btu_per_h=watts * BTU_PER_WH,
        raw_gb_per_w=None if raw_gb is None or watts <= 0 else raw_gb / watts,
    )


def _row(point: Point, highest: float) -> dict[str, Any]:
    return {
        "name": point.name,
        "fraction": point.throughput / highest,
        "throughput": point.throughput,
        "watts": point.watts,
        "throughput_per_w": point.throughput / point.watts if point.watts > 0 else None,
        "response_ms": point.response_ms,
        "runs": list(point.runs),
    }


def _measure(loaded: Sequence[Run]) -> str:
    requests = sum(run.summary["throughput"]["completions"] for run in loaded)
    moved = sum(
        run.summary["throughput"]["mib_per_s"] * run.summary["window"]["duration_s"] * 2**20 for run in loaded
    )
    return measure_of(requests, moved)


def _point(run: Run, measure: str) -> Point:
    power = run.summary["power_w"]
    watts = power["wall_mean"] if power["wall_mean"] is not None else power["mean"]
    if watts is None:
        why = run.summary.get("energy", {}).get("unknown")
        said = "its power is not known" + (f": {why}" if why else "")
        raise InputError("missing-figure", str(run.path or run.name), said)
    name = run.path.name if run.path is not None else run.name
    return Point(
        name,
        float(run.summary["throughput"][measure]),
        float(watts),
        run.summary["response_time_ms"]["all"]["mean"],
        (name,),
    )


def _at(points: Sequence[Point], wanted: float, highest: float, share: float) -> Point:
    """The point at a throughput: a Run's where one is there, else on the line between its neighbours.

    Raises ``InputError`` where only the idle Run lies below it: from nothing to everything is no line.
    """
    nearest = min(points[1:], key=lambda point: abs(point.throughput - wanted))
    if abs(nearest.throughput - wanted) <= WITHIN * highest:
        return nearest
    below = [point for point in points[1:] if point.throughput < wanted]
    above = [point for point in points[1:] if point.throughput > wanted]
    if not below:
        raise InputError(
            "missing-figure",
            points[1].name,
            f"the power at {share:.0%} of the highest throughput is not known: all loads are higher",
            hint="add a Run at a lower rate; `iowatt curve` makes Runs at several",
        )
    low, high = below[-1], above[0]
    along = (wanted - low.throughput) / (high.throughput - low.throughput)

    def between(a: float, b: float) -> float:
        return a + along * (b - a)

    both = None
    if low.response_ms is not None and high.response_ms is not None:
        both = between(low.response_ms, high.response_ms)
    return Point(
        f"between {low.name} and {high.name}",
        wanted,
        between(low.watts, high.watts),
        both,
        (low.name, high.name),
    )


def _notes(runs: Sequence[Run], moderate: Point, heavy: Point) -> list[Note]:
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
    text = "modelled" if sources == {"simulation"} else f"from Runs of {', '.join(sorted(sources))}"
    notes.append(Note(code="source", text=text))
    return notes
