"""The primary metrics: EP of a phase, the ratio of its means, and ready idle in GB/W.

Formulas after the measurement specification's training (docs/models/emerald.md):
EP = mean operations rate / mean power over the same interval; EP_RI = raw capacity / mean power,
with GB = 1e9 bytes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from iowatt.emerald.analyze.checks.minutes import Floats, Minutes

BYTES_PER_GB = 1e9
SIGNIFICANT_DIGITS = 3


@dataclass(frozen=True)
class Means:
    """Means of a measurement interval; None where there is no figure."""

    operations_rate: float | None  #: Over all of its minutes.
    response_ms: float | None
    #: Over the minutes that have both a rate and a power, and the rate over the same: what EP is made of.
    power_w: float | None
    metered_rate: float | None
    seconds: float  #: Seconds of these minutes.


def means(minutes: Minutes) -> Means:
    """Means of a measurement interval; the response time is of all requests, each counted once."""
    both, width = minutes.complete, minutes.seconds
    requests = np.where(np.isfinite(minutes.response_ms), minutes.requests, 0.0)
    total = float(np.nansum(requests))
    return Means(
        operations_rate=_mean(minutes.operations_rate, width, np.isfinite(minutes.operations_rate)),
        response_ms=float(np.nansum(minutes.response_ms * requests)) / total if total > 0 else None,
        power_w=_mean(minutes.power_w, width, both),
        metered_rate=_mean(minutes.operations_rate, width, both),
        seconds=float(width[both].sum()),
    )


def _mean(values: Floats, width: Floats, chosen: npt.NDArray[np.bool_]) -> float | None:
    """Mean over time of the chosen rows."""
    seconds = float(width[chosen].sum())
    return float((values * width)[chosen].sum()) / seconds if seconds > 0 else None


def mean_power_w(minutes: Minutes) -> float | None:
    """Mean power of a rest, over the minutes that have one."""
    return _mean(minutes.power_w, minutes.seconds, np.isfinite(minutes.power_w))


def ep(operations_rate: float | None, power_w: float | None) -> float | None:
    """EP in operations per second and watt (IOPS/W or MiB/s/W); None without either, or without power."""
    if operations_rate is None or power_w is None or power_w <= 0:
        return None
    found = operations_rate / power_w
    return found if math.isfinite(found) else None


def ready_idle_gb_per_w(raw_capacity_bytes: float | None, power_w: float | None) -> float | None:
    """EP_RI: raw capacity in decimal GB over the mean power of ready idle."""
    if raw_capacity_bytes is None or power_w is None or power_w <= 0:
        return None
    found = raw_capacity_bytes / BYTES_PER_GB / power_w
    return found if math.isfinite(found) else None


def ready_idle(raw_capacity_bytes: float | None, power_w: float | None, unit: str) -> float | None:
    """Ready idle in the rules' unit: GB/W of systems, TB/W of devices (1000 GB)."""
    found = ready_idle_gb_per_w(raw_capacity_bytes, power_w)
    return found / 1000 if found is not None and unit == "TB/W" else found


def power_ratio(ep_of: float, ep_to: float, rate_ratio: float) -> float:
    """Power of one phase over that of another, from their EPs and the ratio of their operations rates.

    With P = O / EP, ``P_of / P_to = rate_ratio * ep_to / ep_of``.
    """
    return rate_ratio * ep_to / ep_of


def significant(value: float, digits: int = SIGNIFICANT_DIGITS) -> str:
    """A figure at its significant digits, trailing zeros kept: 12.317 as 12.3, 0.1204 as 0.120."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    # Rounding may carry into another digit, as of 9.996: the exponent is taken from the rounded value.
    exponent = int(f"{value:.{digits - 1}e}".partition("e")[2])
    return f"{round(value, digits - 1 - exponent):.{max(0, digits - 1 - exponent)}f}"
