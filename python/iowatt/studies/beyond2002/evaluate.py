"""From the sweeps to tables, a figure and verdicts."""

from __future__ import annotations

from iowatt.base.results import Note
from iowatt.render.document import Section
from iowatt.render.figure import Cell, Figure
from iowatt.studies import figures
from iowatt.studies.beyond2002 import conclusions, points, systems
from iowatt.studies.beyond2002.conclusions import Points
from iowatt.studies.beyond2002.published import TEXT
from iowatt.studies.beyond2002.systems import stages
from iowatt.studies.stages import Results
from iowatt.studies.study import Findings

__all__ = ["FULL", "QUICK", "findings", "stages"]

#: Shares of the whole study's requests and days.
FULL, QUICK = 1.0, 0.2


def findings(results: Results, scale: float) -> Findings:
    """Everything that the study finds."""
    found = points.read(results)
    sections = [
        Section("loads", "Other loads, other drives", [loads(found)]),
        Section("policies", "Batching and prediction", [saved(found), policies(found)]),
    ]
    return Findings(
        conclusions.verdicts(found), sections, notes(scale), results.table(), chart="saved",
        against="what arrays2002 found or hoped for",
    )  # fmt: skip


def loads(found: Points) -> Figure:
    """What the idle lens says of each load at each rate."""
    rows: list[list[Cell]] = [
        [
            systems.TITLES[one.work], systems.DRIVES[one.drive], one.iops, one.idle_s, one.break_even_s,
            one.mean_ms, one.power_w,
            *(100 * share for name in points.LENS for share in _by_lens(one, name)),
        ]
        for one in found.of("load")
    ]  # fmt: skip
    return TEXT.figure("loads", rows)


def _by_lens(one: points.SleepPoint, policy: str) -> list[float]:
    """What a policy saves and delays; an oracle delays nothing."""
    return [one.saves[policy]] if policy == "oracle" else [one.saves[policy], one.delays[policy]]


def _savings(found: Points, work: str, drive: str) -> dict[str, float]:
    by = {one.policy: one.power_w for one in found.of("policy", work=work, drive=drive)}
    return {
        policy: 1 - by[policy] / by["never"] for policy in systems.POLICIES if {policy, "never"} <= by.keys()
    }


def saved(found: Points) -> Figure:
    """Savings of each policy on each of the loads with a structure in time."""
    cases = [(work, drive) for work in systems.TIMED for drive in systems.DRIVES]
    cases = [case for case in cases if _savings(found, *case)]
    titles = [f"{systems.TIMED[work]}, {systems.DRIVES[drive]}" for work, drive in cases]
    series: dict[str, list[Cell]] = {}
    for policy in list(systems.POLICIES)[1:]:
        values = [_savings(found, *case).get(policy) for case in cases]
        series[systems.NAMES[policy]] = [None if value is None else 100 * value for value in values]
    rows = [[title, *(column[at] for column in series.values())] for at, title in enumerate(titles)]
    headings = " | ".join(["Load", *(f"{name} (%)" for name in series)])
    return TEXT.figure("saved", figures.table(headings, rows), figures.bars(series, titles, "Saved (%)"))


def policies(found: Points) -> Figure:
    """Power, waits and starts under each policy."""
    rows: list[list[Cell]] = [
        [
            systems.TITLES[one.work], systems.DRIVES[one.drive], systems.NAMES[one.policy], one.power_w,
            100 * _savings(found, one.work, one.drive)[one.policy], one.mean_ms, one.p99_ms, 100 * one.waited,
            one.starts,
        ]
        for one in found.of("policy")
        if one.policy in _savings(found, one.work, one.drive)
    ]  # fmt: skip
    return TEXT.figure("policies", rows)


def notes(scale: float) -> list[Note]:
    """What every figure here rests on."""
    return TEXT.noted(reduced=scale < FULL, requests=systems.REQUESTS, days=systems.OFFICE_DAYS)
