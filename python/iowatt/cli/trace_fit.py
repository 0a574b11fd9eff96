"""`iowatt trace fit`: a profile whose synthetic trace is like a recorded one, and how like it is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from iowatt.cli import trace as verb


def fit(
    file: Annotated[str, typer.Argument(metavar="TRACE", help="The trace.", show_default=False)],
    *,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The profile to write (.toml).", show_default=False)
    ],
    scenario: Annotated[
        Path | None,
        typer.Option(
            "--scenario",
            metavar="FILE",
            help="Simulate it with the trace, and with the synthetic one, as its first workload.",
            show_default="none",
        ),
    ] = None,
    name: Annotated[
        str | None, typer.Option("--name", help="Name of the profile.", show_default="by the trace's")
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", min=0, max=2**63 - 1, help="Of the synthetic trace that is compared.")
    ] = 1,
    format_: verb.Format = None,
    columns: verb.Columns = None,
    time_unit: verb.TimeUnit = None,
    sector_size: verb.SectorSize = None,
    event: verb.Event = None,
    device: verb.Device = None,
    skip_bad: verb.SkipBad = 0,
    order_tolerance: verb.OrderTolerance = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a profile that exists.")] = False,
    as_json: verb.Json = False,
) -> None:
    """Fit a synthetic profile to a trace, and print how near its trace comes: original, synthetic, difference."""
    from iowatt.workload.fit import fidelity  # loads Polars and the extension
    from iowatt.workload.fit import run as fitting

    options = verb._options(
        format=format_,
        columns=columns,
        time_unit=time_unit,
        sector_size=sector_size,
        event=event,
        device=device,
        skip_bad=skip_bad or None,
        order_tolerance=order_tolerance,
    )
    found = fitting.fit(
        {"path": file, **options},
        output,
        name=name,
        scenario=scenario,
        seed=seed,
        force=force,
        told=lambda text: typer.echo(text, err=True),
    )
    if as_json:
        verb._print_json(found.as_dict())
        return
    for line in fidelity.lines(found.measures + found.simulated):
        typer.echo(line)
    typer.echo(f"wrote {output}", err=True)
