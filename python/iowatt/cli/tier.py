"""``iowatt tier``: tiers for the work of one pool, chosen by its heat, predicted and simulated."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from iowatt.cli.options import (
    EXTENT,
    HORIZON,
    SIMULATE,
    TARIFF,
    WITHIN,
    AsJson,
    Force,
    Notes,
    Overrides,
    Scenario,
    output,
    parsed,
    shown,
)
from iowatt.cli.streams import print_line
from iowatt.lenses.cost import YEARS

if TYPE_CHECKING:
    from iowatt.evaluate.tiers import Objective

_OBJECTIVES = ("watts", "dollars", "drives")


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("tier")(tier)


def tier(
    scenario: Scenario,
    *,
    tiers: Annotated[
        list[str] | None,
        typer.Option(
            "--tiers",
            metavar="NAME,...|FILE.toml",
            help="Candidates: library drives, device files, or a file of \\[\\[tier]] tables. May be "
            "repeated.",
            show_default="an SSD and two disks of the library",
        ),
    ] = None,
    objective: Annotated[
        str, typer.Option("--objective", metavar="|".join(_OBJECTIVES), help="What to minimize.")
    ] = "watts",
    utilisation: Annotated[
        float,
        typer.Option(
            "--utilisation", metavar="SHARE", help="Maximum utilisation of a drive at the mean load."
        ),
    ] = 0.7,
    within: Annotated[
        str | None,
        shown(WITHIN, "no limit"),
    ] = None,
    peak: Annotated[bool, typer.Option("--peak", help="Size for the busiest period, not the mean.")] = False,
    extent: Annotated[str | None, shown(EXTENT, "observe.heat.extent, or for some thousand extents")] = None,
    years: Annotated[float, HORIZON] = YEARS,
    tariff: Annotated[str | None, shown(TARIFF, "the cost book's")] = None,
    overrides: Overrides = None,
    simulate: Annotated[bool, SIMULATE] = True,
    output: Annotated[
        Path | None, output("DIR", "Directory for the result.", "tiers/<scenario name>")
    ] = None,
    force: Force = False,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Design tiers: measure heat on one pool, place it on candidate drives, predict, simulate, compare.

    DIR gets scenario.toml (the chosen tiers, ready to run), tier.json and both Runs.
    """
    from iowatt.base.errors import Argument, InputError
    from iowatt.base.units import parse_block_size, parse_duration
    from iowatt.cli.progress import bar
    from iowatt.cli.show import show
    from iowatt.evaluate.search import PricingRequest
    from iowatt.evaluate.tiers import RESULT, TierRequest, derive, reserve
    from iowatt.model.heat import LEAST_EXTENT
    from iowatt.model.scenario import load
    from iowatt.pages.tiers import document

    if objective not in _OBJECTIVES:
        message = f"{objective!r} is not accepted; expected {', '.join(_OBJECTIVES)}"
        raise InputError("not-accepted", Argument("objective"), message)
    if not 0 < utilisation <= 0.99:
        message = f"{utilisation:g} is out of range; expected a share above 0 and up to 0.99"
        raise InputError("out-of-range", Argument("utilisation"), message)
    size = parsed(extent, parse_block_size, "extent")
    if size is not None and not LEAST_EXTENT <= size <= 1 << 40:
        raise InputError("out-of-range", Argument("extent"), "expected 64KiB to 1TiB")
    changes = overrides or []
    target = output or Path("tiers") / load(scenario, changes).name
    request = TierRequest(
        scenario=scenario,
        overrides=changes,
        tiers=tiers or [],
        objective=cast("Objective", objective),
        limit=utilisation,
        response_s=parsed(within, parse_duration, "within"),
        extent_bytes=size,
        peak=peak,
        simulate=simulate,
        pricing=PricingRequest(years=years, tariff=tariff).resolve(),
    )
    with reserve(target, force=force) as place:
        found = derive(request, target, place, bar)
        (place / RESULT).write_text(
            json.dumps(found.as_dict(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
        )
    show(found, document, notes=notes, as_json=as_json)
    if not as_json:
        print_line(f"scenario: {target / 'scenario.toml'}")
