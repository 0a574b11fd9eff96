"""Run a study: its sweeps one after another, what they gave, and what follows from it.

DIR/study.json      what was asked, and when it is finished, what was found (iowatt.study/1)
DIR/report.html     tables, figures and verdicts on one page
DIR/points.parquet  points.csv     every point of every sweep
DIR/sweeps/STAGE/   each sweep as `iowatt sweep` writes it
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from iowatt.base import atomic_path
from iowatt.base.errors import Argument, InputError
from iowatt.evaluate.search import axes, journal
from iowatt.evaluate.search.evaluator import Progress
from iowatt.evaluate.search.folder import JOURNAL, both_force_and_resume, write_whole
from iowatt.evaluate.search.prepare import ScenarioInput
from iowatt.evaluate.search.sweep import SweepRequest, run_sweep
from iowatt.studies.results import Results

if TYPE_CHECKING:
    from iowatt.studies.stage import Stage
    from iowatt.studies.study import Findings, Study

SCHEMA: Final = "iowatt.study/1"
MANIFEST: Final = "study.json"
SWEEPS: Final = "sweeps"
_OUTPUT: Final = ("report.html", "points.parquet", "points.csv")


@dataclass(frozen=True)
class Conducted:
    """A finished study."""

    study: Study
    findings: Findings
    path: Path
    quick: bool
    failed: int
    resumed: int
    faults: list[str]

    def as_dict(self) -> dict[str, Any]:
        """The result as ``study.json`` has it."""
        return json.loads((self.path / MANIFEST).read_bytes())  # type: ignore[no-any-return]


def conduct(
    study: Study,
    output: Path,
    *,
    quick: bool = False,
    jobs: int | None = None,
    resume: bool = False,
    force: bool = False,
    command: str | None = None,
    progress: Callable[[Progress], None] | None = None,
    talk: Callable[[str], None] = lambda _: None,
) -> Conducted:
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
    talk:
        Told what goes on beside the points.

    Raises
    ------
    InputError
        What stands at ``output`` is something else, or there are no traces to run on.
    """
    from iowatt.studies import write

    if jobs is not None and jobs < 1:
        raise InputError("out-of-range", Argument("jobs"), f"expected at least one job, not {jobs}")
    stages = list(study.stages(quick))
    asked = {"schema": SCHEMA, "study": study.name, "version": version("iowatt"), "quick": quick}
    _begin(output, asked, resume=resume, force=force)
    frames = {}
    resumed = failed = 0
    faults: list[str] = []
    ahead = _Ahead(stages, output, progress)
    for stage in stages:
        target = output / SWEEPS / stage.key
        found = run_sweep(
            _request(stage, command),
            output=target,
            resume=target.is_dir(),
            jobs=jobs,
            progress=ahead.within(stage.key),
        )
        frames[stage.key] = found.frame
        resumed += found.resumed
        failed += found.failed
        faults += found.faults
    results = Results(stages, frames, output / SWEEPS)
    talk("idle periods, tables and figures")
    findings = study.evaluate(results, quick)
    write.everything(study, findings, output, asked | {"command": command})
    return Conducted(study, findings, output, quick, failed, resumed, faults)


def is_study(target: Path) -> bool:
    """Whether a directory holds a study."""
    return _manifest(target).get("schema") == SCHEMA


def _manifest(target: Path) -> dict[str, Any]:
    try:
        found = json.loads((target / MANIFEST).read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _begin(target: Path, asked: dict[str, Any], *, resume: bool, force: bool) -> None:
    if resume and force:
        raise both_force_and_resume()
    occupied = os.path.lexists(target) and not (target.is_dir() and atomic_path.holds_only(target))
    if occupied and not is_study(target):
        raise InputError(
            "exists",
            str(target),
            "exists and is not a study",
            hint="choose another `output=`; `force=True` replaces only studies",
        )
    if occupied and resume:
        before = _manifest(target)
        for key in ("study", "version", "quick"):
            if before.get(key) != asked[key]:
                raise InputError(
                    "changed",
                    str(target),
                    f"was begun with {key} {json.dumps(before.get(key))}, "
                    f"and this is {json.dumps(asked[key])}",
                    hint="start again with `force=True`, or choose another `output=`",
                )
    elif occupied and not force:
        raise InputError(
            "exists",
            str(target),
            "a study exists already, and results are never overwritten",
            hint="continue it with `resume=True`, replace it with `force=True`, or choose another `output=`",
        )
    try:
        atomic_path.sweep(target.parent)
        if occupied and force:
            atomic_path.remove(target)
        target.mkdir(parents=True, exist_ok=True)
        for name in _OUTPUT:
            (target / name).unlink(missing_ok=True)
        text = json.dumps({**asked, "finished": False}, indent=2) + "\n"
        write_whole(target / MANIFEST, lambda file: file.write_text(text, encoding="utf-8"))
        (target / SWEEPS).mkdir(exist_ok=True)
    except OSError as error:
        raise InputError("unwritable", str(target), f"cannot be written: {error.strerror}") from None


def _request(stage: Stage, command: str | None) -> SweepRequest:
    given = ScenarioInput(stage.text, stage.base, f"{stage.key} (a stage of the study)", ())
    return SweepRequest(
        "sweep", given, stage.axes, bundles=stage.bundles, within=stage.within, command=command
    )


class _Ahead:
    """Progress of one sweep after another, as that of one search over all of their points."""

    def __init__(
        self, stages: list[Stage], output: Path, progress: Callable[[Progress], None] | None
    ) -> None:
        self._progress = progress
        self._totals = {stage.key: len(axes.all_points(stage.axes)) for stage in stages}
        # What an interrupted run has left of each; the sweep counts it by itself once it begins.
        self._done = {
            stage.key: min(
                len(journal.read_journal(output / SWEEPS / stage.key / JOURNAL)), self._totals[stage.key]
            )
            for stage in stages
        }
        self._failed = dict.fromkeys(self._totals, 0)

    def within(self, key: str) -> Callable[[Progress], None] | None:
        if self._progress is None:
            return None
        progress = self._progress

        def advanced(at: Progress) -> None:
            self._done[key], self._failed[key] = at.done, at.failed
            progress(
                Progress(
                    sum(self._done.values()),
                    sum(self._totals.values()),
                    sum(self._failed.values()),
                    at.running,
                )
            )

        return advanced
