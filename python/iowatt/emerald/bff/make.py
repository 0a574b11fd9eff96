"""`iowatt emerald bff` without its printing: reads the family, searches, writes the folder."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from iowatt.base.errors import InputError, IowattError
from iowatt.emerald.bff import page, table
from iowatt.emerald.bff.assemble import assemble
from iowatt.emerald.bff.folder import ASKED_SCHEMA, BFF
from iowatt.emerald.bff.point import evaluate
from iowatt.emerald.bff.request import Asked
from iowatt.emerald.bff.result import BestFootForward
from iowatt.emerald.bff.search import Search
from iowatt.emerald.rules import load as rules
from iowatt.evaluate.search.evaluator import Evaluator, Progress
from iowatt.evaluate.search.executor import Executor
from iowatt.evaluate.search.folder import Folder, refuse_target
from iowatt.render import write


@dataclass(frozen=True)
class Where:
    """Where a search is written; None: nowhere."""

    output: Path | None = None
    resume: bool = False
    force: bool = False


def make(
    asked: Asked,
    where: Where | None = None,
    *,
    jobs: int | None = None,
    executor: Executor | None = None,
    progress: Callable[[Progress], None] | None = None,
    told: Callable[[str], None] = lambda _line: None,
) -> BestFootForward:
    """The result of a search, written to its folder where one is asked for.

    Parameters
    ----------
    jobs, executor, progress:
        As for :func:`iowatt.evaluate.search.sweep.run_sweep`.
    told:
        Called with a line of text as rounds begin.

    Raises
    ------
    InputError
        What is wrong with what is asked or the folder, or that nothing could be judged.
    IowattError
        Points ended in a fault of iowatt; what is finished is kept.
    """
    place = where or Where()
    asked.chosen_metrics(), asked.chosen_drives(), asked.chosen_levels(), asked.chosen_controllers()
    if place.output is not None:
        refuse_target(place.output, force=place.force, resume=place.resume, shape=BFF)
    with ExitStack() as stack:
        folder = None
        if place.output is not None:
            folder = Folder(
                place.output,
                {"schema": ASKED_SCHEMA, **_as_dict(asked)},
                asked.family.text,
                force=place.force,
                resume=place.resume,
                shape=BFF,
            )
            stack.callback(folder.close)
        evaluator = Evaluator(
            folder=folder, executor=executor, jobs=jobs, progress=progress, total=0, work=evaluate
        )
        stack.callback(evaluator.close)
        if folder is not None:
            evaluator.records |= folder.journal.records
        search = Search(asked, rules(asked.family.file.rules).fresh(), evaluator, _estimates(asked), told)
        try:
            search.run()
            found = assemble(search)
        except InputError:
            _refuse_faults(evaluator)
            raise
        _refuse_faults(evaluator)
        if folder is not None:
            frame = table.frame(found)
            folder.write("table.parquet", frame.write_parquet)
            folder.write("table.csv", frame.write_csv)
            text = write.page([page.document(found)])
            folder.write("report.html", lambda file: file.write_text(text, encoding="utf-8", newline="\n"))
            folder.write_json("bff.json", found.as_dict())
    return found


def _refuse_faults(evaluator: Evaluator) -> None:
    """A peak cannot be named while points have no figures for reasons outside them."""
    said = [*evaluator.faults, *evaluator.machines]
    if said:
        what = "failed by a fault of iowatt" if evaluator.faults else "could not be run on this machine"
        raise IowattError(
            "internal" if evaluator.faults else "tool-failed",
            None,
            f"{len(said)} points {what}\n" + "\n".join(said[:5]),
            hint="`resume=True` tries them again",
        )


def _estimates(asked: Asked) -> Any:
    if not asked.estimate:
        return None
    from iowatt.emerald.bff.estimates import Estimates

    return Estimates(asked.family.base)


def _as_dict(asked: Asked) -> dict[str, Any]:
    return {
        "family": asked.family.document.source,
        "sha256": asked.family.sha256,
        "set": list(asked.family.sets),
        "metrics": list(asked.metrics),
        "drives": list(asked.drives),
        "levels": list(asked.levels),
        "controllers": list(asked.controllers),
        "simulate": asked.simulate,
        "confirm": asked.confirm,
        "tolerance": asked.tolerance,
        "within_percent": asked.within_percent,
        "command": asked.command,
    }
