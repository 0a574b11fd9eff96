"""``iowatt tariff``: electricity tariffs, and what a load costs by them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from iowatt.cli import completion
from iowatt.cli.options import FIRST_DAY, AsJson, Force, Page, print_json, shown

Name = Annotated[
    str,
    typer.Argument(
        metavar="TARIFF",
        help="A name of the library, a record of URDB (.json), or flat:$/KWH[,$/KW-MONTH].",
        show_default=False,
        autocompletion=completion.tariffs,
    ),
]


def register(app: typer.Typer) -> None:
    """Add the verb and its sub-verbs to the command line."""
    tariff = typer.Typer(
        help="Electricity tariffs: energy, demand, ratchets, and the bill of a load.", no_args_is_help=True
    )
    tariff.command("list")(list_)
    tariff.command("show")(show)
    tariff.command("check")(check)
    tariff.command("bill")(bill_)
    app.add_typer(tariff, name="tariff")


def list_(*, as_json: AsJson = False) -> None:
    """List the tariffs of the library and what they charge for."""
    from iowatt.pages.tariff import text
    from iowatt.tariffs import account
    from iowatt.tariffs.find import find_tariff, tariff_names

    found = account.listing(find_tariff(name) for name in tariff_names())
    if as_json:
        print_json(found)
        return
    for line in text.listing(found):
        typer.echo(line)
    typer.echo(f"{len(found['tariffs'])} tariffs; `iowatt tariff show NAME` prints one", err=True)


def show(name: Name, *, as_json: AsJson = False) -> None:
    """Print all that a tariff charges for, with its schedules, its source and its notes."""
    from iowatt.pages.tariff import text
    from iowatt.tariffs import account
    from iowatt.tariffs.find import find_tariff

    found = account.document(find_tariff(name))
    if as_json:
        print_json(found)
        return
    for line in text.tariff(found):
        typer.echo(line)


def check(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Records of URDB (.json).", show_default=False)
    ],
    *,
    as_json: AsJson = False,
) -> None:
    """Check records of URDB: what is wrong with the first that cannot be billed, or what all charge for."""
    from iowatt.tariffs import account
    from iowatt.tariffs.find import read_tariff

    tariffs = [read_tariff(file) for file in files]
    if as_json:
        print_json(account.listing(tariffs))
        return
    for tariff in tariffs:
        typer.echo(f"{tariff.name}: {', '.join(account.charges(tariff))}")
        for note in tariff.notes:
            typer.echo(f"note: {note}", err=True)


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
        typer.Option(
            min=1,
            max=200,
            help="How long; what is shorter is repeated.",
            show_default="1 of a constant power",
        ),
    ] = None,
    months: Annotated[
        int | None, typer.Option(min=1, max=2400, help="The same in months.", show_default="none")
    ] = None,
    site: Annotated[
        str | None,
        typer.Option(
            metavar="POWER",
            help="What else the meter sees all the time, such as 200kW: only what the load adds is billed.",
            show_default="nothing",
        ),
    ] = None,
    output: Page = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Bill a load, month by month: energy, demand, fixed charges and what lacks to a minimum."""
    from iowatt.base.errors import Argument, InputError
    from iowatt.base.units import parse_power
    from iowatt.cli.options import parsed
    from iowatt.lenses.electricity import billed, drawn
    from iowatt.pages.tariff import page, text
    from iowatt.tariffs import account
    from iowatt.tariffs.find import find_tariff

    if years is not None and months is not None:
        raise InputError("conflict", Argument("months"), "give `years=` or `months=`, not both")
    if output is not None:
        page.check_target(output, force)
    tariff = find_tariff(name)
    what = drawn(load, start, months if years is None else 12 * years)
    found = billed(tariff, what, parsed(site, parse_power, "site") or 0.0)
    if output is not None:
        page.write(found, account.document(tariff), output, force=force)
        typer.echo(f"wrote {output}", err=True)
    if as_json:
        print_json(found)
        return
    for line in text.bill(found):
        typer.echo(line)
