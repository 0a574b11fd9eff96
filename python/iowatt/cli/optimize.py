"""``iowatt optimize``: the best of many configurations of a scenario."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from iowatt.cli import completion
from iowatt.cli.options import (
    ADVANCED,
    ALPHA,
    ASSUME,
    HORIZON,
    PRESET,
    SEED,
    TARIFF,
    WITHIN,
    WORKLOAD,
    AsJson,
    Cluster,
    Force,
    Jobs,
    Notes,
    Over,
    Overrides,
    Resume,
    Scenario,
    output,
    print_json,
    shown,
)
from iowatt.cli.streams import print_line
from iowatt.lenses.cost import YEARS

if TYPE_CHECKING:
    from iowatt.evaluate.search.optimize import OptimizationOutcome


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("optimize")(optimize)


def optimize(
    scenario: Scenario,
    *,
    over: Over,
    maximize: Annotated[
        list[str] | None,
        typer.Option(
            "--maximize",
            metavar="METRIC",
            help="Such as efficiency.iops_per_w. May be repeated.",
            autocompletion=completion.metrics,
        ),
    ] = None,
    minimize: Annotated[
        list[str] | None,
        typer.Option(
            "--minimize",
            metavar="METRIC",
            help="Such as cost.total_usd. May be repeated.",
            autocompletion=completion.metrics,
        ),
    ] = None,
    subject_to: Annotated[
        list[str] | None,
        typer.Option(
            "--subject-to",
            metavar="EXPR",
            autocompletion=completion.metrics,
            help="METRIC <= VALUE or METRIC >= VALUE: 'response_time_ms.all.p95 <= 20ms'. May be repeated.",
        ),
    ] = None,
    within: Annotated[str | None, shown(WITHIN, "at the scenario's load")] = None,
    workload: Annotated[str | None, shown(WORKLOAD, "the only one")] = None,
    method: Annotated[
        str,
        typer.Option(
            metavar="auto|exact|search",
            help="exact: every configuration except those that cannot be best; search: a small sample.",
        ),
    ] = "auto",
    most: Annotated[
        int | None,
        typer.Option(
            "--most",
            metavar="N",
            help="Maximum number of simulations in a search.",
            show_default="1 in 20",
            rich_help_panel=ADVANCED,
        ),
    ] = None,
    seed: Annotated[int, SEED] = 1,
    overrides: Overrides = None,
    preset: Annotated[str, PRESET] = "default",
    assumptions: Annotated[
        list[str] | None,
        ASSUME,
    ] = None,
    tariff: Annotated[str | None, shown(TARIFF, "the preset's")] = None,
    alpha: Annotated[float | None, shown(ALPHA, "none")] = None,
    years: Annotated[
        float | None,
        shown(HORIZON, f"{YEARS:g}"),
    ] = None,
    output: Annotated[Path | None, output("DIR", "Directory.", "optimized/<scenario name>")] = None,
    resume: Resume = False,
    force: Force = False,
    jobs: Jobs = None,
    cluster: Cluster = None,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Find the best configurations with few simulations: an analytic estimate screens candidates."""
    import iowatt
    from iowatt.cli import command_line, searching
    from iowatt.cli.progress import points_bar
    from iowatt.evaluate.search import ScenarioInput
    from iowatt.evaluate.search import optimize as search
    from iowatt.evaluate.search.tasks import refuse_target

    target = output or Path("optimized") / ScenarioInput.read(scenario, overrides or []).name
    refuse_target(target, force=force, resume=resume, shape=search.FOLDER)
    with (
        searching.kept_on_interrupt(target),
        searching.executor(cluster, jobs) as worker,
        points_bar(f"optimizing {scenario.name}") as progress,
    ):
        found = iowatt.optimize(
            scenario,
            over,
            maximize=maximize or [],
            minimize=minimize or [],
            subject_to=subject_to or [],
            within=within,
            workload=workload,
            method=method,
            most=most,
            seed=seed,
            preset=preset,
            assume=assumptions or [],
            tariff=tariff,
            alpha=alpha,
            years=years,
            set=overrides or [],
            output=target,
            force=force,
            resume=resume,
            jobs=jobs,
            executor=worker,
            progress=progress,
            command=command_line.written(),
        )
    _print(found, target, notes=notes, as_json=as_json)
    searching.raise_for_missing_points(found.faults, found.machines)


def _print(found: OptimizationOutcome, target: Path, *, notes: bool, as_json: bool) -> None:
    from iowatt.pages.optimize import document
    from iowatt.render import terminal

    files: dict[str, Any] = {
        "path": str(target),
        "table": str(target / "table.parquet"),
        "csv": str(target / "table.csv"),
        "report": str(target / "report.html"),
    }
    if as_json:
        print_json({**found.document.as_dict(), **files, "resumed": found.resumed})
        return
    terminal.show(document(found.document, found.frame), notes=notes)
    if found.resumed:
        print_line(f"resumed: {found.resumed} points were simulated before")
    for name in ("table", "csv", "report"):
        print_line(f"{name}: {files[name]}")
