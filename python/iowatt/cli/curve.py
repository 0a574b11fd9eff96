"""``iowatt curve``: response time, power and efficiency against load."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from iowatt.cli.options import (
    OUTSTANDING,
    RATES,
    WORKLOAD,
    AsJson,
    Bundles,
    Cluster,
    Force,
    Jobs,
    Notes,
    Overrides,
    Resume,
    Scenario,
    StrictPoints,
    output,
    shown,
)


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("curve")(curve)


def curve(
    scenario: Scenario,
    *,
    rates: Annotated[str | None, shown(RATES, False)] = None,
    outstanding: Annotated[str | None, shown(OUTSTANDING, False)] = None,
    workload: Annotated[str | None, shown(WORKLOAD, False)] = None,
    overrides: Overrides = None,
    output: Annotated[Path | None, output("DIR", "Directory of the curve.", "curves/<scenario name>")] = None,
    resume: Resume = False,
    force: Force = False,
    jobs: Jobs = None,
    cluster: Cluster = None,
    bundles: Bundles = False,
    strict: StrictPoints = False,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Simulate a scenario at several loads: response time, power and efficiency against load."""
    from iowatt.cli import command_line, searching
    from iowatt.evaluate.search import ScenarioInput, curve_request

    given = ScenarioInput.read(scenario, overrides or [])
    request = curve_request(
        given,
        rates=rates,
        outstanding=outstanding,
        workload=workload,
        bundles=bundles,
        strict=strict,
        command=command_line.written(),
    )
    target = output or Path("curves") / given.name
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
