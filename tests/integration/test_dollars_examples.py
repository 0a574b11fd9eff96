"""The five systems of examples/dollars: the same work on the same devices, and what each costs."""

from __future__ import annotations

import functools
import math
from datetime import datetime
from pathlib import Path

import pytest

import iowatt
from iowatt.lenses.book import find_book
from iowatt.lenses.cost.pricing.case import Horizon
from iowatt.lenses.cost.pricing.total import pricer
from iowatt.lenses.cost.systems.of_run import observe
from iowatt.tariffs.find import find_tariff

FOLDER = Path(__file__).parents[2] / "examples" / "dollars"
SYSTEMS = ("ssd-only", "hdd-only", "linear", "tiering", "caching")


@functools.cache
def ran(name):
    return iowatt.run(FOLDER / f"{name}.toml")


def test_there_are_these_five():
    assert {file.stem for file in FOLDER.glob("*.toml")} == set(SYSTEMS)


@pytest.mark.parametrize("name", SYSTEMS)
def test_each_keeps_the_books_and_does_the_same_work(name):
    found = ran(name).summary
    assert found["name"] == name
    assert math.isclose(sum(found["energy"]["by_state_j"].values()), found["energy"]["total_j"])
    same = ran("ssd-only").summary["requests"]
    for key in ("count", "reads", "writes", "bytes_read", "bytes_written"):
        assert found["requests"][key] == same[key]


def test_the_more_the_ssd_takes_the_faster():
    rates = {name: ran(name).summary["throughput"]["iops"] for name in SYSTEMS}
    assert rates["ssd-only"] > rates["tiering"] > rates["caching"] > rates["hdd-only"]


def test_caching_buys_a_quarter_more_disk_than_tiering():
    tariff = find_tariff("flat:0.2,20")
    bought = {}
    for name in ("tiering", "caching"):
        costs = pricer(observe(ran(name)), tariff, datetime(2026, 1, 1))(
            find_book("dollars2014"), Horizon("work", 1.0)
        )
        bought[name] = {one.device: one.usd for one in costs.of("purchase")}
    assert bought["caching"]["ssd.0"] == bought["tiering"]["ssd.0"]
    assert bought["caching"]["hdd.0"] / bought["tiering"]["hdd.0"] == pytest.approx(1024 / 769)
