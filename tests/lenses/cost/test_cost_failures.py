"""Failures that starts of disks cause, by hand: 105,120 starts a year, against a fleet of 4.72."""

from __future__ import annotations

import pytest

from cost_systems import NOTHING, book, hdd, priced, ssd, system
from iowatt.lenses.cost.pricing.case import Horizon

#: Two stops in 600 s, as `hdd` has them, over 365 days.
STARTS = 2 * 365 * 86_400 / 600
RATE = "failures.afr.hdd=0.01"


def failures(*sets, drive=None):
    costs = priced(system("made", drive or hdd()), book(*NOTHING, RATE, *sets), Horizon("time", 3.0))
    (found,) = costs.of("failures")
    return found


def test_starts_add_nothing_unless_asked_for():
    assert failures().quantity == pytest.approx(0.03)
    assert failures().usd == pytest.approx(0.03 * 50)


@pytest.mark.parametrize(("how", "each"), [("stated", 4.1e-7), ("rated", 1 / 50_000)])
def test_starts_beyond_the_fleets_cost_failures(how, each):
    found = failures(f"failures.starts={how}")
    assert found.quantity == pytest.approx(3 * (0.01 + each * (STARTS - 4.72)))
    # Three years are within the warranty: labour alone.
    assert found.usd == pytest.approx(found.quantity * 50)
    assert {"failures.starts", "failures.starts_in_fleet"} < set(found.rests_on)
    assert "by its starts" in found.note


def test_beyond_the_warranty_a_failure_costs_the_drive_too():
    found = failures(
        "failures.starts=stated", "failures.warranty=1", "wear.charge=none", "failures.per_start=1e-6"
    )
    rate = 0.01 + 1e-6 * (STARTS - 4.72)
    assert found.usd == pytest.approx(rate * (3 * 50 + 2 * 160))


def test_a_drive_that_starts_as_the_fleet_does_fails_as_it():
    seldom = hdd(counts={"start_stops": 4.72 * 600 / (365 * 86_400)})
    assert failures("failures.starts=rated", drive=seldom).quantity == pytest.approx(0.03)
    of_flash = priced(
        system("made", ssd()),
        book(*NOTHING, "failures.afr.ssd=0.01", "failures.starts=rated"),
        Horizon("time", 3.0),
    )
    assert of_flash.of("failures")[0].quantity == pytest.approx(0.03)
