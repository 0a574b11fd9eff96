"""Watts of a configuration by the power calculator: ready idle, and all of it at work."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from iowatt.base.document import Document
from iowatt.base.errors import InputError
from iowatt.base.problems import ScenarioError
from iowatt.emerald.bff.point_result import Judged
from iowatt.emerald.family import Candidate, Family, Metric, scenario
from iowatt.model.power.calculator import total
from iowatt.model.scenario.array_power import resolve
from iowatt.model.scenario.model import Scenario


@dataclass(frozen=True)
class Watts:
    """What a configuration draws at the wall in normal operation, and its raw bytes in GB (10^9)."""

    idle_w: float
    active_w: float
    raw_gb: float
    notes: tuple[str, ...] = ()

    def judged(self) -> Judged:
        """Ready idle: EP_RI is raw GB over W."""
        return Judged(
            basis="calculated", ep=self.raw_gb / self.idle_w if self.idle_w else 0.0, wall_w=self.idle_w
        )


def watts(family: Family, candidate: Candidate, idle: Metric) -> Watts:
    """The calculator's figures of a configuration; drives need no mechanics for them.

    Raises ``InputError`` where the array is impossible, or a drive's watts are not known.
    """
    text = scenario(family, candidate, idle)
    parsed = Document(text, candidate.label).validate(Scenario)
    found = resolve(parsed, Path(family.base), simulated=False)
    if found.problems:
        raise ScenarioError(found.problems, candidate.label)
    plan = found.plan
    if plan is None:
        raise InputError("missing", f"{candidate.label}: array.power", "the table is missing")
    raw_gb = sum(kind.raw_bytes for kind in plan.drives.values()) / 1e9
    return Watts(
        total(plan, "normal", "idle").wall_w,
        total(plan, "normal", "active").wall_w,
        raw_gb,
        tuple(note.text for note in found.notes),
    )
