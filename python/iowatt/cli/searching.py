"""What ``iowatt sweep`` and ``iowatt curve`` have in common: they run, show how far they are, and print."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from iowatt.base.errors import Argument, InputError, IowattError
from iowatt.cli.options import print_json
from iowatt.cli.streams import print_line

if TYPE_CHECKING:
    from iowatt.evaluate.search import SweepRequest, SweepResult
    from iowatt.evaluate.search.tasks import Executor, FolderKind


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


def run_and_print(
    request: SweepRequest,
    target: Path,
    *,
    resume: bool,
    force: bool,
    jobs: int | None,
    cluster: str | None = None,
    notes: bool = False,
    as_json: bool,
) -> None:
    """Run a request and print what was found."""
    from iowatt.cli.progress import points_bar
    from iowatt.evaluate.search import run_sweep
    from iowatt.evaluate.search.tasks import refuse_target
    from iowatt.pages.sweep import report

    refuse_target(target, force=force, resume=resume)
    with (
        kept_on_interrupt(target),
        executor(cluster, jobs) as worker,
        points_bar(f"simulating {Path(request.given.source).name}") as progress,
    ):
        found = run_sweep(
            request,
            output=target,
            resume=resume,
            force=force,
            jobs=jobs,
            executor=worker,
            progress=progress,
            page=report,
        )
    show(found, target, notes=notes, as_json=as_json)


def show(found: SweepResult, target: Path, *, notes: bool = False, as_json: bool) -> None:
    """Print what was found; raise where points are missing that another try may bring."""
    from iowatt.evaluate.search import sweep_document

    made = sweep_document(found, target)
    if as_json:
        print_json(made.as_dict())
    else:
        from iowatt.pages.sweep import document
        from iowatt.render import terminal

        terminal.show(document(found), notes=notes)
        if found.resumed:
            print_line(f"resumed: {found.resumed} points were finished before")
        for name, file in (("table", made.table), ("csv", made.csv), ("report", made.report)):
            print_line(f"{name}: {file}")
    raise_for_missing_points(found.faults, found.machines)


@contextmanager
def kept_on_interrupt(target: Path, kind: FolderKind | None = None) -> Iterator[None]:
    """Say at Ctrl-C where to go on, if there is something there."""
    from iowatt.evaluate.search.tasks import SWEEP, is_search

    try:
        yield
    except KeyboardInterrupt:
        if is_search(target, kind or SWEEP):
            typer.echo(
                f"iowatt: finished points are kept in {target}; add --resume to continue",
                err=True,
            )
        raise


def raise_for_missing_points(faults: Sequence[str], machines: Sequence[str]) -> None:
    """Raise where points are missing for a fault of ours or of a machine: another try may bring them."""
    if faults:
        raise IowattError(
            "internal",
            None,
            f"{len(faults)} points ended with an internal error\n" + "\n".join(faults[:5]),
            hint="use `resume=True` to retry them",
        )
    if machines:
        raise InputError(
            "tool-failed",
            None,
            f"{len(machines)} points could not be run on their machines\n" + "\n".join(machines[:5]),
            hint="fix that and use `resume=True` to retry them; finished points are kept",
        )
