"""A sweep or a curve from its request to its table: points checked, missing ones run, everything kept.

`iowatt sweep` and `iowatt curve` differ in their axes and in their page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from iowatt.base.errors import Argument, InputError, IowattError
from iowatt.base.results import Result, ResultDocument
from iowatt.evaluate.search import prepare
from iowatt.evaluate.search.axes import Cell, SweepAxis, SweepPoint, all_points, point_label, swept_columns
from iowatt.evaluate.search.metrics import table
from iowatt.evaluate.search.point import PointTask, evaluate_point, key_of
from iowatt.evaluate.search.prepare import CheckedPoint, RefusedPoint, ScenarioInput
from iowatt.evaluate.search.tasks.evaluator import Evaluator, Job, SearchProgress
from iowatt.evaluate.search.tasks.executor import Executor
from iowatt.evaluate.search.tasks.files import file_digests
from iowatt.evaluate.search.tasks.folder import RUNS, SearchFolder, refuse_target
from iowatt.evaluate.search.tasks.journal import error_at_point, error_record

if TYPE_CHECKING:
    import polars as pl

    from iowatt.evaluate.search.rate import RateRequest


@dataclass(frozen=True)
class SweepRequest:
    """A sweep or a curve: a scenario, what varies, and how."""

    kind: str
    given: ScenarioInput
    axes: Sequence[SweepAxis]
    own_seeds: bool = False
    bundles: bool = False
    strict: bool = False
    command: str | None = None
    #: Judge each point at its highest rate within a limit, open or closed; None: as its scenario says.
    within: RateRequest | None = None


@dataclass(frozen=True)
class DoubtfulDesign:
    """Points whose design is doubtful for one key, by number; the values of the last one, and its warning."""

    points: Sequence[int]
    last: str
    text: str


@dataclass(frozen=True)
class SweepResult:
    """The outcome of a search.

    ``faults`` are errors of ours, ``machines`` those of where a point was tried; a resumed search tries both
    again.
    """

    request: SweepRequest
    frame: pl.DataFrame
    path: Path | None
    resumed: int
    faults: Sequence[str] = ()
    machines: Sequence[str] = ()
    warned: Sequence[DoubtfulDesign] = ()

    @property
    def failed(self) -> int:
        """Points without figures."""
        return int((self.frame[table.STATUS] == "failed").sum())


def sweep_request(
    given: ScenarioInput, over: Iterable[str] | Mapping[Any, Iterable[Any]], **options: Any
) -> SweepRequest:
    """A sweep over the combinations of ``over`` (:func:`parse_axes`); ``options`` are other fields of it."""
    return SweepRequest("sweep", given, prepare.axes_of(given, over), **options)


def run_sweep(
    request: SweepRequest,
    *,
    output: Path | None = None,
    force: bool = False,
    resume: bool = False,
    jobs: int | None = None,
    executor: Executor | None = None,
    progress: Callable[[SearchProgress], None] | None = None,
    page: Callable[[SweepResult], str] | None = None,
) -> SweepResult:
    """Run the points of a request.

    Args:
        output: Directory of the sweep (:mod:`iowatt.evaluate.search.tasks.folder`). Without it nothing is
            written.
        force, resume: Replace a sweep at ``output``, or go on with it.
        jobs: Points at a time; left out, one a core.
        executor: Who runs them, in place of threads; it is closed at the end.
        progress: Called as points begin, advance and finish, by several threads.
        page: Makes the page (HTML) that is written to ``output``.

    Raises ``InputError``: what is wrong with the request; with ``strict`` also the first point that fails.
    """
    _refuse_request(request, jobs, output)
    if output is not None:
        refuse_target(output, force=force, resume=resume)
    points = all_points(request.axes)
    checked = prepare.check_points(request.given, request.axes, points, own_seeds=request.own_seeds)
    _stop_at_refused(request, checked)
    ready = [one for one in checked if isinstance(one, CheckedPoint)]
    digests = file_digests(path for one in ready for _, path in one.files)
    keys = {one.point.number: key_of(one.key(digests), request.within) for one in ready}
    columns = swept_columns(request.axes)

    with ExitStack() as stack:
        folder = None
        if output is not None:
            manifest = _manifest(request, ready, digests)
            folder = SearchFolder(output, manifest, request.given.text, force=force, resume=resume)
            stack.callback(folder.close)
        names = _bundle_names(request, points, keys) if request.bundles else {}
        journal = None if folder is None else folder.journal
        runner = Evaluator(evaluate_point, journal, executor, jobs, progress, len(points))
        stack.callback(runner.close)
        if folder is not None:
            runner.records |= _usable(folder, keys, names)
        runner.count([{"error": None}] * (len(points) - len(ready)))
        runner.count(runner.records[key] for key in keys.values() if key in runner.records)
        resumed = sum(key in runner.records for key in keys.values())
        shares = Counter(keys.values())
        tasks: dict[str, Job] = {}
        at: dict[str, SweepPoint] = {}
        for one in ready:
            key = keys[one.point.number]
            if key not in runner.records and key not in tasks:
                bundle = _bundle_place(output, names.get(one.point.number))
                task = PointTask.of(
                    request.given, one, key, digests,
                    bundle=bundle, command=request.command, rate=request.within,
                )  # fmt: skip
                tasks[key] = Job(task, point_label(one.point, columns), shares[key])
                at[key] = one.point
        runner.shared = len(tasks) > 1

        def kept(key: str, record: dict[str, Any]) -> None:
            if request.strict and "error" in record:
                raise _strict(at[key], columns, record["error"])

        runner.evaluate(tasks, kept)
        records = [
            (one.point, {"error": error_record(one.error)})
            if isinstance(one, RefusedPoint)
            else (one.point, runner.records[keys[one.point.number]])
            for one in checked
        ]
        frame = table.build_table(columns, records, names or None)
        if folder is not None:
            folder.write("table.parquet", frame.write_parquet)
            folder.write("table.csv", frame.write_csv)
        result = SweepResult(
            request, frame, output, resumed, runner.faults, runner.machines, _warned(ready, columns)
        )
        if folder is not None and page is not None:
            html = page(result)
            folder.write("report.html", lambda file: file.write_text(html, "utf-8", newline="\n"))
    return result


def _warned(ready: Sequence[CheckedPoint], columns: Sequence[str]) -> list[DoubtfulDesign]:
    """The warnings of the points' designs, those about one key together."""
    said: dict[str, list[tuple[SweepPoint, str]]] = {}
    for one in ready:
        for text in one.warnings:
            said.setdefault(text.partition(": ")[0], []).append((one.point, text))
    return [
        DoubtfulDesign(
            [point.number for point, _ in of_key], point_label(of_key[-1][0], columns), of_key[-1][1]
        )
        for of_key in said.values()
    ]


