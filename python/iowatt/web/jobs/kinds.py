"""What each kind of job does, and where its result lies.

A result appears whole, by a rename, under a name made from the job. Where it is there already, a worker made
it and died before it could say so: it is the job's result, and nothing is done twice.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from iowatt.base import atomic_path
from iowatt.web.jobs.limits import JobLimits, reading_an_upload, simulating
from iowatt.web.jobs.places import base_of, refuse_outside
from iowatt.web.jobs.record import (
    DescriptionRequest,
    FileRequest,
    JobKind,
    JobStatus,
    QuestionRequest,
    RunRequest,
)

if TYPE_CHECKING:
    from iowatt.web.jobs.progress import JobProgress
    from iowatt.web.jobs.record import JobRecord

RUNS: Final = "what-if"
ANSWERS: Final = "answers"
IMPORTED: Final = "imported"
DESCRIBED: Final = ".iowatt/described"


@dataclass(frozen=True)
class JobContext:
    """What every job has: the workspace, which is the current directory, and its limits."""

    workspace: Path
    limits: JobLimits


def result_of(job: JobStatus) -> str:
    """Where the result of a job will lie, relative to the workspace."""
    if job.kind == "describe":
        return f"{DESCRIBED}/{job.id}.json"
    return f"{ {'run': RUNS, 'choose': ANSWERS, 'import': IMPORTED}[job.kind] }/{job.id}"


def perform(context: JobContext, job: JobRecord, progress: JobProgress) -> str:
    """Do a job; the path of its result, relative to the workspace.

    Raises ``InputError``: what is wrong with the request; ``MemoryError``: it exceeds its limit.
    """
    result = result_of(job)
    target = context.workspace / result
    if not _is_complete(job.kind, target):
        KINDS[job.kind](context, job, target, progress)
    return result


def discard(workspace: Path, job: JobStatus) -> None:
    """Remove what a job that was cancelled or has failed left."""
    target = workspace / result_of(job)
    with suppress(OSError):
        atomic_path.sweep(target.parent)
        if target.is_dir():
            shutil.rmtree(target, ignore_errors=True)
        target.unlink(missing_ok=True)


def _is_complete(kind: JobKind, target: Path) -> bool:
    if kind != "choose":
        return target.exists()
    from iowatt.evaluate.choose import FOLDER

    return all((target / name).is_file() for name in FOLDER.results)


def _run(context: JobContext, job: JobRecord, target: Path, progress: JobProgress) -> None:
    from iowatt.base.keys import toml_text
    from iowatt.evaluate.evaluation import run_scenario
    from iowatt.model.scenario import scenario_document

    asked = RunRequest(**job.request)
    base = base_of(context.workspace, asked.base)
    text = asked.scenario if "\n" in asked.scenario else f"{asked.scenario}\n"
    changes = [*asked.set, *([] if asked.name is None else [f"name={toml_text(asked.name)}"])]
    refuse_outside(scenario_document(text, "scenario", changes, base.folder).raw, base)
    with simulating(context.limits):
        run_scenario(text, changes, base=base.folder, output=target, progress=progress.requests)


def _choose(context: JobContext, job: JobRecord, target: Path, progress: JobProgress) -> None:
    from iowatt.evaluate.choose import choose_request, run_choose
    from iowatt.pages.choose import files

    asked = QuestionRequest(**job.request)
    base = base_of(context.workspace, asked.base)
    text = asked.question if "\n" in asked.question else f"{asked.question}\n"
    question = choose_request(text, changes=asked.set, base=base.folder)
    refuse_outside(question.document.raw, base)
    with simulating(context.limits):
        run_choose(question, output=target, resume=True, progress=progress.points, pages=files)


def _describe(context: JobContext, job: JobRecord, target: Path, progress: JobProgress) -> None:
    from iowatt.web.jobs.uploaded import write_description

    asked, most = DescriptionRequest(**job.request), context.limits.description_bytes
    with reading_an_upload(context.limits):
        write_description(context.workspace, asked, target, most, progress)


def _import(context: JobContext, job: JobRecord, target: Path, progress: JobProgress) -> None:
    from iowatt.web.jobs.uploaded import write_runs

    with reading_an_upload(context.limits):
        write_runs(context.workspace, FileRequest(**job.request).path, target, progress)


KINDS: Final[Mapping[JobKind, Callable[[JobContext, JobRecord, Path, JobProgress], None]]] = {
    "run": _run,
    "choose": _choose,
    "describe": _describe,
    "import": _import,
}
