"""The page of a sweep or a curve: one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iowatt.evaluate.search import basis, metrics, pareto
from iowatt.evaluate.search.folder import write_whole
from iowatt.evaluate.search.grid import shown
from iowatt.lenses.findings import WIDE_INTERVAL, Finding
from iowatt.pages.sweep import curve_figures, figures
from iowatt.pages.sweep.curve_figures import Curve
from iowatt.pages.sweep.figures import PARETO, POINTS, Sweep
from iowatt.render import html, numbers
from iowatt.render.figure import Column, Figure, Table
from iowatt.render.headline import Headline
from iowatt.render.phrases import between

if TYPE_CHECKING:
    import polars as pl

    from iowatt.evaluate.search.sweep import Found

Sections = Sequence[tuple[str, str, Sequence[Figure]]]


@dataclass(frozen=True)
class Page:
    """What a page says, before any markup."""

    title: str
    kind: str
    meta: str
    headlines: Sequence[Headline]
    findings: Sequence[Finding]
    sections: Sections
    provenance: Sequence[tuple[str, str]]
    scenario: str


def render(found: Found, name: str) -> str:
    """The page of what was found; ``name`` is the scenario's."""
    page = _curve(found, name) if found.request.kind == "curve" else _sweep(found, name)
    drawn = {figure.key: figure for _, _, section in page.sections for figure in section}
    return html.render_page(
        "sweep.html",
        drawn,
        more_scripts=("sweep.js",),
        more_data={"choices": _choices(found) if PARETO in drawn else None},
        page=page,
        choosing=PARETO,
        sortable=POINTS,
    )


def _sweep(found: Found, name: str) -> Page:
    sweep = Sweep(found.frame, [axis.columns for axis in found.request.axes])
    sections: list[tuple[str, str, Sequence[Figure]]] = []
    if any(sweep.steady(row) for row in sweep.rows):
        sections.append(("front", "What is worth choosing", [figures.pareto_view(sweep)]))
    sections.append(("all", "Points", [figures.points_table(sweep), *_failures(sweep.rows, sweep.label)]))
    for at, columns in enumerate(sweep.axes):
        if drawn := figures.by_axis(sweep, at):
            sections.append((f"by-{at}", f"By {sweep.axis_name(columns)}", drawn))
    return Page(
        name,
        "sweep",
        _counted(found.frame),
        _best(sweep),
        _findings(found),
        sections,
        _provenance(found),
        found.request.given.text,
    )


def _curve(found: Found, name: str) -> Page:
    load = found.request.axes[0].columns[0]
    curve = Curve(found.frame, load)
    sections: list[tuple[str, str, Sequence[Figure]]] = []
    if drawn := curve_figures.figures(curve):
        sections.append(("load", "Against load", drawn))
    label = f"{curve.column.title.lower()} "
    failures = _failures(curve.rows, lambda row: f"{label}{row[load]:g}")
    sections.append(("all", "Points", [curve_figures.points(curve), *failures]))
    return Page(
        name,
        "curve",
        _counted(found.frame),
        _ends(curve),
        _findings(found),
        sections,
        _provenance(found),
        found.request.given.text,
    )


def _counted(frame: pl.DataFrame) -> str:
    rows = frame.to_dicts()
    verdicts = [figures.verdict(row) for row in rows]
    parts = [f"{numbers.count(len(rows))} points"]
    parts += [
        f"{numbers.count(n)} {word}" for word in ("overloaded", "failed") if (n := verdicts.count(word))
    ]
    version = next((row["version"] for row in rows if row["status"] == "done"), None)
    return " · ".join([*parts, *([f"iowatt {version}"] if version else [])])


def _best(sweep: Sweep) -> list[Headline]:
    """The best point by each of the figures that a choice is made by."""
    asked = [
        ("response", "Shortest response time", metrics.RESPONSE),
        ("power", "Least power", sweep.power),
        ("per_request", "Least energy per request", metrics.PER_REQUEST),
        ("delay", "Least energy-delay", "energy.energy_delay_js"),
        ("efficiency", "Highest efficiency", metrics.EFFICIENCY),
    ]
    found = []
    for key, title, metric in asked:
        known = [row for row in sweep.rows if sweep.steady(row) and row.get(metric) is not None]
        if not known:
            continue
        choose = min if pareto.lower_is_better(metric) else max
        best = choose(known, key=lambda row: row[metric])
        column = metrics.column(metric)
        found.append(Headline(key, title, best[metric], column.unit, sweep.label(best)))
    return found


def _ends(curve: Curve) -> list[Headline]:
    """What a reader of a curve looks for: what it carries, where it turns, what idling costs."""
    if not curve.steady:
        return []
    first, last = curve.steady[0], curve.steady[-1]
    most = max(curve.steady, key=lambda row: row["throughput.iops"])
    unit = "IOPS asked for" if curve.is_rate else "outstanding"

    def at(row: dict[str, Any]) -> str:
        return f"at {numbers.significant(row[curve.load], 4)} {unit}"

    found = [
        Headline("most", "Most steady throughput", most["throughput.iops"], "IOPS", at(most)),
        Headline("light", "Response time, least load", first[metrics.RESPONSE], "ms", at(first)),
        Headline("heavy", "Response time, most steady load", last[metrics.RESPONSE], "ms", at(last)),
        Headline("power", "Power, most steady load", last[curve.power], "W", at(last)),
        Headline("efficiency", "Efficiency, most steady load", last[metrics.EFFICIENCY], "IOPS/W", at(last)),
    ]
    if knee := curve.knee():
        said = "most throughput per response time"
        found.append(
            Headline("knee", "Knee", knee[curve.load], "IOPS" if curve.is_rate else "outstanding", said)
        )
    return found


