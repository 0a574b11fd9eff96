"""The figures that a submission claims, and the metric family in which they may be compared."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Final

from iowatt.emerald.analyze import Analysis
from iowatt.registry.bundle.canonical_json import canonical
from iowatt.registry.bundle.submission import Basis, ClaimedFigure

#: Figures of a Run: metric, unit, keys in its summary.
_OF_RUN: Final = (
    ("IOPS/W", "IOPS/W", ("efficiency", "iops_per_w")),
    ("MiB/s/W", "MiB/s/W", ("efficiency", "mib_per_s_per_w")),
    ("raw GB/W", "GB/W", ("efficiency", "raw_gb_per_w")),
    ("IOPS", "IOPS", ("throughput", "iops")),
    ("mean response time", "ms", ("response_time_ms", "all", "mean")),
    ("mean power", "W", ("power_w", "mean")),
    ("mean power at the wall", "W", ("power_w", "wall_mean")),
)
LOWER_IS_BETTER: Final = frozenset({"ms", "W"})
"""Units of metrics of which less is better."""


def analysis_figures(analysis: Analysis) -> list[ClaimedFigure]:
    """The metrics of an analysis, refused ones without a value."""
    return [
        ClaimedFigure(
            metric=part.metric,
            unit=part.unit,
            value=None if part.ep_shown is None else part.ep,
            shown=part.ep_shown,
        )
        for part in analysis.parts
    ]


def basis_of(analysis: Analysis) -> Basis:
    """``modelled`` where any of its figures is."""
    kinds = {analysis.kind, *(part.kind for part in analysis.parts)}
    return "modelled" if "modelled" in kinds else "measured"


def run_figures(summary: Mapping[str, Any]) -> list[ClaimedFigure]:
    """The figures of a Run that are known."""
    found = []
    for metric, unit, keys in _OF_RUN:
        value: Any = summary
        for one in keys:
            value = value.get(one) if isinstance(value, Mapping) else None
        if isinstance(value, int | float):
            found.append(ClaimedFigure(metric=metric, unit=unit, value=float(value), shown=f"{value:.4g}"))
    return found


def run_family(work: Any) -> str:
    """The metric family of a Run by the work that it did: Runs of other work are never compared."""
    return f"run-{hashlib.sha256(canonical(work)).hexdigest()[:12]}"
