"""``iowatt report``: one or several Runs as a page, a workbook or a PDF."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from iowatt.base.errors import Argument, InputError
from iowatt.cli.options import AsJson, Force, OpenPage, output

SCHEMA = "iowatt.report/1"


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("report")(report)


def report(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="Run directories; several are shown side by side.")
    ],
    output: Annotated[
        Path | None,
        output("FILE", "The report: .html, .xlsx or .pdf.", "RUN/report.html, for one Run"),
    ] = None,
    force: Force = False,
    show: OpenPage = False,
    as_json: AsJson = False,
) -> None:
    """Write a report on one or more Runs: verdict, charts, and the tables behind them."""
    from iowatt.pages.run import write
    from iowatt.render.write import check_target

    if output is None:
        if len(runs) > 1:
            raise InputError("missing", Argument("output"), "a report of several Runs needs a file name")
        if not runs[0].is_dir():
            raise InputError("not-found", str(runs[0]), "no such Run")
        output = runs[0] / "report.html"
    check_target(output, force=force)

    from iowatt.run.bundle import Run

    written = write([Run.open(path) for path in runs], output, force)
    if as_json:
        names = [str(path) for path in runs]
        typer.echo(
            json.dumps({"schema": SCHEMA, "path": str(written), "kind": written.suffix[1:], "runs": names})
        )
    else:
        typer.echo(written)
    if show:
        typer.launch(str(written))
