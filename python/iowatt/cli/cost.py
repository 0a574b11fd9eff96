"""``iowatt cost``: what Runs cost in dollars."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from iowatt.cli import progress
from iowatt.cli.options import (
    ADVANCED,
    ALPHA,
    ASSUME,
    FIRST_DAY,
    HORIZON,
    OF,
    PRESET,
    REBUILD,
    SEED,
    TARIFF,
    WITHIN,
    AsJson,
    Force,
    Notes,
    Page,
    print_json,
    shown,
)
from iowatt.cli.show import show
from iowatt.lenses.cost import SAMPLES, START, YEARS


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("cost")(cost)


def cost(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="RUN...",
            help="Runs, simulated or measured; the first is the baseline.",
            show_default=False,
        ),
    ] = None,
    *,
    preset: Annotated[str, PRESET] = "default",
    sets: Annotated[
        list[str] | None,
        ASSUME,
    ] = None,
    tariff: Annotated[str | None, shown(TARIFF, "the preset's")] = None,
    alpha: Annotated[float | None, shown(ALPHA, "none")] = None,
    years: Annotated[float | None, shown(HORIZON, f"{YEARS:g}")] = None,
    within: Annotated[str | None, shown(WITHIN, "none")] = None,
    of: Annotated[str, OF] = "mean",
    rebuild: Annotated[str, REBUILD] = "simulated",
    wear: Annotated[
        str | None,
        typer.Option(
            "--wear",
            metavar="replacements|depreciation|paper|none",
            help="How wear is charged.",
            show_default="the preset's",
        ),
    ] = None,
    carbon: Annotated[
        str | None,
        typer.Option(
            "--carbon", metavar="ESTIMATE", help="Estimate of embodied carbon.", show_default="the preset's"
        ),
    ] = None,
    duty: Annotated[
        str | None,
        typer.Option(
            "--duty",
            metavar="CYCLE",
            help="Duty cycle of a year, from Runs at several loads: a .toml, profile:NAME, a counter log, a "
            "Run. Runs of one array are one system.",
            show_default="none",
        ),
    ] = None,
    inventory: Annotated[
        list[Path] | None,
        typer.Option(
            "--inventory",
            metavar="FILE.toml",
            help="Drives and parts of a Run; one per RUN, in order.",
            show_default="none",
        ),
    ] = None,
    start: Annotated[str, FIRST_DAY] = START,
    crossover: Annotated[
        list[str] | None,
        typer.Option(
            "--crossover",
            metavar="alpha|years|KEY",
            help="Find where the ranking flips. May be repeated.",
            show_default="alpha or years, and energy.factor",
            rich_help_panel=ADVANCED,
        ),
    ] = None,
    samples: Annotated[
        int,
        typer.Option(
            "--samples",
            min=0,
            help="Samples of the assumptions within their ranges; 0 for none.",
            rich_help_panel=ADVANCED,
        ),
    ] = SAMPLES,
    seed: Annotated[int, SEED] = 1,
    output: Page = None,
    force: Force = False,
    notes: Notes = False,
    as_json: AsJson = False,
    list_assumptions: Annotated[
        bool, typer.Option("--list-assumptions", help="Print the preset's figures and sources, and exit.")
    ] = False,
) -> None:
    """Price Runs: purchase, energy, demand, cooling, wear, failures, service, disposal, carbon."""
    import iowatt
    from iowatt.pages.cost import document

    chosen = {"wear.charge": wear, "carbon.estimate": carbon}
    assumptions = [*(sets or []), *(f"{key}={value}" for key, value in chosen.items() if value)]
    if list_assumptions:
        _list(preset, assumptions, as_json=as_json)
        return
    with progress.bar("pricing", "prices") as bar:
        found = iowatt.cost(
            *(runs or []), preset=preset, assume=assumptions, tariff=tariff, alpha=alpha, years=years,
            within=within, of=of, rebuild=rebuild, duty=duty, inventories=inventory or [], start=start,
            crossovers=crossover, samples=samples, seed=seed, output=output, force=force,
            progress=bar and (lambda count: bar(None, count)),
        )  # fmt: skip
    show(found, document, written=output, notes=notes, as_json=as_json)


def _list(preset: str, sets: list[str], *, as_json: bool) -> None:
    from iowatt.lenses.book import book_listing, listing_lines

    found = book_listing(preset, sets)
    if as_json:
        print_json(found.as_dict())
        return
    for line in listing_lines(found):
        typer.echo(line)
