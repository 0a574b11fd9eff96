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
from iowatt.studies.offloading2008.published import PUBLISHED, VOLUMES
from iowatt.studies.offloading2008.systems import stages
from iowatt.studies.stages import Results
from iowatt.studies.study import Findings
from iowatt.studies.study import notes as coded

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
        f"{systems.NAMES[scheme]}: {PUBLISHED[scheme].saving} ({PUBLISHED[scheme].work})" for scheme in series
    )
    by_name = {systems.NAMES[scheme]: values for scheme, values in series.items()}
    return Figure(
        "savings",
        "Energy saved",
        "Of the energy of the same volumes on drives that always spin, without a cache. "
        f"Published: {printed}.",
        table(" | ".join(["Workload", *(f"{heading} (%)" for heading in headings)]), rows),
        figures.bars(by_name, list(titles), "Saved (%)"),
        wide=True,
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
    return Figure(
        "prices",
        "What it costs",
        "A request that waits for a drive to start waits 15 s. Energy of moves: of drives at work for them, "
        "without what they spin for.",
        table(
            "Workload | Scheme | Drives | Requests | Mean power (W) | Saved (%) | Mean response (ms) | 99th "
            "percentile (ms) | Longer than 1 s (%) | Starts of a drive (1/d) | Energy of moves (%)",
            rows,
        ),
        wide=True,
    )


def moved(found: SchemePoints, titles: Mapping[str, str]) -> Figure:
    """What each scheme counted."""
    rows: list[list[Cell]] = [
        [titles[one.work], systems.NAMES[one.scheme], name, value]
        for one in found.values()
        for name, value in one.movement.items()
        if isinstance(value, int | float)
    ]
    return Figure(
        "moved",
        "Counts of the schemes",
        "By the names that run.json has under virtual_pools, data_movement.",
        table("Workload | Scheme | Count | Value", rows),
    )


def volumes() -> Figure:
    """The synthetic volumes."""
    return Figure(
        "volumes",
        "Volumes of the synthetic workloads",
        f"Rates are {systems.SCALE:g} times those of the volumes of MSR Cambridge with the same names, whose "
        "counts of a week were available; for the others 2 requests a second are assumed. Write shares are "
        "as remembered, within 2 points.",
        table(
            "Volume | Requests (1/s) | Writes (%) | Known",
            [[one.name, one.rate * systems.SCALE, one.writes, one.known] for one in VOLUMES],
        ),
    )


def notes(days: float) -> list[Note]:
    """What every figure here rests on."""
    return coded(
        {
            "synthetic-volumes": "The synthetic volumes are not those of the paper. Rates and write shares "
            "are theirs where known; when requests come (batches of 8 writes, sessions of reads, working "
            "hours) is assumed: profile server-volume.",
            "scale": f"Scale: {len(VOLUMES)} volumes on {4 * len(VOLUMES)} drives (RAID-5 of 4) for 36 "
            "volumes on 179, a week. One request stands for ten of the recorded ones, so that a week takes "
            "seconds.",
            "stops-alone": "Each drive stops after 60 s without work, whatever the others do. In the paper "
            "the drives of a volume stop and start together.",
            "stand-in-drive": "Watts are those of the paper's drive (12 W idle, 2.6 W stopped, 20 J and 15 s "
            "to start), mechanics those of the Cheetah 15K.5; 17 W at work is assumed. Stopping is assumed "
            "to cost nothing.",
            "maid-cache": "MAID's saving counts the drives of its cache: a mirrored pair of 16 GiB, on HP's "
            "week one drive.",
            "hp-week": "HP's week: two disks of a time-sharing host of 1992, a trace of DiskSim's, on the "
            "same drives.",
            "start": "All drives spin at the beginning.",
        },
        reduced="a day in place of a week, except for HP's trace" if days < FULL else "",
    )
