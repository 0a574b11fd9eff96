"""Energy and power from the ledger of a run.

With P_i(s) the power of component i in state s and t_i(s) its time there, the energy is
``sum over i and s of P_i(s) * t_i(s)``; the table holds one row for each i and s. Sums are exact but
for one rounding (``math.fsum``), so that an idle-only run is P_idle x T to the last digit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from iowatt.run.summary_schema import Energy, Power
from iowatt.run.tables import CAUSES, whole

if TYPE_CHECKING:
    import polars as pl


def _summed(keys: pl.Series, joules: pl.Series) -> dict[str, float]:
    """Joules by key, keys in order of first appearance."""
    parts: dict[str, list[float]] = {}
    for key, value in zip(keys, joules, strict=True):
        parts.setdefault(key, []).append(value)
    return {key: math.fsum(values) for key, values in parts.items()}


def energy(
    ledger: pl.DataFrame,
    idle_w: Mapping[str, float],
    duration_s: float,
    completions: int,
    mean_response_s: float | None,
    *,
    causes_j: Mapping[str, float] | None = None,
) -> Energy:
    """Energy in J over a window of ``duration_s``.

    ``ledger`` is the ``energy`` table, ``idle_w`` the power of each component when ready and without
    work. Energy per request is over all ``completions`` inside the window, whenever they arrived; the
    energy-delay product multiplies it by the mean response time in s (Gurumurthi et al. 2002, E x T).
    ``causes_j`` is what :func:`by_cause` finds.
    """
    joules = ledger["energy_j"]
    total = math.fsum(joules)
    resting = math.fsum(watts * duration_s for watts in idle_w.values())
    per_request = total / completions if completions else None
    delay = None if per_request is None or mean_response_s is None else per_request * mean_response_s
    return Energy(
        total_j=total,
        per_request_j=per_request,
        energy_delay_js=delay,
        by_state_j=_summed(ledger["state"], joules),
        by_component_j=_summed(ledger["component"], joules),
        by_cause_j=_rounded_into(dict(causes_j or {}), math.fsum(joules)),
        above_idle_j=total - resting,
    )


def by_cause(devices: pl.DataFrame) -> dict[str, float]:
    """Joules of all drives by what they were for, from the ``devices`` table."""
    return {cause: math.fsum(devices[f"cause_{cause}_j"]) for cause in CAUSES}


def _rounded_into(parts: dict[str, float], total: float) -> dict[str, float]:
    """``parts`` with the rounding of their sum taken up by the largest, so that they add up to ``total``."""
    if not parts or not math.isclose(math.fsum(parts.values()), total, rel_tol=1e-9):
        return parts  # not the same joules: of parts that are no drives
    largest = max(parts, key=lambda name: parts[name])
    others = sum(Fraction(joules) for name, joules in parts.items() if name != largest)
    return {**parts, largest: float(Fraction(total) - others)}


def power(total_j: float, duration_s: float, intervals: pl.DataFrame, idle_w: Mapping[str, float]) -> Power:
    """Mean power in W over the window, and the highest mean over one of its intervals.

    An interval shorter than the others (the last one, cut by the end of the window) is no candidate: a
    meter with that averaging time would not show it. The window as a whole is one.

    Devices only: ``wall_*`` are ``None`` as long as neither supplies nor a meter are in the run.
    """
    mean = total_j / duration_s if duration_s > 0 else 0.0
    return Power(
        mean=mean,
        max=max([mean, *whole(intervals)["power_w"].drop_nulls()]),
        wall_mean=None,
        wall_max=None,
        idle=math.fsum(idle_w.values()),
    )
