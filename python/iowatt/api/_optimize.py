"""``iowatt.optimize``: the best configurations of a scenario."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iowatt.api._common import Changes, PathLike, seconds

if TYPE_CHECKING:
    from iowatt.evaluate.search.optimize import OptimizationOutcome
    from iowatt.evaluate.search.tasks import Executor, SearchProgress


def optimize(
    scenario: PathLike,
    over: Iterable[str] | Mapping[Any, Iterable[Any]],
    *,
    maximize: str | Iterable[str] = (),
    minimize: str | Iterable[str] = (),
    subject_to: str | Iterable[str] = (),
    within: str | float | None = None,
    workload: str | None = None,
    method: str = "auto",
    most: int | None = None,
    seed: int = 1,
    preset: str = "default",
    assume: Iterable[str] = (),
    tariff: str | None = None,
    alpha: float | None = None,
    years: float | None = None,
    set: Changes = (),  # noqa: A002 - the word of the command line
    output: PathLike | None = None,
    force: bool = False,
    resume: bool = False,
    jobs: int | None = None,
    executor: Executor | None = None,
    progress: Callable[[SearchProgress], None] | None = None,
    command: str | None = None,
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
    within:
        Judge each configuration at the highest rate whose mean response time is within: ``"20ms"``, or s.
    workload:
        Whose rate that is, where there are several; ``"*"`` for all in proportion.
    method:
        ``"exact"`` (every configuration but for those that cannot be best), ``"search"`` (a small part), or
        ``"auto"``.
    most:
        Most simulations of a search.
    seed:
        Of the search; simulations have the scenario's.
    preset, assume, tariff, alpha, years:
        Assumptions of ``cost.*``, as for :func:`cost`.
    command:
        The command line, for the provenance.

    Returns
    -------
    iowatt.evaluate.search.optimize.OptimizationOutcome
        ``document`` (``iowatt.optimize/1``, docs/reference/optimize.md) and ``frame``, the table.

    Raises
    ------
    iowatt.base.errors.InputError
        A key, value or metric that does not exist, a space in which nothing can be built, or ``output``
        holds something else.
    """
    from iowatt.evaluate.search import PricingRequest, ScenarioInput
    from iowatt.evaluate.search import optimize as search
    from iowatt.pages.optimize import report

    def listed(given: str | Iterable[str]) -> list[str]:
        return [given] if isinstance(given, str) else list(given)

    given = ScenarioInput.read(scenario, set)
    problem = search.make_problem(
        given,
        over,
        maximize=listed(maximize),
        minimize=listed(minimize),
        subject_to=listed(subject_to),
        within_s=seconds(within, "within"),
        workload=workload,
        method=method,
        most=most,
        seed=seed,
        pricing=PricingRequest(preset, tuple(assume), tariff, alpha, years),
        command=command,
    )
    return search.optimize(
        problem,
        output=None if output is None else Path(output),
        force=force,
        resume=resume,
        jobs=jobs,
        executor=executor,
        progress=progress,
        page=report,
    )
