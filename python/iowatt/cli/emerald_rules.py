"""``iowatt emerald rules``: rule profiles, each value with its source and whether it is verified."""

from __future__ import annotations

from typing import Annotated

import typer

from iowatt.cli.options import AsJson, Notes
from iowatt.cli.show import show


def register(emerald: typer.Typer) -> None:
    """Add the verb."""
    emerald.command("rules")(rules)


def rules(
    profile: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME|FILE.toml]", help="A profile; default: list all profiles.", show_default=False
        ),
    ] = None,
    *,
    key: Annotated[
        str, typer.Option("--key", metavar="PATTERN", help="Only rules whose keys match, such as 'phases.*'.")
    ] = "*",
    unverified: Annotated[bool, typer.Option("--unverified", help="Only unverified rules.")] = False,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """List the rule profiles, or the rules of one: value, unit, mark, verified, source."""
    from iowatt.base.errors import Argument, InputError
    from iowatt.emerald.rules import document, list_profiles, list_rules

    if profile is None and (key != "*" or unverified):
        place = Argument("unverified" if key == "*" else "key")
        raise InputError("not-applicable", place, "chooses rules of one profile; name the profile")
    listed = list_profiles() if profile is None else list_rules(profile, key, unverified=unverified)
    show(listed, document, notes=notes, as_json=as_json)
