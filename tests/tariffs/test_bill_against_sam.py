"""Bills against the System Advisor Model: the same tariffs, the same loads, the year 2018."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from made_tariffs import ALWAYS, BY_DAY, SUMMER, billed, by_time, hourly, tariff
from sam_oracle import sam_bill

from iowatt.tariffs.find import find_tariff
from iowatt.tariffs.structure import Tariff, TariffTier, TimeOfUse

YEAR_H = 8760
CLOSE = 1e-3
_FREE = TimeOfUse(((TariffTier(0.0),),), ((0,) * 24,) * 12, ((0,) * 24,) * 12)


def loads() -> dict[str, tuple[np.ndarray, float]]:
    """kW at equal steps, and the step in s; none feeds back."""
    hours = np.arange(YEAR_H)
    noise = np.random.default_rng(8)
    quarters = np.arange(4 * YEAR_H)
    return {
        "flat": (np.full(YEAR_H, 200.0), 3600.0),
        "by-day": (150 + 90 * np.sin(2 * np.pi * (hours % 24 - 8) / 24) + 0.01 * hours, 3600.0),
        "random": (noise.uniform(0, 400, YEAR_H), 3600.0),
        "quarters": (180 + 120 * np.sin(quarters / 37.0) + noise.uniform(0, 60, 4 * YEAR_H), 900.0),
    }


MADE: dict[str, Tariff] = {
    "tiers": tariff(
        energyratestructure=[[{"max": 50_000, "rate": 0.12}, {"max": 90_000, "rate": 0.1}, {"rate": 0.2}]]
    ),
    "tiers-by-time": tariff(
        **by_time(
            "energy",
            BY_DAY,
            ALWAYS,
            [{"max": 40_000, "rate": 0.1}, {"rate": 0.15}],
            [{"max": 40_000, "rate": 0.2, "adj": 0.01}, {"rate": 0.4}],
        ),
    ),
    "kwh-daily": tariff(
        energyratestructure=[
            [{"max": 1500, "rate": 0.1, "unit": "kWh daily"}, {"rate": 0.2, "unit": "kWh daily"}]
        ]
    ),
    "kwh-per-kw": tariff(
        **by_time(
            "energy",
            SUMMER,
            SUMMER,
            [
                {"max": 200, "rate": 0.12, "unit": "kWh/kW"},
                {"max": 400, "rate": 0.09, "unit": "kWh/kW"},
                {"rate": 0.05, "unit": "kWh/kW"},
            ],
            [{"max": 300, "rate": 0.15, "unit": "kWh/kW"}, {"rate": 0.07, "unit": "kWh/kW"}],
        ),
    ),
    "kwh-per-kw-daily": tariff(
        energyratestructure=[
            [{"max": 9, "rate": 0.12, "unit": "kWh/kW daily"}, {"rate": 0.06, "unit": "kWh/kW daily"}]
        ]
    ),
    "demand": tariff(
        **by_time(
            "demand",
            BY_DAY,
            ALWAYS,
            [{"max": 100, "rate": 1.5}, {"rate": 1}],
            [{"max": 100, "rate": 9, "adj": 0.5}, {"rate": 14}],
        ),
        flatdemandstructure=[[{"max": 150, "rate": 3}, {"rate": 5}], [{"max": 150, "rate": 4}, {"rate": 7}]],
        flatdemandmonths=[0] * 5 + [1] * 4 + [0] * 3,
        fixedchargefirstmeter=120,
        fixedchargeunits="$/month",
    ),
    "look-back": tariff(flatdemandstructure=[[{"rate": 11}]], lookbackpercent=0.9, lookbackrange=11),
    "look-back-short": tariff(flatdemandstructure=[[{"rate": 11}]], lookbackpercent=0.95, lookbackrange=3),
    "minimum": tariff(
        flatdemandstructure=[[{"rate": 2}]],
        fixedchargefirstmeter=100,
        mincharge=15_500,
        minchargeunits="$/month",
    ),
    "minimum-of-a-year": tariff(fixedchargefirstmeter=100, annualmincharge=230_000),
}
LIBRARY = ("smud-ci-tod3-2025", "sdge-al-tou-2024", "south-central-ppd-lp1-2012", "lipa-285-primary-2022")


def of_months(made, *kinds):
    sums = np.zeros(12)
    for item in made.items:
        if item.kind in kinds:
            sums[int(item.month[5:]) - 1] += item.usd
    return sums


def agree(made: Tariff, load: str) -> None:
    kw, step = loads()[load]
    # SAM's peaks are those of its steps.
    made = replace(made, demand_window_s=step)
    ours = billed(made, hourly(kw, step), "2018-01-01")
    sam = sam_bill(made, kw)
    for what, theirs, kinds in (
        ("energy", sam.energy, ("energy", "sell")),
        ("demand", sam.time_of_use_demand + sam.flat_demand, ("demand",)),
        ("fixed", sam.fixed, ("fixed",)),
        ("minimum", sam.minimum, ("minimum",)),
        ("in all", sam.total, ("energy", "sell", "demand", "fixed", "minimum")),
    ):
        assert of_months(ours, *kinds) == pytest.approx(theirs, rel=CLOSE, abs=0.01), what
    assert ours.usd == pytest.approx(sam.total.sum(), rel=CLOSE)


@pytest.mark.parametrize("load", loads())
@pytest.mark.parametrize("name", MADE)
def test_months_agree(name, load):
    agree(MADE[name], load)


@pytest.mark.parametrize("load", loads())
@pytest.mark.parametrize("name", LIBRARY)
def test_tariffs_of_the_library_agree(name, load):
    made = find_tariff(name)
    agree(made if made.energy else replace(made, energy=_FREE), load)


@pytest.mark.parametrize(
    "structure",
    [
        [[{"rate": 0.12, "sell": 0.03}]],
        [[{"max": 8_000, "rate": 0.1, "sell": 0.04}, {"rate": 0.2, "sell": 0.02}]],
    ],
)
def test_what_is_fed_back_agrees(structure):
    made = replace(tariff(energyratestructure=structure), demand_window_s=3600.0)
    kw = np.random.default_rng(9).uniform(-150, 300, YEAR_H)
    ours, sam = billed(made, hourly(kw), "2018-01-01"), sam_bill(made, kw)
    assert of_months(ours, "energy", "sell") == pytest.approx(sam.energy, rel=CLOSE)
    assert ours.of("sell") < 0
