"""``iowatt ls``: the results in a workspace."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from iowatt.cli.options import AsJson, Notes
from iowatt.cli.show import show


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("ls")(ls)


def ls(
    directory: Annotated[
        Path, typer.Argument(metavar="DIRECTORY", help="Where to look.", show_default="the current one")
    ] = Path(),
    *,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """List Runs, sweeps, optimizations, studies and measurements under a directory, newest first."""
    from iowatt.pages.workspace import document
    from iowatt.run.workspace import listed

    show(listed(directory), document, notes=notes, as_json=as_json)
