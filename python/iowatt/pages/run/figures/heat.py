"""Where I/O goes, of Runs that were asked for it: the curve that sums it up. `iowatt heat` has the rest."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from iowatt.render.figure import Figure
    from iowatt.run.bundle import Run


def curve(run: Run) -> Figure | None:
    """Cumulative share of the I/O over share of the space, in front and behind the cache."""
    if not run.has("heat") or not run.table("heat").height:
        return None
    from iowatt.lenses.heat import analyse, of_run
    from iowatt.pages.heat import figures

    drawn = figures.curve(analyse(of_run(run), run.name))
    return replace(drawn, key="heat-curve", remarks=["`iowatt heat` shows density, course and stability"])
