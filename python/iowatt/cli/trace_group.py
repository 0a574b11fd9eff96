"""``iowatt trace``: what is in traces, and synthetic ones, one file a verb."""

from __future__ import annotations

import typer

from iowatt.cli import counters, export, generate, trace, trace_fit, trace_profile


def register(app: typer.Typer) -> None:
    """Add the group of verbs."""
    group = typer.Typer(
        help="Block traces: contents, statistics, conversion; workload profiles: fit, generate, export.",
        no_args_is_help=True,
    )
    for verb in (trace, generate, export, counters, trace_profile, trace_fit):
        verb.register(group)
    app.add_typer(group, name="trace")
