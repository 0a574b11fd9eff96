"""What the power policy of a Run saved in joules and dollars, and what its cycles cost."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from iowatt.lenses.cost.spin_down.level import Low, levels_of_library, levels_of_plan
from iowatt.lenses.cost.spin_down.pays import break_even, cycle_limits
from iowatt.lenses.cost.wear.budget import budgets
from iowatt.lenses.cost.wear.life import Wearout, life_years, wearout
from iowatt.tariffs.load import JOULES_PER_KWH

if TYPE_CHECKING:
    from iowatt.lenses.cost.case import Case
    from iowatt.lenses.cost.system import Drive
    from iowatt.run.bundle import Run

#: States of a drive on its way to a deeper level and back.
_WAYS: Final = ("spin_down", "spin_up")


def of_run(run: Run, case: Case, usd_per_kwh: float) -> list[dict[str, Any]]:
    """What spinning down did for each model of each pool of a Run, and from when on it pays.

    Parameters
    ----------
    run:
        The Run that ``case.system`` was observed from: its table ``devices``, and the levels of its plan.
    case:
        Prices, limits, ``cooling.pue`` and how long the horizon is.
    usd_per_kwh:
        What a kWh less would save (the tariff's price of energy, fees and demand left out).

    Returns
    -------
    list
        A row for each model and pool that has a level below idling. ``saved_j`` is what its drives would
        have drawn idling through the time that they spent at lower levels and on the way, less what they
        drew; ``saved_usd``, ``wear_usd`` and ``net_usd`` are of that, and under ``horizon`` of all of the
        horizon. Empty where nothing has a lower level, as in a measured Run.
    """
    rows = {row["name"]: row for row in run.table("devices").iter_rows(named=True)}
    groups: dict[tuple[str, str], list[Drive]] = {}
    for drive in case.system.drives:
        if drive.name in rows:
            groups.setdefault((drive.pool, drive.model), []).append(drive)
    found = []
    for (pool, model), drives in groups.items():
        seen = [rows[drive.name] for drive in drives]
        lows = levels_of_plan(run.plan, pool) or _would_be(drives[0])
        if lows and (drives[0].kind == "hdd" or any(row["level_changes"] for row in seen)):
            at = _Group(case, tuple(drives), seen, lows, float(run.summary["window"]["duration_s"]))
            found.append({"pool": pool, "model": model, **at.row(usd_per_kwh)})
    return found


def _would_be(drive: Drive) -> tuple[Low, ...]:
    """Levels of a disk whose Run has none, by the library: what stopping it would be."""
    from iowatt.library.find import device_names

    return levels_of_library(drive.model) if drive.kind == "hdd" and drive.model in device_names() else ()


@dataclass(frozen=True)
class _Group:
    """Drives of one model in one pool, their rows of the table ``devices``, their levels."""

    case: Case
    drives: tuple[Drive, ...]
    rows: Sequence[Mapping[str, Any]]
    lows: Sequence[Low]
    window_s: float

    def row(self, usd_per_kwh: float) -> dict[str, Any]:
        """What ``spin_down`` of ``iowatt.cost/1`` holds of them."""
        case, book = self.case, self.case.book
        work_s = case.system.work.duration_s
        pue = book.number("cooling.pue")
        saved_j = math.fsum(_saved_j(row, self.lows) for row in self.rows)
        saved_usd = saved_j / JOULES_PER_KWH * usd_per_kwh * pue
        worn = {drive.name: wearout(drive, book) for drive in self.drives}
        wear_usd = math.fsum(self._wear_usd(drive, worn[drive.name]) for drive in self.drives)
        # The drive that wears fastest stands for the others: they are alike.
        most = max(self.drives, key=lambda drive: worn[drive.name].fraction)
        lives = life_years(worn[most.name], work_s) if most.kind == "hdd" else None
        times = case.seconds / self.window_s
        disk = most.kind == "hdd"
        service = book.number("wear.service_life") if disk and book.find("wear.service_life") else None
        return {
            "drives": len(self.drives),
            "stops": int(sum(row["spin_downs"] for row in self.rows)),
            "level_changes": int(sum(row["level_changes"] for row in self.rows)),
            "low_share": math.fsum(_low_s(row, self.lows) for row in self.rows)
            / (self.window_s * len(self.rows)),
            "saved_j": saved_j,
            "saved_usd": saved_usd,
            "wear_usd": wear_usd,
            "net_usd": saved_usd - wear_usd,
            "horizon": {
                "saved_usd": saved_usd * times,
                "wear_usd": wear_usd * times,
                "net_usd": (saved_usd - wear_usd) * times,
            },
            "usd_per_kwh": usd_per_kwh,
            "pue": pue,
            "life_years": lives,
            "break_even": self._break_evens(most, usd_per_kwh, pue),
            "budget": []
            if service is None
            else [one.as_dict() for one in budgets(most, book, service, work_s)],
            "note": _note(self.lows, lives, service),
        }

    def _wear_usd(self, drive: Drive, worn: Wearout) -> float:
        """What the window's cycles use of a disk's price."""
        if drive.kind != "hdd":
            return 0.0
        return self.case.charged(drive) * worn.fraction * self.window_s / self.case.system.work.duration_s

    def _break_evens(self, drive: Drive, usd_per_kwh: float, pue: float) -> list[dict[str, Any]]:
        limits = cycle_limits(drive, self.case.book)
        price = self.case.charged(drive)
        found = (
            break_even(low, price_usd=price, limits=limits, usd_per_kwh=usd_per_kwh, pue=pue)
            for low in self.lows
        )
        return [one.as_dict() for one in found if one is not None]


def _states(lows: Sequence[Low]) -> tuple[str, ...]:
    return (*_WAYS, *(low.name for low in lows))


def _low_s(row: Mapping[str, Any], lows: Sequence[Low]) -> float:
    """Seconds at lower levels, and on the way."""
    return math.fsum(row.get(f"time_{state}_s") or 0.0 for state in _states(lows))


def _saved_j(row: Mapping[str, Any], lows: Sequence[Low]) -> float:
    """What idling would have drawn meanwhile, less what was drawn: from the ledger of the drive."""
    drawn = math.fsum(row.get(f"energy_{state}_j") or 0.0 for state in _states(lows))
    return lows[0].idle_w * _low_s(row, lows) - drawn


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
