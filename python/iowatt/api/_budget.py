"""``iowatt.budget``: the latency budget of Runs, or of a scenario that is simulated for it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iowatt.api._common import Changes, Page, PathLike, service_level
from iowatt.base.errors import Argument, InputError, IowattError

if TYPE_CHECKING:
    from iowatt.evaluate.search import SweepRequest
    from iowatt.evaluate.search.tasks import Executor, SearchProgress
    from iowatt.lenses.budget.result import Budget
    from iowatt.run.bundle import Run


def budget(
    *what: PathLike | Run,
    rates: Iterable[float] | str | None = None,
    within: str | float | None = None,
    of: str = "mean",
    workload: str | None = None,
    set: Changes = (),  # noqa: A002 - the word of the command line
    jobs: int | None = None,
    output: PathLike | None = None,
    force: bool = False,
    executor: Executor | None = None,
    progress: Callable[[SearchProgress], None] | None = None,
) -> Budget:
    """Where the response time goes, hop by hop, and which hop breaks a service level first.

    Parameters
    ----------
    what:
        One Run (a folder, or in memory), several of one system at different loads, or a scenario.
    rates:
        Loads that the scenario is simulated at, requests per second of a workload; as of
        :func:`iowatt.curve`.
    within:
        The service level, ``"300us"`` or in s; left out, none.
    of:
        What is to be within it: ``"mean"``, ``"p50"``, ``"p90"``, ``"p95"``, ``"p99"``, ``"p99.9"`` or
        ``"p99.99"``.
    workload:
        Whose rate varies, where the scenario has several.
    set, jobs, executor, progress:
        Of the scenario, as for :func:`iowatt.curve`.
    output:
        A page to write (.html, .pdf) or a workbook (.xlsx); ``force`` replaces one.

    Returns
    -------
    Budget
        The document ``iowatt.budget/1`` (docs/howto/latency-budget.md).

    Raises
    ------
    iowatt.base.errors.InputError
        Whatever is wrong with what was given; a Run that does not tell where the time went.
    """
    from iowatt.lenses.budget import MEAN, analyse
    from iowatt.lenses.kept_up import kept_up
    from iowatt.pages.budget import document

    if within is None and of != MEAN:
        raise InputError(
            "not-applicable",
            Argument("of"),
            f"{of!r} has no effect without a service level; give `within=TIME`, too",
        )
    level = service_level(within, of)
    page = Page(output, force=force)
    if _is_scenario(what):
        request = _request(what[0], rates, workload, set)
        with tempfile.TemporaryDirectory(prefix="iowatt-budget-") as place:
            runs, names, overloaded = _simulated(
                request, Path(place) / "loads", jobs=jobs, executor=executor, progress=progress
            )
            found = analyse(runs, names=names, overloaded=overloaded, level=level)
    else:
        if rates is not None or workload is not None or set:
            given = "rates" if rates is not None else "workload" if workload is not None else "set"
            raise InputError(
                "not-applicable", Argument(given), "changes a scenario; a Run is analysed as it was made"
            )
        runs = [_opened(one) for one in what]
        found = analyse(runs, overloaded=[not kept_up(run).kept_up for run in runs], level=level)
    page.write(lambda: document(found))
    return found


def _is_scenario(what: Sequence[Any]) -> bool:
    """Whether a scenario was given; raises ``InputError`` where it is one of several things."""
    scenarios = [
        one
        for one in what
        if (isinstance(one, str) and "\n" in one)
        or (isinstance(one, str | os.PathLike) and Path(one).suffix.lower() == ".toml")
    ]
    if scenarios and len(what) > 1:
        raise InputError(
            "conflict", str(scenarios[0]), "a budget is about one scenario, or about Runs, not both"
        )
    return bool(scenarios)


def _opened(one: PathLike | Run) -> Run:
    from iowatt.run.bundle import Run

    return one if isinstance(one, Run) else Run.open(one)


def _request(
    scenario: Any, rates: Iterable[float] | str | None, workload: str | None, overrides: Changes
) -> SweepRequest:
    """The scenario at the loads, or at its own.

    Raises ``InputError`` where it has no path, before anything is simulated.
    """
    from iowatt.evaluate.search import ScenarioInput, SweepRequest, curve_request

    given = ScenarioInput.read(scenario, overrides)
    if not given.raw().get("path"):
        raise InputError(
            "missing",
            f"{given.source}: path",
            "no workload of the scenario goes through a path, so there are no hops",
            hint="add [[path]] (docs/howto/path.md)",
        )
    if rates is not None:
        return curve_request(
            given, rates=rates, outstanding=None, workload=workload, bundles=True, strict=True
        )
    if workload is not None:
        raise InputError(
            "not-applicable", Argument("workload"), "selects the workload to vary; also set `rates=...`"
        )
    return SweepRequest("sweep", given, [], bundles=True, strict=True)


def _simulated(
    request: SweepRequest,
    folder: Path,
    *,
    jobs: int | None,
    executor: Executor | None,
    progress: Callable[[SearchProgress], None] | None,
) -> tuple[list[Run], list[str], list[bool]]:
    """The Runs of a request in a folder, their names, and whether work piled up in them."""
    from iowatt.evaluate.search import run_sweep, show_value
    from iowatt.evaluate.search.metrics import RATE
    from iowatt.run.bundle import Run

    found = run_sweep(request, output=folder, jobs=jobs, executor=executor, progress=progress)
    if found.faults:
        raise IowattError("internal", request.given.source, found.faults[0])
    if found.machines:
        raise InputError("tool-failed", request.given.source, found.machines[0])
    rows = found.frame.to_dicts()
    name = request.given.name
    return (
        [Run.open(folder / row["run"]) for row in rows],
        [f"{name} at {show_value(row[RATE])}/s" if RATE in row else name for row in rows],
        [bool(row["overloaded"]) for row in rows],
    )
