"""The files of a plan for the load generators: job files of fio, both parameter sets of vdbench.

A plan for vdbench has no job files of fio: its conditioning runs the hot band as fast as it goes, which fio
cannot. A plan for fio has the parameter sets beside its jobs, as the same course for the official
driver, where its targets and loads can be said so.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

from iowatt.base.errors import InputError
from iowatt.base.results import Note
from iowatt.emerald.plan import check, fio, vdbench
from iowatt.emerald.plan.check import Checked
from iowatt.emerald.plan.model import Plan

#: What a job file is written for while nobody has found the rate.
NOMINAL_IOPS: Final = 1000.0
RATE_FINDING: Final = "vdbench/rate-finding.parm"
SEQUENCE: Final = "vdbench/test-sequence.parm"
_AT_A_TIME: Final = 8

Text = tuple[str, str, str, tuple[str, ...]]


@dataclass(frozen=True)
class Generated:
    """A file: its path in the plan's folder, what is in it, and what was said of it."""

    path: str
    text: str
    #: In a line.
    what: str
    checked: Checked


def files(plan: Plan, limit_ms: float | None) -> tuple[list[Generated], list[Note]]:
    """All files of a plan, each checked (none for a simulated array), and notes on what was left out.

    Parameters
    ----------
    limit_ms:
        Of the mean response time, where vdbench's search for the rates stops.

    Raises
    ------
    InputError
        The plan's own driver cannot run a stage of it.
    """
    if plan.source == "simulation":
        return [], []
    left_out: list[Note] = []
    if plan.source == "vdbench":
        texts = [*_parameters(plan, limit_ms)]
        text = "no job files of fio: the plan is for vdbench (--driver fio plans for fio)"
        left_out.append(Note(code="no-fio-files", text=text))
    else:
        texts = [*_jobs(plan)]
        try:
            texts += _parameters(plan, limit_ms)
        except InputError as error:
            text = f"no parameter files of vdbench, which cannot express it: {error}"
            left_out.append(Note(code="no-vdbench-files", text=text))
    # Each check is a program that is started, and for the most part waited for.
    with ThreadPoolExecutor(max_workers=_AT_A_TIME) as pool:
        checks = list(pool.map(_checked, texts))
    generated = [
        Generated(path, text, what, checked)
        for (path, text, what, _), checked in zip(texts, checks, strict=True)
    ]
    return generated, left_out


def _parameters(plan: Plan, limit_ms: float | None) -> Iterator[Text]:
    """The same of both parameter sets of vdbench; the second has a variable for each rate not found yet."""
    yield RATE_FINDING, vdbench.rate_finding_text(plan, limit_ms), "finds the rates", ()
    names = vdbench.variables(plan)
    what = "the whole sequence" + (f"; needs {', '.join(names)}" if names else "")
    yield SEQUENCE, vdbench.sequence_text(plan), what, tuple(names)


def _jobs(plan: Plan) -> Iterator[Text]:
    """Path, text, what it is, and variables (none) of each stage's job file."""
    for stage in plan.stages:
        if stage.workload is None:
            continue
        what, rated = f"stage {stage.id}", stage
        if stage.rate_iops is None and not stage.closed:
            rated = stage.model_copy(update={"rate_iops": NOMINAL_IOPS})
            what += f", at {NOMINAL_IOPS:g} IOPS until its rate is found"
        text = fio.job_text(plan, rated)
        if rated is not stage:
            text = f"# RATE NOT FOUND YET: {NOMINAL_IOPS:g} IOPS have no meaning\n{text}"
        yield f"fio/{stage.id}.fio", text, what, ()


def _checked(given: Text) -> Checked:
    path, text, _, names = given
    return check.fio(path, text) if path.endswith(".fio") else check.vdbench(path, text, names)
