"""An outcome for its readers: points with their settings, values with their basis.

A value is *simulated* where the point was simulated, *known* where it follows from the
configuration, else the estimator's (`estimate.<metric>`), which is
always marked as an estimate.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from iowatt.evaluate.search.axes import show_value
from iowatt.evaluate.search.metrics.names import metric_column as titled
from iowatt.evaluate.search.optimize.result import AxisResult, ConstraintResult, Optimization, number
from iowatt.render.figure import Column

if TYPE_CHECKING:
    import polars as pl

SIMULATED: Final = "simulated"
KNOWN: Final = "known"
"""What follows from the configuration alone, such as its capacity: true whether it was simulated or not."""
ESTIMATED: Final = "estimated"
FIRM: Final = (SIMULATED, KNOWN)
CORRECTED: Final = "corrected estimate"
"""An estimate times what the simulation of the winner is to the winner's estimate."""

ViewRow = Mapping[str, Any]


@dataclass(frozen=True)
class AxisView:
    """An axis: its columns, and its settings as they are shown, in the order of the space."""

    columns: tuple[str, ...]
    name: str
    settings: tuple[str, ...]
    ordered: bool

    def of(self, row: ViewRow) -> str:
        """The setting of a point."""
        return ", ".join("" if row.get(path) is None else show_value(row[path]) for path in self.columns)


