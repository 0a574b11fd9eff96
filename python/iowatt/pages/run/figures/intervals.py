"""The intervals of a run as charts use them: joined where there are too many, on a fitting time axis.

Joining keeps sums exact (requests, bytes, joules), weights means by what they are means of, and takes the
highest of percentiles and maxima, because percentiles cannot be averaged. It is never silent.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import polars as pl

from iowatt.render import numbers
from iowatt.render.figure import Cell, Column

MOST_POINTS = 600
"""Points of one line; more cannot be told apart at the width of a page."""

_BY_TIME = ("in_flight_mean", "queue_length_mean", "power_w", "wall_w")
_BY_COMPLETIONS = ("response_mean_ms", "response_p50_ms")
_HIGHEST = ("response_p95_ms", "response_p99_ms", "response_max_ms")
_TIME_UNITS = ((2 * 86400.0, 86400.0, "days"), (2 * 3600.0, 3600.0, "h"), (600.0, 60.0, "min"))


@dataclass(frozen=True)
class Series:
    """Intervals ready to draw, and what had to be said about them."""

    table: pl.DataFrame
    remarks: list[str]
    divisor: float
    unit: str

    @property
    def span_columns(self) -> list[Column]:
        """The two columns that every table over time starts with."""
        return [Column("From", "s"), Column("To", "s")]

    def spans(self) -> list[list[Cell]]:
        """Start and end of each interval, seconds: the beginnings of a table's rows."""
        return [[float(a), float(b)] for a, b in self.table.select("start_s", "end_s").iter_rows()]

    def values(self, column: str) -> list[float | None]:
        """A column with NaN as ``None``."""
        return [None if v is None or not math.isfinite(v) else float(v) for v in self.table[column].to_list()]

    def rate(self, column: str, divisor: float = 1.0) -> list[float | None]:
        """A summed column per second, divided by ``divisor``."""
        frame = self.table.select(pl.col(column) / (pl.col("end_s") - pl.col("start_s")) / divisor)
        return [None if v is None or not math.isfinite(v) else v for v in frame.to_series().to_list()]

    def line(self, values: list[float | None], **more: Any) -> dict[str, Any]:
        """A trace that holds each value over its interval (a step, closed at the end of the last one)."""
        edges = [*self.table["start_s"].to_list(), self.table["end_s"].to_list()[-1]]
        x = [edge / self.divisor for edge in edges]
        y = [*values, values[-1]]
        line = {"shape": "hv", "width": 1.5, **more.pop("line", {})}
        return {"type": "scatter", "mode": "lines", "x": x, "y": y, "line": line, **more}

    def axis_title(self) -> str:
        """Title of the time axis."""
        return f"Time ({self.unit})"


def of_run(table: pl.DataFrame, most: int = MOST_POINTS) -> Series | None:
    """The intervals of a run, at most ``most`` of them; ``None`` if there is none."""
    if table.height == 0:
        return None
    joined = math.ceil(table.height / most)
    remarks = []
    if joined > 1:
        width = numbers.duration(float(table["end_s"][0] - table["start_s"][0]))
        remarks.append(
            f"Each point joins {joined} intervals of {width} (means weighted, percentiles the highest); "
            f"intervals.parquet and the XLSX report have all {table.height:,}."
        )
        table = _join(table, joined)
    end = float(table["end_s"].to_list()[-1])
    divisor, unit = next(((d, u) for least, d, u in _TIME_UNITS if end >= least), (1.0, "s"))
    return Series(table, remarks, divisor, unit)


def _join(table: pl.DataFrame, by: int) -> pl.DataFrame:
    width = pl.col("end_s") - pl.col("start_s")
    completions = pl.col("completions")
    parts: list[pl.Expr] = []
    for name in table.columns:
        column = pl.col(name)
        if name == "start_s":
            parts.append(column.first())
        elif name == "end_s":
            parts.append(column.last())
        elif name in _BY_TIME:
            mean = (column * width).sum() / width.sum()
            # What is unknown for a part is unknown for the whole: a null counted as nothing would lower it.
            parts.append(pl.when(column.null_count() == 0).then(mean).alias(name))
        elif name in _BY_COMPLETIONS:
            weight = pl.when(column.is_not_null() & column.is_not_nan()).then(completions)
            parts.append(((column.fill_nan(None) * weight).sum() / weight.sum()).alias(name))
        elif name in _HIGHEST:
            parts.append(column.fill_nan(None).max())
        else:
            parts.append(column.sum())
    group = (pl.int_range(pl.len()) // by).alias("_group")
    return table.with_columns(group).group_by("_group", maintain_order=True).agg(parts).drop("_group")
