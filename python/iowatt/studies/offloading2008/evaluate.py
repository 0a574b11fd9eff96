"""From the sweeps to tables, a figure and verdicts."""

from __future__ import annotations

from collections.abc import Mapping

from iowatt.base.results import Note
from iowatt.render.document import Section
from iowatt.render.figure import Cell, Figure
from iowatt.studies import figures
from iowatt.studies.figures import table
from iowatt.studies.offloading2008 import conclusions, points, systems
from iowatt.studies.offloading2008.points import SchemePoints
from iowatt.studies.offloading2008.published import PRINTED, TEXT
from iowatt.studies.offloading2008.systems import stages
from iowatt.studies.stages import Results
from iowatt.studies.study import Findings

__all__ = ["FULL", "QUICK", "findings", "stages"]

#: Days of the synthetic workloads.
FULL, QUICK = 7.0, 1.0


def findings(results: Results, days: float) -> Findings:
    """Everything that the study finds."""
    found = points.read(results)
    simulated = {work for work, _ in found}
    titles = {work.key: work.title for work in systems.works(1.0) if work.key in simulated}
    sections = [
        Section("savings", "Savings and their price", [savings(found, titles), prices(found, titles)]),
        Section("moved", "What was moved", [moved(found, titles)]),
        Section("volumes", "The synthetic volumes", [volumes()]),
    ]
    verdicts = conclusions.verdicts(found, titles)
    return Findings(verdicts, sections, notes(days), results.table(), chart="savings")


def savings(found: SchemePoints, titles: Mapping[str, str]) -> Figure:
    """Savings of each scheme under each workload, beside those published."""
    series: dict[str, list[Cell]] = {
        scheme: [100 * found[work, scheme].saved if (work, scheme) in found else None for work in titles]
        for scheme in systems.SCHEMES[1:]
    }
    headings = [systems.NAMES[scheme][0].upper() + systems.NAMES[scheme][1:] for scheme in series]
    rows = [[title, *values] for title, *values in zip(titles.values(), *series.values(), strict=True)]
    printed = "; ".join(
        f"{systems.NAMES[scheme]}: {PRINTED.savings[scheme].saving} ({PRINTED.savings[scheme].work})"
        for scheme in series
    )
    by_name = {systems.NAMES[scheme]: values for scheme, values in series.items()}
    return TEXT.figure(
        "savings",
        table(" | ".join(["Workload", *(f"{heading} (%)" for heading in headings)]), rows),
        figures.bars(by_name, list(titles), "Saved (%)"),
        printed=printed,
    )


def prices(found: SchemePoints, titles: Mapping[str, str]) -> Figure:
    """Power, response time, starts."""
    rows: list[list[Cell]] = [
        [
            titles[one.work], systems.NAMES[one.scheme], one.drives, one.requests, one.power_w,
            100 * one.saved, one.mean_ms, one.p99_ms, 100 * one.waited, one.starts, 100 * one.moving,
        ]
        for one in found.values()
    ]  # fmt: skip
    return TEXT.figure("prices", rows)


def moved(found: SchemePoints, titles: Mapping[str, str]) -> Figure:
    """What each scheme counted."""
    rows: list[list[Cell]] = [
        [titles[one.work], systems.NAMES[one.scheme], name, value]
        for one in found.values()
        for name, value in one.movement.items()
        if isinstance(value, int | float)
    ]
    return TEXT.figure("moved", rows)


def volumes() -> Figure:
    """The synthetic volumes."""
    return TEXT.figure(
        "volumes",
        [[name, one.rate * systems.SCALE, one.writes, one.known] for name, one in PRINTED.volumes.items()],
        scale=systems.SCALE,
    )


def notes(days: float) -> list[Note]:
    """What every figure here rests on."""
    return TEXT.noted(reduced=days < FULL, volumes=len(PRINTED.volumes), drives=4 * len(PRINTED.volumes))
