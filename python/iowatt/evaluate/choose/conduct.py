"""A question from its file to its answer, in a folder that a later call can continue."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from iowatt.base.errors import Argument, InputError
from iowatt.evaluate.choose import answer
from iowatt.evaluate.choose.course import ChooseCourse
from iowatt.evaluate.choose.families import families_of
from iowatt.evaluate.choose.load import scaled_workloads
from iowatt.evaluate.choose.own import own_designs
from iowatt.evaluate.choose.request import BOOK, ChooseRequest
from iowatt.evaluate.choose.result import Choose
from iowatt.evaluate.choose.scenarios import FOLDER as SYSTEMS
from iowatt.evaluate.choose.scenarios import made_scenarios
from iowatt.evaluate.choose.search import search
from iowatt.evaluate.choose.trials import Trials
from iowatt.evaluate.search import RiskBasis, evaluate_point
from iowatt.evaluate.search.tasks import Evaluator, FolderKind, SearchFolder, SearchProgress, refuse_target

if TYPE_CHECKING:
    from iowatt.evaluate.search.tasks import Executor

DOCUMENT: Final = "choose.json"
PAGE: Final = "report.html"
WORKBOOK: Final = "choose.xlsx"
FOLDER: Final = FolderKind(
    "an answer",
    "request.json",
    "iowatt.choose-request/",
    "question.toml",
    (DOCUMENT, PAGE, WORKBOOK),
    held=False,
)
"""The directory of an answer.

What is kept are systems by their scenario, so that any question can continue it.
"""


@dataclass(frozen=True)
class ChooseOutcome:
    """An answer, with how it was found."""

    document: Choose
    resumed: int
    faults: Sequence[str]
    machines: Sequence[str]


def run_choose(
    request: ChooseRequest,
    *,
    output: Path | None = None,
    force: bool = False,
    resume: bool = False,
    jobs: int | None = None,
    executor: Executor | None = None,
    progress: Callable[[SearchProgress], None] | None = None,
    pages: Callable[[Choose], Mapping[str, Callable[[Path], object]]] | None = None,
) -> ChooseOutcome:
    """Answer a question.

    Args:
        output: Directory for everything. Without it nothing is written.
        force, resume: Replace what is there, or go on with the systems simulated there.
        jobs, executor, progress: As for :func:`iowatt.evaluate.search.run_sweep`; the answer does not depend
        on them.
        pages: The files written beside the document, by name, each by a function of its path.

    Raises ``InputError``: what is wrong with the question or its files.
    """
    if jobs is not None and jobs < 1:
        raise InputError("out-of-range", Argument("jobs"), f"expected at least one job, not {jobs}")
    if output is not None:
        refuse_target(output, force=force, resume=resume, shape=FOLDER)
    question = request.question
    families = families_of(question)
    pricing = request.pricing.resolve()
    risk = RiskBasis.of(BOOK, request.pricing.assume, question.years)
    # Once before anything is written: what is wrong with loads or own systems is said without a trace.
    with trials_of(request, jobs) as first:
        own_designs(question, first.workloads, request.document, request.base, first.observe)
    with ExitStack() as stack:
        if executor is not None:
            stack.callback(executor.close)
        folder = None
        if output is not None:
            manifest = {"schema": "iowatt.choose-request/1", "command": request.command}
            folder = SearchFolder(output, manifest, request.text, force=force, resume=resume, shape=FOLDER)
            stack.callback(folder.close)
        workloads = scaled_workloads(question, request.document, request.base, output)
        journal = None if folder is None else folder.journal
        course = ChooseCourse(progress)
        told = None if progress is None else course.points
        evaluator = Evaluator(evaluate_point, journal, executor, jobs, told, 0)
        stack.callback(evaluator.close)
        if journal is not None:
            evaluator.records |= journal.records
        resumed = len(evaluator.records)
        trials = Trials(question, workloads, request.base, evaluator, pricing=pricing, risk=risk, jobs=jobs)
        own = own_designs(question, workloads, request.document, request.base, trials.observe)
        found = search(families, own, trials, course)
        made = answer.answer(request, trials, found, course)
        if folder is not None and output is not None:
            scenarios, files = made_scenarios(found, trials, request.pricing, output)
            made = made.model_copy(update={"scenarios": scenarios})
            (output / SYSTEMS).mkdir(exist_ok=True)
            folder.write_json(DOCUMENT, made.as_dict())
            for name, write in {**files, **(pages(made) if pages is not None else {})}.items():
                folder.write(name, write)
    return ChooseOutcome(made, resumed, evaluator.faults, evaluator.machines)


@contextmanager
def trials_of(request: ChooseRequest, jobs: int | None = None) -> Iterator[Trials]:
    """Trials of a question that keep nothing."""
    question = request.question
    workloads = scaled_workloads(question, request.document, request.base)
    evaluator = Evaluator(evaluate_point, None, None, jobs, None, 0)
    try:
        yield Trials(
            question, workloads, request.base, evaluator, pricing=request.pricing.resolve(),
            risk=RiskBasis.of(BOOK, request.pricing.assume, question.years), jobs=jobs,
        )  # fmt: skip
    finally:
        evaluator.close()
