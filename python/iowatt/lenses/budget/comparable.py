"""Whether Runs can be put on one axis of load: one system, one mix of requests, and loads that lasted.

A rate, and how busy hops are, are means over the window. Where one workload ends long before another, both
are diluted by the time without it, and a point of a load axis would lie where no load was.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import polars as pl

from iowatt.base.errors import InputError
from iowatt.lenses.one_array import system_of

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

#: How far mean sizes (as a share) and read shares may lie apart: what short runs of one mix do by chance.
_SIZE: Final = 0.1
_READS: Final = 0.1


def check_same_system(runs: Sequence[Run], names: Sequence[str]) -> None:
    """Raise ``InputError`` where a Run differs from the first one in more than its load."""
    for run, name in zip(runs[1:], names[1:], strict=True):
        system, other = system_of(runs[0]), system_of(run)
        keys = sorted(key for key in {*system, *other} if system.get(key) != other.get(key))
        if keys and system and other:
            raise InputError(
                "not-comparable",
                f"{name}: {keys[0]}",
                f"is another system than {names[0]}: the plans differ in {', '.join(keys)}",
                hint="a budget over loads is about one system; `iowatt compare` compares two",
            )
        if difference := _mix(runs[0], run):
            raise InputError(
                "not-comparable",
                f"{name}: workload",
                f"has other requests than {names[0]}: {difference}",
                hint="a budget over loads is about one mix of requests; `iowatt compare` compares two Runs",
            )


def _mix(first: Run, other: Run) -> str | None:
    """How the requests of a workload differ in kind between two Runs, where they do.

    Workload by workload: where the rate of one of several varies, so does the mix of all.
    """
    known = {one["name"]: one["requests"] for one in first.summary["workloads"]}
    for workload in other.summary["workloads"]:
        name, kinds = workload["name"], [known.get(workload["name"]), workload["requests"]]
        if any(not done or not done["count"] or not done["completed"] for done in kinds):
            continue
        sizes = [(done["bytes_read"] + done["bytes_written"]) / done["completed"] / 1024 for done in kinds]
        reads = [done["reads"] / done["count"] for done in kinds]
        if abs(sizes[1] - sizes[0]) > _SIZE * sizes[0]:
            return f"{name} has {sizes[1]:.3g} KiB in the mean, not {sizes[0]:.3g}"
        if abs(reads[1] - reads[0]) > _READS:
            return f"{name} has {100 * reads[1]:.0f} % reads, not {100 * reads[0]:.0f}"
    return None


#: Part of the window from which a workload counts as lasting as long as the Run.
_LASTING: Final = 0.8

#: Workloads of a smaller share of the requests change no rate to speak of.
_FEW: Final = 0.02


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
        .filter(pl.col("count") >= _FEW * int(used["count"].sum()))
    )
    parts = {name: span / window for name, span in spans.select("workload", "span_s").iter_rows()}
    return {name: part for name, part in parts.items() if part < _LASTING}


def check_load_lasted(run: Run, name: str) -> None:
    """Raise ``InputError`` where a workload of the Run, called ``name``, ended long before the window did."""
    for workload, part in ended_early(run).items():
        raise InputError(
            "not-comparable",
            f"{name}: {workload}",
            f"this workload was active for only {100 * part:.0f} % of the window, so rates and busy shares "
            "averaged over the window match no real load",
            hint="end the Run with it (observe.duration), or make it last (duration of its profile)",
        )
