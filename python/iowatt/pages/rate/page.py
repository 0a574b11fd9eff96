"""The page of a search: the curve of response time against rate, with limit, bracket and intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from iowatt.pages.rate import text
from iowatt.render import html, numbers, page_file, palette
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain
from iowatt.render.headline import Headline

Found = Mapping[str, Any]
Points = Sequence[Mapping[str, Any]]
_VERDICTS: Final = (
    ("meets", "Within the limit", palette.READ, "circle"),
    ("over", "Over the limit", palette.WRITE, "x"),
    ("saturated", "Not kept up with", palette.ALL, "triangle-up-open"),
)
#: A response time above so many limits is off the figure: the table has it.
_MOST_LIMITS: Final = 4.0


def check_target(target: Path, force: bool) -> None:
    """Raise ``InputError`` where the page cannot be written; before any work is done."""
    page_file.check_target(target, force, "the page of a highest rate")


def write(found: Found, target: Path, *, force: bool = False) -> None:
    """Write the page; never half."""
    check_target(target, force)
    page_file.write(render(found), target)


def render(found: Found) -> str:
    """The page of a document ``iowatt.rate/1``."""
    drawn = [curve(found)]
    if len(found["crossing_by_seed_iops"]) > 1:
        drawn.append(seeds(found))
    part = page_file.Part(
        key="rate",
        name=str(found["scenario"]),
        meta=f"{text.limit(found)} · tolerance {numbers.percent(found['tolerance'])} · {text.runs(found)}",
        headlines=headlines(found),
        sections=[("curve", "Response time against rate", drawn)],
        notes=found["notes"],
    )
    shown = {f"{part.key}-{figure.key}": figure for figure in drawn}
    return html.render_page(
        "description.html", shown, brand="highest rate", title=found["scenario"], parts=[part]
    )


def headlines(found: Found) -> list[Headline]:
    """The figures that a reader wants first."""
    row = found["at_rate"] or {}
    between = found["crossing_ci95_iops"]
    at_wall = row.get("power_w.wall_mean") is not None
    over = found["beyond_iops"]
    half = found["response_half_width_ms"]
    given = [
        Headline(
            "rate", "Highest rate" if found["loop"] == "open" else "Rate at the limit",
            found["rate_iops"], "IOPS",
            "; ".join([*([] if over is None else [f"{text.shown(over)} is over"]),
                       *([] if found["settled"] else ["not settled"])]),
        ),
        Headline("outstanding", "Outstanding", found["outstanding"], "", "in the mean, by Little's law"),
        Headline(
            "crossing", "Limit met at", found["crossing_iops"] if found["loop"] == "open" else None, "IOPS",
            "" if between is None else f"95 % interval {text.shown(between[0])} to {text.shown(between[1])}",
        ),
        Headline(
            "response", "Response time there", found["response_ms"], "ms",
            "" if half is None else f"± {numbers.significant(half, 2)} ms (95 %)",
        ),
        Headline(
            "power", "Power at the rate", row.get("power_w.wall_mean" if at_wall else "power_w.mean"), "W",
            "at the wall" if at_wall else "of the drives",
        ),
        Headline("efficiency", "Efficiency", row.get("efficiency.iops_per_w"), "IOPS/W"),
    ]  # fmt: skip
    return [one for one in given if one.value is not None]


def curve(found: Found) -> Figure:
    """Every rate that was run, with the limit and the answer."""
    closed = found["loop"] == "closed"
    points = sorted(
        (p for p in found["points"] if p["verdict"] is not None), key=lambda p: (_across(p), p["runs"])
    )
    # Loops are all of one length, and each is noisy on its own: marks without a line.
    deciding = points if closed else [p for p in points if _decides(p, found)]
    near = [p for p in points if p["response_ms"] is not None and _drawn(p, found)]
    traces: list[dict[str, Any]] = []
    line = [p for p in deciding if p in near and p["verdict"] != "saturated"]
    if len(line) > 1 and not closed:
        traces.append(
            {
                "type": "scatter", "mode": "lines", "name": "Curve of the last runs", "hoverinfo": "skip",
                "x": [_across(p) for p in line], "y": [p["response_ms"] for p in line],
                "line": {"color": palette.BAR, "width": 1.5},
            }
        )  # fmt: skip
    for verdict, name, colour, symbol in _VERDICTS:
        for own, said in ((deciding, name), ([p for p in points if p not in deciding], f"{name}, before")):
            kept = [p for p in own if p in near and p["verdict"] == verdict]
            if kept:
                traces.append(_marks(said, kept, colour, symbol, faint=own is not deciding))
    shapes = [_line("y", found["limit_ms"], "dash"), _line("x", found["rate_iops"], "dot")]
    between = found["crossing_ci95_iops"]
    if between is not None:
        shapes.insert(0, _band(*between))
    elif found["beyond_iops"] is not None:
        shapes.insert(0, _band(found["rate_iops"], found["beyond_iops"]))
    return Figure(
        "curve",
        "Response time against rate",
        _caption(found),
        _table(found),
        {
            "data": traces,
            "layout": layout(
                axis("Rate of the loop (IOPS)" if closed else "Rate asked for (IOPS)"),
                axis(f"{_statistic(found)} (ms)", rangemode="tozero"),
                shapes=shapes,
            ),
        },
        remarks=_left_out(points, near),
        wide=True,
    )


def seeds(found: Found) -> Figure:
    """The rate at which each seed meets the limit."""
    values = found["crossing_by_seed_iops"]
    names = [f"seed {seed}" for seed in found["seeds"]]
    low, high = found["crossing_ci95_iops"]
    traces = [
        {
            "type": "scatter", "mode": "markers", "name": "Answer of a seed", "x": values,
            "y": [plain(name) for name in names], "marker": {"color": palette.READ, "size": 9},
        }
    ]  # fmt: skip
    return Figure(
        "seeds",
        "The answer of each seed",
        f"Where the curve of each seed meets the limit. Band: the 95 % interval of their mean, "
        f"{text.shown(low)} to {text.shown(high)} IOPS, by Student's t over {len(values)} independent seeds.",
        Table(
            [Column("Seed", text=True), Column("Limit met at", "IOPS")],
            [[name, value] for name, value in zip(names, values, strict=True)],
        ),
        {
            "data": traces,
            "layout": layout(
                axis("Rate (IOPS)"),
                axis("", type="category", autorange="reversed"),
                shapes=[_band(low, high)],
            ),
        },
        wide=True,
    )


def _across(point: Mapping[str, Any]) -> float:
    """Where a point stands: at the rate asked for, a closed loop at its own."""
    return float(point["achieved_iops"] if point["rate_iops"] is None else point["rate_iops"])


def _decides(point: Mapping[str, Any], found: Found) -> bool:
    """Whether a point is of the runs that the answer follows from: as long, and as many, as the last ones."""
    last = found["points"][-1]
    return bool(
        point["runs"] == last["runs"] and abs(point["requests"] - last["requests"]) <= 0.2 * last["requests"]
    )


def _drawn(point: Mapping[str, Any], found: Found) -> bool:
    return bool(point["response_ms"] <= _MOST_LIMITS * found["limit_ms"])


def _caption(found: Found) -> str:
    said = text.answer(found)
    if found["loop"] == "closed":
        return (
            f"{said[:1].upper()}{said[1:]}. Each mark is a number of outstanding requests that was run. "
            "Dashed: the limit. Dotted: the rate at it, interpolated. Figures there are those of the nearest "
            "run, rates and power above idle taken to the limit."
        )
    said += ". Each mark is a rate that was run. Dashed: the limit. Dotted: the rate found."
    if found["crossing_ci95_iops"] is not None:
        said += " Band: the 95 % interval of the rate at which the limit is met."
    elif found["beyond_iops"] is not None:
        said += " Band: from the rate found to the lowest one that is over."
    if any(p["half_width_ms"] is not None for p in found["points"]):
        over = "over seeds, or by batch means of one" if len(found["seeds"]) > 1 else "by batch means"
        said += f" Bars: 95 % intervals of the mean, {over}."
    return said


def _left_out(points: Points, near: Points) -> list[str]:
    gone = len(points) - len(near)
    if not gone:
        return []
    many = "1 rate is" if gone == 1 else f"{gone} rates are"
    return [f"{many} above {_MOST_LIMITS:g} times the limit, or completed nothing: see the table."]


def _table(found: Found) -> Table:
    columns = [
        Column("Kind", text=True), Column("Asked", "IOPS"), Column("Outstanding"), Column("Achieved", "IOPS"),
        Column(_statistic(found), "ms"), Column("95 % half-width", "ms"), Column("Reads", "ms"),
        Column("Writes", "ms"), Column("Requests a run"), Column("Seeds"), Column("Verdict", text=True),
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [p["kind"], p["rate_iops"], p["outstanding"], p["achieved_iops"], p["response_ms"],
         p["half_width_ms"], p["read_ms"], p["write_ms"], p["requests"], p["runs"], p["verdict"]]
        for p in found["points"]
    ]  # fmt: skip
    return Table(columns, rows)


def _statistic(found: Found) -> str:
    return "Mean response time" if found["statistic"] == "mean" else f"{found['statistic']} of response times"


def _marks(name: str, points: Points, colour: str, symbol: str, *, faint: bool) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": [_across(p) for p in points],
        "y": [p["response_ms"] for p in points],
        "error_y": {
            "type": "data",
            "array": [p["half_width_ms"] or 0.0 for p in points],
            "visible": any(p["half_width_ms"] for p in points),
            "thickness": 1,
        },
        "marker": {"color": colour, "symbol": symbol, "size": 7 if faint else 9},
        "opacity": 0.45 if faint else 1.0,
    }


def _line(across: str, at: float, dash: str) -> dict[str, Any]:
    """A line across the whole figure at a value of one of its axes."""
    other = "y" if across == "x" else "x"
    return {
        "type": "line", f"{across}0": at, f"{across}1": at, f"{other}0": 0, f"{other}1": 1,
        f"{other}ref": "paper", "line": {"color": palette.ALL, "width": 1, "dash": dash},
    }  # fmt: skip


def _band(low: float, high: float) -> dict[str, Any]:
    """A band of rates over the whole height."""
    return {
        "type": "rect", "x0": low, "x1": high, "y0": 0, "y1": 1, "yref": "paper", "layer": "below",
        "fillcolor": palette.ALL, "opacity": 0.12, "line": {"width": 0},
    }  # fmt: skip
