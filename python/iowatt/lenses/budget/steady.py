"""Whether the load of a Run lasted: a rate, and how busy hops are, are means over the window.

Where one workload ends long before another, both are diluted by the time without it, and a point of a load
axis would lie where no load was.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl

from iowatt.errors import InputError

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

#: Least share of the window up to the last completion of each workload.
LEAST: Final = 0.8

#: Workloads of a smaller share of the requests change no rate to speak of.
FEW: Final = 0.02


def check(run: Run, name: str) -> None:
    """Raise ``InputError`` where a workload of the Run, called ``name``, ended long before the window did.

    A Run without the table ``series`` does not tell, and passes.
    """
    window = run.summary["window"]
    if not run.has("series") or not window["duration_s"]:
        return
    used = run.table("series").filter((pl.col("point") == "host") & (pl.col("count") > 0))
    last = used.group_by("workload", maintain_order=True).agg(pl.col("end_s").max(), pl.col("count").sum())
    for workload, end_s, count in last.iter_rows():
        if count < FEW * used["count"].sum():
            continue
        lasted = float(end_s) - window["start_s"]
        if lasted < LEAST * window["duration_s"]:
            raise InputError(
                f"workload {workload!r} ends after {lasted:.3g} s of {window['duration_s']:.3g} s, so that "
                "rates and busy shares, means over the whole, are of no load that there was",
                where=name,
                hint="end the Run with it (observe.duration), or let it last (duration of its profile)",
            )
