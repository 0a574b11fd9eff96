"""Runs of one array at several loads, with linear interpolation of all rates between them.

At the load x between the Runs a and b a rate is ``f_a + (x - x_a) (f_b - f_a) / (x_b - x_a)``. A sum over
hours is then a sum over Runs, each for the seconds that it represents: ``weights``, which all sums of a year
share.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import numpy as np

from iowatt.base.digits import apart
from iowatt.base.errors import InputError
from iowatt.lenses.cost.systems.system import PricedSystem
from iowatt.lenses.cost.year.cycle import Cycle, Floats, Measure, hour_name
from iowatt.lenses.one_array import MEASURES, WITHIN, ArrayMeasurement, measure_of, same_array

HOUR_S: Final = 3600.0
_IDLE: Final = 'run the scenario with `workload = []` and `observe.duration = "10min"`'
_CURVE: Final = "`iowatt curve` makes Runs at several loads"


@dataclass(frozen=True)
class PricedLoadCurve:
    """An array at several loads: its systems, the lowest load first.

    ``loads`` (in ``measure``), ``watts`` and ``response_ms`` (NaN where not known) have shape (n,).
    """

    systems: tuple[PricedSystem, ...]
    measure: str
    loads: Floats
    watts: Floats
    response_ms: Floats

    @property
    def highest(self) -> float:
        """The highest load."""
        return float(self.loads[-1])

    @property
    def unit(self) -> str:
        """Unit of the loads: IOPS or MiB/s."""
        return MEASURES[self.measure]

    @property
    def has_idle(self) -> bool:
        """Whether the lowest load is 0."""
        return self.systems[0].work.requests == 0

    def weights(self, loads: Floats) -> Floats:
        """Seconds that each system represents over hours of ``loads``, shape (n,)."""
        below = np.clip(np.searchsorted(self.loads, loads, side="right") - 1, 0, len(self.loads) - 1)
        above = np.minimum(below + 1, len(self.loads) - 1)
        width = self.loads[above] - self.loads[below]
        along = np.divide(loads - self.loads[below], width, out=np.zeros_like(loads), where=width > 0)
        count = len(self.loads)
        hours = np.bincount(below, weights=1.0 - along, minlength=count)
        hours = hours + np.bincount(above, weights=along, minlength=count)
        return hours.astype(np.float64) * HOUR_S

    def power(self, loads: Floats) -> Floats:
        """Watts at each of ``loads``."""
        return np.interp(loads, self.loads, self.watts)

    def response(self, loads: Floats) -> Floats:
        """Mean response time in ms at each of ``loads``; below the lowest Run with requests, the latter's."""
        first = 1 if self.has_idle else 0
        return np.interp(loads, self.loads[first:], self.response_ms[first:])


def load_curve(systems: Sequence[PricedSystem], measure: Measure) -> PricedLoadCurve:
    """The systems in order of their load in ``measure``; for ``share``, MiB/s of large requests, else IOPS.

    Raises ``InputError``: no system with requests, different arrays or kinds of power, unknown power, two
    systems with the same load.
    """
    same_array([array_of(system) for system in systems])
    loaded = [system for system in systems if system.work.requests]
    if not loaded:
        raise InputError(
            "missing",
            ", ".join(system.where for system in systems) or None,
            "no Run has requests; a duty cycle needs Runs at several loads",
            hint=_CURVE,
        )
    by = measure
    if measure == "share":
        requests, moved = (
            math.fsum(getattr(system.work, name) for system in loaded) for name in ("requests", "bytes_moved")
        )
        by = "mib_per_s" if measure_of(requests, moved) == "mib_per_s" else "iops"
    ordered = sorted(systems, key=lambda system: _load(system, by))
    loads = np.array([_load(system, by) for system in ordered])
    for index in np.flatnonzero(np.diff(loads) <= 0):
        first, second = ordered[index], ordered[index + 1]
        what = "have no requests" if loads[index] == 0 else f"are at the same {loads[index]:g} {MEASURES[by]}"
        raise InputError(
            "ambiguous", second.where, f"this Run and {first.where} {what}; give one of them",
        )  # fmt: skip
    watts = np.array([system.work.load.total_j / system.work.duration_s for system in ordered])
    for system, power in zip(ordered, watts, strict=True):
        if not math.isfinite(power):
            raise InputError("missing-figure", system.where, "the power of this Run is not known")
    responses = [system.work.response_ms for system in ordered]
    response = [math.nan if ms is None else ms for ms in responses]
    return PricedLoadCurve(tuple(ordered), by, loads, watts, np.array(response))


def placed(cycle: Cycle, curve: PricedLoadCurve, start: datetime, years: int) -> Floats:
    """The load of each hour in the systems' measure, within their span.

    A load up to 2 % beyond the span is moved to its end; one further beyond raises ``InputError``.
    """
    hours = cycle.hours(start, years)
    loads = hours * curve.highest if cycle.measure == "share" else hours
    low, high = float(curve.loads[0]), curve.highest
    over = np.flatnonzero(loads > high * (1.0 + WITHIN))
    if len(over):
        worst = int(np.argmax(loads))
        raise InputError(
            "missing-figure",
            f"{cycle.where}: {hour_name(start, worst)}",
            f"the load of {loads[worst]:.6g} {curve.unit} is above that of the highest Run, {high:.6g} "
            f"({curve.systems[-1].where}), and its power is not known "
            f"({len(over)} of {len(loads)} hours are above)",
            hint=f"add a Run at {loads[worst]:.6g} {curve.unit} or more ({_CURVE}), or take the shape "
            f"alone: `duty={cycle.where}@1`",
        )
    under = np.flatnonzero(loads < low * (1.0 - WITHIN))
    if len(under):
        least = int(np.argmin(loads))
        rate = f"a Run at {loads[least]:.6g} {curve.unit} or an idle one"
        needed = "an idle Run" if loads[least] == 0 else rate
        raise InputError(
            "missing-figure",
            f"{cycle.where}: {hour_name(start, least)}",
            f"the load of {apart(loads[least], low)} {curve.unit} is below that of the lowest Run, "
            f"{low:.6g} ({curve.systems[0].where}), and its power is not known "
            f"({len(under)} of {len(loads)} hours are below)",
            hint=f"add {needed}: {_IDLE}",
        )
    within: Floats = np.clip(loads, low, high)
    return within


def _load(system: PricedSystem, measure: str) -> float:
    work = system.work
    return (work.requests if measure == "iops" else work.bytes_moved / 2**20) / work.duration_s


def array_of(system: PricedSystem, plan: str = "") -> ArrayMeasurement:
    """What identifies a system's array; ``plan`` is that of its Run."""
    return ArrayMeasurement(
        name=system.where, where=system.where,
        drives=tuple((drive.name, drive.model) for drive in system.drives), raw_gb=system.raw_gb,
        power_basis=system.power_basis, parts=system.parts, usable_gb=system.usable_gb, plan=plan,
    )  # fmt: skip
