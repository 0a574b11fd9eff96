"""``iowatt durability``: how likely a system loses data, how much, and by what."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from iowatt.cli.options import (
    ADVANCED,
    ASSUME,
    HORIZON,
    PRESET,
    REBUILD,
    SEED,
    AsJson,
    Force,
    Notes,
    Overrides,
    Page,
    shown,
)
from iowatt.cli.show import show
from iowatt.lenses.durability import YEARS


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("durability")(durability)


def durability(
    system: Annotated[
        Path, typer.Argument(metavar="RUN|SCENARIO", help="A Run, or a scenario (TOML).", show_default=False)
    ],
    *,
    years: Annotated[float | None, shown(HORIZON, f"{YEARS:g}")] = None,
    rebuild: Annotated[str, REBUILD] = "simulated",
    rebuild_window: Annotated[
        str | None,
        typer.Option(
            "--rebuild-window",
            metavar="TIME",
            help="Maximum simulated time of a rebuild; the rest is extrapolated.",
            show_default="1min for disks, 2s for SSDs",
            rich_help_panel=ADVANCED,
        ),
    ] = None,
    solver: Annotated[
        str,
        typer.Option(
            "--solver",
            metavar="auto|markov|monte-carlo",
            help="Markov chain, Monte Carlo, or auto: the chain if it can represent the system.",
            rich_help_panel=ADVANCED,
        ),
    ] = "auto",
    preset: Annotated[str, PRESET] = "default",
    sets: Annotated[list[str] | None, ASSUME] = None,
    overrides: Overrides = None,
    seed: Annotated[int, SEED] = 1,
    output: Page = None,
    force: Force = False,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Estimate data loss and downtime: probability, bytes lost, causes, hours unavailable.

    Drives fail at rates seen in real fleets; rebuild times come from a simulated rebuild under load.
    """
    import iowatt
    from iowatt.cli import progress
    from iowatt.pages.durability import document

    with progress.bar(f"rebuilding a drive of {system}", "requests") as bar:
        found = iowatt.durability(
            system,
            years=years,
            rebuild=rebuild,
            rebuild_window=rebuild_window,
            solver=solver,
            preset=preset,
            assume=sets or [],
            set=overrides or [],
            seed=seed,
            output=output,
            force=force,
            progress=bar,
        )
    show(found, document, written=output, notes=notes, as_json=as_json)
