"""Figures of a result: its metrics, and the minutes of each phase."""

from __future__ import annotations

from typing import Any, Final

from iowatt.emerald.analyze import text
from iowatt.emerald.judge.stability import MEANING
from iowatt.render import palette
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout

Found = dict[str, Any]

_BAND: Final = "rgba(0, 158, 115, 0.16)"
_HISTORY: Final = "rgba(128, 128, 128, 0.14)"
_MOST_MARKED: Final = 200


def metrics(found: Found) -> Figure:
    """The primary metrics, one row each."""
    rows: list[list[Cell]] = [
        [
            part["metric"], part["ep_shown"] or "refused", part["unit"], part["ep"],
            part.get("operations_rate"),
            part.get("response_mean_ms"), part["power_w"], part["kind"], text.status(part, found),
        ]
        for part in [*found["phases"], *([found["ready_idle"]] if found["ready_idle"] else [])]
    ]  # fmt: skip
    columns = [
        Column("Metric", text=True), Column("Value", text=True), Column("Unit", text=True), Column("In full"),
        Column("Operations per second"), Column("Response time", "ms"), Column("Power", "W"),
        Column("Kind", text=True), Column("Status", text=True),
    ]  # fmt: skip
    return Figure(
        "metrics",
        "Primary metrics",
        "Operations rate over mean power of the same minutes; capacity in decimal GB over the power of "
        "ready idle. "
        "Operations are requests, or MiB of the sequential phases. Published with three significant digits."
        + "".join(f" {sentence}." for sentence in text.power_ratios(found)),
        Table(columns, rows),
        wide=True,
    )


def findings(found: Found) -> Figure | None:
    """What stands against it."""
    order = ("invalid", "non-compliant", "warning")
    rows: list[list[Cell]] = [
        [title, finding["weight"], finding["text"]]
        for title, several in text.by_place(found)
        for finding in sorted(several, key=lambda one: order.index(one["weight"]))
    ]
    if not rows:
        return None
    return Figure(
        "findings",
        "Findings",
        "Invalid: the figure is no measurement. Non-compliant: it is one, but no Emerald result.",
        Table([Column("Of", text=True), Column("Weight", text=True), Column("Finding", text=True)], rows),
        wide=True,
    )


def stability(found: Found) -> Figure | None:
    """The three readings, the trend test and the verdict of each phase."""
    rows: list[list[Cell]] = []
    for phase in found["phases"]:
        settled = phase["stability"]
        if settled is None:
            continue
        trend = settled["trend"]
        rows.append(
            [
                phase["phase"],
                *(
                    text.reading(settled["readings"][name], mark=text.doubt(found))
                    for name in ("a", "b", "c")
                ),
                None if trend is None else 100 * trend["drift"],
                None if trend is None else 100 * trend["drift_half_width"],
                None if trend is None else trend["p"],
                None if trend is None else trend["autocorrelation"],
                text.verdict(settled, found),
            ]
        )
    if not rows:
        return None
    rule = found["stability"]
    chosen = rule["reading"]
    columns = [
        Column("Phase", text=True),
        *(Column(f"Reading {name}{' (judged by)' if name == chosen else ''}", text=True) for name in MEANING),
        Column("Drift", "%"), Column("Give or take", "%"), Column("p"), Column("Autocorrelation"),
        Column("Verdict", text=True),
    ]  # fmt: skip
    meaning = "; ".join(f"{name}: {said}" for name, said in MEANING.items())
    return Figure(
        "stability",
        "Power efficiency over ten minutes",
        f"Largest deviation of the ten-minute weighted average EA (weights {rule['weights']}, tolerance "
        f"{100 * rule['tolerance']:g} %) under three readings of the rule, whose wording could not be "
        f"read. {meaning}. "
        "Drift: from first to last minute, with its 95 % interval, by a test that allows for "
        "autocorrelation." + (f" {text.MARK}" if text.doubt(found) else ""),
        Table(columns, rows),
        wide=True,
    )


def rules(found: Found) -> Figure | None:
    """The unverified rule values that were used."""
    rows: list[list[Cell]] = [
        [
            rule["key"], _short(rule.get("value", rule.get("unknown"))), rule["unit"], rule["mark"],
            "; ".join(rule["sources"]),
        ]
        for rule in found["rules"]["unverified"]
    ]  # fmt: skip
    if not rows:
        return None
    columns = [Column(name, text=True) for name in ("Rule", "Value", "Unit", "Mark", "Source")]
    return Figure(
        "rules",
        "Values used",
        f"Rules {found['rules']['profile']} ({found['rules']['title']}). Nobody has compared these values "
        "with the "
        "specification: compare them before you rely on the judgement.",
        Table(columns, rows),
        wide=True,
    )


def instruments(found: Found) -> Figure | None:
    """Instruments by phase."""
    parts = [*found["phases"], *([found["ready_idle"]] if found["ready_idle"] else [])]
    seen: dict[tuple[Any, ...], list[str]] = {}
    for part in parts:
        for one in part["instruments"]:
            key = (
                one["name"], one["role"], one["kind"], one["model"], one["serial"], one["calibrated"],
                one["sample_interval_s"], one["uncertainty_percent"], one["grade"], one["why"],
            )  # fmt: skip
            seen.setdefault(key, []).append(part["phase"])
    if not seen:
        return None
    columns = [
        Column("Instrument", text=True), Column("Of", text=True), Column("Reader", text=True),
        Column("Model", text=True), Column("Serial", text=True), Column("Calibrated", text=True),
        Column("Sampled every", "s"), Column("Uncertainty", "%"), Column("Grade", text=True),
        Column("Why", text=True),
    ]  # fmt: skip
    return Figure(
        "instruments",
        "What recorded",
        "The table of watts in the rules (0.01, 0.1, 1 W) is reported as a "
        "resolution; only an uncertainty over 1 % fails.",
        Table(columns, [list(key) for key in seen]),
        wide=True,
    )


