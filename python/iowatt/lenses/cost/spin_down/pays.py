"""When spinning a disk down pays: in joules, and in dollars, which count the wear of the cycle as well.

A stop saves ``(P_idle - P_low)`` watts while it lasts, costs the joules of the way there and back, and uses
one of the starts and stops that the drive is rated for, and one load and unload of its heads. In joules it
pays from ``t_be`` on, in dollars from

    t = t_be + (price / limit) / ((P_idle - P_low) x PUE x USD per J)

on, which is 17 to 500 times as long for usual disks, as the limit goes. Cycles that the drive's service life
would leave unused are free, though: ``budget`` says how many a day these are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from iowatt.lenses.cost.low_power_state import Low
from iowatt.lenses.cost.result import BreakEven, CycleWear
from iowatt.lenses.cost.wear.ratios import LOADS_UNLOADS, STARTS_STOPS, limit
from iowatt.tariffs.load import JOULES_PER_KWH

if TYPE_CHECKING:
    from iowatt.lenses.cost.book.book import Book
    from iowatt.lenses.cost.system import Drive


def break_even(
    level: Low,
    *,
    price_usd: float | None,
    limits: Mapping[str, tuple[float, str]],
    usd_per_kwh: float,
    pue: float = 1.0,
) -> BreakEven | None:
    """The break-even times of a visit to ``level``; None where it draws no less than idling.

    Parameters
    ----------
    price_usd:
        Of the drive; one cycle wears ``price / limit``. None where it is not known: nor are the dollars.
    limits:
        Cycles, and who says so, by rating. Starts and stops count only for a level that is stopped.
    usd_per_kwh, pue:
        The price of the energy that is not drawn, and what the facility adds to it.
    """
    energy_s = level.break_even_s
    if energy_s is None:
        return None
    if price_usd is None:
        return _made(level, energy_s, None, None, [])
    saved_usd_per_s = level.saved_w * pue * usd_per_kwh / JOULES_PER_KWH
    wear = [
        _cycle(rating, one, price_usd / one[0], saved_usd_per_s, energy_s)
        for rating, one in limits.items()
        if level.stopped or rating != STARTS_STOPS
    ]
    worst = max(wear, key=lambda one: one.usd_per_cycle, default=None)
    if worst is None or worst.usd_per_cycle == 0.0:
        return _made(level, energy_s, energy_s if saved_usd_per_s > 0 else None, None, wear)
    total_s = None if worst.seconds is None else energy_s + worst.seconds
    return _made(level, energy_s, total_s, worst.rating, wear)


def _made(
    level: Low, energy_s: float, dollars_s: float | None, by: str | None, wear: list[CycleWear]
) -> BreakEven:
    return BreakEven(
        level=level.name, at_most=level.at_most, saved_w=level.saved_w, energy_s=energy_s,
        dollars_s=dollars_s, by=by, wear=wear,
    )  # fmt: skip


def _cycle(
    rating: str, cycles: tuple[float, str], usd: float, saved_usd_per_s: float, energy_s: float
) -> CycleWear:
    seconds = usd / saved_usd_per_s if saved_usd_per_s > 0 else None
    times = seconds / energy_s if seconds is not None and energy_s > 0 else None
    limit, source = cycles
    return CycleWear(
        rating=rating, limit=limit, source=source, usd_per_cycle=usd, seconds=seconds, times_energy=times
    )


def cycle_limits(drive: Drive, book: Book) -> dict[str, tuple[float, str]]:
    """A disk's ratings of cycles by ``wear.limits``, each with its source; none of an SSD."""
    if drive.kind != "hdd":
        return {}
    found = {rating: limit(drive, book, rating, f"wear.{rating}") for rating in (STARTS_STOPS, LOADS_UNLOADS)}
    return {rating: (most.value, most.source) for rating, most in found.items() if most is not None}
