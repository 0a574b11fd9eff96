"""``iowatt emerald classify``: category and class of a product, and what keeps it from the next class."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from iowatt.cli.options import NEWEST_RULES, RULES, AsJson, Notes
from iowatt.cli.show import show


def register(emerald: typer.Typer) -> None:
    """Add the verb."""
    emerald.command("classify")(classify)


def classify(
    product: Annotated[
        Path,
        typer.Argument(metavar="PRODUCT.toml", help="The description of the product.", show_default=False),
    ],
    *,
    rules: Annotated[str, RULES] = NEWEST_RULES,
    set_class: Annotated[
        str | None,
        typer.Option(
            "--set-class",
            metavar="CLASS",
            help="Set the class, such as online-3, if the attributes allow several.",
            show_default=False,
        ),
    ] = None,
    note: Annotated[
        str | None, typer.Option("--note", help="Reason for --set-class.", show_default=False)
    ] = None,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Find the category and class of a product, and what keeps it out of the next class.

    Exit code 1 if no class fits.
    """
    from iowatt.base.errors import Argument, InputError
    from iowatt.emerald.classify import classify as find
    from iowatt.emerald.classify import document, parse_override, read
    from iowatt.emerald.rules import load

    if note is not None and set_class is None:
        raise InputError("not-applicable", Argument("note"), "goes with `set_class=`")
    override = None if set_class is None else parse_override(set_class, note)
    found = find(read(product), load(rules), override)
    show(found.result(), lambda _: document(found), notes=notes, as_json=as_json)
    if found.override is None and (found.category is None or (found.unmet and found.class_ is None)):
        raise typer.Exit(1)
