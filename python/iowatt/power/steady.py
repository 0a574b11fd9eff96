"""The wall of an array in a steady state, from the mean watts of its drives: as a Run's wall, without a Run.

    P_wall = sum over enclosures of P_in(drives + parts) + parts known at the wall

Parts follow load by their laws; drives of a pool draw alike (docs/models/array-power.md).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from iowatt.power.laws import Part
from iowatt.power.plan import ArrayPlan


def wall_w(
    plan: ArrayPlan,
    drive_w: Mapping[str, float],
    *,
    iops: float = 0.0,
    bytes_per_s: float = 0.0,
    processors: float | None = None,
) -> float:
    """Watts at the wall in normal operation.

    Parameters
    ----------
    drive_w:
        Mean watts of one drive, by pool.
    iops, bytes_per_s:
        What completes; all 0 is the array at rest.
    processors:
        Busy share of the controller's processors; None where none are modelled.
    """
    drawn = 0.0
    for enclosure in plan.enclosures:
        fed = direct = 0.0
        for part in enclosure.parts:
            watts = part.watts(_use(part, iops, bytes_per_s, processors))
            fed, direct = (fed, direct + watts) if part.at_wall else (fed + watts, direct)
        for number, mix in enclosure.filling:
            inside = fed + sum(
                count * drive_w[pool] for pool, count in zip(enclosure.pools, mix, strict=True)
            )
            supplies = enclosure.supplies
            drawn += number * (direct + (inside if supplies is None else float(supplies.input_w(inside))))
    return drawn


def _use(part: Part, iops: float, bytes_per_s: float, processors: float | None) -> float:
    busy = None if processors is None else np.array([processors])
    return float(part.utilisation(np.array([iops]), np.array([bytes_per_s]), busy)[0])
