"""``iowatt tariff``: electricity tariffs, and what a load costs by them."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from iowatt.cli import completion
from iowatt.cli.options import FIRST_DAY, HORIZON, TARIFF, AsJson, Force, Notes, Page, parsed, shown
from iowatt.cli.show import check_page, show

Name = Annotated[
    str,
    typer.Argument(
        metavar="TARIFF",
        help="A library name, a URDB record (.json), or flat:$/KWH[,$/KW-MONTH].",
        show_default=False,
        autocompletion=completion.tariffs,
    ),
]


def register(app: typer.Typer) -> None:
    """Add the verb and its sub-verbs to the command line."""
    tariff = typer.Typer(
        help="Electricity tariffs: energy and demand charges, ratchets; bill a load.", no_args_is_help=True
    )
    tariff.command("list")(list_)
    tariff.command("show")(show_)
    tariff.command("check")(check)
    tariff.command("bill")(bill_)
    tariff.command("carbon")(carbon)
    app.add_typer(tariff, name="tariff")


def list_(*, as_json: AsJson = False) -> None:
    """List the tariffs of the library and what they charge for."""
    from iowatt.pages.tariff import listing
    from iowatt.tariffs import result
    from iowatt.tariffs.find import find_tariff, tariff_names

    show(result.tariff_list(find_tariff(name) for name in tariff_names()), listing, as_json=as_json)


def show_(
    name: Name,
    *,
    output: Page = None,
    force: Force = False,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Show everything a tariff charges for, with its schedules and its source."""
    from iowatt.pages.tariff import document
    from iowatt.tariffs import result
    from iowatt.tariffs.find import find_tariff

    check_page(output, force=force)
    found = result.tariff_document(find_tariff(name))
    show(found, document, output, force=force, notes=notes, as_json=as_json)


def check(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="URDB records (.json).", show_default=False)
    ],
    *,
    as_json: AsJson = False,
) -> None:
    """Check URDB records: the first error, or what each record charges for."""
    from iowatt.pages.tariff import listing
    from iowatt.tariffs import result
    from iowatt.tariffs.find import read_tariff

    show(result.tariff_list([read_tariff(file) for file in files]), listing, as_json=as_json)


def bill_(
    name: Name,
    load: Annotated[
        str,
        typer.Argument(
            metavar="LOAD",
            help="A constant power (350W, 5kW), a CSV file of time,watts, or the folder of a Run.",
            show_default=False,
        ),
    ],
    *,
    start: Annotated[
        str | None,
        shown(FIRST_DAY, "2026-01-01, or the file's first time"),
    ] = None,
    years: Annotated[
        int | None,
        shown(HORIZON, "1 for a constant power"),
    ] = None,
    months: Annotated[
        int | None,
        typer.Option(min=1, max=2400, help="Months of operation, in place of --years.", show_default="none"),
    ] = None,
    site: Annotated[
        str | None,
        typer.Option(
            metavar="POWER",
            help="Constant power of the rest of the site, such as 200kW; only what the load adds is billed.",
            show_default="nothing",
        ),
    ] = None,
    output: Page = None,
    force: Force = False,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Bill a load month by month: energy, demand, fixed charges, and top-up to a minimum charge."""
    from iowatt.base.errors import Argument, InputError
    from iowatt.base.units import parse_power
    from iowatt.lenses.electricity import billed, find_load
    from iowatt.pages.tariff import bill
    from iowatt.tariffs import result
    from iowatt.tariffs.find import find_tariff

    if years is not None and months is not None:
        raise InputError("conflict", Argument("months"), "give `years=` or `months=`, not both")
    check_page(output, force=force)
    tariff = find_tariff(name)
    what = find_load(load, start, months if years is None else 12 * years)
    found = billed(tariff, what, parsed(site, parse_power, "site") or 0.0)
    page = partial(bill, result.tariff_document(tariff))
    show(found, page, output, force=force, notes=notes, as_json=as_json)


def carbon(
    load: Annotated[
        str,
        typer.Argument(
            metavar="LOAD",
            help="A constant power (350W, 5kW), a CSV file of time,watts, or the folder of a Run.",
            show_default=False,
        ),
    ],
    *,
    grid: Annotated[
        Path,
        typer.Option(
            "--grid",
            metavar="FILE.csv",
            help="Grid carbon intensity over time: time,g/kWh, hourly or half-hourly.",
            show_default=False,
        ),
    ],
    movable: Annotated[
        float,
        typer.Option(
            "--movable", min=0, max=100, metavar="PERCENT", help="Share of the work that is deferrable."
        ),
    ] = 0.0,
    delay: Annotated[
        str, typer.Option("--delay", metavar="TIME", help="Maximum delay of deferrable work.")
    ] = "8h",
    task: Annotated[
        str, typer.Option("--task", metavar="TIME", help="Length of the job whose best start time is sought.")
    ] = "1h",
    tariff: Annotated[str | None, shown(TARIFF, "none")] = None,
    start: Annotated[str | None, shown(FIRST_DAY, "2026-01-01, or the file's first time")] = None,
    years: Annotated[int | None, shown(HORIZON, "1 for a constant power")] = None,
    output: Page = None,
    force: Force = False,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Calculate a load's carbon hour by hour, and what deferrable work saves in kg and dollars."""
    from iowatt.base.units import parse_duration
    from iowatt.lenses.electricity import find_load
    from iowatt.lenses.grid_carbon import ShiftRequest, analyse, read_intensity
    from iowatt.pages.grid_carbon import document
    from iowatt.tariffs.find import find_tariff

    check_page(output, force=force)
    found = analyse(
        find_load(load, start, None if years is None else 12 * years),
        read_intensity(grid),
        ShiftRequest(
            movable / 100, parsed(delay, parse_duration, "delay"), parsed(task, parse_duration, "task")
        ),
        None if tariff is None else find_tariff(tariff),
    )
    show(found, document, output, force=force, notes=notes, as_json=as_json)