def of_phase(phase: Found, found: Found) -> list[Figure]:
    """Operations rate, response time, power, and efficiency with its weighted average and the band."""
    if not phase["minutes"]:
        return []
    unit = phase["operations_unit"]
    return [
        _line(phase, "rate", "Operations rate", "operations_rate", unit=unit, colour=palette.BAR),
        _line(phase, "response", "Response time", "response_ms", unit="ms", colour=palette.P99),
        _line(phase, "power", "Power", "power_w", unit="W", colour=palette.RUNS[1]),
        _efficiency(phase, found),
    ]


def of_rest(rest: Found) -> list[Figure]:
    """Power of ready idle."""
    if not rest["minutes"]:
        return []
    rows = [{**row, "measured": True} for row in rest["minutes"]]
    return [
        _line(
            {**rest, "minutes": rows},
            "power",
            "Power of ready idle",
            "power_w",
            unit="W",
            colour=palette.RUNS[1],
        )
    ]


def _line(phase: Found, key: str, title: str, column: str, *, unit: str, colour: str) -> Figure:
    rows = phase["minutes"]
    table: list[list[Cell]] = [[row["minute"], row[column]] for row in rows]
    drawn = _layout(rows, f"{title} ({unit})")
    limit = phase.get("response_limit_ms") if key == "response" else None
    if limit is not None:
        drawn["shapes"].append(_level(limit))
    return Figure(
        f"{phase['phase']}-{key}",
        title,
        _caption(rows, limit),
        Table([Column("Minute"), Column(title, unit)], table),
        {
            "data": [_trace(rows, column, title, colour=colour, unit=unit)],
            "layout": drawn,
        },
    )


def _efficiency(phase: Found, found: Found) -> Figure:
    rule, mark = found["stability"], text.doubt(found)
    rows = phase["minutes"]
    unit = phase["unit"]
    mean = phase["stability"]["mean_efficiency"]
    table: list[list[Cell]] = [[row["minute"], row["pe"], row["ea"]] for row in rows]
    data = [
        _trace(rows, "pe", "PE, each minute", colour=palette.BAR, unit=unit, width=1),
        _trace(rows, "ea", "EA, weighted over ten", colour=palette.ALL, unit=unit, width=2.5),
    ]
    drawn = _layout(rows, f"Power efficiency ({unit})", zero=False)
    drawn["showlegend"] = True
    mine = [row["minute"] for row in rows if row["measured"]]
    if mean is not None and mine:
        low, high = (mean * (1 + sign * rule["tolerance"]) for sign in (-1, 1))
        drawn["shapes"].append(_box((mine[0] - 0.5, mine[-1] + 0.5), (low, high), _BAND, "y"))
    readings = phase["stability"]["readings"]
    return Figure(
        f"{phase['phase']}-efficiency",
        "Periodic efficiency and its weighted average",
        f"The band is {100 * rule['tolerance']:g} % around the mean of the measurement interval (reading a). "
        f"a: {text.reading(readings['a'], mark=mark)}; b: {text.reading(readings['b'], mark=mark)}; c: "
        f"{text.reading(readings['c'], mark=mark)}. Verdict: {text.verdict(phase['stability'], found)}."
        + (f" {text.MARK}" if mark else ""),
        Table([Column("Minute"), Column("PE", unit), Column("EA", unit)], table),
        {"data": data, "layout": drawn},
    )


def _caption(rows: list[Found], limit_ms: float | None) -> str:
    said = ["A gap is a minute without a complete figure."]
    if any(not row["measured"] for row in rows):
        said.insert(0, "Grey: the warm-up, minutes up to 0.")
    if limit_ms is not None:
        said.append(f"Dotted: the limit of the mean over the interval, {limit_ms:g} ms.")
    return " ".join(said)


def _level(at: float) -> dict[str, Any]:
    return {
        "type": "line", "xref": "paper", "yref": "y", "x0": 0, "x1": 1, "y0": at, "y1": at,
        "line": {"color": palette.ALL, "width": 1, "dash": "dot"},
    }  # fmt: skip


def _trace(
    rows: list[Found], column: str, name: str, *, colour: str, unit: str, width: float = 2
) -> dict[str, Any]:
    """A line; short series are marked, so that a minute between two gaps is seen."""
    return {
        "type": "scatter",
        "mode": "lines+markers" if len(rows) <= _MOST_MARKED else "lines",
        "name": name,
        "x": [row["minute"] for row in rows],
        "y": [row[column] for row in rows],
        "line": {"color": colour, "width": width},
        "marker": {"color": colour, "size": 3 + width},
        "hovertemplate": f"%{{y:,.4~r}} {unit}",
    }


def _layout(rows: list[Found], title: str, zero: bool = True) -> dict[str, Any]:
    y = axis(title, rangemode="tozero") if zero else axis(title)
    history = [row["minute"] for row in rows if not row["measured"]]
    shapes = [_box((history[0] - 0.5, history[-1] + 0.5), (0, 1), _HISTORY, "paper")] if history else []
    return layout(axis("Minute"), y, hovermode="x unified", showlegend=False, shapes=shapes)


def _box(x: tuple[float, float], y: tuple[float, float], colour: str, yref: str) -> dict[str, Any]:
    return {
        "type": "rect", "xref": "x", "yref": yref, "x0": x[0], "x1": x[1], "y0": y[0],
        "y1": y[1], "fillcolor": colour,
        "line": {"width": 0}, "layer": "below",
    }  # fmt: skip


def _short(value: Any) -> str:
    shown = str(value)
    return shown if len(shown) <= 80 else f"{shown[:77]}..."
