"""`iowatt emerald bff` without its printing: reads the family, searches, writes the folder.

    bff.json       the result (iowatt.bff/1)            once the search is finished
    table.parquet  table.csv  report.html               likewise
    points.jsonl   simulated points (the journal)
    family.toml    the family file as given
    asked.json     the request

A point is known by its scenario, the content of its files and how it is run. So a search may be resumed with
another metric, another tolerance or a changed family: points that stay the same are not run again.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from iowatt.base.errors import InputError, IowattError
from iowatt.emerald.bff import page
from iowatt.emerald.bff.assemble import assemble
from iowatt.emerald.bff.point import Estimates, evaluate
from iowatt.emerald.bff.request import BffRequest
from iowatt.emerald.bff.result import BestFootForward
from iowatt.emerald.bff.search import Search
from iowatt.emerald.rules import load as load_rules
from iowatt.evaluate.search.tasks import (
    Evaluator,
    Executor,
    FolderKind,
    SearchFolder,
    SearchProgress,
    refuse_target,
)
from iowatt.render import write

if TYPE_CHECKING:
    import polars as pl

ASKED_SCHEMA: Final = "iowatt.bff-asked/1"
SHAPE: Final = FolderKind(
    what="a search for a best foot forward",
    manifest="asked.json",
    schema="iowatt.bff-asked/",
    text="family.toml",
    results=("bff.json", "table.parquet", "table.csv", "report.html"),
    held=False,
)


@dataclass(frozen=True)
class Output:
    """Where a search is written; None: nowhere."""

    folder: Path | None = None
    resume: bool = False
    force: bool = False


def search_family(
    request: BffRequest,
    output: Output | None = None,
    *,
    jobs: int | None = None,
    executor: Executor | None = None,
    progress: Callable[[SearchProgress], None] | None = None,
    announce: Callable[[str], None] = lambda _line: None,
) -> BestFootForward:
    """The result of a search, written to its folder where one is given.

    ``jobs``, ``executor``, ``progress``: as for :func:`iowatt.evaluate.search.sweep.run_sweep`.
    ``announce``: called with a line of text as rounds begin.
    Raises ``InputError``: the request or the folder is wrong, or no configuration has figures.
    Raises ``IowattError``: points ended with an internal error; finished points are kept.
    """
    place = output or Output()
    request.chosen_metrics(), request.chosen_drives(), request.chosen_levels(), request.chosen_controllers()
    if place.folder is not None:
        refuse_target(place.folder, force=place.force, resume=place.resume, shape=SHAPE)
    with ExitStack() as stack:
        folder = None
        if place.folder is not None:
            manifest = {"schema": ASKED_SCHEMA, **request.as_dict()}
            folder = SearchFolder(
                place.folder,
                manifest,
                request.family.text,
                force=place.force,
                resume=place.resume,
                shape=SHAPE,
            )
            stack.callback(folder.close)
        journal = None if folder is None else folder.journal
        evaluator = Evaluator(evaluate, journal, executor, jobs, progress, total=0)
        stack.callback(evaluator.close)
        if folder is not None:
            evaluator.records |= folder.journal.records
        rules = load_rules(request.family.file.rules)
        search = Search(request, rules, evaluator, _estimates(request), announce)
        try:
            search.run()
            result = assemble(search)
        except InputError:
            _refuse_faults(evaluator)
            raise
        _refuse_faults(evaluator)
        if folder is not None:
            frame = points_frame(result)
            folder.write("table.parquet", frame.write_parquet)
            folder.write("table.csv", frame.write_csv)
            text = write.page([page.document(result)])
            folder.write("report.html", lambda file: file.write_text(text, encoding="utf-8", newline="\n"))
            folder.write_json("bff.json", result.as_dict())
    return result


def _refuse_faults(evaluator: Evaluator) -> None:
    """Points without figures for reasons outside them leave the peak unknown."""
    faults = [*evaluator.faults, *evaluator.machines]
    if faults:
        what = "failed with an internal error" if evaluator.faults else "could not be run on this machine"
        raise IowattError(
            "internal" if evaluator.faults else "tool-failed",
            None,
            f"{len(faults)} points {what}\n" + "\n".join(faults[:5]),
            hint="use `resume=True` to retry them",
        )


def _estimates(request: BffRequest) -> Estimates | None:
    return Estimates(request.family.base) if request.estimate else None


_FIGURES: Final = ("ep", "iops", "mib_per_s", "response_ms", "wall_w", "half_percent", "runs", "bottleneck")


def points_frame(result: BestFootForward) -> pl.DataFrame:
    """A row for each configuration and metric of a search: ``estimated.*`` beside ``found.*``."""
    import polars as pl

    rows: list[dict[str, Any]] = []
    for series in result.series:
        for at, point in enumerate(series.points):
            row = {key: getattr(series, key) for key in ("metric", "by", "drive", "raid", "controller")}
            row |= {key: getattr(point, key) for key in ("drives", "nodes", "shelves", "basis", "ep")}
            row["peak"] = series.peak is not None and series.peak.at == at
            for kind, figures in (("estimated", point.estimated), ("found", point.found)):
                row |= {f"{kind}.{name}": getattr(figures, name, None) for name in _FIGURES}
            row["error"] = point.error
            rows.append(row)
    types: dict[str, Any] = dict.fromkeys(rows[0] if rows else (), pl.Float64)
    for names, type_ in (
        (("metric", "by", "drive", "raid", "controller", "basis", "error"), pl.String),
        (("estimated.bottleneck", "found.bottleneck"), pl.String),
        (("drives", "nodes", "shelves", "estimated.runs", "found.runs"), pl.Int64),
        (("peak",), pl.Boolean),
    ):
        types |= dict.fromkeys(names, type_) if rows else {}
    return pl.DataFrame(rows, schema=types)
