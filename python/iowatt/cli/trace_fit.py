"""`iowatt trace fit`: a profile whose synthetic trace is like a recorded one, and how like it is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from iowatt.cli.options import NAME, SCENARIO_FILE, SEED, AsJson, Force, output, shown
from iowatt.cli.trace_options import reads_trace


def register(trace: typer.Typer) -> None:
    """Add the sub-verb."""
    trace.command("fit")(fit)


@reads_trace()
def fit(
    file: Annotated[str, typer.Argument(metavar="TRACE", help="The trace.", show_default=False)],
    *,
    output: Annotated[Path, output("FILE", "The profile to write (.toml).", False)],
    scenario: Annotated[
        Path | None,
        shown(SCENARIO_FILE, "none"),
    ] = None,
    name: Annotated[str | None, shown(NAME, "by the trace's")] = None,
    seed: Annotated[int, SEED] = 1,
    seeds: Annotated[
        int,
        typer.Option(
            "--seeds",
            min=1,
            max=1000,
            metavar="N",
            help="Simulate N synthetic traces, with --seed and the seeds after it.",
        ),
    ] = 1,
    steps: Annotated[
        int,
        typer.Option(
            "--steps",
            min=0,
            max=100,
            metavar="N",
            help="Fitting iterations, each with a synthetic trace.",
        ),
    ] = 6,
    reading: dict[str, Any],
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Fit a synthetic profile to a trace, and compare original and synthetic figures.

    With --scenario, also simulated response time and energy of both; with --seeds, mean and range of
    several synthetic traces.
    """
    from iowatt.cli.progress import bar
    from iowatt.cli.show import show
    from iowatt.evaluate.fit import fit as fit_trace  # loads Polars and the extension
    from iowatt.pages.fit import document

    found = fit_trace(
        {"path": file, **reading},
        output,
        name=name,
        scenario=scenario,
        seeds=range(seed, seed + seeds),
        steps=steps,
        force=force,
        stage=bar,
    )
    show(found, document, as_json=as_json)
