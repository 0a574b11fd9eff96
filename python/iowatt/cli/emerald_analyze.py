"""``iowatt emerald analyze``: the metrics of a measurement, and its findings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from iowatt.cli.options import (
    MAP,
    METER,
    RULES,
    THERMOMETER,
    TIME_ZONE,
    AsJson,
    Force,
    Notes,
    output,
    pairs,
    shown,
)
from iowatt.cli.show import show


def register(emerald: typer.Typer) -> None:
    """Add the verb."""
    emerald.command("analyze")(analyze)


def analyze(
    measurement: Annotated[
        Path | None,
        typer.Argument(
            metavar="[MEASUREMENT]",
            help="The folder of `iowatt emerald run`.",
            show_default="the files named by options",
        ),
    ] = None,
    *,
    plan: Annotated[
        Path | None,
        typer.Option(
            "--plan",
            metavar="PLAN",
            help="The plan, for files that were measured without iowatt.",
            show_default=False,
        ),
    ] = None,
    driver_output: Annotated[
        Path | None,
        typer.Option(
            "--driver-output",
            metavar="DIR",
            help="fio or vdbench output: one folder per stage, named after it, or one vdbench run.",
            show_default=False,
        ),
    ] = None,
    meter: Annotated[
        list[str] | None,
        shown(METER, False),
    ] = None,
    thermometer: Annotated[
        list[str] | None,
        shown(THERMOMETER, False),
    ] = None,
    run_map: Annotated[list[str] | None, shown(MAP, "runs have the names of their stages")] = None,
    time_zone: Annotated[str | None, shown(TIME_ZONE, "from the timestamps")] = None,
    rules: Annotated[str | None, shown(RULES, "the plan's")] = None,
    reading: Annotated[
        str | None,
        typer.Option(
            "--reading",
            metavar="a|b|c",
            help="Interpretation of the stability rule.",
            show_default="the rules'",
        ),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(
            "--weights", metavar="A|B", help="Weights of the stability rule.", show_default="the rules'"
        ),
    ] = None,
    output: Annotated[
        Path | None,
        output(
            "DIR",
            "Where analysis.json, analysis.html and runs/ go.",
            "the folder of the measurement; none for files",
        ),
    ] = None,
    force: Force = False,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Combine load generator and instrument records, and judge every phase, with reasons.

    Exit code 1 if a phase or the measurement is invalid.
    """
    from iowatt.base.errors import Argument, InputError
    from iowatt.emerald import analyze as emerald
    from iowatt.emerald.rules import load

    options = {
        "plan": plan,
        "driver_output": driver_output,
        "meter": meter,
        "thermometer": thermometer,
        "time_zone": time_zone,
        "map": run_map,
    }
    given = [name for name, value in options.items() if value]
    if measurement is not None and given:
        message = f"{measurement} has its own; give one or the other"
        raise InputError("conflict", Argument(given[0]), message)
    target = output if output is not None else measurement
    if measurement is None and (plan is None or driver_output is None):
        message = "needs a measurement, or `plan=` and `driver_output=`"
        raise InputError("missing", None, message)
    if target is not None:
        emerald.check_target(target, force)
    if measurement is not None:
        measured = emerald.measurement(measurement)
    else:
        assert plan is not None
        assert driver_output is not None
        logs = (meter or [], thermometer or [])
        measured = emerald.files(
            plan,
            driver_output,
            *logs,
            time_zone=time_zone,
            runs=pairs(run_map or [], "map", "SR_final=SR"),
        )
    used = load(rules or measured.plan.rules.profile)
    analysis = emerald.judge(measured, used, weights=weights, reading=reading)
    if target is not None:
        for path in emerald.write(analysis, measured, target, force=force):
            typer.echo(f"wrote {path}", err=True)
    show(analysis, emerald.document, notes=notes, as_json=as_json)
    if analysis.status != "valid":
        raise typer.Exit(1)
