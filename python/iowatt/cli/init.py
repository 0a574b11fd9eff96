"""``iowatt init``: a scenario to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("init")(init)


def init(
    file: Annotated[Path, typer.Argument(help="The scenario file to write.")] = Path("scenario.toml"),
    trace: Annotated[
        Path | None, typer.Option("--trace", help="The trace to replay.", show_default="the example trace")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file where it exists.")] = False,
) -> None:
    """Write a commented scenario that runs as it is."""
    from iowatt.scenario.output import write_text
    from iowatt.scenario.starter import starter

    write_text(file, starter(file, trace), force=force)
    typer.echo(f"wrote {file}; `iowatt check {file}` checks it, `iowatt run {file}` runs it", err=True)
