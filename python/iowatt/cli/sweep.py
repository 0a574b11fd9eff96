"""``iowatt sweep``: a scenario with every combination of values of some of its keys."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from iowatt.cli.options import (
    AsJson,
    Bundles,
    Cluster,
    Force,
    Jobs,
    Notes,
    Over,
    Overrides,
    Resume,
    Scenario,
    StrictPoints,
    output,
)


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("sweep")(sweep)


def sweep(
    scenario: Scenario,
    *,
    over: Over,
    overrides: Overrides = None,
    output: Annotated[Path | None, output("DIR", "Directory of the sweep.", "sweeps/<scenario name>")] = None,
    resume: Resume = False,
    force: Force = False,
    jobs: Jobs = None,
    cluster: Cluster = None,
    bundles: Bundles = False,
    strict: StrictPoints = False,
    own_seeds: Annotated[
        bool,
        typer.Option("--own-seeds", help="Use a different seed for each point, not the scenario's."),
    ] = False,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Simulate every combination of key values, in one table and one page."""
    from iowatt.cli import command_line, searching
    from iowatt.evaluate.search import ScenarioInput, sweep_request

    given = ScenarioInput.read(scenario, overrides or [])
    request = sweep_request(
        given,
        over,
        own_seeds=own_seeds,
        bundles=bundles,
        strict=strict,
        command=command_line.written(),
    )
    target = output or Path("sweeps") / given.name
    searching.run_and_print(
        request,
        target,
        resume=resume,
        force=force,
        jobs=jobs,
        cluster=cluster,
        notes=notes,
        as_json=as_json,
    )
