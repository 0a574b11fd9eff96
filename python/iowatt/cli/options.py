"""Options that several verbs take, declared once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Scenario = Annotated[Path, typer.Argument(help="The scenario file (TOML).", show_default=False)]
Overrides = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="PATH=VALUE", help="Change a key: array.pool.disks.count=24. May be repeated."
    ),
]
