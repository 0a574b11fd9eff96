"""``iowatt emerald calibrate``: finds the rates that a plan leaves open, and writes a plan with them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from iowatt.cli.options import (
    ADVANCED,
    ERASE,
    FIRST_RATE,
    HOST,
    MOST_RUNS,
    TARGET,
    TOLERANCE,
    WITHIN,
    AsJson,
    Force,
    Notes,
    Resume,
    load_hosts,
    output,
    parsed,
    shown,
)
from iowatt.cli.show import show

_MARGIN: Final = typer.Option(
    "--margin",
    metavar="SHARE",
    help="Safety margin below the limit, as a share of it.",
    show_default="0.05 on real storage, 0 in simulation",
    rich_help_panel=ADVANCED,
)
_STREAMS: Final = typer.Option(
    "--streams",
    metavar="N",
    min=1,
    help="Sequential streams to try. May be repeated.",
    show_default="the plan's",
)
_MOST_OUTSTANDING: Final = typer.Option(
    "--most-outstanding",
    metavar="N",
    min=1,
    help="Maximum number of outstanding sequential requests.",
    rich_help_panel=ADVANCED,
)
_POINT_SECONDS: Final = typer.Option(
    "--point-seconds",
    metavar="S",
    help="Measured length of a point.",
    show_default="the whole phase in simulation, else 180 s times the time scale, at least 1.5 s",
    rich_help_panel=ADVANCED,
)
_SETTLE_SECONDS: Final = typer.Option(
    "--settle-seconds",
    metavar="S",
    help="Settling time before each point, on real storage.",
    show_default="60 s times the time scale, at least 0.5 s",
    rich_help_panel=ADVANCED,
)


def register(emerald: typer.Typer) -> None:
    """Add the verb."""
    emerald.command("calibrate")(calibrate)


def calibrate(
    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="The plan, a folder or its plan.json.")],
    *,
    output: Annotated[Path, output("DIR", "Directory for the new plan.", False)],
    within: Annotated[str | None, shown(WITHIN, "the rules'")] = None,
    tolerance: Annotated[float, TOLERANCE] = 0.02,
    margin: Annotated[float | None, _MARGIN] = None,
    phase: Annotated[
        list[str] | None,
        typer.Option("--phase", help="A phase to calibrate. May be repeated.", show_default="all"),
    ] = None,
    start: Annotated[float | None, shown(FIRST_RATE, "found by a probe")] = None,
    streams: Annotated[list[int] | None, _STREAMS] = None,
    most_outstanding: Annotated[int, _MOST_OUTSTANDING] = 1024,
    most_runs: Annotated[int, MOST_RUNS] = 24,
    point_seconds: Annotated[float | None, _POINT_SECONDS] = None,
    settle_seconds: Annotated[float | None, _SETTLE_SECONDS] = None,
    target: Annotated[str | None, shown(TARGET, "the plan's")] = None,
    host: Annotated[list[str] | None, shown(HOST, "the plan's, or this host alone")] = None,
    erase: Annotated[str | None, ERASE] = None,
    fill: Annotated[
        bool, typer.Option("--fill/--no-fill", help="Run the plan's pre-fill first, on real storage.")
    ] = True,
    resume: Resume = False,
    force: Force = False,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Find the highest rates within the response-time limit, and write a plan with them.

    Exit code 1 if a phase has no rate.
    """
    from iowatt.base.errors import CheckFailedError
    from iowatt.base.units import parse_duration
    from iowatt.emerald.calibrate import CalibrationRequest, SearchSettings, calibrate_plan, document

    _between("tolerance", tolerance, 1e-4, 0.5)
    _between("margin", margin, 0.0, 0.9)
    limit_s = parsed(within, parse_duration, "within")
    limit_ms = None if limit_s is None else 1e3 * limit_s
    _between("start", start, 1e-3, 1e9)
    _between("point_seconds", point_seconds, 1e-3, 1e9)
    _between("settle_seconds", settle_seconds, 1e-3, 1e9)
    settings = SearchSettings(
        limit_ms=limit_ms,
        margin=margin,
        tolerance=tolerance,
        start=start,
        streams=streams or (),
        most_outstanding=most_outstanding,
        most_runs=most_runs,
        phases=phase or (),
    )
    request = CalibrationRequest(
        plan,
        output,
        target=target,
        hosts=load_hosts(host or []),
        erase=erase,
        fill=fill,
        point_s=point_seconds,
        settle_s=settle_seconds,
        resume=resume,
        force=force,
    )
    found = calibrate_plan(request, settings, talk=lambda line: typer.echo(f"iowatt: {line}", err=True))
    show(found, document, notes=notes, as_json=as_json)
    typer.echo(f"wrote {output / 'plan.json'} and {output / 'calibration.html'}", err=True)
    if not found.complete:
        missing = ", ".join(one.phase for one in found.phases if one.chosen is None)
        raise CheckFailedError("infeasible", None, f"no rate was found for {missing}")


def _between(name: str, value: float | None, least: float, most: float) -> None:
    from iowatt.base.errors import Argument, InputError

    if value is not None and not least <= value <= most:
        message = f"{value:g} is out of range; expected {least:g} to {most:g}"
        raise InputError("out-of-range", Argument(name), message)