def _refuse_request(request: SweepRequest, jobs: int | None, output: Path | None) -> None:
    if jobs is not None and jobs < 1:
        raise InputError("out-of-range", Argument("jobs"), f"expected at least one job, not {jobs}")
    if request.bundles and request.within is not None:
        message = "a point at a limit is several runs, and has no bundle"
        raise InputError("conflict", Argument("bundles"), message)
    if request.bundles and output is None:
        raise InputError("missing", Argument("output"), "bundles need a directory to be written to")


def _stop_at_refused(request: SweepRequest, checked: Sequence[CheckedPoint | RefusedPoint]) -> None:
    for one in checked if request.strict else ():
        if isinstance(one, RefusedPoint):
            raise _strict(one.point, swept_columns(request.axes), error_record(one.error))


def _strict(point: SweepPoint, columns: Sequence[str], error: dict[str, Any]) -> IowattError:
    return error_at_point(error, f"point {point.number} ({point_label(point, columns)})")


def _usable(folder: SearchFolder, keys: dict[int, str], names: dict[int, str]) -> dict[str, dict[str, Any]]:
    """Records that need not be made again: those without a bundle do, where one is asked for."""
    from iowatt.run.bundle import is_bundle

    records = dict(folder.journal.records)
    for number, key in keys.items():
        record = records.get(key)
        if record and "row" in record and number in names and not is_bundle(folder.target / names[number]):
            del records[key]
    return records


def _manifest(
    request: SweepRequest, ready: Sequence[CheckedPoint], digests: dict[Path, str]
) -> dict[str, Any]:
    named = {path: name for one in ready for name, path in one.files}
    return {
        **prepare.manifest(
            request.kind, request.given, request.axes, request.command, own_seeds=request.own_seeds
        ),
        "inputs": [{"path": name, "sha256": digests[path]} for path, name in sorted(named.items())],
        **({} if request.within is None else {"within": asdict(request.within)}),
    }


def _bundle_names(
    request: SweepRequest, points: Sequence[SweepPoint], keys: dict[int, str]
) -> dict[int, str]:
    """Directory of each point's bundle below the sweep's: readable, and its own by its key."""
    columns = swept_columns(request.axes)
    names = {}
    for point in points:
        if key := keys.get(point.number):
            plain = re.sub(r"[^A-Za-z0-9.=_-]+", "_", point_label(point, columns))[:80].strip("_.")
            names[point.number] = f"{RUNS}/{plain}-{key[:8]}"
    # Points that resolve to the same scenario share its Run.
    first: dict[str, str] = {}
    return {number: first.setdefault(keys[number], name) for number, name in names.items()}


def _bundle_place(output: Path | None, name: str | None) -> str | None:
    return None if output is None or name is None else str((output / name).resolve())


class SweepWarning(Result):
    """A doubtful design, and the points that have it."""

    points: list[int]
    message: str


class SweepDocument(ResultDocument):
    """The result of a search."""

    schema_id: Literal["iowatt.sweep/1"] = Field(default="iowatt.sweep/1", alias="schema")
    kind: str
    #: The folder, and files in it.
    path: str
    table: str
    csv: str
    report: str
    #: Columns of each axis.
    axes: list[list[str]]
    #: Points without figures.
    failed: int
    resumed: int
    warnings: list[SweepWarning]
    #: Whose watts the figures are, and which models are stand-ins.
    basis: str | None
    #: The rows of the table (docs/reference/sweep.md).
    points: list[dict[str, Cell | None]]


def sweep_document(found: SweepResult, target: Path) -> SweepDocument:
    """The document of a search whose folder is ``target``."""
    rows = found.frame.to_dicts()
    return SweepDocument(
        kind=found.request.kind,
        path=str(target),
        table=str(target / "table.parquet"),
        csv=str(target / "table.csv"),
        report=str(target / "report.html"),
        axes=[list(axis.columns) for axis in found.request.axes],
        failed=found.failed,
        resumed=found.resumed,
        warnings=[SweepWarning(points=list(one.points), message=one.text) for one in found.warned],
        basis=table.basis_line(rows) or None,
        points=rows,
    )
