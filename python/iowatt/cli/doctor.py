"""`iowatt doctor`: what is installed, and what missing components prevent."""

from __future__ import annotations

import typer

from iowatt.cli.options import AsJson, Notes
from iowatt.cli.show import show


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("doctor")(doctor)


def doctor(
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """List installed components and what missing ones disable; exit 1 if no scenario can run."""
    from iowatt.pages.doctor import document
    from iowatt.sources.environment import survey

    found = survey()
    show(found, document, notes=notes, as_json=as_json)
    if not found.ready:
        raise typer.Exit(1)
