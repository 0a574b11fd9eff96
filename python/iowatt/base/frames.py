"""A generator of frames as a Polars scan, so that tables larger than memory can be written as they come.

The registration of a generator as a Polars source is marked unstable by Polars; this is the only module that
uses it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import polars as pl
from polars.io.plugins import register_io_source


def lazy(
    frames: Callable[[], Iterator[pl.DataFrame]], schema: Mapping[str, pl.DataType | type[pl.DataType]]
) -> pl.LazyFrame:
    """The rows of ``frames()``, called anew for each query. Each frame has exactly the columns of ``schema``.

    A query pulls frames as it needs them; its streaming engine holds a few at a time.
    """

    def source(
        columns: list[str] | None, predicate: pl.Expr | None, rows: int | None, _batch: int | None
    ) -> Iterator[pl.DataFrame]:
        left = rows
        for frame in frames():
            # The number of rows counts what is read, before the filter.
            taken = frame if left is None else frame.head(left)
            left = None if left is None else left - taken.height
            taken = taken if columns is None else taken.select(columns)
            yield taken if predicate is None else taken.filter(predicate)
            if left == 0:
                return

    return register_io_source(source, schema=dict(schema), validate_schema=True)
