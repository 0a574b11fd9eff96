"""Options that several verbs take, declared once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from iowatt.cli import completion

Scenario = Annotated[Path, typer.Argument(help="The scenario file (TOML).", show_default=False)]
Overrides = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="PATH=VALUE",
        help="Change a key: array.pool.disks.count=24. May be repeated.",
        autocompletion=completion.overrides,
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option("--jobs", "-j", help="Points at a time.", show_default="one for each processor"),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        help="Run the points on a Ray cluster: HOST:PORT, or auto.",
        show_default="this machine",
    ),
]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with what was interrupted there.")]
ForceSweep = Annotated[bool, typer.Option("--force", help="Replace what exists there.")]
Bundles = Annotated[bool, typer.Option("--bundles", help="Also write the Run bundle of each point.")]
StrictPoints = Annotated[
    bool, typer.Option("--strict", help="Stop at the first point that cannot be simulated.")
]
PlanTarget = Annotated[
    str | None,
    typer.Option(
        "--target", metavar="PATH", help="Block device or file that is measured, instead of the plan's."
    ),
]
Erase = Annotated[
    str | None,
    typer.Option(
        "--erase", metavar="PATH", help="The target again, where it exists: all that is on it is lost."
    ),
]
Page = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--output",
        metavar="PAGE",
        help="Write a page: .html, .pdf, or a workbook: .xlsx.",
        show_default="none",
    ),
]
ForcePage = Annotated[bool, typer.Option("--force", help="Replace a page that exists.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Notes = Annotated[bool, typer.Option("--notes", help="Print all caveats.")]


def parsed(text: str | None, parse: Callable[[object], float | int], name: str) -> Any:
    """The argument ``name`` as a quantity above 0, by a function of `iowatt.base.units`; or ``None``."""
    from iowatt.base.errors import Argument, InputError

    if text is None:
        return None
    try:
        value = parse(text)
    except InputError as error:
        raise error.at(Argument(name)) from None
    if not value:
        raise InputError("out-of-range", Argument(name), "must be above 0")
    return value


def print_json(document: Any) -> None:
    """What ``--json`` of a verb prints."""
    import json

    typer.echo(json.dumps(document, indent=2, ensure_ascii=False))
