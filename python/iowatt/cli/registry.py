"""``iowatt registry``: a public registry of results, one file for each of its tasks."""

from __future__ import annotations

import typer

from iowatt.cli import registry_public, registry_review, registry_serve, registry_setup, registry_submit

_TASKS = (registry_setup, registry_submit, registry_review, registry_public, registry_serve)


def register(app: typer.Typer) -> None:
    """Add the group of verbs."""
    registry = typer.Typer(
        name="registry",
        help="A public registry of results: signed submissions, reanalysed, reviewed and published.",
        no_args_is_help=True,
    )
    for task in _TASKS:
        task.register(registry)
    app.add_typer(registry)
