"""``iowatt.cost``: what Runs cost in dollars."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from iowatt.api._common import Changes, Page, PathLike, rebuild_time, service_level

if TYPE_CHECKING:
    from iowatt.lenses.cost import Cost
    from iowatt.run.bundle import Run


def cost(
    *runs: PathLike | Run,
    preset: str = "default",
    assume: Changes = (),
    tariff: str | None = None,
    alpha: float | None = None,
    years: float | None = None,
    duty: str | None = None,
    inventories: Iterable[PathLike] = (),
    start: str | None = None,
    crossovers: Iterable[str] | None = None,
    samples: int | None = None,
    seed: int = 1,
    within: str | float | None = None,
    of: str = "mean",
    rebuild: str | float = "simulated",
    output: PathLike | None = None,
    force: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Cost:
    """What Runs cost in dollars; the first is what the others are compared with.

    Parameters
    ----------
    runs:
        Folders of bundles, or Runs.
    preset:
        Assumptions: ``"default"``, ``"dollars2014"``, or a ``.toml`` file.
    assume:
        Other assumptions, ``"cooling.pue=1.2:1.1..1.4"`` or a mapping of keys to values.
    tariff:
        A name of the library, a record of URDB (``.json``), ``"flat:0.15"``; left out, the preset's.
    alpha, years:
        How often the work of each Run is done (equal work), or how long each goes on (equal time; 5 years
        where neither is given).
    duty:
        A duty cycle that makes a year of Runs at several loads.
    inventories:
        Files with drives and parts, one for each Run in their order, or none.
    start:
        First day of the bill, ``"YYYY-MM-DD"``.
    crossovers:
        Where the ranking flips: ``"alpha"``, ``"years"``, ``"energy.factor"`` or keys of the book.
    samples, seed:
        Draws of the assumptions within their ranges; 0 for none.
    within, of:
        The service level (``"20ms"``, or s) of the mean or a percentile (``"p95"``): a system that misses it
        is no candidate.
    rebuild:
        Time to rebuild a drive, on which the probability of data loss rests, as for :func:`durability`.
    output:
        A page (.html, .pdf) or workbook (.xlsx) to write.
    progress:
        Called with the number of prices found so far.

    Returns
    -------
    Cost
        ``iowatt.cost/1`` (docs/reference/cost-result.md).

    Raises
    ------
    iowatt.base.errors.InputError
        Whatever is wrong with a Run, an assumption or the tariff, or has no price.
    """
    from iowatt.evaluate.durability import rebuilt_as
    from iowatt.lenses.cost import SAMPLES, START, CostRequest, price_runs
    from iowatt.run.bundle import Run

    page = Page(output, force=force)
    if isinstance(assume, Mapping):
        assume = [f"{key}={value}" for key, value in assume.items()]
    found = price_runs(
        CostRequest(
            runs=[one if isinstance(one, Run) else Path(one) for one in runs],
            preset=preset,
            sets=list(assume),
            tariff=tariff,
            alpha=alpha,
            years=years,
            duty=duty,
            inventories=[Path(one) for one in inventories],
            start=START if start is None else start,
            crossovers=None if crossovers is None else list(crossovers),
            samples=SAMPLES if samples is None else samples,
            seed=seed,
            level=service_level(within, of),
            rebuilt=partial(rebuilt_as, rebuild=rebuild_time(rebuild)),
        ),
        progress,
    )
    if page.target is not None:
        from iowatt.pages.cost import write

        write(found, page.target, force=force)
    return found
