"""``iowatt power``: what an array draws, idle and active, with and without its redundant supplies."""

from __future__ import annotations

import typer

from iowatt.cli.options import AsJson, Force, Notes, Overrides, Page, Scenario
from iowatt.cli.show import check_page, show


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("power")(power)


def power(
    scenario: Scenario,
    *,
    overrides: Overrides = None,
    output: Page = None,
    force: Force = False,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Calculate an array's power by component: idle and active W, VA, BTU/h, also with failed parts.

    Needs the array.power keys and the drives' watts; ignores workloads. Exit 2 if the array is impossible:
    drives without slots, supplies too small, no controller.
    """
    from iowatt.model.scenario import calculated_power
    from iowatt.pages.power import document

    check_page(output, force=force)
    found = calculated_power(scenario, overrides or [])
    show(found, document, output, force=force, notes=notes, as_json=as_json)
