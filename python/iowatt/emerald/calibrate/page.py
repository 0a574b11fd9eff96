"""A calibration as one HTML page: what was chosen, and the curve of every phase."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from iowatt.emerald.calibrate import text
from iowatt.render import html, palette
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout
from iowatt.render.headline import Headline

Found = Mapping[str, Any]
_VERDICTS: Final = (
    ("meets", "Within the limit", palette.READ, "circle"),
    ("over", "Over the limit", palette.WRITE, "x"),
    ("saturated", "Not kept up with", palette.ALL, "triangle-up-open"),
    ("generator", "The load generator was the limit", palette.BAR, "diamond-open"),
)
_MOST: Final = 100


def render(found: Found) -> str:
    """The page of ``calibration.json``."""
    drawn = [_curve(found, phase) for phase in found["phases"] if phase["points"]]
    notes = [f"{phase['phase']}: {note}" for phase in found["phases"] for note in phase["notes"]]
    return html.render_page(
        "emerald-calibration.html",
        {figure.key: figure for figure in drawn},
        printed_table=_MOST,
        title=found["name"],
        meta=_meta(found),
        deviations=[one["text"] for one in found["deviations"]],
        headlines=[_headline(phase) for phase in found["phases"]],
        shown=drawn,
        contents=[(figure.key, figure.title.partition(":")[0]) for figure in drawn],
        notes=[*([found["caveat"]] if found["caveat"] else []), *found["notes"], *notes],
    )


def _meta(found: Found) -> str:
    runs = sum(len(phase["points"]) for phase in found["phases"])
    parts = [f"{runs} runs", str(found["tool"]), f"rules {found['rules']['profile']}"]
    if found["limit"] is not None:
        parts.append(text.limit(found["limit"]))
    return " · ".join(parts)


def _headline(phase: Found) -> Headline:
    chosen, key = phase["chosen"], f"chosen-{phase['phase']}"
    if chosen is None:
        return Headline(key, str(phase["phase"]), None, "IOPS", "nothing found")
    settled = "" if phase["settled"] else "; not settled"
    at = "" if chosen["response_ms"] is None else f"{text.shown(chosen['response_ms'])} ms"
    if phase["method"] == "throughput":
        remark = f"{chosen['outstanding']} outstanding, {text.streams(chosen['streams'])}{settled}"
        return Headline(key, str(phase["phase"]), chosen["mib_per_s"], "MiB/s", remark)
    return Headline(key, str(phase["phase"]), chosen["rate_iops"], "IOPS", f"{at}{settled}")


def _curve(found: Found, phase: Found) -> Figure:
    return _throughput(phase) if phase["method"] == "throughput" else _response(found, phase)


def _response(found: Found, phase: Found) -> Figure:
    """Response time against the rate that was asked for."""
    points = sorted(
        (p for p in phase["points"] if p["rate_iops"] is not None),
        key=lambda p: (p["rate_iops"], p["number"]),
    )
    traces = [
        _markers(name, [p for p in points if p["verdict"] == verdict], colour, symbol)
        for verdict, name, colour, symbol in _VERDICTS
    ]
    traces.append(_markers("Not judged", [p for p in points if p["verdict"] is None], palette.BAR, "square"))
    traces = [trace for trace in traces if trace["x"]]
    chosen, limit = phase["chosen"], found["limit"]
    shapes: list[dict[str, Any]] = []
    if limit is not None:
        shapes.append(_line("y", limit["response_mean_ms"], "dash"))
    if chosen is not None:
        shapes.append(_line("x", chosen["rate_iops"], "dot"))
    columns = [
        Column("Kind", text=True), Column("Asked", "IOPS"), Column("Outstanding"), Column("Achieved", "IOPS"),
        Column("Mean response time", "ms"), Column("95 % half-width", "ms"), Column("Wall power", "W"),
        Column("Verdict", text=True),
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [p["kind"], p["rate_iops"], p["outstanding"], p["achieved_iops"], p["response_ms"],
         p["response_half_width_ms"], p["wall_w"], p["verdict"]]
        for p in phase["points"]
    ]  # fmt: skip
    said = f"{text.answer(phase)}. Each mark is a run: {phase['point']}."
    if limit is not None:
        said += " Dashed: the limit. Dotted: the rate found."
    spec = {
        "data": traces,
        "layout": layout(
            axis(
                "Rate asked for (IOPS)", type="log" if _wide([p["rate_iops"] for p in points]) else "linear"
            ),
            axis(
                "Mean response time (ms)",
                type="log" if _wide([p["response_ms"] for p in points], 8) else "linear",
                rangemode="tozero",
            ),
            shapes=shapes,
        ),
    }
    return Figure(
        f"curve-{phase['phase']}", f"{phase['phase']}: response time against rate", said,
        Table(columns, rows), spec, wide=True,
    )  # fmt: skip


def _throughput(phase: Found) -> Figure:
    """Throughput against outstanding requests, a line for each number of streams."""
    traces = []
    colours = (palette.READ, palette.WRITE, palette.BAR, palette.ALL)
    for at, streams in enumerate(dict.fromkeys(p["streams"] for p in phase["points"])):
        own = [p for p in phase["points"] if p["streams"] == streams]
        traces.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "name": text.streams(streams),
                "x": [p["outstanding"] for p in own],
                "y": [p["mib_per_s"] for p in own],
                "line": {"color": colours[at % len(colours)]},
            }
        )
    shapes = [] if phase["chosen"] is None else [_line("x", phase["chosen"]["outstanding"], "dot")]
    columns = [
        Column("Streams"), Column("Outstanding"), Column("Throughput", "MiB/s"), Column("Achieved", "IOPS"),
        Column("Mean response time", "ms"), Column("Wall power", "W"),
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [p["streams"], p["outstanding"], p["mib_per_s"], p["achieved_iops"], p["response_ms"], p["wall_w"]]
        for p in phase["points"]
    ]
    spec = {
        "data": traces,
        "layout": layout(
            axis("Outstanding requests", type="log", dtick=0.30102999566398120),
            axis("Throughput (MiB/s)", rangemode="tozero"),
            shapes=shapes,
        ),
    }
    return Figure(
        f"curve-{phase['phase']}",
        f"{phase['phase']}: throughput against outstanding requests",
        f"{text.answer(phase)}. Each mark is a run: {phase['point']}. Dotted: what was chosen.",
        Table(columns, rows),
        spec,
        wide=True,
    )


def _markers(name: str, points: Sequence[Found], colour: str, symbol: str) -> dict[str, Any]:
    known = [p for p in points if p["response_ms"] is not None]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": [p["rate_iops"] for p in known],
        "y": [p["response_ms"] for p in known],
        "error_y": {
            "type": "data",
            "array": [p["response_half_width_ms"] or 0.0 for p in known],
            "visible": any(p["response_half_width_ms"] for p in known),
            "thickness": 1,
        },
        "marker": {"color": colour, "symbol": symbol, "size": 9},
    }


def _line(across: str, at: float, dash: str) -> dict[str, Any]:
    """A line across the whole figure at a value of one of its axes."""
    other = "y" if across == "x" else "x"
    return {
        "type": "line",
        f"{across}0": at,
        f"{across}1": at,
        f"{other}0": 0,
        f"{other}1": 1,
        f"{other}ref": "paper",
        "line": {"color": palette.ALL, "width": 1, "dash": dash},
    }


def _wide(values: Sequence[float | None], times: float = 30) -> bool:
    known = [value for value in values if value]
    return bool(known) and max(known) > times * min(known)
