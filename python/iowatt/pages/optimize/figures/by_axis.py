"""An objective by the settings of one axis: all else as the winner has it, and all else at its best."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from iowatt.evaluate.search import metrics
from iowatt.evaluate.search.optimize.result_view import (
    FIRM,
    AxisView,
    Goal,
    OptimizationView,
    ViewRow,
    number,
)
from iowatt.pages.optimize.figures.points import WINNER, yes_no
from iowatt.render import palette, plot
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain

MOST: Final = 12
"""Figures of a page; of more, only those of the first objective are shown."""
_LOG_FROM: Final = 20.0


def figures(explored: OptimizationView) -> list[Figure]:
    """One for each objective and axis with a choice."""
    axes = [one for one in explored.axes if len(one.settings) > 1]
    goals = explored.goals if len(axes) * len(explored.goals) <= MOST else explored.goals[:1]
    drawn = [_figure(explored, goal, one) for one in axes for goal in goals]
    return [figure for figure in drawn if figure is not None][:MOST]


def _figure(explored: OptimizationView, goal: Goal, one: AxisView) -> Figure | None:
    at = explored.axes.index(one)
    alone = _alone(explored, goal, one)
    best: dict[str, ViewRow] = {}
    counted: dict[str, int] = {}
    for row in explored.rows:
        value = explored.simulated(row, goal.metric)
        if value is None or row.get("overloaded"):
            continue
        setting = one.of(row)
        counted[setting] = counted.get(setting, 0) + 1
        if explored.feasible(row) is True and _better(explored, goal, row, best.get(setting)):
            best[setting] = row
    if not best and not alone:
        return None
    places = {setting: _place(one, setting) for setting in one.settings}
    rows: list[list[Cell]] = []
    for setting in one.settings:
        here, top = alone.get(setting), best.get(setting)
        own = [None, None, None] if here is None else [here[0], here[1], yes_no(here[2])]
        best_here = [None, None] if top is None else [explored.simulated(top, goal.metric), top["point"]]
        rows.append([setting, *own, *best_here, counted.get(setting, 0)])
    unit = goal.column.unit
    columns = [
        Column(one.name, text=True), Column("All else as the winner", unit), Column("Figures", text=True),
        Column("Feasible", text=True), Column("Best feasible", unit), metrics.VerbatimColumn("Its point"),
        Column("Points simulated"),
    ]  # fmt: skip
    return Figure(
        f"by-{at}-{explored.goals.index(goal)}",
        f"{goal.column.title} by {one.name}",
        "All else as the winner has it (hollow: estimated or not feasible), and the best feasible point that "
        "was simulated with each setting, whatever the rest.",
        Table(columns, rows),
        plot.spec(
            _traces(explored, goal, places, alone, best, one=one),
            layout(_axis(one, list(places.values())), axis(goal.column.heading), showlegend=True),
        ),
    )


def _alone(
    explored: OptimizationView, goal: Goal, one: AxisView
) -> dict[str, tuple[float, str, bool | None]]:
    """The objective at each setting, all else as the winner has it; what it rests on, if it is feasible."""
    if explored.winner is None:
        return {}
    rows: list[tuple[str, Mapping[str, Any] | None]] = [(one.of(explored.winner), explored.winner)]
    rows += explored.neighbours(one)
    return {
        setting: (*found, explored.feasible(row))
        for setting, row in rows
        if row is not None
        and not row.get("overloaded")
        and (found := explored.beside(row, goal.metric)) is not None
    }


def _better(explored: OptimizationView, goal: Goal, row: ViewRow, than: ViewRow | None) -> bool:
    if than is None:
        return True
    a, b = explored.simulated(row, goal.metric), explored.simulated(than, goal.metric)
    return a is not None and b is not None and goal.gain(a, b) > 0


def _place(one: AxisView, setting: str) -> Cell:
    """Where a setting stands: a number on a scale where all are numbers."""
    if one.ordered and all(_as_number(each) is not None for each in one.settings):
        return _as_number(setting)
    return plain(setting)


def _as_number(setting: str) -> float | None:
    try:
        return number(float(setting))
    except ValueError:
        return None


def _axis(one: AxisView, places: list[Cell]) -> dict[str, Any]:
    values = [place for place in places if isinstance(place, float)]
    if len(values) < len(places):
        return axis(plain(one.name), type="category", categoryorder="array", categoryarray=places)
    few = {"tickvals": values} if len(values) <= 12 else {}
    if len(values) > 2 and min(values) > 0 and max(values) > _LOG_FROM * min(values):
        return axis(f"{plain(one.name)} (log scale)", type="log", **few)
    return axis(plain(one.name), **few)


def _traces(
    explored: OptimizationView,
    goal: Goal,
    places: Mapping[str, Cell],
    alone: Mapping[str, tuple[float, str, bool | None]],
    best: Mapping[str, ViewRow],
    *,
    one: AxisView,
) -> list[dict[str, Any]]:
    traces: list[dict[str, Any]] = []
    tops = [setting for setting in places if setting in best]
    if tops:
        traces.append(
            plot.line(
                [places[setting] for setting in tops],
                [explored.simulated(best[setting], goal.metric) for setting in tops],
                name="Best feasible, simulated",
                mode="lines+markers" if one.ordered else "markers",
                colour=palette.STATE_COLOURS["idle"],
                width=2,
                dash="dash",
                text=[f"point {best[s]['point']}: {plain(explored.label(best[s]))}" for s in tops],
                hover="%{text}<br>%{y:,.4~r}<extra></extra>",
            )
        )
    drawn = [setting for setting in places if setting in alone]
    if drawn:
        firm = [alone[setting][1] in FIRM and alone[setting][2] is not False for setting in drawn]
        symbols = ["circle" if held else "circle-open" for held in firm]
        traces.append(
            plot.line(
                [places[setting] for setting in drawn],
                [alone[setting][0] for setting in drawn],
                name="All else as the winner",
                mode="lines+markers" if one.ordered else "markers",
                width=2,
                text=[_basis(alone[setting]) for setting in drawn],
                marker={"size": 8, "symbol": symbols, "color": palette.BAR},
                hover="%{x}: %{y:,.4~r}, %{text}<extra></extra>",
            )
        )
    if explored.winner is not None and (own := alone.get(one.of(explored.winner))) is not None:
        place, look = places.get(one.of(explored.winner)), WINNER
        hover = "winner: %{y:,.4~r}<extra></extra>"
        traces.append(
            plot.markers(
                [place],
                [own[0]],
                name=look.name,
                colour=look.colour,
                size=12,
                symbol=look.symbol,
                hover=hover,
            )
        )
    return traces


def _basis(found: tuple[float, str, bool | None]) -> str:
    return found[1] + (", not feasible" if found[2] is False else "")
