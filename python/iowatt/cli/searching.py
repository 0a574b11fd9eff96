"""What ``iowatt sweep`` and ``iowatt curve`` have in common: they run, show how far they are, and print."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from iowatt.base.errors import Argument, InputError, IowattError
from iowatt.cli import command_line
from iowatt.cli.options import print_json

if TYPE_CHECKING:
    from rich.table import Table

    from iowatt.evaluate.search.executor import Executor
    from iowatt.evaluate.search.folder import Shape
    from iowatt.evaluate.search.prepare import Given
    from iowatt.evaluate.search.sweep import Found, Request

MOST_ROWS = 40
"""Rows that are printed; the table has all."""


def given(scenario: Path, overrides: list[str] | None) -> Given:
    """The scenario of the command line."""
    from iowatt.base.document import read_text
    from iowatt.evaluate.search.prepare import Given

    return Given(read_text(scenario), scenario.parent, str(scenario), tuple(overrides or []))


def command() -> str:
    """The command line, for the provenance."""
    return command_line.written()


@contextmanager
def executor(cluster: str | None, jobs: int | None) -> Iterator[Executor | None]:
    """Who runs the points: the cluster at an address, or ``None`` for threads of this machine."""
    if cluster is None:
        yield None
        return
    from iowatt.evaluate.search.cluster import Cluster

    if jobs is not None:
        message = "is for this machine; a cluster runs as many points at a time as it has processors"
        raise InputError("not-applicable", Argument("jobs"), message)
    with closing(Cluster(cluster)) as made:
        if sys.stderr.isatty():
            typer.echo(f"cluster {cluster}: {made.nodes} machines, {made.processors:g} processors", err=True)
        yield made


def answer(
    request: Request,
    target: Path,
    *,
    resume: bool,
    force: bool,
    jobs: int | None,
    cluster: str | None = None,
    as_json: bool,
) -> None:
    """Run a request and print what was found."""
    from iowatt.api import requests
    from iowatt.cli.progress import points_bar
    from iowatt.evaluate.search.folder import refuse

    refuse(target, force=force, resume=resume)
    with (
        kept_on_interrupt(target),
        executor(cluster, jobs) as worker,
        points_bar(f"simulating {Path(request.given.source).name}") as progress,
    ):
        found = requests.answer(
            request,
            output=target,
            resume=resume,
            force=force,
            jobs=jobs,
            executor=worker,
            progress=progress,
        )
    show(found, target, as_json=as_json)


def show(found: Found, target: Path, *, as_json: bool) -> None:
    """Print what was found; raise where points are missing that another try may bring."""
    if as_json:
        print_json(as_dict(found, target))
    else:
        _print(found, target)
    stop_at_lost(found.faults, found.machines)


@contextmanager
def kept_on_interrupt(target: Path, shape: Shape | None = None) -> Iterator[None]:
    """Say at Ctrl-C where to go on, if there is something there."""
    from iowatt.evaluate.search.folder import SWEEP, is_search

    try:
        yield
    except KeyboardInterrupt:
        if is_search(target, shape or SWEEP):
            typer.echo(
                f"iowatt: what is finished is kept in {target}; the same command with --resume goes on",
                err=True,
            )
        raise


def stop_at_lost(faults: Sequence[str], machines: Sequence[str]) -> None:
    """Raise where points are missing for a fault of ours or of a machine: another try may bring them."""
    if faults:
        raise IowattError(
            "internal",
            None,
            f"{len(faults)} points ended in a fault of iowatt\n" + "\n".join(faults[:5]),
            hint="`resume=True` tries them again",
        )
    if machines:
        raise InputError(
            "tool-failed",
            None,
            f"{len(machines)} points could not be run on their machines\n" + "\n".join(machines[:5]),
            hint="fix that, and `resume=True` tries them again; the others are kept",
        )


def as_dict(found: Found, target: Path) -> dict[str, Any]:
    """The result for ``--json``."""
    from iowatt.evaluate.search import basis
    from iowatt.evaluate.search.folder import SCHEMA

    rows = found.frame.to_dicts()
    return {
        "schema": SCHEMA,
        "kind": found.request.kind,
        "path": str(target),
        "table": str(target / "table.parquet"),
        "csv": str(target / "table.csv"),
        "report": str(target / "report.html"),
        "axes": [list(axis.columns) for axis in found.request.axes],
        "failed": found.failed,
        "resumed": found.resumed,
        "warnings": [{"points": list(one.points), "message": one.text} for one in found.warned],
        "basis": basis.said(rows) or None,
        "points": rows,
    }


def _print(found: Found, target: Path) -> None:
    from rich.console import Console

    from iowatt.evaluate.search import basis
    from iowatt.pages.sweep.page import uncertain, warned

    console = Console(highlight=False)
    frame = found.frame
    over = int(frame["overloaded"].sum() or 0) if "overloaded" in frame.columns else 0
    if over:
        console.print(
            f"{over} of {frame.height} points could not keep up with their load: they have no steady state "
            "and are no candidates",
            soft_wrap=True,
        )
    rows = frame.to_dicts()
    for text in [*warned(found), *uncertain(rows)]:
        console.print(f"warning: {text}", markup=False, soft_wrap=True)
    console.print(listing(found))
    if frame.height > MOST_ROWS:
        console.print(f"... and {frame.height - MOST_ROWS} more points in the table")
    if told := basis.said(rows):
        console.print(f"note: {told}", markup=False, soft_wrap=True)
    if found.resumed:
        console.print(f"resumed: {found.resumed} points were finished before")
    if found.failed:
        shown = frame.filter(frame["status"] == "failed").row(0, named=True)
        console.print(
            f"warning: {found.failed} points could not be simulated; the first is {shown['point']}: "
            f"{shown['error']}",
            markup=False,
            soft_wrap=True,
        )
    for name, file in (("table", "table.parquet"), ("csv", "table.csv"), ("report", "report.html")):
        console.print(f"{name}: {target / file}", markup=False, soft_wrap=True)


def listing(found: Found) -> Table:
    """The points with the figures that a person asks for first."""
    from rich.table import Table

    from iowatt.evaluate.search import metrics
    from iowatt.evaluate.search.grid import columns, short_names, shown
    from iowatt.pages.sweep.figures import shortfall, verdict
    from iowatt.render.numbers import significant

    paths = columns(found.request.axes)
    names = short_names(paths)
    keys = {
        metrics.RESPONSE: "mean ms",
        "response_time_ms.all.p99": "p99 ms",
        "throughput.iops": "IOPS",
        metrics.power(found.frame): "W",
        metrics.PER_REQUEST: "J/request",
        metrics.EFFICIENCY: "IOPS/W",
    }
    table = Table(box=None, pad_edge=False)
    # Warnings name points by their number.
    for title in ("point", *(names[path] for path in paths)):
        table.add_column(title, justify="right")
    for title in keys.values():
        table.add_column(title, justify="right")
    table.add_column("")
    for row in found.frame.head(MOST_ROWS).iter_rows(named=True):
        said = verdict(row)
        figures = (significant(row.get(key)) for key in keys)
        mark = "" if said == "steady" else f"{said} {shortfall(row)}"
        table.add_row(str(row["point"]), *(shown(row[path]) for path in paths), *figures, mark)
    return table
