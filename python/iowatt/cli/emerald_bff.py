"""``iowatt emerald bff``: of a product family, the configuration with the peak of each metric."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from iowatt.cli.options import (
    RULES,
    SIMULATE,
    TOLERANCE,
    WITHIN,
    AsJson,
    Cluster,
    Force,
    Jobs,
    Notes,
    Overrides,
    Resume,
    output,
    parsed,
    shown,
)
from iowatt.cli.show import show
from iowatt.cli.streams import print_line


def register(emerald: typer.Typer) -> None:
    """Add the verb."""
    emerald.command("bff")(bff)


def bff(
    family: Annotated[
        Path, typer.Argument(metavar="FAMILY", help="The family file (TOML).", show_default=False)
    ],
    *,
    metric: Annotated[
        list[str] | None,
        typer.Option("--metric", help="A metric: RR, 60/40, SR ... May be repeated.", show_default="all"),
    ] = None,
    drive_option: Annotated[
        list[str] | None,
        typer.Option(
            "--drive-option", help="A drive option of the family. May be repeated.", show_default="all"
        ),
    ] = None,
    raid: Annotated[
        list[str] | None, typer.Option("--raid", help="A RAID level. May be repeated.", show_default="all")
    ] = None,
    controller: Annotated[
        list[str] | None,
        typer.Option("--controller", help="A controller class. May be repeated.", show_default="all"),
    ] = None,
    within: Annotated[
        str | None,
        shown(WITHIN, "the family's, else the rules'"),
    ] = None,
    rules: Annotated[str | None, shown(RULES, "the family's")] = None,
    tolerance: Annotated[float, TOLERANCE] = 0.01,
    near_peak: Annotated[
        float,
        typer.Option(
            "--near-peak",
            metavar="PERCENT",
            help="How close to its peak a metric must be in the reduced list.",
        ),
    ] = 5.0,
    confirm: Annotated[
        Literal["near", "all"],
        typer.Option("--confirm", help="Simulate the curves near the best, or all."),
    ] = "near",
    simulate: Annotated[bool, SIMULATE] = True,
    estimate: Annotated[
        bool,
        typer.Option(
            "--estimate/--no-estimate", help="Let estimates choose what to simulate, or simulate every shelf."
        ),
    ] = True,
    overrides: Overrides = None,
    output: Annotated[Path | None, output("DIR", "Directory.", "bff/<family name>")] = None,
    resume: Resume = False,
    force: Force = False,
    jobs: Jobs = None,
    cluster: Cluster = None,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Find each metric's best configuration in a product family, with the curves around it.

    Curves are estimated, those near the best are simulated around their peak, and the peak is refined drive
    by drive. Writes bff.json, a table, and a page.
    """
    from iowatt.base.errors import Argument, InputError
    from iowatt.base.units import parse_duration
    from iowatt.cli import command_line, searching
    from iowatt.cli.progress import points_bar
    from iowatt.emerald.bff import SHAPE, BffRequest, Output, document, search_family
    from iowatt.emerald.family import load

    sets = list(overrides or [])
    limit_s = parsed(within, parse_duration, "within")
    if limit_s is not None:
        if not 1e-6 <= limit_s <= 3600:
            raise InputError(
                "out-of-range", Argument("within"), f"{within} is out of range; expected 1us to 1h"
            )
        sets.append(f'test.limit="{1e3 * limit_s:.9g}ms"')
    if rules is not None:
        from iowatt.base.toml_writer import quoted

        sets.append(f"rules={quoted(rules)}")
    request = BffRequest(
        load(family, sets),
        metrics=metric or (),
        drives=drive_option or (),
        levels=raid or (),
        controllers=controller or (),
        simulate=simulate,
        estimate=estimate,
        confirm=confirm,
        tolerance=tolerance,
        within_percent=near_peak,
        command=command_line.written(),
    )
    target = output or Path("bff") / request.family.name
    with (
        searching.kept_on_interrupt(target, SHAPE),
        searching.executor(cluster, jobs) as executor,
        points_bar(f"simulating {request.family.name}") as progress,
    ):
        found = search_family(
            request,
            Output(target, resume=resume, force=force),
            jobs=jobs,
            executor=executor,
            progress=progress,
            announce=lambda line: typer.echo(f"iowatt: {line}", err=True),
        )
    show(found, document, notes=notes, as_json=as_json)
    if not as_json:
        typer.echo("")
        for name, file in (("result", "bff.json"), ("table", "table.parquet"), ("report", "report.html")):
            print_line(f"{name}: {target / file}")
