"""Figures of a run, in the order in which a reader meets them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from iowatt.pages.budget import figures
from iowatt.pages.run.figures import drives, energy, flash, flows, heat, latency, overtime, tiers, wear
from iowatt.render.figure import Column, Figure, Table

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

__all__ = ["SECTIONS", "Column", "Figure", "Section", "Table", "of_run"]

Builder = Callable[["Run"], Figure | Sequence[Figure] | None]

SECTIONS: Sequence[tuple[str, str, Sequence[Builder]]] = (
    (
        "response",
        "Response time",
        (
            latency.percentiles,
            latency.distribution,
            latency.tail,
            overtime.response_time,
            flows.workloads,
            flows.volumes,
            latency.by_workload,
        ),
    ),
    ("budget", "Latency budget", (figures.of_run,)),
    (
        "energy",
        "Energy and power",
        (energy.by_state, overtime.power, energy.by_cause, energy.at_wall, energy.by_component),
    ),
    ("load", "Load and queues", (overtime.throughput, overtime.bandwidth, overtime.queue)),
    ("heat", "Heat", (heat.curve,)),
    ("tiers", "Tiers and copies", (tiers.hits, tiers.movement)),
    ("drives", "Drives", (drives.utilisation, drives.queues, drives.every_drive)),
    ("wear", "Wear", (wear.gauge,)),
    ("flash", "Flash", (flash.amplification, flash.operations)),
)


@dataclass(frozen=True)
class Section:
    """Figures under one heading."""

    key: str
    title: str
    figures: Sequence[Figure]


def of_run(run: Run) -> list[Section]:
    """All figures that the run has data for."""
    sections = []
    for key, title, builders in SECTIONS:
        found = [figure for build in builders for figure in _listed(build(run))]
        if found:
            sections.append(Section(key, title, found))
    return sections


def _listed(built: Figure | Sequence[Figure] | None) -> Sequence[Figure]:
    if built is None:
        return []
    return [built] if isinstance(built, Figure) else built
