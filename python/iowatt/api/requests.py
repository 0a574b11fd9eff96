"""What the command line and the Python API ask for, as a request; and the whole of answering it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from iowatt.api._common import Changes, PathLike
from iowatt.base.errors import Argument, InputError
from iowatt.base.overrides import as_overrides
from iowatt.evaluate.evaluation import located
from iowatt.evaluate.search import curve, prepare
from iowatt.evaluate.search.evaluator import Progress
from iowatt.evaluate.search.executor import Executor
from iowatt.evaluate.search.prepare import ScenarioInput
from iowatt.evaluate.search.sweep import SweepRequest, SweepResult, run_sweep
from iowatt.pages.sweep import document


def scenario_input(scenario: PathLike, changes: Changes) -> ScenarioInput:
    """A scenario with overrides, as searches take it."""
    path, base, text = located(scenario)
    source = str(path) if isinstance(path, Path) else "scenario"
    return ScenarioInput(text, base, source, tuple(as_overrides(changes, None)))


def sweep(
    given: ScenarioInput,
    varied: Iterable[str] | Mapping[Any, Iterable[Any]],
    *,
    own_seeds: bool = False,
    **options: Any,
) -> SweepRequest:
    """A sweep; ``options`` are ``bundles``, ``strict`` and ``command`` of the request."""
    return SweepRequest("sweep", given, prepare.axes_of(given, varied), own_seeds, **options)


def load_curve(
    given: ScenarioInput,
    *,
    rates: str | Iterable[float] | None,
    outstanding: str | Iterable[float] | None,
    workload: str | None = None,
    **options: Any,
) -> SweepRequest:
    """A curve, over rates or over requests outstanding."""
    if (rates is None) == (outstanding is None):
        raise InputError(
            "missing" if rates is None else "conflict",
            Argument("rates"),
            "a curve is over rates or over requests outstanding; give one of them",
            hint="for example `rates=50,100..400:50`, or `outstanding=1..64:x2`",
        )
    if rates is not None:
        axis = curve.by_rate(given, curve.numbers(rates, "rates"), workload)
    else:
        assert outstanding is not None
        axis = curve.by_outstanding(given, curve.numbers(outstanding, "outstanding"), workload)
    return SweepRequest("curve", given, [axis], **options)


def answer(
    request: SweepRequest,
    *,
    output: Path | None,
    force: bool = False,
    resume: bool = False,
    jobs: int | None = None,
    executor: Executor | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> SweepResult:
    """Run a request and write its page; parameters as for :func:`iowatt.evaluate.search.sweep.run_sweep`."""
    found = run_sweep(
        request, output=output, force=force, resume=resume, jobs=jobs, executor=executor, progress=progress
    )
    document.write(found, name(request.given))
    return found


def name(given: ScenarioInput) -> str:
    """The scenario's name, which needs no other key to be right."""
    return str(prepare.raw(given).get("name", "scenario"))
