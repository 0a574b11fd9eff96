"""``iowatt fabric``: the library's parts of the way between hosts and arrays, with their sources."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from iowatt.cli.options import KIND, AsJson, print_json

Json = AsJson


class Kind(StrEnum):
    """Kinds of parts."""

    LINK = "link"
    SWITCH = "switch"
    ADAPTER = "adapter"
    PROTOCOL = "protocol"


def register(app: typer.Typer) -> None:
    """Add the verb and its sub-verbs to the command line."""
    fabric = typer.Typer(
        help="Links, switches, adapters and protocols of the library: figures and their sources.",
        no_args_is_help=True,
    )
    fabric.command("list")(list_)
    fabric.command("show")(show)
    app.add_typer(fabric, name="fabric")


def list_(
    *,
    kind: Annotated[Kind | None, KIND] = None,
    as_json: Json = False,
) -> None:
    """List the parts that [[path]] of a scenario can name."""
    from iowatt.model.library import fabric_describe as describe

    found = describe.parts(None if kind is None else kind.value)
    if as_json:
        print_json({"schema": describe.LIST_SCHEMA, "parts": found})
        return
    for line in describe.table(found):
        typer.echo(line)
    typer.echo(f"{len(found)} parts; `iowatt fabric show NAME` prints all that is known of one", err=True)


def show(
    name: Annotated[str, typer.Argument(help="A part of the library.", show_default=False)],
    *,
    as_json: Json = False,
) -> None:
    """Print all figures of a part, each with its source, date and quality."""
    from iowatt.model.library import fabric_describe as describe
    from iowatt.model.library.fabric_parts import part

    found = describe.described(part(name))
    if as_json:
        print_json(found)
        return
    for line in describe.page(found):
        typer.echo(line)
