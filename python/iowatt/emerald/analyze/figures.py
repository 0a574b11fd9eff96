"""Figures of an analysis: its metrics, its stability, and the minutes of each phase."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from iowatt.emerald.analyze.checks.stability import MEANING
from iowatt.emerald.analyze.result import (
    Analysis,
    IdleMinute,
    InstrumentUsed,
    Minute,
    Part,
    PhaseResult,
    PhaseStability,
    ReadyIdle,
    StabilityReading,
)
from iowatt.render import palette, plot
from iowatt.render.figure import (
    Cell,
    Column,
    Exact,
    Figure,
    PublishedFigure,
    Table,
    axis,
    layout,
    text_columns,
)

Row = Minute | IdleMinute

MARK: Final = "* by an unverified rule."
"""Below a table with marked verdicts."""

_BAND: Final = "rgba(0, 158, 115, 0.16)"
_HISTORY: Final = "rgba(128, 128, 128, 0.14)"
_MOST_MARKED: Final = 200


def published(part: Part) -> str:
    """The metric as it is published, with all digits behind it; an invalid one is refused."""
    if part.ep_shown is None or part.ep is None:
        return "refused"
    return PublishedFigure(part.ep_shown, part.ep)


def status(part: Part, analysis: Analysis) -> str:
    """The status of a phase, of a valid one with the rules it was judged by."""
    if part.status == "invalid":
        return "INVALID"
    by = "valid, by unverified rules" if analysis.rules.unverified else "valid"
    return by if part.compliant else f"{by}, not an Emerald result"


def reading(one: StabilityReading, *, mark: bool) -> str:
    """The largest deviation under a reading, and whether it holds."""
    if one.largest_deviation is None:
        return "not known"
    holds = "holds" if one.holds else "FAILS"
    return f"{100 * one.largest_deviation:.2f} % {holds}{' *' if mark else ''}"


def verdict(settled: PhaseStability, analysis: Analysis) -> str:
    """Stable, drifting or noisy."""
    return f"{settled.verdict}, by an unverified rule" if analysis.unverified_stability else settled.verdict


def metrics(analysis: Analysis) -> Figure:
    """The primary metrics, one row each."""
    mark = "valid *" if analysis.rules.unverified else "valid"
    rows: list[list[Cell]] = [
        [
            part.metric, published(part), part.unit, part.ep,
            part.operations_rate if isinstance(part, PhaseResult) else None,
            part.response_mean_ms if isinstance(part, PhaseResult) else None,
            part.power_w, "INVALID" if part.status == "invalid" else mark, status(part, analysis),
            part.kind,
        ]
        for part in analysis.parts
    ]  # fmt: skip
    columns = [
        *text_columns("Metric", "Value", "Unit"), Exact("In full", digits=7, rank=5),
        Exact("Operations per s", digits=4, rank=1), Exact("Response", "ms", digits=3, rank=1),
        Exact("Power", "W", digits=4), Column("Status", text=True), Column("Judged", text=True, rank=4),
        Column("Kind", text=True, rank=4),
    ]  # fmt: skip
    return Figure(
        "metrics",
        "Primary metrics",
        "Operations rate over the mean power of the same minutes; capacity in decimal GB over the power of "
        "ready idle. Operations are requests, or MiB in the sequential phases."
        + (f" {MARK}" if analysis.rules.unverified else ""),
        Table(columns, rows),
        wide=True,
        brief=True,
    )


def stability_figure(analysis: Analysis) -> Figure | None:
    """The three readings, the trend test and the verdict of each phase."""
    mark = analysis.unverified_stability
    rows: list[list[Cell]] = []
    for phase in analysis.phases:
        settled = phase.stability
        if settled is None:
            continue
        trend = settled.trend
        cells: list[Cell] = [None] * 4
        if trend is not None:
            cells = [100 * trend.drift, 100 * trend.drift_half_width, trend.p, trend.autocorrelation]
        readings = (reading(settled.readings[name], mark=mark) for name in MEANING)
        rows.append([phase.phase, *readings, *cells, settled.verdict])
    if not rows:
        return None
    rule = analysis.stability
    columns = [
        Column("Phase", text=True),
        *(
            Column(f"Reading {name}, decides", text=True)
            if name == rule.reading
            else Column(f"Reading {name}", text=True, rank=2)
            for name in MEANING
        ),
        Column("Drift", "%", rank=1), Column("Give or take", "%", rank=3), Column("p", rank=3),
        Column("Autocorrelation", rank=4), Column("Verdict", text=True),
    ]  # fmt: skip
    meaning = "; ".join(f"{name}: {text}" for name, text in MEANING.items())
    return Figure(
        "stability",
        "Stability of the power efficiency",
        f"Largest deviation of the ten-minute weighted average EA (weights {rule.weights}, tolerance "
        f"{100 * rule.tolerance:g} %) under three readings of the rule; its wording could not be read. "
        f"{meaning}. Drift: from the first to the last minute, with its 95 % interval, by a test that allows "
        "for autocorrelation." + (f" {MARK}" if mark else ""),
        Table(columns, rows),
        wide=True,
        brief=True,
    )


def settling(analysis: Analysis) -> Figure | None:
    """The weighted average of each phase against its own mean, with the tolerance."""
    phases = [
        (phase, phase.stability.mean_efficiency)
        for phase in analysis.phases
        if phase.stability is not None and phase.stability.mean_efficiency
    ]
    values = {
        phase.phase: {
            row.minute: None if row.ea is None else 100 * (row.ea / mean - 1)
            for row in phase.minutes
            if row.measured
        }
        for phase, mean in phases
    }
    minutes = sorted({minute for rows in values.values() for minute in rows})
    if not minutes:
        return None
    cells: list[list[Cell]] = [
        [minute, *(rows.get(minute) for rows in values.values())] for minute in minutes
    ]
    table = Table([Column("Minute"), *(Column(phase, "%") for phase in values)], cells)
    traces = [
        plot.line(
            minutes,
            table.column(phase),
            name=phase,
            colour=palette.RUNS[at % len(palette.RUNS)],
            hover="%{y:.2f} %",
            width=2,
        )
        for at, phase in enumerate(values)
    ]
    most = 100 * analysis.stability.tolerance
    ends = (minutes[0] - 0.5, minutes[-1] + 0.5)
    drawn = layout(
        axis("Minute of the measurement"),
        axis("EA against the mean of its phase (%)"),
        hovermode="x unified",
        shapes=[_box(ends, (-most, most), _BAND, "y")],
    )
    return Figure(
        "settling",
        "Did the power efficiency settle?",
        f"Weighted average of ten minutes (EA) of each phase; the band is the tolerance of {most:g} %.",
        table,
        plot.spec(traces, drawn),
        wide=True,
    )


def rules(analysis: Analysis) -> Figure | None:
    """The unverified rule values that were used."""
    rows: list[list[Cell]] = [
        [
            rule.key, _short(rule.unknown if rule.value is None else rule.value), rule.unit, rule.mark,
            "; ".join(rule.sources),
        ]
        for rule in analysis.rules.unverified
    ]  # fmt: skip
    if not rows:
        return None
    return Figure(
        "rules",
        "Unverified rule values",
        f"Rules {analysis.rules.profile} ({analysis.rules.title}). These values have not been compared with "
        "the specification; compare them before you rely on the verdict.",
        Table(text_columns("Rule", "Value", "Unit", "Mark", "Source"), rows),
        wide=True,
    )


def instruments_figure(analysis: Analysis) -> Figure | None:
    """Instruments, and the phases that they recorded."""
    listed: dict[str, tuple[InstrumentUsed, list[str]]] = {}
    for part in analysis.parts:
        for one in part.instruments:
            same = one.model_dump_json(exclude={"readings", "resolution_asked_w"})
            listed.setdefault(same, (one, []))[1].append(part.phase)
    if not listed:
        return None
    columns = [
        *text_columns("Instrument", "Role", "Reader", "Model", "Serial", "Calibrated"),
        Column("Sampled every", "s"), Column("Uncertainty", "%"), *text_columns("Grade", "Why", "Phases"),
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [
            one.name, one.role, one.kind, one.model, one.serial, one.calibrated, one.sample_interval_s,
            one.uncertainty_percent, one.grade, one.why, ", ".join(phases),
        ]
        for one, phases in listed.values()
    ]  # fmt: skip
    return Figure(
        "instruments",
        "Instruments",
        "Resolutions (0.01, 0.1, 1 W) are reported, not judged; only an uncertainty over 1 % fails.",
        Table(columns, rows),
        wide=True,
    )


def part_figures(part: Part, analysis: Analysis) -> list[Figure]:
    """The minutes of a part: rate, response time, power and efficiency; of ready idle the power."""
    if not part.minutes:
        return []
    power = "Power of ready idle" if isinstance(part, ReadyIdle) else "Power"
    watts = _line(part, "power", power, "power_w", unit="W", colour=palette.RUNS[1])
    if isinstance(part, ReadyIdle):
        return [watts]
    unit = part.operations_unit
    return [
        _line(part, "rate", "Operations rate", "operations_rate", unit=unit, colour=palette.BAR),
        _line(part, "response", "Response time", "response_ms", unit="ms", colour=palette.P99),
        watts,
        *([] if part.stability is None else [_efficiency(part, part.stability, analysis)]),
    ]


def _line(part: Part, key: str, title: str, column: str, *, unit: str, colour: str) -> Figure:
    rows = part.minutes
    table: list[list[Cell]] = [[row.minute, getattr(row, column)] for row in rows]
    drawn = _layout(rows, f"{title} ({unit})")
    limit = part.response_limit_ms if isinstance(part, PhaseResult) and key == "response" else None
    if limit is not None:
        drawn["shapes"].append(_level(limit))
    return Figure(
        f"{part.phase}-{key}",
        title,
        _caption(rows, limit),
        Table([Column("Minute"), Column(title, unit)], table),
        plot.spec([_trace(rows, column, title, colour=colour, unit=unit)], drawn),
    )


def _efficiency(phase: PhaseResult, settled: PhaseStability, analysis: Analysis) -> Figure:
    tolerance, mark = analysis.stability.tolerance, analysis.unverified_stability
    rows, unit, mean = phase.minutes, phase.unit, settled.mean_efficiency
    table: list[list[Cell]] = [[row.minute, row.pe, row.ea] for row in rows]
    traces = [
        _trace(rows, "pe", "PE, each minute", colour=palette.BAR, unit=unit, width=1),
        _trace(rows, "ea", "EA, weighted over ten", colour=palette.ALL, unit=unit, width=2.5),
    ]
    drawn = _layout(rows, f"Power efficiency ({unit})", zero=False)
    drawn["showlegend"] = True
    measured = [row.minute for row in rows if row.measured]
    if mean is not None and measured:
        low, high = (mean * (1 + sign * tolerance) for sign in (-1, 1))
        drawn["shapes"].append(_box((measured[0] - 0.5, measured[-1] + 0.5), (low, high), _BAND, "y"))
    readings = "; ".join(f"{name}: {reading(one, mark=mark)}" for name, one in settled.readings.items())
    return Figure(
        f"{phase.phase}-efficiency",
        "Power efficiency of each minute and its weighted average",
        f"The band is {100 * tolerance:g} % around the mean of the measurement interval (reading a). "
        f"{readings}. Verdict: {verdict(settled, analysis)}." + (f" {MARK}" if mark else ""),
        Table([Column("Minute"), Column("PE", unit), Column("EA", unit)], table),
        plot.spec(traces, drawn),
    )


def _history(rows: Sequence[Row]) -> list[int]:
    """Minutes of the warm-up."""
    return [row.minute for row in rows if isinstance(row, Minute) and not row.measured]


def _caption(rows: Sequence[Row], limit_ms: float | None) -> str:
    grey = "Grey: the warm-up, minutes up to 0. " if _history(rows) else ""
    dotted = (
        f" Dotted: the limit of the mean over the interval, {limit_ms:g} ms." if limit_ms is not None else ""
    )
    return f"{grey}A gap is a minute without a complete figure.{dotted}"


def _level(at: float) -> dict[str, Any]:
    return {
        "type": "line", "xref": "paper", "yref": "y", "x0": 0, "x1": 1, "y0": at, "y1": at,
        "line": {"color": palette.ALL, "width": 1, "dash": "dot"},
    }  # fmt: skip


def _trace(
    rows: Sequence[Row], column: str, name: str, *, colour: str, unit: str, width: float = 2
) -> dict[str, Any]:
    """A line; short series have marks, so that a minute between two gaps is visible."""
    return plot.line(
        [row.minute for row in rows],
        [getattr(row, column) for row in rows],
        name=name,
        colour=colour,
        hover=f"%{{y:,.4~r}} {unit}",
        marks=len(rows) <= _MOST_MARKED,
        width=width,
        marker={"color": colour, "size": 3 + width},
    )


def _layout(rows: Sequence[Row], title: str, zero: bool = True) -> dict[str, Any]:
    y = axis(title, rangemode="tozero") if zero else axis(title)
    history = _history(rows)
    shapes = [_box((history[0] - 0.5, history[-1] + 0.5), (0, 1), _HISTORY, "paper")] if history else []
    return layout(axis("Minute"), y, hovermode="x unified", showlegend=False, shapes=shapes)


def _box(x: tuple[float, float], y: tuple[float, float], colour: str, yref: str) -> dict[str, Any]:
    return {
        "type": "rect", "xref": "x", "yref": yref, "x0": x[0], "x1": x[1], "y0": y[0],
        "y1": y[1], "fillcolor": colour,
        "line": {"width": 0}, "layer": "below",
    }  # fmt: skip


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
