"""``iowatt.choose``: which storage to buy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from iowatt.api._common import Changes, PathLike

if TYPE_CHECKING:
    from iowatt.evaluate.choose import ChooseOutcome
    from iowatt.evaluate.search.tasks import Executor, SearchProgress


def choose(
    question: PathLike,
    *,
    set: Changes = (),  # noqa: A002 - the word of the command line
    output: PathLike | None = None,
    force: bool = False,
    resume: bool = False,
    jobs: int | None = None,
    executor: Executor | None = None,
    progress: Callable[[SearchProgress], None] | None = None,
    command: str | None = None,
) -> ChooseOutcome:
    """Find the cheapest storage that keeps all that a question asks.

    Parameters
    ----------
    question:
        The file of the question (``iowatt.question/1``), or its text.
    set:
        Changes of it, ``PATH=VALUE``.
    output:
        Directory for the document, the page, the workbook and the systems simulated.
    force, resume, jobs, executor, progress:
        As for :func:`sweep`; any question may go on with the systems of another.
    command:
        The command line, kept in ``output``.

    Returns
    -------
    iowatt.evaluate.choose.ChooseOutcome
        ``document`` is ``iowatt.choose/1``.

    Raises
    ------
    iowatt.base.errors.InputError
        What is wrong with the question or its files, or ``output`` holds something else.
    """
    from iowatt.base.overrides import as_overrides
    from iowatt.evaluate.choose import choose_request, run_choose
    from iowatt.pages.choose import files

    return run_choose(
        choose_request(question, changes=as_overrides(set, None), command=command),
        output=None if output is None else Path(output), force=force, resume=resume, jobs=jobs,
        executor=executor, progress=progress, pages=files,
    )  # fmt: skip
