"""A measurement of `iowatt emerald run`, judged again by the registry's own rules."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from iowatt.base import input_file
from iowatt.base.errors import InputError
from iowatt.emerald import analyze
from iowatt.emerald.conduct import read_state
from iowatt.emerald.conduct.drivers import SimulationDriver
from iowatt.emerald.measurement import MANIFEST
from iowatt.emerald.plan import Plan
from iowatt.emerald.plan import read as read_plan
from iowatt.emerald.rules import Rules, load, profile_names
from iowatt.registry.bundle import ANALYSIS, MEASUREMENT, Submission, analysis_figures, basis_of
from iowatt.registry.reanalysis import guard
from iowatt.registry.reanalysis.compare import MOST, differences
from iowatt.registry.reanalysis.result import Discrepancy, FoundFigure, Reanalysis
from iowatt.registry.reanalysis.simulated import run_differences
from iowatt.run.bundle import Run

#: Where an analysis was read from, and sentences, which name files there; their figures are compared.
_NOT_FIGURES: Final = ("place", "text")


def analyse(folder: Path, submission: Submission) -> Reanalysis:
    """Judge the measurement of a bundle that was unpacked into ``folder``.

    Raises ``InputError``: the rules are not the registry's, or the measurement cannot be read or simulated.
    """
    rules = _rules(submission)
    measurement = folder / MEASUREMENT
    plan = read_plan(measurement / "plan.json")
    guard.check_measurement(measurement, plan)
    measured = analyze.measurement(measurement)
    analysis = analyze.judge(measured, rules).model_copy(update={"place": MEASUREMENT})
    claimed = input_file.json_object(measurement / ANALYSIS)
    found = analysis.as_dict()
    apart = list(differences(claimed, found, leave_out=_NOT_FIGURES, place=ANALYSIS))
    figures = [one.model_dump() for one in analysis_figures(analysis)]
    said = [one.model_dump() for one in submission.figures]
    apart += differences(said, figures, place="submission.json: figures")
    for name, own, value in (
        ("basis", submission.basis, basis_of(analysis)),
        ("category", submission.category, analysis.system_class),
    ):
        apart += differences(own, value, place=f"submission.json: {name}")
    if plan.source == "simulation":
        apart += _simulated(folder, measurement, plan, submission)
    return Reanalysis(
        reproduced=not apart,
        basis=basis_of(analysis),
        metric_family=analysis.family or f"rules-{rules.name}",
        standing="compliant" if analysis.compliant else analysis.status,
        unverified_rules=len(analysis.rules.unverified),
        year=_year(measurement),
        figures=[FoundFigure(**one) for one in figures],
        differences=apart[:MOST],
        document=found,
    )


def _rules(submission: Submission) -> Rules:
    given = submission.rules
    if given is None or given.profile not in profile_names():
        name = "none" if given is None else given.profile
        hint = f"judge it by one of {', '.join(profile_names())}"
        raise InputError("unknown-name", "submission.json: rules", f"no rules {name!r} here", hint=hint)
    rules = load(given.profile)
    if rules.sha256 != given.sha256:
        text = f"the rules {given.profile} here are others: SHA-256 {rules.sha256}"
        hint = "`iowatt emerald analyze` by the version of iowatt that the registry has"
        raise InputError("not-comparable", "submission.json: rules.sha256", text, hint=hint)
    return rules


def _simulated(folder: Path, measurement: Path, plan: Plan, submission: Submission) -> Iterator[Discrepancy]:
    """Where the Run of a stage is not the one that a simulation gives."""
    if submission.scenario is None:
        raise InputError("missing", "submission.json: scenario", "the measurement was simulated")
    scenario = folder / submission.scenario
    text = input_file.text(scenario, "a scenario")
    guard.check_scenario(text, (), scenario.parent, folder)
    target = plan.target.model_copy(update={"scenario": str(scenario)})
    again = plan.model_copy(update={"target": target})
    driver = SimulationDriver()
    for one in read_state(measurement, plan).stages:
        if one.counted is not None and one.stage.role != "com":
            claimed = Run.open(measurement / one.counted.folder / "run")
            place = f"stages/{one.stage.id}/"
            yield from run_differences(claimed, driver.simulate(again, one.stage), place)


def _year(measurement: Path) -> int | None:
    begun = input_file.json_object(measurement / MANIFEST).get("begun")
    try:
        return datetime.fromtimestamp(float(begun), UTC).year  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError, OSError):
        return None
