"""The document of a sweep or a curve: the best points or the curve, and every point."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from iowatt.base.results import Note
from iowatt.evaluate.search import SweepResult, metrics, show_value
from iowatt.lenses.findings import WIDE_INTERVAL
from iowatt.pages.sweep import curve_figures, figures
from iowatt.pages.sweep.curve_figures import LoadCurve
from iowatt.pages.sweep.figures import Sweep
from iowatt.render import numbers
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Column, Figure, Table
from iowatt.render.headline import Headline
from iowatt.render.phrases import between
from iowatt.render.write import page

_SCRIPT = "sweep.js"


def document(found: SweepResult) -> Document:
    """The document of a sweep or a curve."""
    return _curve(found) if found.request.kind == "curve" else _sweep(found)


def report(found: SweepResult) -> str:
    """The page as HTML."""
    return page([document(found)])


def _sweep(found: SweepResult) -> Document:
    sweep = Sweep(found.frame, [axis.columns for axis in found.request.axes])
    steady = any(sweep.steady(row) for row in sweep.rows)
    sections = [Section("all", "Points", [figures.points_table(sweep), *_failures(sweep.rows, sweep.label)])]
    for at, columns in enumerate(sweep.axes):
        sections.append(Section(f"by-{at}", f"By {sweep.axis_name(columns)}", figures.by_axis(sweep, at)))
    best = _best(sweep)
    return Document(
        key="sweep",
        kind="sweep",
        title=found.request.given.name,
        meta=_counted(sweep.rows),
        verdict=[_told(best) if best else "No point keeps up with its load."],
        chart=figures.pareto_view(sweep) if steady else None,
        headlines=best,
        sections=sections,
        caveats=[Caveat(note.text, note.decides) for note in sweep_notes(found)],
        provenance=_provenance(found),
        scenario=found.request.given.text,
        scripts=(_SCRIPT,),
        data={"choices": _choices(sweep) if steady else None},
    )


def _curve(found: SweepResult) -> Document:
    load = found.request.axes[0].columns[0]
    curve = LoadCurve(found.frame, load)
    drawn = curve_figures.figures(curve)
    label = f"{curve.column.title.lower()} "
    failures = _failures(curve.rows, lambda row: f"{label}{row[load]:g}")
    return Document(
        key="curve",
        kind="curve",
        title=found.request.given.name,
        meta=_counted(curve.rows),
        verdict=[_carried(curve)],
        chart=drawn[0] if drawn else None,
        headlines=_ends(curve),
        sections=[
            Section("all", "Points", [curve_figures.points(curve), *failures]),
            Section("load", "Against load", drawn[1:]),
        ],
        caveats=[Caveat(note.text, note.decides) for note in sweep_notes(found)],
        provenance=_provenance(found),
        scenario=found.request.given.text,
        scripts=(_SCRIPT,),
    )


def _counted(rows: Sequence[dict[str, Any]]) -> str:
    verdicts = [figures.verdict(row) for row in rows]
    parts = [numbers.counted(len(rows), "point")]
    parts += [
        f"{numbers.count(n)} {word}" for word in ("overloaded", "failed") if (n := verdicts.count(word))
    ]
    version = next((row["version"] for row in rows if row["status"] == "done"), None)
    return " · ".join([*parts, *([f"iowatt {version}"] if version else [])])


def _best(sweep: Sweep) -> list[Headline]:
    """The best point by each of the figures that a choice is made by."""
    asked = [
        ("response", "Lowest response time", metrics.RESPONSE),
        ("power", "Lowest power", sweep.power),
        ("per_request", "Lowest energy per request", metrics.PER_REQUEST),
        ("delay", "Lowest energy-delay", "energy.energy_delay_js"),
        ("efficiency", "Highest efficiency", metrics.EFFICIENCY),
    ]
    found = []
    for key, title, metric in asked:
        known = [row for row in sweep.rows if sweep.steady(row) and row.get(metric) is not None]
        if not known:
            continue
        choose = min if metrics.lower_is_better(metric) else max
        best = choose(known, key=lambda row: row[metric])
        found.append(Headline(key, title, best[metric], metrics.column(metric).unit, sweep.label(best)))
    return found


def _told(best: Sequence[Headline]) -> str:
    """The best points in a sentence."""
    chosen = [one for one in best if one.key in ("efficiency", "response", "power")]
    said = "; ".join(f"{one.title.lower()} {one.shown} at {one.remark}" for one in reversed(chosen))
    return f"{said[:1].upper()}{said[1:]}."


def _carried(curve: LoadCurve) -> str:
    """The highest steady load, in a sentence."""
    if not curve.steady:
        return "The system sustains none of the simulated loads."
    last = curve.steady[-1]
    asked = numbers.significant(last[curve.load], 4)
    load = f"{asked} IOPS" if curve.is_rate else f"{asked} requests outstanding"
    response = numbers.with_unit(last[metrics.RESPONSE], "ms")
    power = numbers.with_unit(last[curve.power], "W")
    until = "the highest load that was simulated" if not curve.over else "the highest load that it sustains"
    said = (
        f"At {load}, {until}: {numbers.with_unit(last['throughput.iops'], 'IOPS')}, mean response time "
        f"{response}, {power}"
    )
    knee = curve.knee()
    return f"{said}; the knee is at {numbers.significant(knee[curve.load], 4)}." if knee else f"{said}."


def _ends(curve: LoadCurve) -> list[Headline]:
    """Headlines of a curve: the highest steady load, the lightest one, and the knee."""
    if not curve.steady:
        return []
    first, last = curve.steady[0], curve.steady[-1]
    most = max(curve.steady, key=lambda row: row["throughput.iops"])
    unit = "IOPS offered" if curve.is_rate else "outstanding"

    def at(row: dict[str, Any]) -> str:
        return f"at {numbers.significant(row[curve.load], 4)} {unit}"

    found = [
        Headline("most", "Highest steady throughput", most["throughput.iops"], "IOPS", at(most)),
        Headline("light", "Response time, lowest load", first[metrics.RESPONSE], "ms", at(first)),
        Headline("heavy", "Response time, highest steady load", last[metrics.RESPONSE], "ms", at(last)),
        Headline("power", "Power, highest steady load", last[curve.power], "W", at(last)),
        Headline(
            "efficiency", "Efficiency, highest steady load", last[metrics.EFFICIENCY], "IOPS/W", at(last)
        ),
    ]
    if knee := curve.knee():
        said = "most throughput per response time"
        found.append(
            Headline("knee", "Knee", knee[curve.load], "IOPS" if curve.is_rate else "outstanding", said)
        )
    return found


def _failures(rows: Sequence[dict[str, Any]], label: Callable[[dict[str, Any]], str]) -> list[Figure]:
    failed = [row for row in rows if row["status"] == "failed"]
    if not failed:
        return []
    table = Table(
        [Column("Point"), Column("Where", text=True), Column("Why", text=True)],
        [[row["point"], label(row), row["error"]] for row in failed],
    )
    return [
        Figure(
            "failed",
            "Points that cannot be simulated",
            "The contradictions in their settings.",
            table,
            wide=True,
        )
    ]


def _provenance(found: SweepResult) -> list[tuple[str, str]]:
    request, frame = found.request, found.frame
    seeds = list(frame["seed"].drop_nulls().unique()) if "seed" in frame.columns else []
    rows = [
        ("Command", request.command or ""),
        ("Changed by --set", ", ".join(request.given.overrides)),
        ("Seeds", _seeds(seeds)),
    ]
    for axis in request.axes:
        values = "; ".join(", ".join(show_value(v) for v in setting.values) for setting in axis.settings)
        rows.append(("Swept over", f"{', '.join(axis.columns)} = {values}"))
    return [(title, value) for title, value in rows if value]


def _seeds(seeds: Sequence[int]) -> str:
    if not seeds:
        return ""
    return f"one for all points ({seeds[0]})" if len(seeds) == 1 else "one of its own for each point"


def _choices(sweep: Sweep) -> dict[str, Any]:
    """What the reader may choose for the axes of the Pareto view, and all values of it."""
    keys = [key for key in metrics.numeric(sweep.frame) if key not in sweep.paths]
    if not keys:
        keys = [metrics.RESPONSE, sweep.power]
    every = list(dict.fromkeys([*keys, metrics.RESPONSE, sweep.power]))
    return {
        "metrics": [
            {
                "key": key,
                "title": metrics.column(key).heading,
                "lower": metrics.lower_is_better(key),
                "common": key in metrics.COMMON,
            }
            for key in every
        ],
        "x": metrics.RESPONSE,
        "y": sweep.power,
        "points": [
            {"number": row["point"], "label": sweep.label(row), "steady": sweep.steady(row)}
            for row in sweep.rows
        ],
        "values": {key: [row[key] for row in sweep.rows] for key in every},
    }


Rows = Sequence[Mapping[str, Any]]


def sweep_notes(found: SweepResult) -> list[Note]:
    """Points that did not keep up, doubtful designs, failures, uncertain means, and what watts rest on."""
    rows = found.frame.to_dicts()
    said = [*_overloaded(rows), *_doubtful(found), *_failed_points(rows), *uncertain(rows)]
    if told := metrics.basis_line(rows):
        said.append(Note(code="basis", text=told))
    return said


def _overloaded(rows: Rows) -> Iterator[Note]:
    over = [row for row in rows if row["status"] == "done" and row["overloaded"]]
    if not over:
        return
    shares = [share for row in over if (share := row.get("done_share")) is not None]
    least = f" ({_done(shares)} of the offered rate was completed)" if shares else ""
    text = (
        f"{_points([row['point'] for row in over])} did not keep up with the load{least}: without a steady "
        "state, charts and candidates leave them out"
    )
    yield Note(code="not-kept-up", text=text, decides=True)


def _doubtful(found: SweepResult) -> Iterator[Note]:
    """A note for each key of a doubtful design."""
    for one in found.warned:
        such = "" if len(one.points) == 1 else "such as "
        yield Note(
            code="doubtful-design", text=f"{_points(one.points)}, {such}{one.last}: {one.text}", decides=True
        )


def _failed_points(rows: Rows) -> Iterator[Note]:
    failed = [row for row in rows if row["status"] == "failed"]
    if failed:
        text = (
            f"{_points([row['point'] for row in failed])} could not be simulated; the first, "
            f"{failed[0]['point']}: {failed[0]['error']}"
        )
        yield Note(code="points-failed", text=text, decides=True)


def uncertain(rows: Rows) -> list[Note]:
    """Which steady points have a mean response time with a wide confidence interval, and which have none."""
    wide, unknown = [], []
    for row in rows:
        mean = row.get(metrics.RESPONSE)
        if figures.verdict(row) != "steady" or mean is None:
            continue
        low, high = (row.get(f"{metrics.RESPONSE}_ci95.{end}") for end in ("low", "high"))
        if low is None or high is None:
            unknown.append(row["point"])
        elif (half := (high - low) / 2) > WIDE_INTERVAL * mean:
            wide.append((half / mean, row["point"], (low, high)))
    said = []
    if wide:
        share, number, interval = max(wide)
        most = f"; most at point {number}" if len(wide) > 1 else ""
        text = (
            f"the mean response time of {_inside([n for _, n, _ in wide])} is more than "
            f"{numbers.percent(WIDE_INTERVAL)} uncertain{most} ({between(interval)}, "
            f"{numbers.percent(share)} either way)"
        )
        said.append(Note(code="wide-interval", text=text, decides=True))
    if unknown:
        text = (
            f"the mean response time of {_inside(unknown)} has no confidence interval: runs of this "
            "length have too few requests, or change too slowly"
        )
        said.append(Note(code="no-interval", text=text, decides=True))
    return said


def _done(shares: Sequence[float]) -> str:
    """Shares from the least to the greatest."""
    ends = dict.fromkeys(numbers.percent(end) for end in (min(shares), max(shares)))
    return " to ".join(ends)


def _points(listed: Sequence[int]) -> str:
    few = ", ".join(map(str, listed[:8]))
    if len(listed) == 1:
        return f"Point {few}"
    return f"{len(listed)} points ({few}{', ...' if len(listed) > 8 else ''})"


def _inside(listed: Sequence[int]) -> str:
    """The same inside a sentence."""
    said = _points(listed)
    return f"{said[:1].lower()}{said[1:]}"