class OptimizationView:
    """A document with its frame."""

    def __init__(self, document: Optimization, frame: pl.DataFrame) -> None:
        self.document = document
        self.frame = frame
        self.rows: list[dict[str, Any]] = frame.to_dicts()
        self.goals = document.objectives
        self.limits = document.constraints
        self.axes = [_axis(one) for one in document.axes]
        self.by_number = {row["point"]: row for row in self.rows}
        self.front = [n for n in document.front if n in self.by_number]
        self.on_front = {n: at for at, n in enumerate(self.front)}
        self.winner = _at(self.by_number, document.winner)
        self.knee = _at(self.by_number, document.knee)
        self.nearest = _at(self.by_number, document.nearest)

    @property
    def metrics(self) -> list[str]:
        """Objectives, then what else is limited."""
        return list(dict.fromkeys([*(g.metric for g in self.goals), *(c.metric for c in self.limits)]))

    def column(self, metric: str) -> Column:
        """Title and unit of an objective, a limited metric or any other."""
        given = {limit.metric: limit.column for limit in self.limits}
        given |= {goal.metric: goal.column for goal in self.goals}
        return given.get(metric) or titled(metric)

    def label(self, row: ViewRow) -> str:
        """A point for people."""
        return ", ".join(f"{axis.name} {axis.of(row)}" for axis in self.axes)

    def key(self, row: ViewRow) -> tuple[str, ...]:
        """The settings of a point on all axes."""
        return self._keys[row["point"]]

    @cached_property
    def _keys(self) -> dict[int, tuple[str, ...]]:
        return {row["point"]: tuple(axis.of(row) for axis in self.axes) for row in self.rows}

    def simulated(self, row: ViewRow, metric: str) -> float | None:
        """The simulated value."""
        return number(row.get(metric)) if row.get("status") == SIMULATED else None

    def estimate(self, row: ViewRow, metric: str) -> float | None:
        """The estimator's value."""
        return number(row.get(f"estimate.{metric}"))

    def known(self, row: ViewRow, metric: str) -> tuple[float, str] | None:
        """The simulated value, else the one known without a run, else the estimate; with its basis."""
        if (value := number(row.get(metric))) is not None:
            return value, SIMULATED if row.get("status") == SIMULATED else KNOWN
        value = self.estimate(row, metric)
        return None if value is None else (value, ESTIMATED)

    def beside(self, row: ViewRow, metric: str) -> tuple[float, str] | None:
        """As :meth:`known`, an estimate corrected by the winner's ratio of simulated to estimated."""
        found = self.known(row, metric)
        if found is None or found[1] != ESTIMATED or self.winner is None:
            return found
        simulated, estimate = self.simulated(self.winner, metric), self.estimate(self.winner, metric)
        if simulated is None or not estimate or not math.isfinite(found[0] * (simulated / estimate)):
            return found
        return found[0] * (simulated / estimate), CORRECTED

    def limited(self, row: ViewRow, limit: ConstraintResult) -> tuple[Any, str] | None:
        """The value that a constraint is about; text and truth values are as the row has them."""
        found = self.beside(row, limit.metric)
        if found is not None:
            return found
        value = row.get(limit.metric)
        return (value, SIMULATED) if isinstance(value, str | bool) else None

    def broken(self, row: ViewRow) -> list[ConstraintResult]:
        """The constraints that a point is known to break."""
        return [
            limit
            for limit in self.limits
            if (found := self.limited(row, limit)) is not None and limit.holds(found[0]) is False
        ]

    def feasible(self, row: ViewRow) -> bool | None:
        """Whether a point keeps all constraints: as judged, else by its estimates, if known."""
        if isinstance(row.get("feasible"), bool):
            return bool(row["feasible"])
        if row.get("status") in ("failed", "refused") or self.broken(row):
            return False
        if not self.limits or all(self.limited(row, limit) is not None for limit in self.limits):
            return True if any(self.known(row, g.metric) for g in self.goals) else None
        return None

    @cached_property
    def extent(self) -> list[tuple[float, float] | None]:
        """For each objective the best value of the front, and the distance of its worst.

        Where the front has no extent (one objective) the best value is the scale.
        """
        front = [self.by_number[n] for n in self.front] or ([self.winner] if self.winner else [])
        found: list[tuple[float, float] | None] = []
        for goal in self.goals:
            seen = [value for row in front if (value := self.simulated(row, goal.metric)) is not None]
            if not seen:
                found.append(None)
                continue
            best, worst = (max(seen), min(seen)) if goal.maximize else (min(seen), max(seen))
            found.append((best, abs(best - worst) or abs(best) or 1.0))
        return found

    def losses(self, row: ViewRow, *, estimated: bool = False) -> list[float] | None:
        """How far a simulated point is from the best of the front in each objective, in extents of the front.

        ``None`` where a value is missing. With ``estimated``, an estimate will do.
        """
        found = []
        for goal, extent in zip(self.goals, self.extent, strict=True):
            value = self.simulated(row, goal.metric)
            if value is None and estimated and (known := self.known(row, goal.metric)) is not None:
                value = known[0]
            if value is None or extent is None:
                return None
            found.append(-goal.gain(value, extent[0]) / extent[1])
        return found

    def neighbours(self, axis: AxisView) -> list[tuple[str, dict[str, Any] | None]]:
        """Every other setting of an axis with all else as the winner; ``None`` where no such point was
        assessed."""
        assert self.winner is not None  # asked for only where there is one
        at = self.axes.index(axis)
        own = self.key(self.winner)
        rows = {
            key[at]: row
            for row in self.rows
            if (key := self.key(row))[:at] == own[:at] and key[at + 1 :] == own[at + 1 :]
        }
        settings = dict.fromkeys([*axis.settings, *rows])
        return [(setting, rows.get(setting)) for setting in settings if setting != own[at]]


def percent(change: float, against: float) -> float | None:
    """A change in per cent of a reference."""
    found = 100 * change / abs(against) if against else math.inf
    return found if math.isfinite(found) else None


def _at(rows: Mapping[int, dict[str, Any]], number: int | None) -> dict[str, Any] | None:
    return None if number is None else rows.get(number)


def _axis(given: AxisResult) -> AxisView:
    settings = dict.fromkeys(", ".join(show_value(value) for value in row) for row in given.values)
    # RAID levels are numbers, but one is not more than another.
    ordered = given.ordered and not any(path.endswith("raid.level") for path in given.columns)
    return AxisView(tuple(given.columns), ", ".join(given.names), tuple(settings), ordered)
