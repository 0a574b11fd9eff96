"""Metrics of a search: the columns of its table, a row for each point, and Pareto fronts over them.

``names`` has titles and units of columns; ``table`` makes rows of Runs and a table of rows; ``pareto`` finds
fronts, their knee, and the point to recommend.
"""

from __future__ import annotations

from iowatt.evaluate.search.metrics.names import (
    COMMON,
    DURABILITY,
    EFFICIENCY,
    LOSS,
    PER_REQUEST,
    RATE,
    RESPONSE,
    VerbatimColumn,
    brief,
    catalogue,
    column,
    metric_column,
    numeric,
    power,
)
from iowatt.evaluate.search.metrics.pareto import front, knee, lower_is_better
from iowatt.evaluate.search.metrics.table import basis_line, row_of_run
from iowatt.evaluate.search.risk import REBUILD, REBUILD_S

__all__ = [
    "COMMON", "DURABILITY", "EFFICIENCY", "LOSS", "PER_REQUEST", "RATE", "REBUILD", "REBUILD_S", "RESPONSE",
    "VerbatimColumn", "basis_line", "brief",
    "catalogue", "column", "front", "knee", "lower_is_better", "metric_column", "numeric", "power",
    "row_of_run",
]  # fmt: skip
