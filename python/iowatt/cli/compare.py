"""``iowatt compare``: two Runs or two groups of repeated ones, before and after a change; or more systems."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from iowatt.base.errors import Argument, InputError
from iowatt.cli.options import ADVANCED, OF, WITHIN, WORKLOAD, AsJson, Force, Notes, Page, shown
from iowatt.cli.show import show


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("compare")(compare)


def compare(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="RUN...",
            help="Two (before and after a change) or more systems; each is a Run, or a folder of repeated "
            "Runs.",
            show_default=False,
        ),
    ] = None,
    *,
    more_before: Annotated[
        list[Path] | None,
        typer.Option(
            "--before",
            metavar="RUN",
            help="Another Run of the system before. May be repeated.",
            show_default=False,
        ),
    ] = None,
    more_after: Annotated[
        list[Path] | None,
        typer.Option(
            "--after",
            metavar="RUN",
            help="Another Run of the system after. May be repeated.",
            show_default=False,
        ),
    ] = None,
    within: Annotated[str | None, shown(WITHIN, "none")] = None,
    of: Annotated[str, OF] = "p95",
    spike: Annotated[
        str | None,
        typer.Option(
            "--spike",
            metavar="TIME",
            help="Threshold above which a response counts as slow.",
            show_default="the 99th percentile of the first",
        ),
    ] = None,
    op: Annotated[str, typer.Option("--op", metavar="all|read|write", help="Requests to compare.")] = "all",
    point: Annotated[
        str,
        typer.Option(
            "--point",
            metavar="host|switch|array",
            help="Where response time is measured, for Runs with a path.",
        ),
    ] = "host",
    workload: Annotated[str | None, shown(WORKLOAD, "all of them")] = None,
    every: Annotated[
        str | None,
        typer.Option(
            "--every",
            metavar="TIME",
            help="Minimum length of a time block.",
            show_default="the Runs' interval",
        ),
    ] = None,
    expected_interval: Annotated[
        str | None,
        typer.Option(
            "--expected-interval",
            metavar="TIME",
            help="Expected time between requests of one closed-loop stream, to correct for coordinated "
            "omission.",
            show_default="estimated from the Run",
            rich_help_panel=ADVANCED,
        ),
    ] = None,
    output: Page = None,
    force: Force = False,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Compare Runs, simulated or measured: what a change did, or which of several systems is best.

    Two: distributions, spikes and energy side by side; each difference with its interval and a verdict.
    More, or with a service level: all against the first, at equal work and capacity.
    """
    from iowatt.api import compare as answer
    from iowatt.pages.compare import document
    from iowatt.run import index

    # A folder of Runs (`runs/*`) also has their index.
    given = [run for run in runs or [] if run.name != index.FILE_NAME]
    others = given[2:]
    if others and (more_before or more_after):
        raise InputError(
            "conflict",
            Argument("before" if more_before else "after"),
            f"{len(given)} systems are given, and `before` and `after` name Runs of two",
            hint="put repeated Runs of a system into a folder, and give the folder",
        )
    found = answer(
        [*given[:1], *(more_before or [])], [*given[1:2], *(more_after or [])], *others,
        within=within, of=of, spike=spike, op=op, point=point, workload=workload, every=every,
        expected_interval=expected_interval, output=output,
        force=force,
    )  # fmt: skip
    show(found, document, written=output, notes=notes, as_json=as_json)
