"""Run a study: its sweeps one after another, then its findings.

DIR/study.json      what was asked, and when it is finished, what was found (iowatt.study/1)
DIR/report.html     tables, figures and verdicts on one page
DIR/points.parquet  points.csv     every point of every sweep
DIR/sweeps/STAGE/   each sweep as `iowatt sweep` writes it
DIR/live/STAGE/     Runs of its points on live volumes, where the study has these
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from iowatt.base import atomic_path, input_file
from iowatt.base.errors import Argument, InputError
from iowatt.evaluate.search import ScenarioInput, SweepRequest, run_sweep
from iowatt.evaluate.search.tasks import FolderKind, SearchProgress, count_records, is_search, refuse_target
from iowatt.render import write
from iowatt.run.bundle import is_bundle
from iowatt.studies.document import document
from iowatt.studies.result import StudyFigure, StudyFiles, StudyResult
from iowatt.studies.stages import Results, StudyStage

if TYPE_CHECKING:
    from iowatt.studies.study import Findings, Study

SCHEMA: Final = "iowatt.study/1"
MANIFEST: Final = "study.json"
FILES: Final = StudyFiles()
_SHAPE: Final = FolderKind("a study", MANIFEST, "iowatt.study/", "", (FILES.page, FILES.parquet, FILES.csv))


@dataclass(frozen=True)
class FinishedStudy:
    """A finished study, and how running it went."""

    result: StudyResult
    #: The same with its charts, and the table of all points.
    findings: Findings
    results: Results
    path: Path
    failed: int
    resumed: int
    faults: list[str]


def conduct(
    study: Study,
    output: Path,
    *,
    quick: bool = False,
    jobs: int | None = None,
    resume: bool = False,
    force: bool = False,
    command: str | None = None,
    progress: Callable[[SearchProgress], None] | None = None,
) -> FinishedStudy:
    """Run a study into a directory.

    Parameters
    ----------
    quick:
        A reduced grid and shorter excerpts.
    jobs:
        Points at a time; left out, one a core.
    resume, force:
        Go on with the study at ``output``, or replace it.
    progress:
        Called as points begin, advance and finish, by several threads.

    Raises
    ------
    InputError
        ``output`` exists and is something else, or there are no traces to run on.
    """
    if jobs is not None and jobs < 1:
        raise InputError("out-of-range", Argument("jobs"), f"expected at least one job, not {jobs}")
    module = import_module(f"iowatt.studies.{study.name}.evaluate")
    scale = study.scale or (module.QUICK if quick else module.FULL)
    stages = [stage for stage in module.stages(scale) if study.keep(stage)]
    request = {"schema": SCHEMA, "study": study.name, "version": version("iowatt"), "quick": quick}
    _begin(output, request, resume=resume, force=force)
    sweeps = output / FILES.sweeps
    overall = _OverallProgress(stages, sweeps, progress)
    found = {
        stage.key: run_sweep(
            _request(stage, command),
            output=sweeps / stage.key,
            resume=(sweeps / stage.key).is_dir(),
            jobs=jobs,
            progress=overall.of_stage(stage.key),
        )
        for stage in stages
    }
    frames = {key: one.frame for key, one in found.items()}
    results = Results(stages, frames, sweeps, output / FILES.live)
    _run_live(results, overall, command)
    findings = module.findings(results, scale)
    return FinishedStudy(
        _write(study, findings, output, quick=quick, command=command),
        findings,
        results,
        output,
        sum(one.failed for one in found.values()),
        sum(one.resumed for one in found.values()),
        [fault for one in found.values() for fault in one.faults],
    )


def _run_live(results: Results, overall: _OverallProgress, command: str | None) -> None:
    """Run the points of stages that ask for it on live volumes, one at a time; what is there is kept."""
    from iowatt.evaluate.replay import run_live

    for stage, row in results.rows():
        if not stage.live:
            continue
        target = results.live_path(stage, row)
        if not is_bundle(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            scenario, settings = results.scenario(stage, row)
            run_live(scenario, settings, output=target, command=command, progress=overall.of_live_point())
        overall.live_done()


def _write(
    study: Study, findings: Findings, target: Path, *, quick: bool, command: str | None
) -> StudyResult:
    """Write the tables, the page and, last, ``study.json``, which says that the study is finished."""
    figures = [figure for section in findings.sections for figure in section.figures]
    result = StudyResult(
        study=study.name,
        version=version("iowatt"),
        quick=quick,
        command=command,
        title=study.title,
        question=study.question,
        source=study.source,
        notes=list(findings.notes),
        verdicts=list(findings.verdicts),
        figures=[
            StudyFigure(
                key=one.key,
                title=one.title,
                caption=one.caption,
                remarks=one.remarks,
                columns=[column.heading for column in one.table.columns],
                rows=one.table.rows,
            )
            for one in figures
        ],
        points=findings.points.height,
    )
    atomic_path.write_whole(target / FILES.parquet, findings.points.write_parquet)
    atomic_path.write_whole(target / FILES.csv, findings.points.write_csv)
    write.write(document(result, findings), target / FILES.page, force=True)
    _write_manifest(target, result.as_dict())
    return result


def is_study(target: Path) -> bool:
    """Whether a directory holds a study."""
    return is_search(target, _SHAPE)


def _write_manifest(target: Path, content: dict[str, Any]) -> None:
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    atomic_path.write_whole(target / MANIFEST, lambda file: file.write_text(text, encoding="utf-8"))


def _begin(target: Path, request: dict[str, Any], *, resume: bool, force: bool) -> None:
    refuse_target(target, force=force, resume=resume, shape=_SHAPE)
    if resume and is_study(target):
        before = input_file.json_object(target / MANIFEST)
        for key in ("study", "version", "quick"):
            if before.get(key) != request[key]:
                raise InputError(
                    "changed",
                    str(target),
                    f"was begun with {key} {json.dumps(before.get(key))}, and this is "
                    f"{json.dumps(request[key])}",
                    hint="restart with `force=True`, or choose another `output=`",
                )
    try:
        atomic_path.sweep(target.parent)
        if force and os.path.lexists(target):
            atomic_path.remove(target)
        target.mkdir(parents=True, exist_ok=True)
        for name in (FILES.page, FILES.parquet, FILES.csv):
            (target / name).unlink(missing_ok=True)
        _write_manifest(target, {**request, "finished": False})
        (target / FILES.sweeps).mkdir(exist_ok=True)
    except OSError as error:
        raise InputError("unwritable", str(target), f"cannot be written: {error.strerror}") from None


def _request(stage: StudyStage, command: str | None) -> SweepRequest:
    given = ScenarioInput(stage.text, stage.base, f"{stage.key} (a stage of the study)", ())
    return SweepRequest(
        "sweep", given, stage.axes, bundles=stage.bundles, within=stage.within, command=command
    )


class _OverallProgress:
    """Progress of one sweep after another, as that of one search over all of their points."""

    def __init__(
        self, stages: list[StudyStage], sweeps: Path, progress: Callable[[SearchProgress], None] | None
    ) -> None:
        self._progress = progress
        self._totals = {stage.key: math.prod(len(axis.settings) for axis in stage.axes) for stage in stages}
        # What an interrupted run has left of each; the sweep counts it itself once it begins.
        self._done = {key: min(count_records(sweeps / key), total) for key, total in self._totals.items()}
        self._failed = dict.fromkeys(self._totals, 0)
        # Live points come last, and are as many as those that are simulated.
        self._live = sum(self._totals[stage.key] for stage in stages if stage.live)
        self._live_done = 0

    def of_stage(self, key: str) -> Callable[[SearchProgress], None] | None:
        """What the sweep of a stage reports to."""
        if self._progress is None:
            return None
        report = self._progress

        def advanced(stage: SearchProgress) -> None:
            self._done[key], self._failed[key] = stage.done, stage.failed
            self._report(report, stage.running)

        return advanced

    def of_live_point(self) -> Callable[[float, int], None] | None:
        """What a live run reports to."""
        if self._progress is None:
            return None
        report = self._progress
        return lambda share, _requests: self._report(report, share)

    def live_done(self) -> None:
        """A live run has ended."""
        self._live_done += 1

    def _report(self, report: Callable[[SearchProgress], None], running: float) -> None:
        done, total, failed = (sum(one.values()) for one in (self._done, self._totals, self._failed))
        report(SearchProgress(done + self._live_done, total + self._live, failed, running))
