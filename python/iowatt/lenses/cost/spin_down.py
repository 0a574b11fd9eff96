"""From which length on spinning a disk down pays, in joules and in dollars.

A stop saves ``(P_idle - P_low)`` watts while it lasts, costs the joules of both transitions, and uses one of
the rated starts and stops and one load and unload of the heads. It saves joules from ``t_be`` on, dollars
from

    t = t_be + (price / limit) / ((P_idle - P_low) x PUE x USD per J)

on, 17 to 500 times as long for usual disks, depending on the limit. Cycles that the drive's service life
would leave unused are free: ``budget`` gives their number per day.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from iowatt.lenses.cost.pricing.wear.life import life_years, wearout
from iowatt.lenses.cost.pricing.wear.ratios import LOADS_UNLOADS, STARTS_STOPS, budgets, limit
from iowatt.lenses.cost.result.costs import BreakEven, CycleWear, Saved, SpinDown
from iowatt.lenses.cost.systems.low_power_state import LowPowerState, states_of_library
from iowatt.tariffs.load import JOULES_PER_KWH

if TYPE_CHECKING:
    from iowatt.lenses.book import Book
    from iowatt.lenses.cost.pricing.case import CostCase
    from iowatt.lenses.cost.systems.system import PricedDrive


def break_even(
    level: LowPowerState,
    *,
    price_usd: float | None,
    limits: Mapping[str, tuple[float, str]],
    usd_per_kwh: float,
    pue: float = 1.0,
) -> BreakEven | None:
    """The break-even times of a visit to ``level``; None where it draws no less than idling.

    Args:
        price_usd: Price of the drive, of which a cycle wears ``price / limit``; None where it is not known.
        limits: Cycles and their source, by rating. Starts and stops count only for a stopped level.
        usd_per_kwh: Price of the energy saved.
        pue: What the facility draws for each watt.
    """
    energy_s = level.break_even_s
    if energy_s is None:
        return None
    saved_usd_per_s = level.saved_w * pue * usd_per_kwh / JOULES_PER_KWH
    wear: list[CycleWear] = []
    for rating, (limit_, source) in limits.items() if price_usd is not None else ():
        if level.stopped or rating != STARTS_STOPS:
            usd = (price_usd or 0.0) / limit_
            seconds = usd / saved_usd_per_s if saved_usd_per_s > 0 else None
            times = seconds / energy_s if seconds is not None and energy_s > 0 else None
            wear.append(
                CycleWear(
                    rating=rating, limit=limit_, source=source, usd_per_cycle=usd, seconds=seconds,
                    times_energy=times,
                )
            )  # fmt: skip
    worst = max(wear, key=lambda cycle: cycle.usd_per_cycle, default=None)
    by = worst.rating if worst is not None and worst.usd_per_cycle else None
    worn_s = worst.seconds if worst is not None and by else 0.0
    never = price_usd is None or worn_s is None or saved_usd_per_s <= 0
    return BreakEven(
        level=level.name, at_most=level.at_most, saved_w=level.saved_w, energy_s=energy_s,
        dollars_s=None if never else energy_s + (worn_s or 0.0), by=by, wear=wear,
    )  # fmt: skip


def cycle_limits(drive: PricedDrive, book: Book) -> dict[str, tuple[float, str]]:
    """A disk's ratings of cycles by ``wear.limits``, each with its source; none of an SSD."""
    if drive.kind != "hdd":
        return {}
    found = {rating: limit(drive, book, rating, f"wear.{rating}") for rating in (STARTS_STOPS, LOADS_UNLOADS)}
    return {rating: (most.value, most.source) for rating, most in found.items() if most is not None}


def spin_downs(case: CostCase, usd_per_kwh: float) -> list[SpinDown]:
    """What spinning down saved each model in each pool of a system, and from which length on it pays.

    A row for each model and pool of disks with a power level below idle (the library's, where the Run has
    none), and of SSDs that were at one. ``saved_j`` is the energy of idling through the time at lower levels
    and in transitions, minus what was drawn, in the work done once. ``usd_per_kwh`` is its price: the
    tariff's mean, without demand and fees.
    """
    groups: dict[tuple[str, str], list[PricedDrive]] = {}
    for drive in case.system.drives:
        groups.setdefault((drive.pool, drive.model), []).append(drive)
    found = []
    for drives in groups.values():
        states = drives[0].low_power_states or _would_be(drives[0])
        if states and (drives[0].kind == "hdd" or any(drive.counts.low_s for drive in drives)):
            found.append(_Group(case, tuple(drives), states).row(usd_per_kwh))
    return found


