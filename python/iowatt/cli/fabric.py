"""``iowatt fabric``: the library's parts of the paths between hosts and arrays, with their sources."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from iowatt.cli.options import KIND, AsJson, Force, Notes, Page
from iowatt.cli.show import check_page
from iowatt.cli.show import show as show_document


class PartKind(StrEnum):
    """Kinds of parts."""

    LINK = "link"
    SWITCH = "switch"
    ADAPTER = "adapter"
    PROTOCOL = "protocol"
    SERVER = "server"
    NETWORK_ADAPTER = "network-adapter"
    RACK_SWITCH = "rack-switch"


def register(app: typer.Typer) -> None:
    """Add the verb and its sub-verbs to the command line."""
    fabric = typer.Typer(
        help="Links, switches, adapters, protocols and servers in the library, with their sources.",
        no_args_is_help=True,
    )
    fabric.command("list")(list_)
    fabric.command("show")(show)
    app.add_typer(fabric, name="fabric")


def list_(*, kind: Annotated[PartKind | None, KIND] = None, as_json: AsJson = False) -> None:
    """List the parts that a scenario's [[path]] can name; with --kind, also those of [[cluster]]."""
    from iowatt.model.library.fabric import list_parts
    from iowatt.pages.library import path_parts

    show_document(list_parts(kind), path_parts, as_json=as_json)


def show(
    name: Annotated[str, typer.Argument(help="A library part.", show_default=False)],
    *,
    output: Page = None,
    force: Force = False,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Show all figures of a part, each with its source, date and quality."""
    from iowatt.model.library.fabric import describe_part
    from iowatt.pages.library import path_part

    check_page(output, force=force)
    show_document(describe_part(name), path_part, output, force=force, notes=notes, as_json=as_json)
