"""``iowatt power``: what an array draws, idle and at work, with and without its redundant supplies."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from iowatt.cli.options import AsJson, Force, Overrides, Scenario, output, print_json


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("power")(power)


def power(
    scenario: Scenario,
    *,
    overrides: Overrides = None,
    output: Annotated[
        Path | None, output("PAGE", "Write a page to read or print (.html, .pdf).", "none")
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Calculate an array's power: idle and active W, VA, BTU/h, by component, also in failover.

    Needs [array.power] and the drives' watts; workloads are not looked at. Exit 2 where the array is
    impossible: drives without slots, supplies too small, no controller.
    """
    from iowatt.model.scenario.array_power_calculation import evaluate

    if output is not None:
        from iowatt.pages.power import page

        page.check_target(output, force)
    found = evaluate(scenario, overrides or [])
    if output is not None:
        from iowatt.pages.power import page

        page.write(found, output, force=force)
        typer.echo(f"wrote {output}", err=True)
    if as_json:
        print_json(found)
        return
    from iowatt.pages.power.text import lines

    for line in lines(found):
        typer.echo(line)
