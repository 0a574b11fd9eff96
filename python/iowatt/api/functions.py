"""The Python API: the words of the command line as functions; heavy imports wait until one is called."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

    from iowatt.evaluate.caches import CacheComparison
    from iowatt.evaluate.search.evaluator import Progress as SearchProgress
    from iowatt.evaluate.search.executor import Executor
    from iowatt.evaluate.search.optimize.outcome import OptimizationOutcome
    from iowatt.evaluate.search.optimize.problem import PricingRequest
    from iowatt.evaluate.search.prepare import ScenarioInput
    from iowatt.evaluate.search.rate import HighestRate
    from iowatt.lenses.cost.result import Cost
    from iowatt.run.bundle import Run

Progress = Callable[[float | None, int], None]


def open_run(path: str | os.PathLike[str]) -> Run:
    """Open the Run bundle at ``path``.

    Raises :class:`iowatt.base.errors.InputError` where there is none, or none that this version can read.
    """
    from iowatt.run.bundle import Run

    return Run.open(path)


def run(
    scenario: str | os.PathLike[str],
    *,
    set: Iterable[str] | Mapping[str, object] = (),  # noqa: A002 - the word of the command line
    seed: int | None = None,
    output: str | os.PathLike[str] | None = None,
    force: bool = False,
    save_back_end: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    command: str | None = None,
) -> Run:
    """Simulate a scenario.

    Parameters
    ----------
    scenario:
        A scenario file, or the text of one (a string with a line break in it); paths in a text are
        relative to the current directory.
    set:
        Overrides, ``"array.pool.disks.count=24"`` or a mapping of such paths to values. Files that they
        name are looked for in the current directory first, then beside the scenario.
    seed:
        Overrides the scenario's seed.
    output:
        Directory of the bundle. Without it nothing is written and the Run lives in memory.
    force:
        Replace a bundle that exists at ``output``, and a file at ``save_back_end``.
    save_back_end:
        Parquet file for the requests that the pools were handed, as a trace in native columns whose devices
        are the pools.
    progress:
        Called a few times a second with the fraction done (or ``None``) and the requests so far.
    command:
        The command line, for the provenance.

    Raises
    ------
    iowatt.base.errors.InputError
        Whatever is wrong with the scenario, its traces or the output; no bundle is left then.
    """
    from iowatt.base.overrides import as_overrides
    from iowatt.evaluate.evaluation import run_scenario

    return run_scenario(
        scenario,
        as_overrides(set, seed),
        output=output,
        force=force,
        save_back_end=save_back_end,
        progress=progress,
        command=command,
    )


def sweep(
    scenario: str | os.PathLike[str],
    over: Iterable[str] | Mapping[Any, Iterable[Any]],
    *,
    set: Iterable[str] | Mapping[str, object] = (),  # noqa: A002 - the word of the command line
    output: str | os.PathLike[str] | None = None,
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
        Who runs the points, in place of threads (:mod:`iowatt.evaluate.search.executor`).
    progress:
        Called with an ``search.evaluator.Progress`` as points advance, by several threads.

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
    from iowatt.api import requests

    request = requests.sweep(
        _search_given(scenario, set), over, bundles=bundles, strict=strict, own_seeds=own_seeds
    )
    return _frame(
        request, output, force=force, resume=resume, jobs=jobs, executor=executor, progress=progress
    )


def optimize(
    scenario: str | os.PathLike[str],
    over: Iterable[str] | Mapping[Any, Iterable[Any]],
    *,
    maximize: str | Iterable[str] = (),
    minimize: str | Iterable[str] = (),
    subject_to: str | Iterable[str] = (),
    within_s: float | None = None,
    workload: str | None = None,
    method: str = "auto",
    most: int | None = None,
    seed: int = 1,
    pricing: PricingRequest | None = None,
    set: Iterable[str] | Mapping[str, object] = (),  # noqa: A002 - the word of the command line
    output: str | os.PathLike[str] | None = None,
    force: bool = False,
    resume: bool = False,
    jobs: int | None = None,
    executor: Executor | None = None,
    progress: Callable[[SearchProgress], None] | None = None,
) -> OptimizationOutcome:
    """Find the best configurations of a scenario, by simulating as few as it takes.

    Parameters
    ----------
    scenario, over, set, output, force, resume, jobs, executor, progress:
        As for :func:`sweep`.
    maximize, minimize:
        Metrics, by their columns in a sweep's table (``"efficiency.iops_per_w"``), and ``cost.*``.
    subject_to:
        ``"METRIC <= VALUE"`` or ``"METRIC >= VALUE"``.
    within_s:
        Judge each configuration at the highest rate whose mean response time is within so many seconds.
    workload:
        Whose rate that is, where there are several; ``"*"`` for all in proportion.
    method:
        ``"exact"`` (every configuration but for those that cannot be best), ``"search"`` (a small part), or
        ``"auto"``.
    most:
        Most simulations of a search.
    seed:
        Of the search; simulations have the scenario's.
    pricing:
        Assumptions of ``cost.*`` (:class:`iowatt.evaluate.search.optimize.problem.PricingRequest`).

    Returns
    -------
    iowatt.evaluate.search.optimize.outcome.OptimizationOutcome
        ``document`` (``iowatt.optimize/1``, docs/reference/optimize.md) and ``frame``, the table.

    Raises
    ------
    iowatt.base.errors.InputError
        A key, value or metric that does not exist, a space in which nothing can be built, or ``output``
        holds something else.
    """
    from iowatt.api import requests
    from iowatt.evaluate.search.optimize import engine
    from iowatt.evaluate.search.optimize.problem import make_problem
    from iowatt.pages.optimize.document import of_outcome

    def listed(given: str | Iterable[str]) -> list[str]:
        return [given] if isinstance(given, str) else list(given)

    given = _search_given(scenario, set)
    problem = make_problem(
        given,
        over,
        maximize=listed(maximize),
        minimize=listed(minimize),
        subject_to=listed(subject_to),
        within_s=within_s,
        workload=workload,
        method=method,
        most=most,
        seed=seed,
        pricing=pricing,
    )
    return engine.optimize(
        problem,
        name=requests.name(given),
        output=None if output is None else Path(output),
        force=force,
        resume=resume,
        jobs=jobs,
        executor=executor,
        progress=progress,
        page=of_outcome,
    )


def curve(
    scenario: str | os.PathLike[str],
    *,
    rates: Iterable[float] | str | None = None,
    outstanding: Iterable[int] | str | None = None,
    workload: str | None = None,
    set: Iterable[str] | Mapping[str, object] = (),  # noqa: A002 - the word of the command line
    output: str | os.PathLike[str] | None = None,
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
    from iowatt.api import requests

    request = requests.load_curve(
        _search_given(scenario, set),
        rates=rates,
        outstanding=outstanding,
        workload=workload,
        bundles=bundles,
        strict=strict,
    )
    return _frame(
        request, output, force=force, resume=resume, jobs=jobs, executor=executor, progress=progress
    )


def rate(
    scenario: str | os.PathLike[str],
    limit: str | float,
    *,
    loop: str = "open",
    statistic: str = "mean",
    tolerance: float = 0.02,
    replications: int = 1,
    workload: str | None = None,
    read_limit: str | float | None = None,
    write_limit: str | float | None = None,
    start: float | None = None,
    requests: int | None = None,
    warmup_requests: int | None = None,
    most_runs: int = 24,
    set: Iterable[str] | Mapping[str, object] = (),  # noqa: A002 - the word of the command line
    output: str | os.PathLike[str] | None = None,
    force: bool = False,
    progress: Callable[[float], None] | None = None,
) -> HighestRate:
    """The highest rate of a workload at which the response time stays within a limit.

    Parameters
    ----------
    scenario, set:
        As for :func:`run`.
    limit, read_limit, write_limit:
        Of the response times of all requests, of reads, of writes: ``"20ms"``, or s.
    loop:
        ``"open"``: requests come whether or not the array keeps up; ``"closed"``: as others complete, and the
        number of outstanding ones is found that takes the limit in the mean.
    statistic:
        What is limited: ``"mean"``, ``"p95"``, ``"p99"``, ``"p99.9"`` ...
    tolerance:
        How near the highest rate within the limit and the lowest one over it come, as a share.
    replications:
        Independent seeds, the same at every rate, for the 95 % interval of the rate.
    workload:
        Whose rate is raised; needed where there are several. ``"*"``: all, in the proportion of their rates.
    start:
        The first rate, requests per second; left out, a closed loop says it.
    requests:
        Counted in each run; left out, as long as the scenario says, and longer where that tells too little.
    warmup_requests:
        Cut before these, of a closed loop; left out, as the scenario says, else a third of them.
    most_runs:
        Rates after which a search ends unsettled.
    output:
        A page to write (.html, .pdf) or a workbook (.xlsx).
    progress:
        Called a few times a second with how far it is, about, from 0 to 1.

    Returns
    -------
    HighestRate
        The document ``iowatt.rate/1`` (docs/reference/cli.md): ``rate_iops``, ``beyond_iops``,
        ``crossing_iops`` with ``crossing_ci95_iops``, ``response_ms``, ``points``, and ``at_rate``, a row as
        of :func:`sweep` at the rate found.

    Raises
    ------
    iowatt.base.errors.InputError
        What is wrong with the scenario or what is asked for; no rate keeps to the limit, or none exceeds it.
    """
    from iowatt.evaluate.search.rate import RateRequest
    from iowatt.evaluate.search.rate.scenario import find_rate
    from iowatt.pages.rate import document
    from iowatt.render import write

    target = None if output is None else Path(output)
    if target is not None:
        write.check_target(target, force=force)
    asked = RateRequest(
        limit_s=_seconds(limit, "limit") or 0.0,
        loop=loop,  # type: ignore[arg-type]  # checked there
        statistic=statistic,
        tolerance=tolerance,
        workload=workload,
        start=start,
        most_runs=most_runs,
        replications=replications,
        requests=requests,
        warmup_requests=warmup_requests,
        read_limit_s=_seconds(read_limit, "read_limit"),
        write_limit_s=_seconds(write_limit, "write_limit"),
    )
    found = find_rate(_search_given(scenario, set), asked, report=progress)
    if target is not None:
        write.write(document(found), target, force=force)
    return found


def _seconds(value: str | float | None, argument: str) -> float | None:
    """A time in s, of a text such as ``"20ms"`` too."""
    from iowatt.base.errors import Argument, InputError
    from iowatt.base.units import parse_duration

    if value is None or isinstance(value, int | float):
        return value
    try:
        return parse_duration(value)
    except ValueError as error:
        raise InputError("bad-syntax", Argument(argument), str(error)) from None


def cache(
    trace: str | os.PathLike[str],
    *,
    policy: str | Iterable[str] = "lru",
    size: str | Iterable[str] | None = None,
    block: str | int | None = "4KiB",
    writes: str = "allocate",
    warm_up: str | int | None = None,
    percent_of: str = "footprint",
    requests: int | None = None,
    duration: str | None = None,
    span: str | None = None,
    rate: str | float | None = None,
    seed: int | None = None,
    set: Iterable[str] | Mapping[str, object] = (),  # noqa: A002 - the word of the command line
    reading: Mapping[str, Any] | None = None,
    output: str | os.PathLike[str] | None = None,
    force: bool = False,
    progress: Progress | None = None,
) -> CacheComparison:
    """Simulate caches alone, without drives and without time: many policies and sizes in one pass.

    Parameters
    ----------
    trace:
        A trace file, or a profile: a name of the library or a ``.toml`` file.
    policy:
        Names of policies (docs/models/cache.md) with parameters, ``"lru,s3-fifo:small_share=0.2"``, or
        ``"all"``.
    size:
        ``"4GiB"``, or ``"1%"`` of the footprint, which takes a first pass over the trace; without blocks
        numbers of objects. Left out, nine sizes from 0.1% to 50%, as far as they hold a block.
    block:
        Of the caches; None: each request is one object, whatever its size.
    writes:
        ``"allocate"``: a write that misses enters. ``"around"``: it does not.
    warm_up:
        What is not counted at the beginning: a number of requests, or a time such as ``"1h"``.
    percent_of:
        ``"footprint"``, the blocks that are touched, or ``"span"``, the address space.
    requests, duration, span, rate, seed, set:
        Of a profile, as of ``iowatt trace generate``.
    reading:
        How a recorded trace is read, the options of `iowatt.trace.open.spec`.
    output:
        A page to write: .html, .pdf or .xlsx.

    Returns
    -------
    CacheComparison
        Its ``caches`` have ``policy``, ``parameters``, ``size`` as asked, ``size_bytes``, ``slots``,
        ``held``, ``evictions``, and as shares from 0 to 1 ``hit_ratio`` (of requests) and
        ``hit_bytes_ratio``, of reads and writes too (``read_``, ``write_``; None where there are none).
        ``frame()`` is a table of them.

    Raises
    ------
    iowatt.base.errors.InputError
        Whatever is wrong with the trace or what is asked for.
    """
    from iowatt.base.overrides import as_overrides
    from iowatt.evaluate.caches import compare_caches
    from iowatt.pages.caches import document
    from iowatt.render import write

    target = None if output is None else Path(output)
    if target is not None:
        write.check_target(target, force=force)
    found = compare_caches(
        os.fspath(trace),
        policy=policy,
        size=size,
        block=block,
        writes=writes,
        warm_up=warm_up,
        percent_of=percent_of,
        requests=requests,
        duration=duration,
        span=span,
        rate=rate,
        seed=seed,
        overrides=as_overrides(set, None),
        reading=reading,
        progress=progress,
    )
    if target is not None:
        write.write(document(found), target, force=force)
    return found


def _search_given(
    scenario: str | os.PathLike[str],
    changes: Iterable[str] | Mapping[str, object],
) -> ScenarioInput:
    from iowatt.base.overrides import as_overrides
    from iowatt.evaluate.evaluation import located
    from iowatt.evaluate.search.prepare import ScenarioInput

    given, base, text = located(scenario)
    source = str(given) if isinstance(given, Path) else "scenario"
    return ScenarioInput(text, base, source, tuple(as_overrides(changes, None)))


def _frame(request: Any, output: str | os.PathLike[str] | None, **options: Any) -> pl.DataFrame:
    from iowatt.api import requests
    from iowatt.base.errors import IowattError

    found = requests.answer(request, output=None if output is None else Path(output), **options)
    if found.faults:
        raise IowattError(
            "internal", None, f"{len(found.faults)} points ended in a fault of iowatt: {found.faults[0]}"
        )
    return found.frame


def cost(
    *runs: str | os.PathLike[str] | Run,
    preset: str = "default",
    set: Iterable[str] | Mapping[str, object] = (),  # noqa: A002 - the word of the command line
    tariff: str | None = None,
    alpha: float | None = None,
    years: float | None = None,
    duty: str | None = None,
    inventories: Iterable[str | os.PathLike[str]] = (),
    start: str | None = None,
    crossovers: Iterable[str] | None = None,
    samples: int | None = None,
    seed: int = 1,
    within_s: float | None = None,
    of: str = "mean",
    output: str | os.PathLike[str] | None = None,
    force: bool = False,
) -> Cost:
    """What Runs cost in dollars; the first is what the others are compared with.

    Parameters
    ----------
    runs:
        Folders of bundles, or Runs.
    preset:
        Assumptions: ``"default"``, ``"dollars2014"``, or a ``.toml`` file.
    set:
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
    within_s, of:
        The service level in seconds, of the mean or a percentile (``"p95"``): a system that misses it is no
        candidate.
    output:
        A page (.html, .pdf) or workbook (.xlsx) to write.

    Returns
    -------
    Cost
        ``iowatt.cost/1`` (docs/reference/cost-result.md).

    Raises
    ------
    iowatt.base.errors.InputError
        Whatever is wrong with a Run, an assumption or the tariff, or has no price.
    """
    from iowatt.lenses.budget.level import Level
    from iowatt.lenses.cost import defaults, request
    from iowatt.run.bundle import Run

    target = None if output is None else Path(output)
    if target is not None:
        from iowatt.render import write

        write.check_target(target, force=force)
    given = [f"{key}={value}" for key, value in set.items()] if isinstance(set, Mapping) else list(set)
    found = request.answer(
        request.Asked(
            runs=[one if isinstance(one, Run) else Path(one) for one in runs],
            preset=preset,
            sets=given,
            tariff=tariff,
            alpha=alpha,
            years=years,
            duty=duty,
            inventories=[Path(one) for one in inventories],
            start=defaults.START if start is None else start,
            crossovers=None if crossovers is None else list(crossovers),
            samples=defaults.SAMPLES if samples is None else samples,
            seed=seed,
            level=None if within_s is None else Level(1e3 * within_s, of),
        )
    )
    if target is not None:
        from iowatt.pages.cost import write as write_page

        write_page(found, target, force=force)
    return found
