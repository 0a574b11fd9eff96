"""``iowatt emerald``: measurements after SNIA Emerald, one file a verb."""

from __future__ import annotations

import typer

from iowatt.cli import (
    emerald_analyze,
    emerald_bff,
    emerald_calibrate,
    emerald_classify,
    emerald_com,
    emerald_plan,
    emerald_report,
    emerald_rules,
    emerald_run,
)

_VERBS = (
    emerald_analyze, emerald_bff, emerald_calibrate, emerald_classify, emerald_com, emerald_plan,
    emerald_report, emerald_rules, emerald_run,
)  # fmt: skip


def register(app: typer.Typer) -> None:
    """Add the group of verbs."""
    emerald = typer.Typer(
        name="emerald",
        help="SNIA Emerald and ENERGY STAR storage measurements, from classification to report.",
        no_args_is_help=True,
    )
    for verb in _VERBS:
        verb.register(emerald)
    app.add_typer(emerald)
