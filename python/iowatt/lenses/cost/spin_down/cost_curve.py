"""What the power policy of a system saved in joules and dollars, and what its cycles cost."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from iowatt.lenses.cost.low_power_state import Low
from iowatt.lenses.cost.result import BreakEven, Saved, SpinDown
from iowatt.lenses.cost.spin_down.level import levels_of_library
from iowatt.lenses.cost.spin_down.pays import break_even, cycle_limits
from iowatt.lenses.cost.wear.budget import budgets
from iowatt.lenses.cost.wear.life import life_years, wearout
from iowatt.tariffs.load import JOULES_PER_KWH

if TYPE_CHECKING:
    from iowatt.lenses.cost.case import Case
    from iowatt.lenses.cost.system import Drive


def of_case(case: Case, usd_per_kwh: float) -> list[SpinDown]:
    """What spinning down did for each model in each pool of a system, and from when on it pays.

    Parameters
    ----------
    case:
        Prices, limits, ``cooling.pue``, the horizon, and drives with what they saved.
    usd_per_kwh:
        What a kWh less saves: the tariff's mean price of energy, demand and fees left out.

    Returns
    -------
    list
        A row for each model and pool of disks that has a level below idling (where the work knew none, by the
        library: what stopping it would be), and of SSDs that were at one. ``saved_j`` is what the drives
        would have drawn idling through the time that they spent at lower levels and on the way, less what
        they drew, in one Work; ``saved_usd``, ``wear_usd`` and ``net_usd`` are of that, and under ``horizon``
        of all of the horizon. None where nobody knows what was saved. ``energy_s`` and ``dollars_s`` are the
        break-even times of the deepest level, ``break_even`` has all levels.
    """
    groups: dict[tuple[str, str], list[Drive]] = {}
    for drive in case.system.drives:
        groups.setdefault((drive.pool, drive.model), []).append(drive)
    found = []
    for drives in groups.values():
        lows = drives[0].lows or _would_be(drives[0])
        if lows and (drives[0].kind == "hdd" or any(drive.counts.low_s for drive in drives)):
            found.append(_Group(case, tuple(drives), lows).row(usd_per_kwh))
    return found


def _would_be(drive: Drive) -> tuple[Low, ...]:
    """Levels of a disk whose Run has none, by the library: what stopping it would be."""
    from iowatt.model.library.find import device_names

    known = [name for name in drive.names if drive.kind == "hdd" and name in device_names()]
    return levels_of_library(known[0]) if known else ()


@dataclass(frozen=True)
class _Group:
    """Drives of one model in one pool, and their levels."""

    case: Case
    drives: tuple[Drive, ...]
    lows: Sequence[Low]

    def row(self, usd_per_kwh: float) -> SpinDown:
        """What ``spin_down`` of ``iowatt.cost/1`` holds of them."""
        book, work_s = self.case.book, self.case.system.work.duration_s
        pue = book.number("cooling.pue")
        worn = {drive.name: wearout(drive, book) for drive in self.drives}
        # The drive that wears fastest stands for the others: they are alike.
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
        pays = self._break_evens(most, usd_per_kwh, pue)
        return SpinDown(
            title=f"{most.pool} ({most.model})",
            pool=most.pool,
            model=most.model,
            drives=len(self.drives),
            stops=math.fsum(drive.counts.start_stops for drive in self.drives),
            level_changes=math.fsum(drive.counts.load_unloads for drive in self.drives),
            low_share=None if low_s is None else low_s / (work_s * len(self.drives)),
            saved_j=saved_j,
            saved_usd=saved_usd,
            wear_usd=wear_usd,
            net_usd=net_usd,
            horizon=Saved(
                saved_usd=self._repeated(saved_usd),
                wear_usd=self._repeated(wear_usd),
                net_usd=self._repeated(net_usd),
            ),
            usd_per_kwh=usd_per_kwh,
            pue=pue,
            life_years=lives,
            energy_s=pays[-1].energy_s if pays else None,
            dollars_s=pays[-1].dollars_s if pays else None,
            priced=priced,
            break_even=pays,
            budget=[] if service is None else list(budgets(most, book, service, work_s)),
            note=_note(self.lows, lives, service),
        )

    def _repeated(self, usd: float | None) -> float | None:
        """Over the horizon."""
        return None if usd is None else usd * self.case.repeats

    def _sum(self, field: Literal["low_s", "saved_j"]) -> float | None:
        """Of all drives; None where one does not know."""
        known = [getattr(drive.counts, field) for drive in self.drives]
        return None if None in known else math.fsum(known)

    def _break_evens(self, drive: Drive, usd_per_kwh: float, pue: float) -> list[BreakEven]:
        limits = cycle_limits(drive, self.case.book)
        price = self.case.charged(drive) if self.case.price_of(drive).known else None
        found = (
            break_even(low, price_usd=price, limits=limits, usd_per_kwh=usd_per_kwh, pue=pue)
            for low in self.lows
        )
        return [one for one in found if one is not None]


def _note(lows: Sequence[Low], lives: float | None, service_years: float | None) -> str:
    said = ["beside idling for the same time; that requests waited for a drive has no price here"]
    if service_years is not None and (lives is None or lives >= service_years):
        said.append(
            f"its cycles outlast {service_years:g} years of service: where worn drives are replaced "
            "(wear.charge = replacements) they cost nothing"
        )
    if any(low.serves for low in lows):
        said.append("requests served at less speed count as active: what they save is not in it")
    said += dict.fromkeys(low.at_most for low in lows if low.at_most)
    return "; ".join(said)
