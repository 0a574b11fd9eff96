"""One point of a search, wherever it runs: a task that can be pickled, its files, and its small result."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from iowatt.base.errors import Argument, InputError
from iowatt.evaluate.search.tasks.evaluator import recorded
from iowatt.evaluate.search.tasks.executor import MachineError, Report
from iowatt.evaluate.search.tasks.files import InputFile, described_files, verify_files
from iowatt.evaluate.search.tasks.folder import MANIFEST

if TYPE_CHECKING:
    from iowatt.evaluate.search.axes import Cell
    from iowatt.evaluate.search.prepare import CheckedPoint, ScenarioInput
    from iowatt.evaluate.search.pricing import Pricing
    from iowatt.evaluate.search.rate import RateRequest
    from iowatt.evaluate.search.risk import RiskBasis
    from iowatt.model.scenario import Scenario
    from iowatt.run.bundle import Run


TOO_SLOW: Final = Argument("within")
"""The place of the error of a point that exceeds the limit at every rate."""


@dataclass(frozen=True)
class PointTask:
    """A point as it travels: the scenario as JSON, and its files by path and digest."""

    key: str
    #: The scenario's keys, overrides applied; file names are relative to ``base``.
    document: str
    base: str
    #: The scenario as given, the same text for all points.
    text: str
    files: tuple[InputFile, ...]
    #: Where to write the bundle; ``None`` for none.
    bundle: str | None = None
    command: str | None = None
    #: Judge the point at its highest rate within a limit, open or closed; None: as the scenario says.
    rate: RateRequest | None = None
    #: Price its Run; None: no dollars.
    pricing: Pricing | None = None
    #: Assumptions of its durability; None: the default ones.
    risk: RiskBasis | None = None
    #: Overrides of ``text``; the bundle lists them at the text's end.
    overrides: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, given: ScenarioInput, checked: CheckedPoint, key: str, digests: dict[Path, str], **options: Any
    ) -> PointTask:
        """The task of a checked point; ``options`` are the fields with a default."""
        return cls(
            key=key,
            document=checked.document,
            base=str(given.base.resolve()),
            text=given.text,
            overrides=checked.overrides,
            files=described_files(checked.files, digests),
            **options,
        )


def evaluate_point(task: PointTask, report: Report) -> dict[str, Any]:
    """Simulate a point; the record of it that the journal keeps.

    The record has ``key`` and either ``row`` or, where the scenario cannot be run, ``error``
    (:func:`iowatt.evaluate.search.tasks.journal.error_record`); and ``cost`` (``wall_s``, ``cpu_s``), which
    may differ between equal points. Raises ``MachineError`` where this machine lacks what the point needs.
    """
    return recorded(task.key, lambda: _evaluate(task, report))


def key_of(
    files: str, rate: RateRequest | None, pricing: Pricing | None = None, risk: RiskBasis | None = None
) -> str:
    """The key of a point's record: plan and files, and how it is judged and priced.

    ``files`` is the key of plan and files, which it remains where the point is judged as its scenario says.
    """
    parts = [files]
    if rate is not None:
        parts.append(f"within {rate}")
    if pricing is not None:
        parts.append(f"priced {pricing.digest}")
    if risk is not None:
        parts.append(f"risk {risk.digest}")
    return files if len(parts) == 1 else hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _check_folder(bundle: Path) -> None:
    """Raise ``MachineError`` where the sweep's folder is not on this machine: its bundles would be lost."""
    sweep = bundle.parent.parent
    if not (sweep / MANIFEST).is_file():
        message = "the sweep's folder is not on this machine: its bundles cannot be written"
        hint = "keep it on a file system that every machine has at the same path"
        raise MachineError("not-found", str(sweep), message, hint=hint)


def task_of(given: ScenarioInput, overrides: tuple[str, ...] = ()) -> tuple[PointTask, Mapping[str, Any]]:
    """One scenario, with more overrides, as a task and its plan, for searches that choose points themselves.

    Raises ``InputError``: what is wrong with the scenario or an override.
    """
    from iowatt.evaluate.search import prepare
    from iowatt.evaluate.search.axes import SweepPoint
    from iowatt.evaluate.search.tasks.files import file_digests

    found = prepare.examine(given, (), SweepPoint(1, ()), (*given.overrides, *overrides))
    if isinstance(found, prepare.RefusedPoint):
        raise found.error
    checked, work = found
    digests = file_digests(path for _, path in checked.files)
    return PointTask.of(given, checked, checked.key(digests), digests), work.plan


def run_of_task(task: PointTask, report: Report) -> Run:
    """The Run of a task, in memory. Raises ``MachineError`` where this machine lacks its files."""
    from iowatt.model.scenario import Scenario
    from iowatt.run import provenance

    verify_files(task.files)
    scenario = Scenario.model_validate(json.loads(task.document))
    return _simulated(task, scenario, report, provenance.now())


def _evaluate(task: PointTask, report: Report) -> dict[str, Any]:
    from iowatt.evaluate.search.metrics import table
    from iowatt.model.scenario import Scenario
    from iowatt.run import bundle, index, provenance

    started_at, started = provenance.now(), time.perf_counter()
    verify_files(task.files)
    if task.bundle is not None:
        _check_folder(Path(task.bundle))
    scenario = Scenario.model_validate(json.loads(task.document))
    if task.rate is None:
        run = _simulated(task, scenario, report, started_at)
        cells = table.row_of_run(run)
    else:
        run, cells = _at_highest_rate(task, scenario, report)
    if task.bundle is not None:
        # An existing bundle is one of this point, or one that `force` replaces.
        with bundle.reserve(task.bundle, force=True) as place:
            run.write_into(place.staging)
        index.register(place.target, run.summary)
    cost = run.summary["simulation"]
    return {
        "row": cells
        | ({} if task.risk is None else task.risk.columns(run, Path(task.base)))
        | ({} if task.pricing is None else task.pricing.columns(run)),
        "cost": {"wall_s": time.perf_counter() - started, "cpu_s": cost["cpu_s"]},
    }


def _simulated(task: PointTask, scenario: Scenario, report: Report, started_at: str) -> Run:
    from iowatt.base.overrides import with_overrides
    from iowatt.evaluate import evaluation

    work = evaluation.prepare(scenario, Path(task.base), with_overrides(task.text, task.overrides))
    return evaluation.simulate(
        work,
        inputs=lambda: [file.as_input() for file in task.files],
        started_at=started_at,
        command=task.command,
        progress=lambda fraction, _requests: report(fraction or 0.0),
        # Other points share the process, so that its own clock would count them too.
        cpu_clock=time.thread_time,
    )


def _at_highest_rate(
    task: PointTask, scenario: Scenario, report: Report
) -> tuple[Run, dict[str, Cell | None]]:
    """The Run at the highest rate within the limit, and the row of what the search found.

    Raises ``InputError`` where no rate is within it.
    """
    from iowatt.base.overrides import with_overrides
    from iowatt.evaluate.search.rate import row_at_limit, search_scenario

    assert task.rate is not None
    found = search_scenario(
        scenario,
        Path(task.base),
        with_overrides(task.text, task.overrides),
        task.rate,
        report,
        inputs=lambda: [file.as_input() for file in task.files],
        command=task.command,
    )
    if found.run is None or found.rate_iops is None:
        raise InputError("infeasible", TOO_SLOW, found.problem or "no rate is within the limit")
    return found.run, row_at_limit(found)
