"""All points of a page: in which order they stand, what kind each is, and the table of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from iowatt.evaluate.search import metrics, show_value
from iowatt.evaluate.search.optimize import SIMULATED, OptimizationView, ViewRow
from iowatt.evaluate.search.optimize.result import number
from iowatt.render import numbers, palette
from iowatt.render.figure import Cell, Column, Figure, Table, plain, text_columns

POINTS: Final = "points"

MOST_POINTS: Final = 10_000
"""Points that a page holds; of a larger space those that were not simulated are thinned out."""

RATE: Final = "rate_iops"


@dataclass(frozen=True)
class PointKind:
    """What became of a point, for people, and how a chart marks it."""

    name: str
    colour: str
    symbol: str
    size: int


KINDS: Final[dict[str, PointKind]] = {
    "front": PointKind("On the front", "#0072b2", "circle", 9),
    "feasible": PointKind("Simulated, feasible", palette.BAR, "circle", 6),
    "estimated": PointKind("Not simulated", palette.STATE_COLOURS["idle"], "circle-open", 5),
    "infeasible": PointKind("Simulated, breaks a limit", palette.STATE_COLOURS["spin_down"], "x", 6),
    "unlikely": PointKind("Estimated to break a limit", palette.STATE_COLOURS["idle"], "x-thin-open", 5),
    "impossible": PointKind("Known to break a limit", palette.STATE_COLOURS["idle"], "x-thin-open", 5),
    "pruned": PointKind("Left out by a bound", "#8f7a00", "triangle-down-open", 5),
    "overloaded": PointKind("Overloaded", palette.STATE_COLOURS["spin_up"], "x", 6),
    "failed": PointKind("Failed", palette.ALL, "x", 6),
    "refused": PointKind("Cannot be built", palette.ALL, "x", 6),
}
"""In the order of the table."""

WINNER: Final = PointKind("Winner", palette.STATE_COLOURS["spin_up"], "diamond", 14)
KNEE: Final = PointKind("Knee", palette.STATE_COLOURS["standby"], "star", 13)
NEAREST: Final = PointKind("Nearest to feasible", palette.STATE_COLOURS["spin_up"], "diamond", 14)

DRAWN: Final = ("impossible", "pruned", "unlikely", "estimated", "infeasible", "feasible", "front")
"""Kinds that charts have values of, the most telling on top."""


def kind(explored: OptimizationView, row: ViewRow) -> str:
    """What became of a point: a key of :data:`KINDS`."""
    status = row.get("status")
    if status in ("failed", "refused"):
        return str(status)
    if status == "pruned":
        return "impossible" if row.get("feasible") is False else "pruned"
    if status != SIMULATED:
        return "unlikely" if explored.feasible(row) is False else "estimated"
    if row.get("overloaded"):
        return "overloaded"
    if row["point"] in explored.on_front:
        return "front"
    return "feasible" if explored.feasible(row) else "infeasible"


@dataclass(frozen=True)
class Given:
    """A column of the table of points that charts can show too."""

    column: Column
    cells: list[Cell]
    axis: int | None = None
    limits: tuple[float, ...] = ()

    @property
    def numeric(self) -> bool:
        """Whether it is on a scale."""
        return not self.column.text


class ExploredPoints:
    """The points of a page, best first."""

    def __init__(self, explored: OptimizationView) -> None:
        self.explored = explored
        kinds = {row["point"]: kind(explored, row) for row in explored.rows}
        rows = sorted(explored.rows, key=lambda row: self._order(row, kinds[row["point"]]))
        self.total = len(rows)
        self.rows = _thinned(rows)
        self.kinds = [kinds[row["point"]] for row in self.rows]
        self.labels = [f"point {row['point']}: {plain(explored.label(row))}" for row in self.rows]
        self.places = [
            [
                axis.settings.index(axis.of(row)) if axis.of(row) in axis.settings else -1
                for axis in explored.axes
            ]
            for row in self.rows
        ]

    def _order(self, row: ViewRow, kind: str) -> tuple[Any, ...]:
        explored = self.explored
        if explored.winner is not None and row["point"] == explored.winner["point"]:
            return (-2, 0, 0)
        if explored.nearest is not None and row["point"] == explored.nearest["point"]:
            return (-1, 0, 0)
        if kind == "front":
            return (0, explored.on_front[row["point"]], row["point"])
        losses = explored.losses(row, estimated=True)
        return (list(KINDS).index(kind), sum(losses) if losses else math.inf, row["point"])

    def at(self, row: ViewRow | None) -> int | None:
        """Where a point stands."""
        return None if row is None else self._where.get(row["point"])

    @cached_property
    def _where(self) -> dict[int, int]:
        return {row["point"]: at for at, row in enumerate(self.rows)}

    @cached_property
    def columns(self) -> list[Given]:
        """Columns from the second on: settings, objectives, limited metrics, other common figures."""
        explored = self.explored
        found = [self._axis(at) for at in range(len(explored.axes))]
        for metric in explored.metrics:
            cells = [self._cell(row, metric) for row in self.rows]
            text = any(isinstance(cell, str) for cell in cells)
            limits = [number(limit.value) for limit in explored.limits if limit.metric == metric]
            column = explored.column(metric)
            found.append(
                Given(
                    Column(column.title, column.unit, text),
                    [None if cell is None else str(cell) for cell in cells] if text else _whole(cells),
                    limits=() if text else tuple(limit for limit in limits if limit is not None),
                )
            )
        paths = {path for axis in explored.axes for path in axis.columns}
        for metric in (RATE, *metrics.COMMON):
            if metric in explored.metrics or metric in paths or metric not in explored.frame.columns:
                continue
            cells = [
                None if explored.simulated(row, metric) is None else self._cell(row, metric)
                for row in self.rows
            ]
            if any(cell is not None for cell in cells):
                found.append(Given(explored.column(metric), _whole(cells)))
        return found

    def _axis(self, at: int) -> Given:
        axis = self.explored.axes[at]
        cells: list[Cell] = [axis.of(row) for row in self.rows]
        if len(axis.columns) == 1:
            values = [number(row.get(axis.columns[0])) for row in self.rows]
            if axis.ordered and all(value is not None for value in values):
                return Given(
                    metrics.VerbatimColumn(axis.name), [row[axis.columns[0]] for row in self.rows], axis=at
                )
        return Given(Column(axis.name, text=True), cells, axis=at)

    def _cell(self, row: ViewRow, metric: str) -> Cell:
        known = self.explored.known(row, metric)
        if known is not None:
            return known[0]
        value = row.get(metric)
        return show_value(value) if isinstance(value, str | bool) else None


def yes_no(feasible: bool | None) -> str:
    """A truth value as a cell of a table."""
    return "not known" if feasible is None else "yes" if feasible else "no"


def _whole(cells: list[Cell]) -> list[Cell]:
    """Cells as whole numbers where all are, such as counts."""
    if all(cell is None or (isinstance(cell, int | float) and cell == int(cell)) for cell in cells):
        return [None if cell is None else int(cell) for cell in cells]
    return cells


def _thinned(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """At most :data:`MOST_POINTS`: every simulated one, and of the others evenly many."""
    if len(rows) <= MOST_POINTS:
        return list(rows)
    simulated = sum(row.get("status") == SIMULATED for row in rows)
    step = max(1.0, (len(rows) - simulated) / max(1, MOST_POINTS - simulated))
    kept, others = [], 0
    for row in rows:
        if row.get("status") == SIMULATED:
            kept.append(row)
            continue
        if math.floor(others / step) != math.floor((others - 1) / step):
            kept.append(row)
        others += 1
    return kept


def table(points: ExploredPoints) -> Figure:
    """All points with their settings and figures, best first."""
    explored = points.explored
    columns = [
        metrics.VerbatimColumn("Point"),
        *(given.column for given in points.columns),
        *text_columns("Outcome", "Figures", "Why not"),
    ]
    rows: list[list[Cell]] = []
    for at, row in enumerate(points.rows):
        why_not = row.get("error") or row.get("reason") or row.get("violated")
        known = [explored.known(row, metric) for metric in explored.metrics]
        bases = list(dict.fromkeys(one[1] for one in known if one is not None))
        told = [KINDS[points.kinds[at]].name, bases[0] if bases else None, why_not and str(why_not)]
        rows.append([row["point"], *(given.cells[at] for given in points.columns), *told])
    remarks = []
    if len(points.rows) < points.total:
        remarks.append(
            f"Of {numbers.count(points.total)} points the page holds {numbers.count(len(points.rows))}: all "
            "that were simulated, and of the others evenly many. table.parquet has them all."
        )
    return Figure(
        POINTS,
        "All points",
        "Best first; a click on a heading sorts. Figures are simulated where the point was simulated, else "
        "they are the estimator's.",
        Table(columns, rows),
        remarks=remarks,
        wide=True,
        template="optimize-points.html",
    )
