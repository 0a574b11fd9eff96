"""``iowatt check``: whether a scenario can be run, and the system that it describes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import typer

from iowatt.cli.error_text import in_options, place_text
from iowatt.cli.options import AsJson, Overrides, Scenario, print_json

if TYPE_CHECKING:
    from iowatt.base.errors import InputError
    from iowatt.model.scenario.result import FailedCheck

_OPTIONS: Final = {"set": "--set"}
"""The options that a problem of a scenario can name."""


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("check")(check)


def check(scenario: Scenario, overrides: Overrides = None, as_json: AsJson = False) -> None:
    """Check a scenario without running it; exit 2 if it has errors."""
    from iowatt.base.errors import InputError
    from iowatt.cli.show import show
    from iowatt.model.scenario import check as checked
    from iowatt.pages.check import document

    try:
        found = checked(scenario, overrides or [], lambda place: str(place_text(place, _OPTIONS)))
    except InputError as error:
        if not as_json:
            raise
        print_json(_failure(error).as_dict())
        raise typer.Exit(error.exit_code) from None
    if found.warnings:
        from iowatt.evaluate.durability import with_risk

        found = with_risk(found, scenario, overrides or [])
    show(found, document, as_json=as_json)


def _failure(error: InputError) -> FailedCheck:
    from iowatt.model.scenario.result import CheckProblem, FailedCheck

    problems = [
        CheckProblem(
            code=one.code,
            where=place_text(one.place, _OPTIONS),
            message=in_options(one.message, _OPTIONS),
            hint=one.hint and in_options(one.hint, _OPTIONS),
        )
        for one in getattr(error, "problems", (error,))
    ]
    return FailedCheck(problems=problems)
