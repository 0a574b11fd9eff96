"""``iowatt devices``: the library of devices, with the sources of their figures."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


class Kind(StrEnum):
    """Kinds of devices."""

    HDD = "hdd"
    SSD = "ssd"


class Need(StrEnum):
    """What a device may be needed for."""

    POWER = "power"
    MECHANICS = "mechanics"
    PRICE = "price"
    SIMULATION = "simulation"


def register(app: typer.Typer) -> None:
    """Add the verb and its sub-verbs to the command line."""
    devices = typer.Typer(
        help="The library of devices: their figures, and where these come from.", no_args_is_help=True
    )
    devices.command("list")(list_)
    devices.command("show")(show)
    app.add_typer(devices, name="devices")


def list_(
    *,
    kind: Annotated[Kind | None, typer.Option(help="Only devices of this kind.")] = None,
    needs: Annotated[
        Need | None,
        typer.Option(
            help="Only devices that have what this takes: joules of idling and work (power), response times "
            "(mechanics), both (simulation), or US dollars (price)."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """List the devices of the library and what their figures are good for."""
    from iowatt.library import describe

    found = describe.devices(kind, needs)
    if as_json:
        _print_json({"schema": describe.LIST_SCHEMA, "devices": found})
        return
    for line in describe.table(found):
        typer.echo(line)
    typer.echo(f"{len(found)} devices; `iowatt devices show NAME` prints all that is known of one", err=True)


def show(
    name: Annotated[
        str, typer.Argument(help="A name of the library, or a device file (.toml).", show_default=False)
    ],
    as_json: Json = False,
) -> None:
    """Print all that is known of a device: each figure with its source, what follows, what is missing."""
    from iowatt.library import describe
    from iowatt.library.find import device_file

    found = describe.device(device_file(name, Path()))
    if as_json:
        _print_json(found)
        return
    for line in describe.page(found):
        typer.echo(line)


def _print_json(document: dict[str, Any]) -> None:
    import json

    typer.echo(json.dumps(document, indent=2, ensure_ascii=False))
