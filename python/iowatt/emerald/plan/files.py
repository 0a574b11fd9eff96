"""The files of a plan for the load generators, each checked: fio job files, both vdbench parameter sets.

A plan for vdbench has no job files of fio: its conditioning runs the hot band as fast as possible, which fio
cannot. A plan for fio also has the parameter sets, the same sequence for the official driver, where vdbench
can express its targets and loads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final

from iowatt.base.errors import InputError
from iowatt.base.results import Note
from iowatt.emerald.plan.load import check, fio, vdbench
from iowatt.emerald.plan.load.check import PlannedFile
from iowatt.emerald.plan.load.workloads import NOMINAL_IOPS
from iowatt.emerald.plan.model import Plan

RATE_FINDING: Final = "vdbench/rate-finding.parm"
SEQUENCE: Final = "vdbench/test-sequence.parm"
_CHECKS_AT_A_TIME: Final = 8

_File = tuple[str, str, Callable[[], PlannedFile]]  #: Path, text, and the check of both.


def generate(plan: Plan, limit_ms: float | None) -> tuple[dict[str, str], list[PlannedFile], list[Note]]:
    """Texts by path, their checks, and notes on files that were left out; none for the simulator or files.

    ``limit_ms``: of the mean response time, where vdbench's search for the rates stops.
    Raises ``InputError``: the plan's own driver cannot run a stage of it.
    """
    if plan.source in ("simulation", "files"):
        return {}, [], []
    notes: list[Note] = []
    if plan.source == "vdbench":
        files = [*_parameter_files(plan, limit_ms)]
        text = "no job files of fio: the plan is for vdbench (--driver fio plans for fio)"
        notes.append(Note(code="no-fio-files", text=text))
    else:
        files = [*_job_files(plan)]
        try:
            files += _parameter_files(plan, limit_ms)
        except InputError as error:
            text = f"no parameter files of vdbench, which cannot express the plan: {error}"
            notes.append(Note(code="no-vdbench-files", text=text))
    # Each check starts a program and mostly waits for it.
    with ThreadPoolExecutor(max_workers=_CHECKS_AT_A_TIME) as pool:
        checked = list(pool.map(lambda file: file[2](), files))
    return {path: text for path, text, _ in files}, checked, notes


def _parameter_files(plan: Plan, limit_ms: float | None) -> Iterator[_File]:
    """Both sets of vdbench; the second has a variable for each rate that is not found yet."""
    text = vdbench.rate_finding_text(plan, limit_ms)
    yield RATE_FINDING, text, partial(check.vdbench, RATE_FINDING, text, "finds the rates")
    names, text = vdbench.variables(plan), vdbench.sequence_text(plan)
    what = "the whole sequence" + (f"; needs {', '.join(names)}" if names else "")
    yield SEQUENCE, text, partial(check.vdbench, SEQUENCE, text, what, names)


def _job_files(plan: Plan) -> Iterator[_File]:
    """A job file of fio for each stage with requests."""
    for stage in plan.stages:
        if stage.workload is None:
            continue
        path, what = f"fio/{stage.id}.fio", f"stage {stage.id}"
        if stage.rate_unknown:
            rated = stage.model_copy(update={"rate_iops": NOMINAL_IOPS})
            what += f", at {NOMINAL_IOPS:g} IOPS until its rate is found"
            mark = f"# RATE NOT FOUND YET: {NOMINAL_IOPS:g} IOPS have no meaning\n"
            text = mark + fio.job_text(plan, rated)
        else:
            text = fio.job_text(plan, stage)
        yield path, text, partial(check.fio, path, text, what)
