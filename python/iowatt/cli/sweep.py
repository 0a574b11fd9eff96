"""``iowatt sweep``: a scenario with every combination of values of some of its keys."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from iowatt.cli import completion
from iowatt.cli.options import (
    AsJson,
    Bundles,
    Cluster,
    Force,
    Jobs,
    Overrides,
    Resume,
    Scenario,
    StrictPoints,
)


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("sweep")(sweep)


def sweep(
    scenario: Scenario,
    *,
    over: Annotated[
        list[str],
        typer.Option(
            "--over",
            metavar="PATH=V1,V2,...",
            autocompletion=completion.overrides,
            help="Values of a key: array.pool.disks.count=24..38:2. Several --over combine; a,b=(1,2),(3,4) "
            "changes keys together.",
            show_default=False,
        ),
    ],
    overrides: Overrides = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Directory of the sweep.", show_default="sweeps/<scenario name>"),
    ] = None,
    resume: Resume = False,
    force: Force = False,
    jobs: Jobs = None,
    cluster: Cluster = None,
    bundles: Bundles = False,
    strict: StrictPoints = False,
    own_seeds: Annotated[
        bool,
        typer.Option("--own-seeds", help="A seed of its own for each point, in place of the scenario's."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Simulate a scenario with every combination of values of some of its keys: one table, one page."""
    from iowatt.api import requests
    from iowatt.cli import searching

    given = searching.given(scenario, overrides)
    request = requests.sweep(
        given,
        over,
        own_seeds=own_seeds,
        bundles=bundles,
        strict=strict,
        command=searching.command(),
    )
    target = output or Path("sweeps") / requests.name(given)
    searching.answer(request, target, resume=resume, force=force, jobs=jobs, cluster=cluster, as_json=as_json)
