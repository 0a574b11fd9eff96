"""What the command line and the Python API ask for, as a document ``iowatt.rate/1``."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from iowatt.base.document import Document
from iowatt.base.errors import Argument, InputError
from iowatt.base.problems import ScenarioError
from iowatt.evaluate.search import prepare
from iowatt.evaluate.search.executor import Report
from iowatt.evaluate.search.prepare import Given
from iowatt.evaluate.search.rate.asked import Asked
from iowatt.evaluate.search.rate.at_limit import row
from iowatt.evaluate.search.rate.find import Told
from iowatt.evaluate.search.rate.found import Found
from iowatt.evaluate.search.rate.of_scenario import of_scenario
from iowatt.model.scenario.model import Scenario
from iowatt.model.scenario.paths import place_overridden
from iowatt.trace.shared import SHARED_BYTES


def answer(
    given: Given,
    asked: Asked,
    *,
    command: str | None = None,
    report: Report | None = None,
    told: Told = lambda _point: None,
) -> dict[str, Any]:
    """The document of a search.

    Parameters
    ----------
    report, told:
        As for :func:`iowatt.evaluate.search.rate.of_scenario.of_scenario`.

    Raises
    ------
    InputError
        What is wrong with the scenario or with what is asked; no rate keeps to the limit (the message says
        the shortest response time that was seen), or none exceeds it.
    """
    from iowatt.base.overrides import with_overrides
    from iowatt.trace.shared import sharing

    document = Document(given.text, given.source, given.overrides, Scenario)
    place_overridden(document, given.base)
    scenario = document.validate(Scenario)
    text = with_overrides(given.text, given.overrides)
    try:
        with sharing(SHARED_BYTES):
            found = of_scenario(
                scenario,
                given.base,
                text,
                asked,
                report,
                command=command,
                told=told,
            )
    except ScenarioError as error:
        raise prepare.placed(document, error) from None
    if found.problem is not None:
        raise InputError("infeasible", Argument("limit"), found.problem, hint=_hint(found))
    return documented(found, scenario, given, command)


def documented(found: Found, scenario: Scenario, given: Given, command: str | None) -> dict[str, Any]:
    """The document of what was found, with the scenario that it is of."""
    made = found.as_dict()
    return {
        "schema": made.pop("schema"),
        "version": version("iowatt"),
        "command": command,
        "scenario": scenario.name,
        "source": given.source,
        "set": list(given.overrides),
        **made,
        "at_rate": None if found.run is None else row(found),
    }


def _hint(found: Found) -> str:
    if found.rate_iops is None:
        return "allow a longer response time, or use a faster system"
    return "set a shorter limit; `iowatt curve` shows the response time against the rate"
