"""Whether the load of a Run lasted: a rate, and how busy hops are, are means over the window.

Where one workload ends long before another, both are diluted by the time without it, and a point of a load
axis would lie where no load was.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl

from iowatt.base.errors import InputError

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

#: Part of the window from which a workload counts as lasting as long as the Run.
LEAST: Final = 0.8

#: Workloads of a smaller share of the requests change no rate to speak of.
FEW: Final = 0.02


def ended_early(run: Run) -> dict[str, float]:
    """Workloads on paths whose requests came within a part of the window only, with that part.

    Of requests that were counted, by the table `series`; empty where the Run has none.
    """
    if not run.has("series"):
        return {}
    window = float(run.summary["window"]["duration_s"])
    of_paths = run.table("hops")["workload"].unique().to_list()
    used = run.table("series").filter((pl.col("point") == "host") & (pl.col("count") > 0))
    spans = (
        used.filter(pl.col("workload").is_in(of_paths))
        .group_by("workload", maintain_order=True)
        .agg((pl.col("end_s").max() - pl.col("start_s").min()).alias("span_s"), pl.col("count").sum())
        .filter(pl.col("count") >= FEW * int(used["count"].sum()))
    )
    parts = {name: span / window for name, span in spans.select("workload", "span_s").iter_rows()}
    return {name: part for name, part in parts.items() if part < LEAST}


def check(run: Run, name: str) -> None:
    """Raise ``InputError`` where a workload of the Run, called ``name``, ended long before the window did."""
    for workload, part in ended_early(run).items():
        raise InputError(
            "not-comparable",
            f"{name}: {workload}",
            f"this workload was active for only {100 * part:.0f} % of the window, so rates and busy shares "
            "averaged over the window match no real load",
            hint="end the Run with it (observe.duration), or make it last (duration of its profile)",
        )
