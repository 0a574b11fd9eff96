"""``iowatt idle``: the idle periods of a Run's drives, and what power management could make of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from iowatt.cli.options import DRIVE, AsJson, Force, Notes, Page, shown
from iowatt.cli.show import check_page, show


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("idle")(idle)


def idle(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A Run of `iowatt run`.")],
    *,
    drive: Annotated[
        str | None,
        shown(DRIVE, "the Run's own drives"),
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
        found = analyse(opened, drive, progress)
    show(found, document, output, force=force, notes=notes, as_json=as_json)
