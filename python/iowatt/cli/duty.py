"""``iowatt duty``: power over days of idle, moderate and heavy hours."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from iowatt.cli.options import AsJson, Force, Notes, Page
from iowatt.cli.show import check_page, show


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("duty")(duty)


def duty(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN...",
            help="Runs of one array at several loads, and one idle Run.",
            show_default=False,
        ),
    ],
    *,
    measure: Annotated[
        str | None,
        typer.Option(
            "--measure",
            metavar="iops|mib_per_s",
            help="Unit of load.",
            show_default="by the mean size of requests",
        ),
    ] = None,
    pue: Annotated[
        float | None,
        typer.Option(
            "--pue",
            metavar="FACTOR",
            help="Power usage effectiveness of the data centre; adds work per facility energy.",
            show_default="none",
        ),
    ] = None,
    output: Page = None,
    force: Force = False,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Weight power by usage class, as SPC's energy extensions do: nominal, medium and high use.

    Nominal power, traffic, IOPS/W, kWh a year and heat. Not an SPC result, nor comparable with one.
    """
    from iowatt.lenses.duty import analyse
    from iowatt.pages.duty import document
    from iowatt.run.bundle import Run

    check_page(output, force=force)
    found = analyse([Run.open(path) for path in runs], measure=measure, pue=pue)
    show(found, document, output, force=force, notes=notes, as_json=as_json)
