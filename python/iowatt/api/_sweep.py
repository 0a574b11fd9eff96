"""``iowatt.sweep`` and ``iowatt.curve``: a scenario at many points, as a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iowatt.api._common import Changes, PathLike

if TYPE_CHECKING:
    import polars as pl

    from iowatt.evaluate.search import SweepRequest
    from iowatt.evaluate.search.tasks import Executor, SearchProgress


def sweep(
    scenario: PathLike,
    over: Iterable[str] | Mapping[Any, Iterable[Any]],
    *,
    set: Changes = (),  # noqa: A002 - the word of the command line
    output: PathLike | None = None,
    force: bool = False,
    resume: bool = False,
    jobs: int | None = None,
    bundles: bool = False,
    strict: bool = False,
    own_seeds: bool = False,
    executor: Executor | None = None,
    progress: Callable[[SearchProgress], None] | None = None,
) -> pl.DataFrame:
    """Simulate a scenario with every combination of values of some of its keys.

    Parameters
    ----------
    scenario, set:
        As for :func:`run`.
    over:
        Paths to their values, ``{"array.pool.disks.count": [24, 26]}``; a tuple of paths to tuples of
        values for keys that change together; or texts: ``"a.b=1,2"``, ``"a.b=24..38:2"``.
    output:
        Directory for the table, the page and the journal. Without it nothing is written.
    force, resume:
        Replace a sweep that exists at ``output``, or go on with it.
    jobs:
        Points at a time; left out, one for each processor.
    bundles:
        Also write the Run bundle of each point, below ``output``.
    strict:
        Raise for the first point that cannot be simulated, instead of keeping it as a row.
    own_seeds:
        A seed of its own for each point. Left out, all have the scenario's: the same random numbers, so that
        differences between points are due to their values.
    executor:
        Who runs the points, in place of threads (:mod:`iowatt.evaluate.search.tasks.executor`).
    progress:
        Called with a :class:`iowatt.evaluate.search.tasks.SearchProgress` as points advance, by several
        threads.

    Returns
    -------
    polars.DataFrame
        A row for each point: ``point``, a column for each path, ``status``, ``error``, and the scalars of
        ``run.json`` under dotted names with their units (``response_time_ms.all.mean``).

    Raises
    ------
    iowatt.base.errors.InputError
        A path does not exist, a value is wrong whatever it is combined with, no point at all can be
        simulated, or ``output`` holds something else.
    """
    from iowatt.evaluate.search import ScenarioInput, sweep_request

    request = sweep_request(
        ScenarioInput.read(scenario, set), over, bundles=bundles, strict=strict, own_seeds=own_seeds
    )
    return _frame(
        request, output, force=force, resume=resume, jobs=jobs, executor=executor, progress=progress
    )


def curve(
    scenario: PathLike,
    *,
    rates: Iterable[float] | str | None = None,
    outstanding: Iterable[int] | str | None = None,
    workload: str | None = None,
    set: Changes = (),  # noqa: A002 - the word of the command line
    output: PathLike | None = None,
    force: bool = False,
    resume: bool = False,
    jobs: int | None = None,
    bundles: bool = False,
    strict: bool = False,
    executor: Executor | None = None,
    progress: Callable[[SearchProgress], None] | None = None,
) -> pl.DataFrame:
    """Response time, power and efficiency of a scenario against load.

    Parameters
    ----------
    rates:
        Requests per second of the workload (a text such as ``"50,100..400:50"`` too): a recorded trace is
        replayed so much faster or slower than it was recorded.
    outstanding:
        Or requests kept outstanding in a closed loop.
    workload:
        Whose load varies; needed where there are several.

    The other parameters are those of :func:`sweep`.

    Returns
    -------
    polars.DataFrame
        A row for each load, as of :func:`sweep`; the load is in ``rate_iops`` or ``outstanding``.
        ``overloaded`` is true where the array could not keep up: the row's figures are then those of a
        growing queue.

    Raises
    ------
    iowatt.base.errors.InputError
        What is wrong with the scenario or the loads.
    """
    from iowatt.evaluate.search import ScenarioInput, curve_request

    request = curve_request(
        ScenarioInput.read(scenario, set),
        rates=rates,
        outstanding=outstanding,
        workload=workload,
        bundles=bundles,
        strict=strict,
    )
    return _frame(
        request, output, force=force, resume=resume, jobs=jobs, executor=executor, progress=progress
    )


def _frame(request: SweepRequest, output: PathLike | None, **options: Any) -> pl.DataFrame:
    from iowatt.base.errors import IowattError
    from iowatt.evaluate.search import run_sweep
    from iowatt.pages.sweep import report

    found = run_sweep(request, output=None if output is None else Path(output), page=report, **options)
    if found.faults:
        raise IowattError(
            "internal", None, f"{len(found.faults)} points ended with an internal error: {found.faults[0]}"
        )
    return found.frame
