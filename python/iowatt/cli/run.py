"""``iowatt run``: one system, its workloads, one Run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iowatt.cli import command_line
from iowatt.cli.options import (
    SEED,
    AsJson,
    Force,
    Notes,
    Overrides,
    Scenario,
    Threads,
    output,
    print_json,
    shown,
)
from iowatt.cli.streams import print_line

if TYPE_CHECKING:
    from iowatt.run.bundle import Run


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("run")(run)


def run(
    scenario: Scenario,
    *,
    overrides: Overrides = None,
    output: Annotated[
        Path | None, output("DIR", "Directory of the Run bundle.", "runs/<scenario name>")
    ] = None,
    force: Force = False,
    seed: Annotated[int | None, shown(SEED, False)] = None,
    save_back_end: Annotated[
        Path | None,
        typer.Option(
            "--save-back-end",
            metavar="FILE.parquet",
            help="Also write the requests that reach the pools, as a trace.",
            show_default=False,
        ),
    ] = None,
    threads: Threads = None,
    notes: Notes = False,
    as_json: AsJson = False,
    report: Annotated[
        bool, typer.Option("--report/--no-report", help="Also write report.html to the bundle.")
    ] = False,
) -> None:
    """Simulate a scenario and write a Run bundle: summary, tables, plan."""
    import iowatt
    from iowatt.cli.progress import bar

    target = output or default_output(scenario, overrides or [])
    with bar(f"simulating {scenario.name}") as progress:
        done = iowatt.run(
            scenario,
            set=overrides or [],
            seed=seed,
            output=target,
            force=force,
            save_back_end=save_back_end,
            threads=threads,
            progress=progress,
            command=command_line.written(),
        )
    page = None
    if report:
        from iowatt.pages.run import write

        page = write([done], target / "report.html")
    if as_json:
        from iowatt.lenses.findings import findings

        print_json(done.summary)
        for note in findings(done):
            if note.decides:
                typer.echo(f"iowatt: warning: {note.text}", err=True)
        return
    show_run(
        done, target, title=" with ".join(filter(None, [done.name, ", ".join(overrides or [])])), notes=notes
    )
    if page is not None:
        print_line(f"report: {page}")


def show_run(done: Run, bundle: Path, *, title: str | None = None, notes: bool = False) -> None:
    """Print what a Run says, and where its bundle is."""
    from iowatt.pages.run import brief
    from iowatt.render import terminal

    terminal.show(brief(done, title=title), notes=notes)
    print_line(f"run: {bundle}")


def default_output(scenario: Path, overrides: list[str]) -> Path:
    """``runs/<scenario name>``."""
    from iowatt.model.scenario import load

    return Path("runs") / load(scenario, overrides).name
