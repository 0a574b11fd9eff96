"""Energy and power from the ledger of a run.

With P_i(s) the power of component i in state s and t_i(s) its time there, the energy is
``sum over i and s of P_i(s) * t_i(s)``; the table holds one row for each i and s. Sums are exact but
for one rounding (``math.fsum``), so that an idle-only run is P_idle x T to the last digit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING

from iowatt.run.statistics import known_sum
from iowatt.run.summary_schema import Energy, Power
from iowatt.run.tables import ARRAY_STATES, CAUSES, whole

if TYPE_CHECKING:
    import polars as pl


def _summed(keys: pl.Series, joules: pl.Series) -> dict[str, float | None]:
    """Joules by key, keys in order of first appearance; None where some of them are not known."""
    parts: dict[str, list[float | None]] = {}
    for key, value in zip(keys, joules, strict=True):
        parts.setdefault(key, []).append(value)
    return {key: known_sum(values) for key, values in parts.items()}


def energy(
    ledger: pl.DataFrame,
    idle_w: Mapping[str, float | None],
    duration_s: float,
    completions: int,
    mean_response_s: float | None,
    *,
    causes_j: Mapping[str, float | None] | None = None,
    unknown: str | None = None,
) -> Energy:
    """Energy in J over a window of ``duration_s``.

    ``ledger`` is the ``energy`` table, ``idle_w`` the power of each component (drives, and parts and supplies
    where they are modelled) when ready and without work. Energy per
    request is over all ``completions`` inside the window, whenever they arrived; the
    energy-delay product multiplies it by the mean response time in s (Gurumurthi et al. 2002, E x T).
    ``causes_j`` is what :func:`by_cause` finds. Joules and watts that are not known are null, and so is all
    that rests on them, for the reason ``unknown``.
    """
    joules = ledger["energy_j"]
    total = known_sum(joules)
    resting = known_sum(None if watts is None else watts * duration_s for watts in idle_w.values())
    per_request = total / completions if total is not None and completions else None
    delay = None if per_request is None or mean_response_s is None else per_request * mean_response_s
    return Energy(
        total_j=total,
        per_request_j=per_request,
        energy_delay_js=delay,
        by_state_j=_summed(ledger["state"], joules),
        by_component_j=_summed(ledger["component"], joules),
        by_cause_j=_rounded_into(dict(causes_j or {}), total),
        above_idle_j=None if total is None or resting is None else total - resting,
        unknown=unknown if total is None else None,
    )


def metered(ledger: pl.DataFrame, completions: int, mean_response_s: float | None) -> Energy:
    """Energy of a measured run, in J: what its meters counted over the whole window, at the wall.

    ``ledger`` has a row for each meter, and none where there was none or one missed a part of the window:
    then nothing is known, and nothing is guessed.
    """
    joules = ledger["energy_j"]
    total = math.fsum(joules) if len(joules) else None
    per_request = total / completions if total is not None and completions else None
    delay = None if per_request is None or mean_response_s is None else per_request * mean_response_s
    return Energy(
        total_j=total,
        per_request_j=per_request,
        energy_delay_js=delay,
        by_state_j=_summed(ledger["state"], joules),
        by_component_j=_summed(ledger["component"], joules),
        above_idle_j=None,
    )


def metered_power(total_j: float | None, duration_s: float, intervals: pl.DataFrame) -> Power:
    """Mean power in W at the wall of a measured run, and the highest mean of an interval; none of devices."""
    mean = None if total_j is None or duration_s <= 0 else total_j / duration_s
    at_wall = [] if mean is None else [mean, *whole(intervals)["wall_w"].drop_nulls()]
    return Power(
        mean=None, max=None, wall_mean=mean, wall_max=max(at_wall, default=None), idle=None, wall_idle=None
    )


def by_cause(devices: pl.DataFrame, ledger: pl.DataFrame) -> dict[str, float | None]:
    """Joules by what they were for: of drives, from the ``devices`` table, and of the array around them."""
    of_drives = {cause: known_sum(devices[f"cause_{cause}_j"]) for cause in CAUSES}
    of_array = _summed(ledger["state"], ledger["energy_j"])
    return of_drives | {state: of_array[state] for state in ARRAY_STATES if state in of_array}


def _rounded_into(parts: dict[str, float | None], total: float | None) -> dict[str, float | None]:
    """``parts`` with the rounding of their sum taken up by the largest, so that they add up to ``total``."""
    known = {name: joules for name, joules in parts.items() if joules is not None}
    if total is None or not known or not math.isclose(math.fsum(known.values()), total, rel_tol=1e-9):
        return parts  # other joules: the source does not attribute all of them
    largest = max(known, key=lambda name: known[name])
    others = sum(Fraction(joules) for name, joules in known.items() if name != largest)
    return {**parts, largest: float(Fraction(total) - others)}


def devices_j(ledger: pl.DataFrame) -> float | None:
    """Joules of the drives alone: without the array's parts and its supplies' losses; None if not known."""
    rows = zip(ledger["state"].to_list(), ledger["energy_j"].to_list(), strict=True)
    return known_sum(joules for state, joules in rows if state not in ARRAY_STATES)


def power(
    total_j: float | None,
    duration_s: float,
    intervals: pl.DataFrame,
    idle_w: Mapping[str, float | None],
    *,
    wall_j: float | None = None,
    array_idle_w: Mapping[str, float] = MappingProxyType({}),
) -> Power:
    """Mean power in W over the window, and the highest mean over one of its intervals.

    ``total_j`` and ``idle_w`` are of the drives, and so are ``mean``, ``max`` and ``idle``. ``wall_j`` is the
    energy of all of the array at the wall, ``array_idle_w`` what its parts and its supplies' losses take when
    idle; where neither these nor a meter are in the run, ``wall_*`` are ``None``.

    An interval shorter than the others (the last one, cut by the end of the window) is no candidate: a
    meter with that averaging time would not show it. The window as a whole is one.
    """
    mean = None if total_j is None else total_j / duration_s if duration_s > 0 else 0.0
    wall_mean = None if wall_j is None or duration_s <= 0 else wall_j / duration_s
    at_wall = [] if wall_mean is None else [wall_mean, *whole(intervals)["wall_w"].drop_nulls()]
    return Power(
        mean=mean,
        max=None if mean is None else max([mean, *whole(intervals)["power_w"].drop_nulls()]),
        wall_mean=wall_mean,
        wall_max=max(at_wall, default=None),
        idle=known_sum(idle_w.values()),
        wall_idle=known_sum([*idle_w.values(), *array_idle_w.values()])
        if array_idle_w or wall_j is not None
        else None,
    )
