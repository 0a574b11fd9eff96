"""Costs by what is got for them: a terabyte a month, an IOPS, a gigabyte a year, a terabyte written.

A view whose quantity nobody knows has no value, and says why.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from iowatt.lenses.cost import carbon
from iowatt.lenses.cost.case import Case
from iowatt.lenses.cost.component import Costs
from iowatt.lenses.cost.result import View
from iowatt.lenses.cost.system import Drive
from iowatt.lenses.cost.wear.ratios import TB, limit
from iowatt.tariffs.bill import MONTHS_A_YEAR

GB_PER_TB: Final = 1000.0
#: Views by the work done: requests that came far too late are not what was asked for.
_OF_WORK: Final = ("usd_per_iops", "usd_per_million_requests", "usd_per_tb_moved", "j_per_gb_moved")
SNIA: Final = "SNIA, TCO Model for Storage (CMSI, revised 2025-09)"


def views(case: Case, costs: Costs) -> list[View]:
    """All of them, in the order in which they are shown; ``costs`` are those of ``case``."""
    dollars = [
        _per_effective_month(case, costs),
        _per_gb_year(case, costs),
        _per_iops(case, costs),
        _per_million_requests(case, costs),
        _per_tb_moved(case, costs),
    ]
    if not costs.known:
        dollars = [_unknown(one, "the total is not known: a drive has no price") for one in dollars]
    made = [*dollars, _per_tb_written_life(case), *_energy(case), _carbon(case, costs)]
    if not case.system.late:
        return made
    late = "the system did not keep up with its load"
    return [_unknown(one, late) if one.key in _OF_WORK else one for one in made]


def _unknown(view: View, why: str) -> View:
    return view.model_copy(update={"value": None, "note": why})


def _view(
    key: str, title: str, value: float | None, unit: str, formula: str, *, source: str = "", note: str = ""
) -> View:
    return View(key=key, title=title, value=value, unit=unit, formula=formula, source=source, note=note)


def _per_effective_month(case: Case, costs: Costs) -> View:
    """The SNIA's figure of merit, less what it has of a rack."""
    effective, usable = case.system.effective_gb, case.system.usable_gb
    value = None if effective is None else costs.usd / (effective / GB_PER_TB * case.years * MONTHS_A_YEAR)
    notes = [
        "the rack and its share of the room, which the model counts, are here only as parts with a price"
    ]
    if effective is None:
        notes = ["effective capacity is not known (an inventory states it)"]
    elif effective == usable:
        notes.append("no data reduction: effective is usable capacity")
    if effective is not None:
        notes.append("all of the capacity is taken as filled: divide by the share that is")
    return _view(
        "usd_per_effective_tb_month", "Cost of an effective terabyte a month", value, "USD/TBe/month",
        "cost over the horizon / (effective TB x months)", source=SNIA, note="; ".join(notes),
    )  # fmt: skip


def _per_gb_year(case: Case, costs: Costs) -> View:
    usable = case.system.usable_gb
    value = None if usable is None else costs.usd / (usable * case.years)
    note = "" if usable is not None else "usable capacity is not known (an inventory states it)"
    return _view(
        "usd_per_usable_gb_year", "Cost of a usable gigabyte a year", value, "USD/GB/year",
        "cost over the horizon / (usable GB x years)", note=note,
    )  # fmt: skip


def _per_iops(case: Case, costs: Costs) -> View:
    work = case.system.work
    iops = work.requests / work.duration_s
    note = "the mean rate of this work, which may be below what the system can do"
    value = costs.usd / iops if iops else None
    return _view(
        "usd_per_iops", "Cost of a request a second", value, "USD/IOPS",
        "cost over the horizon / (requests / s of the work)",
        note=note if iops else "the work has no requests",
    )  # fmt: skip


def _per_million_requests(case: Case, costs: Costs) -> View:
    millions = case.system.work.requests * case.repeats / 1e6
    return _view(
        "usd_per_million_requests", "Cost of a million requests", costs.usd / millions if millions else None,
        "USD/million", "cost over the horizon / requests of the horizon",
        note="" if millions else "the work has no requests",
    )  # fmt: skip


def _per_tb_moved(case: Case, costs: Costs) -> View:
    moved = case.system.work.bytes_moved * case.repeats / 1e12
    return _view(
        "usd_per_tb_moved", "Cost of a terabyte read or written by hosts",
        costs.usd / moved if moved else None, "USD/TB",
        "cost over the horizon / bytes that hosts read and wrote in it",
        note="" if moved else "the work moves no bytes",
    )  # fmt: skip


def _per_tb_written_life(case: Case) -> View:
    """Price over endurance of the SSDs: what a byte that wears them costs in drives."""
    ssds = [drive for drive in case.system.drives if drive.kind == "ssd"]
    unit, formula = "USD/TBW", "price of the SSDs / bytes that hosts may write to them"
    title = "Price of a terabyte of endurance"
    lives = [_endurance_tb(case, drive) for drive in ssds]
    known = [tb for tb in lives if tb is not None]
    if not ssds or len(known) < len(ssds):
        without = next((d.name for d, tb in zip(ssds, lives, strict=True) if tb is None), "")
        note = f"no TBW is known of {without}" if ssds else "no SSD is in it"
        return _view("usd_per_tbw", title, None, unit, formula, note=note)
    prices = [case.price_of(drive) for drive in ssds]
    if not all(price.known for price in prices):
        return _view("usd_per_tbw", title, None, unit, formula, note="an SSD has no price")
    usd = sum(price.usd for price in prices)
    return _view("usd_per_tbw", title, usd / sum(known), unit, formula, source="ratings, by wear.limits")


def _endurance_tb(case: Case, drive: Drive) -> float | None:
    most = limit(drive, case.book, "bytes_written", "wear.ssd_tbw", TB)
    return None if most is None else most.value / TB


def _energy(case: Case) -> Iterator[View]:
    """Electricity of the system itself, and of the facility for it, by stored terabyte and by byte moved."""
    usable = case.system.usable_gb
    kwh_year = carbon.facility_kwh(case) / case.years
    unknown = "usable capacity is not known (an inventory states it)"
    yield _view(
        "kwh_per_tb_year", "Electricity of a usable terabyte a year, the facility's",
        None if usable is None else kwh_year / (usable / GB_PER_TB), "kWh/TB/year",
        "joules x PUE / (usable TB x years)", note="" if usable is not None else unknown,
    )  # fmt: skip
    work = case.system.work
    moved = work.bytes_moved / 1e9
    yield _view(
        "j_per_gb_moved", "Energy of a gigabyte read or written by hosts, the system's",
        work.load.total_j / moved if moved else None, "J/GB", "joules of the work / bytes of hosts",
        note="" if moved else "the work moves no bytes",
    )  # fmt: skip


def _carbon(case: Case, costs: Costs) -> View:
    usable = case.system.usable_gb
    kg = costs.operational_kg + costs.embodied_kg
    estimate = case.book.word("carbon.estimate")
    note = "drives alone have embodied carbon" if case.system.drives else "its drives are not known: without"
    return _view(
        "kg_per_tb_year", "Carbon of a usable terabyte a year",
        None if usable is None else kg / (usable / GB_PER_TB * case.years), "kg CO2e/TB/year",
        "(operational + embodied kg) / (usable TB x years)", source=f"embodied: estimate {estimate!r}",
        note=note if usable is not None else "usable capacity is not known (an inventory states it)",
    )  # fmt: skip
