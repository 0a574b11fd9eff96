"""``iowatt idle``: the idle periods of a Run's drives, and what power management could make of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from iowatt.cli.options import AsJson, Force, Notes, Page
from iowatt.cli.show import check_page, show


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("idle")(idle)


def idle(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A Run of `iowatt run`.")],
    *,
    device: Annotated[
        str | None,
        typer.Option(
            "--device",
            metavar="NAME",
            help="A drive of the library, or a device file, whose power figures the policies go by.",
            show_default="the Run's own drives",
        ),
    ] = None,
    output: Page = None,
    force: Force = False,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Analyse idle periods: lengths, correlation, distributions, and what each power policy would save."""
    from iowatt.cli.progress import bar
    from iowatt.lenses.idle import analyse
    from iowatt.pages.idle import document
    from iowatt.run.bundle import Run

    check_page(output, force=force)
    opened = Run.open(run)
    with bar(f"reading {run}") as progress:
        found = analyse(opened, device, progress)
    show(found, document, output, force=force, notes=notes, as_json=as_json)
