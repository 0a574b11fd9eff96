"""Ratios of costs: per terabyte and month, per IOPS, per gigabyte and year, per terabyte written.

A ratio of an unknown quantity has no value; its note says why.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from iowatt.lenses.cost.pricing import carbon
from iowatt.lenses.cost.pricing.case import CostCase
from iowatt.lenses.cost.pricing.component import Costs
from iowatt.lenses.cost.pricing.wear.ratios import TB, limit
from iowatt.lenses.cost.result.costs import CostRatio
from iowatt.tariffs.bill import MONTHS_A_YEAR

GB_PER_TB: Final = 1000.0
#: Ratios to the work done, which has no worth where the system fell behind its load.
_OF_WORK: Final = ("usd_per_iops", "usd_per_million_requests", "usd_per_tb_moved", "j_per_gb_moved")
SNIA: Final = "SNIA, TCO Model for Storage (CMSI, revised 2025-09)"
_NO_CAPACITY: Final = "usable capacity is not known (an inventory states it)"
_NO_REQUESTS: Final = "the work has no requests"
_NO_BYTES: Final = "the work moves no bytes"


def ratios(case: CostCase, costs: Costs) -> list[CostRatio]:
    """All ratios of ``case`` and its ``costs``, in the order in which they are shown."""
    dollars = list(_dollars(case, costs))
    if not costs.known:
        dollars = [_unknown(ratio, "the total is not known: a drive has no price") for ratio in dollars]
    shown = [*dollars, _endurance(case), *_energy(case), _carbon(case, costs)]
    late = "the system did not keep up with its load"
    return [_unknown(ratio, late) if case.system.late and ratio.key in _OF_WORK else ratio for ratio in shown]


def _unknown(ratio: CostRatio, why: str) -> CostRatio:
    return ratio.model_copy(update={"value": None, "note": why})


def _over(
    amount: float, quantity: float | None, key: str, title: str, unit: str, *, formula: str,
    missing: str = "", source: str = "", note: str = "",
) -> CostRatio:  # fmt: skip
    """``amount / quantity``; without a quantity the note is ``missing``."""
    return CostRatio(
        key=key, title=title, value=amount / quantity if quantity else None, unit=unit, formula=formula,
        source=source, note=note if quantity else missing,
    )  # fmt: skip


def _dollars(case: CostCase, costs: Costs) -> Iterator[CostRatio]:
    work, usd = case.system.work, costs.usd
    effective, usable = case.system.effective_gb, case.system.usable_gb
    notes = [
        "the model includes the rack and its share of the room; here only parts with a price count",
        *(["no data reduction: effective is usable capacity"] if effective == usable else []),
        "all capacity counts as filled: divide by the share that is",
    ]
    # SNIA's figure of merit, without the rack.
    yield _over(
        usd, effective and effective / GB_PER_TB * case.years * MONTHS_A_YEAR, "usd_per_effective_tb_month",
        "Cost of an effective terabyte a month", "USD/TBe/month",
        formula="cost over the horizon / (effective TB x months)", source=SNIA, note="; ".join(notes),
        missing="effective capacity is not known (an inventory states it)",
    )  # fmt: skip
    yield _over(
        usd, usable and usable * case.years, "usd_per_usable_gb_year", "Cost of a usable gigabyte a year",
        "USD/GB/year", formula="cost over the horizon / (usable GB x years)", missing=_NO_CAPACITY,
    )  # fmt: skip
    yield _over(
        usd, work.requests / work.duration_s, "usd_per_iops", "Cost of a request a second", "USD/IOPS",
        formula="cost over the horizon / (requests / s of the work)", missing=_NO_REQUESTS,
        note="the mean rate of this work; the system may be able to do more",
    )  # fmt: skip
    yield _over(
        usd, work.requests * case.repeats / 1e6, "usd_per_million_requests", "Cost of a million requests",
        "USD/million", formula="cost over the horizon / requests of the horizon", missing=_NO_REQUESTS,
    )  # fmt: skip
    yield _over(
        usd, work.bytes_moved * case.repeats / 1e12, "usd_per_tb_moved",
        "Cost of a terabyte read or written by hosts", "USD/TB",
        formula="cost over the horizon / bytes that hosts read and wrote in it", missing=_NO_BYTES,
    )  # fmt: skip


def _endurance(case: CostCase) -> CostRatio:
    """Price of the SSDs over their rated endurance."""
    ssds = [drive for drive in case.system.drives if drive.kind == "ssd"]
    limits = [limit(drive, case.book, "bytes_written", "wear.ssd_tbw", TB) for drive in ssds]
    known = [most.value / TB for most in limits if most is not None]
    prices = [case.price_of(drive) for drive in ssds] if len(known) == len(ssds) else []
    missing = ""
    if not ssds:
        missing = "the system has no SSD"
    elif not prices:
        missing = f"no TBW is known for {ssds[limits.index(None)].name}"
    elif not all(price.known for price in prices):
        missing = "an SSD has no price"
    return _over(
        sum(price.usd for price in prices), None if missing else sum(known), "usd_per_tbw",
        "Price of a terabyte of endurance", "USD/TBW",
        formula="price of the SSDs / bytes that hosts may write to them",
        source="" if missing else "ratings, by wear.limits", missing=missing,
    )  # fmt: skip


def _energy(case: CostCase) -> Iterator[CostRatio]:
    """Electricity of the facility per usable terabyte, and of the system per gigabyte moved."""
    usable, work = case.system.usable_gb, case.system.work
    yield _over(
        carbon.facility_kwh(case) / case.years, usable and usable / GB_PER_TB, "kwh_per_tb_year",
        "Electricity of a usable terabyte a year, the facility's", "kWh/TB/year",
        formula="joules x PUE / (usable TB x years)", missing=_NO_CAPACITY,
    )  # fmt: skip
    yield _over(
        work.load.total_j, work.bytes_moved / 1e9, "j_per_gb_moved",
        "Energy of a gigabyte read or written by hosts, the system's", "J/GB",
        formula="joules of the work / bytes of hosts", missing=_NO_BYTES,
    )  # fmt: skip


def _carbon(case: CostCase, costs: Costs) -> CostRatio:
    usable = case.system.usable_gb
    drives = (
        "embodied carbon covers drives only" if case.system.drives else "the drives are not known: without"
    )
    return _over(
        costs.operational_kg + costs.embodied_kg, usable and usable / GB_PER_TB * case.years,
        "kg_per_tb_year", "Carbon of a usable terabyte a year", "kg CO2e/TB/year",
        formula="(operational + embodied kg) / (usable TB x years)", missing=_NO_CAPACITY, note=drives,
        source=f"embodied: estimate {case.book.word('carbon.estimate')!r}",
    )  # fmt: skip
