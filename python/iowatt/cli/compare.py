"""``iowatt compare``: two Runs, or two groups of repeated ones, before and after a change."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from iowatt.cli.options import ADVANCED, WORKLOAD, AsJson, Force, Notes, Page, shown
from iowatt.cli.show import show


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("compare")(compare)


def compare(
    before: Annotated[
        Path | None,
        typer.Argument(metavar="BEFORE", help="A Run, or a folder of repeated ones.", show_default=False),
    ] = None,
    after: Annotated[
        Path | None,
        typer.Argument(metavar="AFTER", help="A Run, or a folder of repeated ones.", show_default=False),
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
    spike: Annotated[
        str | None,
        typer.Option(
            "--spike",
            metavar="TIME",
            help="Threshold above which a response counts as slow.",
            show_default="the 99th percentile before",
        ),
    ] = None,
    op: Annotated[str, typer.Option("--op", metavar="all|read|write", help="Which requests.")] = "all",
    point: Annotated[
        str,
        typer.Option(
            "--point",
            metavar="host|switch|array",
            help="Where response times are taken, for Runs with a path.",
        ),
    ] = "host",
    workload: Annotated[str | None, shown(WORKLOAD, "all of them")] = None,
    every: Annotated[
        str | None,
        typer.Option(
            "--every",
            metavar="TIME",
            help="Length of a block over time, at least.",
            show_default="as the Runs have it",
        ),
    ] = None,
    expected_interval: Annotated[
        str | None,
        typer.Option(
            "--expected-interval",
            metavar="TIME",
            help="From one request of a closed loop's outstanding one to its next, to correct what it left "
            "out.",
            show_default="found from the Run",
            rich_help_panel=ADVANCED,
        ),
    ] = None,
    output: Page = None,
    force: Force = False,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Compare two Runs, simulated or measured: what a change did to response times, throughput, power.

    Distributions, spikes and energy side by side; each difference with its interval and a verdict.
    """
    from iowatt.api import compare as answer
    from iowatt.pages.compare import document

    found = answer(
        [*([before] if before else []), *(more_before or [])],
        [*([after] if after else []), *(more_after or [])], spike=spike,
        op=op, point=point, workload=workload, every=every,
        expected_interval=expected_interval, output=output,
        force=force,
    )  # fmt: skip
    show(found, document, written=output, notes=notes, as_json=as_json)
