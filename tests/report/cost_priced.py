"""Two small systems priced in earnest, by several tariffs and books."""

from __future__ import annotations

from cost_systems import START, book, hdd, ssd, system
from iowatt.lenses.cost.analysis import analyse
from iowatt.lenses.cost.pricing.case import Horizon
from iowatt.tariffs.find import find_tariff

FIVE_YEARS = Horizon("time", 5.0)
PRICED_BY_CLASS = {"price": None}
SYSTEMS = (
    system("hybrid", ssd(**PRICED_BY_CLASS), hdd(**PRICED_BY_CLASS), watts=8.0, seconds=700.0),
    system("own prices", ssd(), hdd(name="hdd.1"), watts=11.0, seconds=431.0),
)
#: Everything that costs nothing by default costs something here, so that a component asks for it.
DEAR = (
    "purchase.other=10", "service.once=5", "service.per_year=7", "disposal.per_drive=3",
    "disposal.residual=0.1", "carbon.price=50", "wear.price_decline=0.05", "wear.reads=0.01",
)  # fmt: skip
CASES = {
    "flat": ("flat:0.15", "default", DEAR),
    "demand": ("flat:0.15,12", "default", DEAR),
    "depreciation": ("flat:0.15", "default", (*DEAR, "wear.charge=depreciation")),
    "starts": ("flat:0.15", "default", (*DEAR, "failures.starts=stated")),
    "paper": ("flat:0.15,12", "dollars2014", ("cooling.pue=1.2", "wear.amplification_rated=2")),
    "tiers": ("lipa-180-2011", "default", DEAR),
}


#: An SSD that is only read, and hard.
READING = system("reading", ssd(counts={"bytes_read": 5e12, "bytes_written": 0.0}), seconds=3600.0)


def priced(tariff, preset, sets, horizon=FIVE_YEARS, systems=SYSTEMS):
    """The document ``iowatt.cost/1`` of ``systems``."""
    subjects = systems
    return analyse(subjects, find_tariff(tariff), book(*sets, preset=preset), horizon, START)
