"""From the sweeps to tables, a figure and verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from iowatt.render import palette
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout
from iowatt.studies.offloading2008 import conclusions, points, systems
from iowatt.studies.offloading2008.points import Point
from iowatt.studies.offloading2008.published import PUBLISHED, VOLUMES
from iowatt.studies.results import Results
from iowatt.studies.study import Findings, Section


def evaluate(results: Results, quick: bool) -> Findings:
    """Everything that the study finds."""
    found = points.of(results)
    there = {one.work for one in found}
    titles = {work.key: work.title for work in systems.works(1.0) if work.key in there}
    sections = [
        Section("savings", "Savings and their price", [savings(found, titles), prices(found, titles)]),
        Section("moved", "What was moved", [moved(found, titles)]),
        Section("volumes", "The synthetic volumes", [volumes()]),
    ]
    return Findings(conclusions.verdicts(found, titles), sections, notes(quick), table(results))


def savings(found: Sequence[Point], titles: dict[str, str]) -> Figure:
    """Savings of each scheme under each workload, beside those published."""
    schemes = systems.SCHEMES[1:]
    columns = [
        Column("Workload", text=True),
        *(Column(systems.NAMES[scheme][0].upper() + systems.NAMES[scheme][1:], "%") for scheme in schemes),
    ]
    rows: list[list[Cell]] = []
    for work, title in titles.items():
        by = [points.choose(found, work, scheme) for scheme in schemes]
        rows.append([title, *(None if one is None else 100 * one.saved for one in by)])
    data: list[dict[str, Any]] = [
        {
            "type": "bar",
            "name": systems.NAMES[scheme],
            "x": list(titles),
            "y": [row[1 + number] for row in rows],
            "marker": {"color": palette.RUNS[number]},
        }
        for number, scheme in enumerate(schemes)
    ]
    printed = "; ".join(
        f"{systems.NAMES[scheme]}: {PUBLISHED[scheme].saving} ({PUBLISHED[scheme].work})"
        for scheme in schemes
    )
    return Figure(
        "savings",
        "Energy saved",
        "Of the energy of the same volumes on drives that always spin, without a cache. "
        + f"Published: {printed}.",
        Table(columns, rows),
        {"data": data, "layout": layout(axis("", type="category"), axis("Saved (%)"), barmode="group")},
        wide=True,
    )


def prices(found: Sequence[Point], titles: dict[str, str]) -> Figure:
    """Power, response time, starts."""
    columns = [
        Column("Workload", text=True),
        Column("Scheme", text=True),
        Column("Drives"),
        Column("Requests"),
        Column("Mean power", "W"),
        Column("Saved", "%"),
        Column("Mean response", "ms"),
        Column("99th percentile", "ms"),
        Column("Longer than 1 s", "%"),
        Column("Starts of a drive", "1/d"),
        Column("Energy of moves", "%"),
    ]
    rows: list[list[Cell]] = [
        [
            titles[one.work],
            systems.NAMES[one.scheme],
            one.drives,
            one.requests,
            one.power_w,
            100 * one.saved,
            one.mean_ms,
            one.p99_ms,
            100 * one.waited,
            one.starts,
            100 * one.moving,
        ]
        for one in found
    ]
    return Figure(
        "prices",
        "What it costs",
        "A request that waits for a drive to start waits 15 s. Energy of moves: of drives at work for them, "
        "without what they spin for.",
        Table(columns, rows),
        wide=True,
    )


def moved(found: Sequence[Point], titles: dict[str, str]) -> Figure:
    """What each scheme counted."""
    columns = [
        Column("Workload", text=True),
        Column("Scheme", text=True),
        Column("Count", text=True),
        Column("Value"),
    ]
    rows: list[list[Cell]] = []
    for one in found:
        for name, value in (one.movement or {}).items():
            if isinstance(value, int | float):
                rows.append([titles[one.work], systems.NAMES[one.scheme], name, value])
    return Figure(
        "moved",
        "Counts of the schemes",
        "By the names that run.json has under virtual_pools, data_movement.",
        Table(columns, rows),
    )


def volumes() -> Figure:
    """The synthetic volumes."""
    columns = [
        Column("Volume", text=True),
        Column("Requests", "1/s"),
        Column("Writes", "%"),
        Column("Known", text=True),
    ]
    rows: list[list[Cell]] = [[one.name, one.rate * systems.SCALE, one.writes, one.known] for one in VOLUMES]
    return Figure(
        "volumes",
        "Volumes of the synthetic workloads",
        f"Rates are {systems.SCALE:g} times those of the volumes of MSR Cambridge whose names they have, of "
        "which the counts in a week were to be had; 2 requests a second are assumed of the others. Write "
        "shares as remembered, within 2 points.",
        Table(columns, rows),
    )


def table(results: Results) -> Any:
    """Every point, with what its sweep says of it first."""
    import polars as pl

    frames = [
        frame.select(
            *(pl.lit(value).alias(f"study.{name}") for name, value in results.stages[key].said.items()),
            pl.all(),
        )
        for key, frame in results.frames.items()
    ]
    return pl.concat(frames, how="diagonal_relaxed")


def notes(quick: bool) -> list[str]:
    """What every figure here rests on."""
    said = [
        "The synthetic volumes are not those of the paper. Rates and write shares are theirs where known; "
        "when requests come (batches of 8 writes, sessions of reads, working hours) is assumed: profile "
        "server-volume.",
        f"Scale: {len(VOLUMES)} volumes on {4 * len(VOLUMES)} drives (RAID-5 of 4) for 36 volumes on 179, a "
        "week. A request comes for ten of the recorded ones, so that a week takes seconds.",
        "A drive stops by itself after 60 s without work. In the paper the drives of a volume stop and start "
        "together.",
        "Watts are those of the paper's drive (12 W idle, 2.6 W stopped, 20 J and 15 s to start), mechanics "
        "those of the Cheetah 15K.5; 17 W at work is assumed. Stopping is taken to cost nothing.",
        "MAID's saving counts the drives of its cache: a mirrored pair of 16 GiB, on HP's week one drive.",
        "HP's week: two disks of a time-sharing host of 1992, a trace of DiskSim's, on the same drives.",
        "All drives spin at the beginning.",
    ]
    if quick:
        said.insert(0, "This is the reduced run (--quick): a day in place of a week, but for HP's trace.")
    return said
