"""The table of a sweep: a row for each point, in the order of the points; Parquet and CSV."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from iowatt.evaluate.search.grid import SweepPoint
from iowatt.evaluate.search.record import error_text
from iowatt.evaluate.search.row import TEXTS

if TYPE_CHECKING:
    import polars as pl

#: Columns before those of the swept paths and of the Run.
POINT: Final = "point"
STATUS: Final = "status"
ERROR: Final = "error"
RUN: Final = "run"


def build_table(
    paths: Sequence[str],
    rows: Sequence[tuple[SweepPoint, Mapping[str, Any]]],
    bundles: Mapping[int, str] | None = None,
) -> pl.DataFrame:
    """The table.

    Parameters
    ----------
    paths:
        Columns of the swept values.
    rows:
        Each point with its record (``row`` or ``error``, see :func:`iowatt.evaluate.search.point.evaluate_point`).
    bundles:
        Directory of the bundle of each point, by its number; left out, there is no such column.

    Returns
    -------
    polars.DataFrame
        ``point`` (from 1), one column a swept path, ``status`` (``done``, ``failed``), ``error``, ``run``
        where there are bundles, then the scalars of ``run.json`` (see ``search.row``); those of
        failed points are null.
    """
    import polars as pl

    columns: dict[str, list[Any]] = {POINT: [point.number for point, _ in rows]}
    for at, path in enumerate(paths):
        columns[path] = alike([point.values[at] for point, _ in rows])
    failed = ["error" in record for _, record in rows]
    columns[STATUS] = ["failed" if bad else "done" for bad in failed]
    columns[ERROR] = [
        error_text(record["error"]) if bad else None for (_, record), bad in zip(rows, failed, strict=True)
    ]
    if bundles is not None:
        columns[RUN] = [
            None if bad else bundles[point.number] for (point, _), bad in zip(rows, failed, strict=True)
        ]
    figures = dict.fromkeys(key for _, record in rows for key in record.get("row", {}))
    for key in figures:
        if key not in columns:
            columns[key] = alike([record.get("row", {}).get(key) for _, record in rows])
    # A column without any value is one of numbers: that is what run.json leaves null.
    frame = pl.DataFrame(
        {
            name: pl.Series(name, values, dtype=None if _some(values) else _empty_type(name))
            for name, values in columns.items()
        }
    )
    return frame.with_columns(pl.col(POINT).cast(pl.Int64))


def _some(values: Sequence[Any]) -> bool:
    return any(value is not None for value in values)


def _empty_type(name: str) -> Any:
    import polars as pl

    return pl.String if name in (ERROR, RUN, *TEXTS) else pl.Float64


def alike(values: Sequence[Any]) -> list[Any]:
    """Values of one type: whole numbers beside others become floats, and what is mixed otherwise text."""
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int} and all(value is None or abs(value) < 2**63 for value in values):
        return list(values)
    if kinds <= {int, float}:
        return [None if value is None else float(value) for value in values]
    if len(kinds) == 1:
        return list(values)
    return [
        None if value is None else str(value).lower() if isinstance(value, bool) else str(value)
        for value in values
    ]


def write_parquet(frame: pl.DataFrame, file: Path) -> None:
    """Write the table as Parquet."""
    frame.write_parquet(file, compression="zstd")


def write_csv(frame: pl.DataFrame, file: Path) -> None:
    """Write the table as CSV with a header; missing values are empty."""
    frame.write_csv(file)
