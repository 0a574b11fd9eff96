"""``iowatt budget``: where the response time goes, and which hop breaks a service level."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from iowatt.cli.options import (
    OF,
    RATES,
    WITHIN,
    WORKLOAD,
    AsJson,
    Force,
    Jobs,
    Notes,
    Overrides,
    Page,
    shown,
)
from iowatt.cli.show import show


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("budget")(budget)


def budget(
    what: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN...|SCENARIO",
            help="One Run; Runs of one system at several loads; or a scenario (.toml).",
            show_default=False,
        ),
    ],
    *,
    rates: Annotated[str | None, shown(RATES, "its own load")] = None,
    within: Annotated[str | None, shown(WITHIN, "none")] = None,
    of: Annotated[str, OF] = "mean",
    workload: Annotated[str | None, shown(WORKLOAD, False)] = None,
    overrides: Overrides = None,
    jobs: Jobs = None,
    output: Page = None,
    force: Force = False,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Break down response time hop by hop: queueing and service, in the mean and in the tail.

    With --within, which hop violates the service level first and at what rate: an estimate from one Run, or
    interpolated with --rates or several Runs.
    """
    import iowatt
    from iowatt.cli.progress import points_bar

    with points_bar(f"simulating {what[0].name}") as progress:
        found = iowatt.budget(
            *what,
            rates=rates,
            within=within,
            of=of,
            workload=workload,
            set=overrides or [],
            jobs=jobs,
            output=output,
            force=force,
            progress=progress,
        )
    from iowatt.pages.budget import document

    show(found, document, written=output, notes=notes, as_json=as_json)
