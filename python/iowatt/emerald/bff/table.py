"""The points of a search as a table: one row for each configuration and metric that was looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from iowatt.emerald.bff.result import BestFootForward

if TYPE_CHECKING:
    import polars as pl

_FIGURES: Final = ("ep", "iops", "mib_per_s", "response_ms", "wall_w", "half_percent", "runs", "bottleneck")


def frame(found: BestFootForward) -> pl.DataFrame:
    """The table of a result: ``estimated.*`` beside ``found.*``."""
    import polars as pl

    rows: list[dict[str, Any]] = []
    for series in found.series:
        for at, point in enumerate(series.points):
            row = {key: getattr(series, key) for key in ("metric", "by", "drive", "raid", "controller")}
            row |= {key: getattr(point, key) for key in ("drives", "nodes", "shelves", "basis", "ep")}
            row["peak"] = series.peak is not None and series.peak.at == at
            for kind, judged in (("estimated", point.estimated), ("found", point.found)):
                row |= {f"{kind}.{name}": getattr(judged, name, None) for name in _FIGURES}
            row["error"] = point.error
            rows.append(row)
    texts = ("metric", "by", "drive", "raid", "controller", "basis", "error")
    schema: dict[str, Any] = {}
    for name in rows[0] if rows else ():
        if name in texts or name.endswith("bottleneck"):
            schema[name] = pl.String
        elif name in ("drives", "nodes", "shelves") or name.endswith(".runs"):
            schema[name] = pl.Int64
        else:
            schema[name] = pl.Boolean if name == "peak" else pl.Float64
    return pl.DataFrame(rows, schema=schema)