def _would_be(drive: PricedDrive) -> tuple[LowPowerState, ...]:
    """The library's levels of a disk whose Run has none."""
    from iowatt.model.library import device_names

    known = [name for name in drive.names if drive.kind == "hdd" and name in device_names()]
    return states_of_library(known[0]) if known else ()


@dataclass(frozen=True)
class _Group:
    """Drives of one model in one pool, and their levels."""

    case: CostCase
    drives: tuple[PricedDrive, ...]
    states: Sequence[LowPowerState]

    def row(self, usd_per_kwh: float) -> SpinDown:
        """A row of ``spin_down`` of ``iowatt.cost/1``."""
        book, work_s = self.case.book, self.case.system.work.duration_s
        pue = book.number("cooling.pue")
        worn = {drive.name: wearout(drive, book) for drive in self.drives}
        # Like drives are shown by the one that wears fastest.
        most = max(self.drives, key=lambda drive: worn[drive.name].fraction)
        disk = most.kind == "hdd"
        lives = life_years(worn[most.name], work_s) if disk else None
        service = book.number("wear.service_life") if disk and book.find("wear.service_life") else None
        low_s, saved_j = self._sum("low_s"), self._sum("saved_j")
        saved_usd = None if saved_j is None else saved_j / JOULES_PER_KWH * usd_per_kwh * pue
        priced = all(self.case.price_of(drive).known for drive in self.drives)
        wear_usd = math.fsum(
            self.case.charged(drive) * worn[drive.name].fraction for drive in self.drives if disk
        ) if priced else None  # fmt: skip
        net_usd = None if saved_usd is None or wear_usd is None else saved_usd - wear_usd
        saved = {"saved_usd": saved_usd, "wear_usd": wear_usd, "net_usd": net_usd}
        over_horizon = {key: None if usd is None else usd * self.case.repeats for key, usd in saved.items()}
        price = self.case.charged(most) if self.case.price_of(most).known else None
        limits = cycle_limits(most, book)
        found = (
            break_even(state, price_usd=price, limits=limits, usd_per_kwh=usd_per_kwh, pue=pue)
            for state in self.states
        )
        pays = [level for level in found if level is not None]
        return SpinDown(
            title=f"{most.pool} ({most.model})", pool=most.pool, model=most.model, drives=len(self.drives),
            stops=math.fsum(drive.counts.start_stops for drive in self.drives),
            level_changes=math.fsum(drive.counts.load_unloads for drive in self.drives),
            low_share=None if low_s is None else low_s / (work_s * len(self.drives)), saved_j=saved_j,
            **saved, horizon=Saved(**over_horizon), usd_per_kwh=usd_per_kwh, pue=pue, life_years=lives,
            energy_s=pays[-1].energy_s if pays else None, dollars_s=pays[-1].dollars_s if pays else None,
            priced=priced, break_even=pays,
            budget=[] if service is None else list(budgets(most, book, service, work_s)),
            note=_note(self.states, lives, service),
        )  # fmt: skip

    def _sum(self, field: Literal["low_s", "saved_j"]) -> float | None:
        """The sum over all drives; None where one is not known."""
        known = [getattr(drive.counts, field) for drive in self.drives]
        return None if None in known else math.fsum(known)


def _note(states: Sequence[LowPowerState], lives: float | None, service_years: float | None) -> str:
    notes = ["compared with idling for the same time; waiting for a drive to start has no price"]
    if service_years is not None and (lives is None or lives >= service_years):
        notes.append(
            f"its cycles outlast {service_years:g} years of service: where worn drives are replaced "
            "(wear.charge = replacements) they cost nothing"
        )
    if any(state.serves for state in states):
        notes.append("requests served at reduced speed count as active, so their savings are left out")
    notes += dict.fromkeys(state.at_most for state in states if state.at_most)
    return "; ".join(notes)
