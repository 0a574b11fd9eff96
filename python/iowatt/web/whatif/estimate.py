"""Answers to a change: at once from the estimator, then from the Run."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from iowatt.base.errors import InputError
from iowatt.base.results import Result
from iowatt.web.dollars import dollars_of
from iowatt.web.whatif.design import Change, WhatIfDesign, design_of, examples

if TYPE_CHECKING:
    from iowatt.evaluate.estimate import Estimator
    from iowatt.evaluate.search import Pricing
    from iowatt.run.bundle import Run

GB_PER_TB = 1000.0


class WhatIfFigures(Result):
    """Figures of a design, None where they are not known."""

    iops: float | None = None
    mean_ms: float | None = None
    p95_ms: float | None = None
    p99_ms: float | None = None
    watts: float | None = None
    watts_of: str | None = None  #: wall or drives
    usable_tb: float | None = None
    usd: float | None = None
    usd_per_tb: float | None = None
    late: bool = False  #: Requests come faster than they are served.
    unpriced: str | None = None  #: Why there are no dollars.


class EstimateAnswer(Result):
    """An estimate: ``figures`` have no percentiles; ``refused`` says why there is none."""

    figures: WhatIfFigures | None
    refused: str | None
    bottleneck: str | None
    assumptions: list[str]


def estimate_design(
    design: WhatIfDesign, change: Change, *, tariff: str | None = None, years: float | None = None
) -> EstimateAnswer:
    """Estimate a changed design.

    Raises ``InputError`` where it cannot be built, or the tariff is not known.
    """
    from iowatt.evaluate.estimate import NotEstimated

    pricing = _pricing(tariff, years)
    work = design.prepared(change)
    try:
        found = _estimator(design.folder).of(work)
    except NotEstimated as error:
        return EstimateAnswer(figures=None, refused=error.message, bottleneck=None, assumptions=[])
    row, unpriced, usd = found.row, None, None
    try:
        usd = pricing.expected(work.plan, row).get("cost.total_usd")
    except InputError as error:
        unpriced = error.message
    usable = row.get("capacity_gb.usable")
    wall = row.get("power_w.wall_mean")
    busiest = found.bottleneck
    figures = WhatIfFigures(
        iops=row.get("throughput.iops"), mean_ms=row.get("response_time_ms.all.mean"),
        watts=row.get("power_w.mean") if wall is None else wall,
        watts_of="drives" if wall is None else "wall",
        usable_tb=None if usable is None else usable / GB_PER_TB, usd=usd,
        usd_per_tb=usd / usable * GB_PER_TB if usd is not None and usable else None,
        late=found.saturated, unpriced=unpriced,
    )  # fmt: skip
    said = None if busiest is None else f"{busiest.name}, {100 * busiest.utilisation:.0f} % busy"
    return EstimateAnswer(figures=figures, refused=None, bottleneck=said, assumptions=list(found.assumptions))


def priced(run: Run, *, tariff: str | None = None, years: float | None = None) -> WhatIfFigures:
    """The figures of a Run under a tariff, over some years."""
    summary, dollars = run.summary, dollars_of(run, tariff=tariff or None, years=years)
    times, power = summary["response_time_ms"]["all"], summary["power_w"]
    wall, usable = power.get("wall_mean"), summary["capacity_gb"].get("usable")
    return WhatIfFigures(
        iops=summary["throughput"]["iops"], mean_ms=times["mean"], p95_ms=times["p95"], p99_ms=times["p99"],
        watts=power["mean"] if wall is None else wall, watts_of="drives" if wall is None else "wall",
        usable_tb=None if usable is None else usable / GB_PER_TB, usd=dollars.usd,
        usd_per_tb=dollars.usd_per_tb, late=bool(dollars.late), unpriced=dollars.unpriced,
    )  # fmt: skip


def warm_up(workspace: Path) -> None:
    """Load what the first estimate needs, by making one; a shipped design gives no error."""
    estimate_design(design_of(examples()[0][0], workspace), Change())


@lru_cache(maxsize=8)
def _estimator(folder: Path) -> Estimator:
    """One for each folder: it keeps what it has measured of drives."""
    from iowatt.evaluate.estimate import Estimator

    return Estimator(folder)


@lru_cache(maxsize=64)
def _pricing(tariff: str | None, years: float | None) -> Pricing:
    from iowatt.evaluate.search import PricingRequest

    return PricingRequest(tariff=tariff or None, years=years).resolve()
