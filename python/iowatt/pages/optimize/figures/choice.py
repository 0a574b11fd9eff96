"""Why the winner wins, drawn: its limits, other choices, what each axis is worth, and objectives by each
axis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from iowatt.evaluate.search import metrics
from iowatt.evaluate.search.optimize import FIRM, AxisView, OptimizationView, ViewRow
from iowatt.evaluate.search.optimize.result import (
    AxisExplanation,
    AxisShare,
    Neighbour,
    ObjectiveChange,
    ObjectiveResult,
    WinnerExplanation,
    number,
)
from iowatt.pages.optimize import explanation
from iowatt.pages.optimize.figures.points import WINNER, yes_no
from iowatt.render import palette, plot
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain

_Known = tuple[str, Neighbour, ObjectiveChange]

_BARS: Final = 24
_MANY: Final = 8
_HELD: Final = palette.BAR
_BROKEN: Final = palette.STATE_COLOURS["spin_down"]
_TOGETHER: Final = palette.STATE_COLOURS["idle"]


def winner(explored: OptimizationView) -> Figure | None:
    """The settings and figures of the winner; without one, of the point that is nearest to feasible."""
    row = explored.winner or explored.nearest
    if row is None:
        return None
    rows: list[list[Cell]] = [["Point", str(row["point"]), ""]]
    rows += [[name, setting, "setting"] for name, setting in explanation.point_settings(explored, row)]
    for goal in explored.goals:
        known = explored.known(row, goal.metric)
        way = "highest is best" if goal.maximize else "lowest is best"
        figure = goal.column.show(None if known is None else known[0])
        basis = "" if known is None or known[1] in FIRM else ", estimated"
        rows.append([goal.column.heading, figure, f"objective, {way}{basis}"])
    rows += [
        [title, figure, "after redundancy"] for title, figure in explanation.usable_capacity(explored, row)
    ]
    rows += [[limit, value, left] for limit, value, left in explanation.constraint_rows(explored, row)]
    rows += [list(cells) for cells in explanation.rebuild(explored, row)]
    if row.get("bottleneck"):
        rows.append(["Busiest station", str(row["bottleneck"]), "by the estimator"])
    title = "The winner" if explored.winner is not None else "The point that is nearest to feasible"
    columns = [Column("What", text=True), Column("Value", text=True), Column("Remark", text=True)]
    said = "Its settings, its results, and its margin to each limit."
    return Figure("winner", title, said, Table(columns, rows), brief=True)


def limits(explored: OptimizationView, why: WinnerExplanation) -> Figure | None:
    """The slack of each constraint, and the better point that it excludes."""
    given = why.constraints
    if not given:
        return None
    rows: list[list[Cell]] = []
    for one, points in zip(given, why.limits, strict=True):
        value, without = one.value, one.without
        kept_out = None if without is None else without.point
        used = [one.text, number(value), one.slack, one.slack_percent, yes_no(one.binds), kept_out]
        rows.append([*used, points.kept, points.known])
    shown = [one for one in given if one.slack_percent is not None]
    traces = [
        plot.bar(
            [one.slack_percent for one in chosen],
            [plain(one.text) for one in chosen],
            name=name,
            colour=colour,
            orientation="h",
            hover="%{y}: %{x:.3~r} % of the limit left<extra>%{fullData.name}</extra>",
        )
        for name, colour, binds in (
            ("Binds", palette.STATE_COLOURS["spin_up"], True),
            ("Rules out nothing better", _HELD, False),
        )
        if (chosen := [one for one in shown if one.binds is binds])
    ]
    frame = layout(
        axis("Margin to the limit (% of it)", rangemode="tozero", zeroline=True),
        axis("", type="category", autorange="reversed"),
        showlegend=True,
        bargap=0.4,
    )
    columns = [
        Column("Limit", text=True), Column("Value of the winner"), Column("Left"), Column("Left", "%"),
        Column("Binds", text=True), metrics.VerbatimColumn("Rules out point"), Column("Points that meet it"),
        Column("Points known"),
    ]  # fmt: skip
    return Figure(
        "limits",
        "Margin to each limit",
        "A limit binds if a point that breaks no other limit would beat the winner.",
        Table(columns, rows),
        # One bar says no more than the table.
        plot.spec(traces, frame) if len(shown) > 1 else None,
    )


def neighbours(explored: OptimizationView, why: WinnerExplanation) -> list[Figure]:
    """For each objective, what each other choice alone would gain or lose."""
    found = [_neighbours(explored, why, at) for at in range(len(explored.goals))]
    return [figure for figure in found if figure is not None]


def _neighbours(explored: OptimizationView, why: WinnerExplanation, at: int) -> Figure | None:
    goal = explored.goals[at]
    known: list[_Known] = []
    rows: list[list[Cell]] = []
    for part in why.axes:
        telling = {id(one) for one in _telling(part, at)}
        for one in part.neighbours:
            change = one.objectives[at] if one.objectives else None
            drawn_too = change is not None and change.gain_percent is not None and not one.overloaded
            if change is not None and drawn_too and id(one) in telling:
                known.append((f"{part.name} {one.setting}", one, change))
            if one.point is not None:
                rows.append(_neighbour(part.name, one, change))
    if not rows:
        return None
    traces, remarks = _bars(known, goal), []
    names = [plain(name) for name, *_ in _largest(known)]
    choices = axis(
        "", type="category", autorange="reversed", categoryorder="array", categoryarray=names, dtick=1
    )
    gain = axis(f"Gain in {goal.column.title.lower()} (%)", zeroline=True)
    frame = layout(gain, choices, showlegend=True, barmode="overlay", bargap=0.3)
    if len(rows) > (drawn := min(len(known), _BARS)):
        remarks.append(f"{len(rows) - drawn} more choices are in the table.")
    columns = [
        Column("Axis", text=True), Column("Setting", text=True), metrics.VerbatimColumn("Point"), goal.column,
        Column("Change", goal.column.unit), Column("Gain", "%"), Column("Figures", text=True),
        Column("Feasible", text=True), Column("Breaks or why not", text=True),
        Column("Busiest station", text=True),
    ]  # fmt: skip
    return Figure(
        f"neighbours-{at}",
        f"Other choices one at a time: {goal.column.title.lower()}",
        "One other setting, all else as the winner has it. To the right is better"
        f"{'' if goal.maximize else ', which is less'}.",
        Table(columns, rows),
        plot.spec(traces, frame) if traces else None,
        remarks,
    )


def _telling(part: AxisExplanation, at: int) -> list[Neighbour]:
    """Of an axis with many settings the two next on either side and the best.

    The others are in the table and in the charts by axis; far ones would dwarf what lies near.
    """
    given = [one for one in part.neighbours if one.objectives]
    if len(given) <= _MANY or not part.ordered:
        return given
    below = [one for one in given if (one.steps or 0) < 0]
    above = [one for one in given if (one.steps or 0) > 0]
    best = max(given, key=lambda one: one.objectives[at].gain_percent or 0.0)
    kept = [*below[-2:], *above[:2], best]
    return [one for one in given if any(one is other for other in kept)]


def _neighbour(name: str, one: Neighbour, change: ObjectiveChange | None) -> list[Cell]:
    figures = [None] * 3 if change is None else [change.value, change.change, change.gain_percent]
    basis = one.status if change is None or not change.basis else change.basis
    broken = "; ".join(one.breaks) or one.why_not
    return [name, one.setting, one.point, *figures, basis, yes_no(one.feasible), broken, one.bottleneck]


def _largest(known: list[_Known]) -> list[_Known]:
    """The changes that are drawn, in the order of the axes."""
    kept = sorted(range(len(known)), key=lambda at: -abs(known[at][2].gain_percent or 0.0))[:_BARS]
    return [known[at] for at in sorted(kept)]


def _bars(known: list[_Known], goal: ObjectiveResult) -> list[dict[str, Any]]:
    traces = []
    for name, feasible, simulated in (
        ("Feasible", True, True),
        ("Feasible, estimated", True, False),
        ("Breaks a limit", False, True),
        ("Breaks a limit, estimated", False, False),
    ):
        bars = [
            (label, change)
            for label, one, change in _largest(known)
            if (one.feasible is not False) is feasible and (change.basis in FIRM) is simulated
        ]
        if not bars:
            continue
        marker: dict[str, Any] = {"color": _HELD if feasible else _BROKEN}
        if not simulated:
            marker["pattern"] = {"shape": "/", "solidity": 0.4, "fillmode": "overlay"}
        traces.append(
            plot.bar(
                [change.gain_percent for _, change in bars],
                [plain(label) for label, _ in bars],
                name=name,
                orientation="h",
                customdata=[change.value for _, change in bars],
                marker=marker,
                hover=f"%{{y}}: %{{x:.3~r}} % (%{{customdata:,.4~r}} {plain(goal.column.unit)})"
                "<extra>%{fullData.name}</extra>",
            )
        )
    return traces


def shares(explored: OptimizationView, why: WinnerExplanation) -> Figure | None:
    """The share of each axis in the spread of each objective."""
    known = [one for one in why.shares if one.axes is not None and one.std]
    if not known:
        return None
    titles = {one.metric: explored.column(one.metric).title for one in known}
    names = [part.name for part in known[0].axes or []]
    series = [
        (
            plain(name),
            [100 * (one.axes or [])[at].share for one in known],
            palette.RUNS[at % len(palette.RUNS)],
        )
        for at, name in enumerate(names)
    ]
    if len(names) > 1:
        series.append(("Interactions", [100 * (one.together or 0.0) for one in known], _TOGETHER))
    rows: list[list[Cell]] = [
        [titles[one.metric], part.name, 100 * part.share, one.simulated, one.estimated]
        for one in known
        for part in [*(one.axes or []), AxisShare(name="Interactions", share=one.together or 0.0)]
    ]
    few = [explored.column(one.metric).title for one in why.shares if one.axes is None]
    columns = [
        Column("Objective", text=True), Column("Axis", text=True), Column("Share", "%"),
        Column("Points simulated"), Column("Points estimated"),
    ]  # fmt: skip
    objectives = [plain(titles[one.metric]) for one in known]
    hover = "%{y}: %{x:.3~r} %<extra>%{fullData.name}</extra>"
    traces = [
        plot.bar(values, objectives, name=name, colour=colour, orientation="h", hover=hover)
        for name, values, colour in series
    ]
    frame = layout(
        axis("Share of the variance (%)", range=[0, 100]),
        axis("", type="category", autorange="reversed"),
        showlegend=True,
        barmode="stack",
        bargap=0.4,
    )
    return Figure(
        "shares",
        "What sets each objective",
        "Share of each axis in the variance over the space, simulated or estimated: how far apart the means "
        "at its settings lie. Interactions of settings explain the rest.",
        Table(columns, rows),
        plot.spec(traces, frame),
        [f"Too few points are known for {', '.join(few)}."] if few else [],
        wide=len(explored.goals) % 2 == 0,
    )


MOST_BY_AXIS: Final = 12
"""Figures of a page; of more, only those of the first objective are shown."""
_LOG_FROM: Final = 20.0


def by_axis(explored: OptimizationView) -> list[Figure]:
    """One for each objective and axis with a choice."""
    axes = [one for one in explored.axes if len(one.settings) > 1]
    goals = explored.goals if len(axes) * len(explored.goals) <= MOST_BY_AXIS else explored.goals[:1]
    drawn = [_by_one_axis(explored, goal, one) for one in axes for goal in goals]
    return [figure for figure in drawn if figure is not None][:MOST_BY_AXIS]


def _by_one_axis(explored: OptimizationView, goal: ObjectiveResult, one: AxisView) -> Figure | None:
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
            layout(_setting_axis(one, list(places.values())), axis(goal.column.heading), showlegend=True),
        ),
    )


def _alone(
    explored: OptimizationView, goal: ObjectiveResult, one: AxisView
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


def _better(explored: OptimizationView, goal: ObjectiveResult, row: ViewRow, than: ViewRow | None) -> bool:
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


def _setting_axis(one: AxisView, places: list[Cell]) -> dict[str, Any]:
    values = [place for place in places if isinstance(place, float)]
    if len(values) < len(places):
        return axis(plain(one.name), type="category", categoryorder="array", categoryarray=places)
    few = {"tickvals": values} if len(values) <= 12 else {}
    if len(values) > 2 and min(values) > 0 and max(values) > _LOG_FROM * min(values):
        return axis(f"{plain(one.name)} (log scale)", type="log", **few)
    return axis(plain(one.name), **few)


def _traces(
    explored: OptimizationView,
    goal: ObjectiveResult,
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