def warned(found: Found) -> list[str]:
    """The doubtful designs among the points, a text for each key."""
    return [
        f"{_points(one.points)}, {'' if len(one.points) == 1 else 'such as '}{one.last}: {one.text}"
        for one in found.warned
    ]


def _findings(outcome: Found) -> list[Finding]:
    """What must not be missed: points that stand for nothing steady, doubtful designs, uncertain means."""
    rows = outcome.frame.to_dicts()
    found = []
    over = [row["point"] for row in rows if row["status"] == "done" and row["overloaded"]]
    if over:
        shares = [
            share for row in rows if row["point"] in over and (share := row.get("done_share")) is not None
        ]
        least = f" ({_done(shares)} of the requests offered per second were completed)" if shares else ""
        text = (
            f"{_points(over)} could not keep up with the load{least}: no steady state, so no value in any "
            "chart, and no candidate for a choice."
        )
        found.append(Finding("warning", text))
    found += [Finding("warning", text) for text in warned(outcome)]
    failed = [row["point"] for row in rows if row["status"] == "failed"]
    if failed:
        found.append(Finding("remark", f"{_points(failed)} could not be simulated; the table says why."))
    found += [Finding("warning", text) for text in uncertain(rows)]
    if told := basis.said(rows):
        found.append(Finding("remark", f"{told}."))
    return found


def uncertain(rows: Sequence[dict[str, Any]]) -> list[str]:
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
        most = f"; most so at point {number}" if len(wide) > 1 else ""
        said.append(
            f"The mean response time of {_inside([n for _, n, _ in wide])} is more than "
            f"{numbers.percent(WIDE_INTERVAL)} uncertain{most} ({between(interval)}, "
            f"{numbers.percent(share)} either way)."
        )
    if unknown:
        said.append(
            f"The mean response time of {_inside(unknown)} has no confidence interval: too few requests, or "
            "too slow a change, for runs of this length."
        )
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


def _failures(rows: Sequence[dict[str, Any]], label: Any) -> list[Figure]:
    failed = [row for row in rows if row["status"] == "failed"]
    if not failed:
        return []
    table = Table(
        [Column("Point"), Column("Where", text=True), Column("Why", text=True)],
        [[row["point"], label(row), row["error"]] for row in failed],
    )
    return [Figure("failed", "Points that cannot be simulated", "What contradicts what.", table, wide=True)]


def _provenance(found: Found) -> list[tuple[str, str]]:
    request, frame = found.request, found.frame
    seeds = list(frame["seed"].drop_nulls().unique()) if "seed" in frame.columns else []
    rows = [
        ("Command", request.command or ""),
        ("Changed by --set", ", ".join(request.given.overrides)),
        ("Seeds", _seeds(seeds)),
    ]
    for axis in request.axes:
        values = "; ".join(", ".join(shown(v) for v in setting.values) for setting in axis.settings)
        rows.append(("Swept over", f"{', '.join(axis.columns)} = {values}"))
    return [(title, value) for title, value in rows if value]


def _seeds(seeds: Sequence[int]) -> str:
    if not seeds:
        return ""
    return f"one for all points ({seeds[0]})" if len(seeds) == 1 else "one of its own for each point"


def _choices(found: Found) -> dict[str, Any]:
    """What the reader may choose for the axes of the Pareto view, and all values of it."""
    sweep = Sweep(found.frame, [axis.columns for axis in found.request.axes])
    keys = [key for key in metrics.numeric(found.frame) if key not in sweep.paths]
    if not keys:
        keys = [metrics.RESPONSE, sweep.power]
    return {
        "metrics": [
            {
                "key": key,
                "title": metrics.column(key).heading,
                "lower": pareto.lower_is_better(key),
                "common": key in metrics.COMMON,
            }
            for key in dict.fromkeys([*keys, metrics.RESPONSE, sweep.power])
        ],
        "x": metrics.RESPONSE,
        "y": sweep.power,
        "points": [
            {"number": row["point"], "label": sweep.label(row), "steady": sweep.steady(row)}
            for row in sweep.rows
        ],
        "values": {
            key: [row[key] for row in sweep.rows]
            for key in dict.fromkeys([*keys, metrics.RESPONSE, sweep.power])
        },
    }


def write(found: Found, name: str) -> Path | None:
    """Write the page beside the table; ``None`` for a search that is not written."""
    if found.path is None:
        return None
    text = render(found, name)
    return write_whole(
        found.path / "report.html", lambda file: file.write_text(text, encoding="utf-8", newline="\n")
    )
