"""From which length of a rest on a spin-down pays, in joules and in dollars, and what a system has saved."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import iowatt
from cost_systems import book, case, hdd, ssd, system
from iowatt.base.errors import InputError
from iowatt.lenses.cost.pricing.case import Horizon
from iowatt.lenses.cost.result.costs import BreakEven, SpinDown
from iowatt.lenses.cost.spin_down import break_even, spin_downs
from iowatt.lenses.cost.systems.low_power_state import LowPowerState, states_of_library, states_of_plan
from iowatt.lenses.cost.systems.of_run import observe
from iowatt.lenses.cost.year.year import drives_over
from iowatt.run.bundle import Run

#: Seagate ES.2 2 TB: 6.98 W idle, 1.47 W stopped, 13.5 s at the peak of 23.5 W; the stop is left out.
ES2 = LowPowerState("standby", 6.98, 1.47, 0.0, 0.0, 13.5, 13.5 * 23.5, stopped=True)
#: IBM 36ZX: 22.3 W idle, 12.72 W stopped, 26 s at 34.8 W.
ZX = LowPowerState("standby", 22.3, 12.72, 0.0, 0.0, 26.0, 26.0 * 34.8, stopped=True)
#: 5.5 W less, free ways: what the wear alone takes.
PLAIN = LowPowerState("standby", 7.0, 1.5, 0.0, 0.0, 0.0, 0.0, stopped=True)
HOUR = 3600.0


def at(level: LowPowerState, limit: float, **more: Any) -> BreakEven:
    asked: dict[str, Any] = {"price_usd": 100.0, "usd_per_kwh": 0.15, "pue": 1.54} | more
    found = break_even(level, limits={"start_stop_cycles": (limit, "a test")}, **asked)
    assert found is not None
    return found


def test_in_joules_two_drives_of_the_field_repay_within_a_minute() -> None:
    """(13.5 x 23.5 - 1.47 x 13.5) / 5.51 = 53.98 s; 26 x (34.8 - 12.72) / 9.58 = 59.92 s."""
    assert ES2.break_even_s == pytest.approx(53.98, abs=0.005)
    assert ZX.break_even_s == pytest.approx(59.92, abs=0.005)


@pytest.mark.parametrize(
    ("limit", "hours", "times"), [(10_000, 7.87, 525.0), (50_000, 1.574, 105.0), (300_000, 0.2623, 17.5)]
)
def test_in_dollars_a_cycle_takes_hours(limit: float, hours: float, times: float) -> None:
    """100 / limit USD at 5.5 W x 1.54 x 0.15 USD/kWh = 3.529e-7 USD/s."""
    found = at(PLAIN, limit)
    assert found.dollars_s == pytest.approx(hours * HOUR, rel=1e-3)
    assert found.by == "start_stop_cycles"
    (one,) = at(replace(PLAIN, leave_s=54.0, leave_j=54.0 * 7.0), limit).wear
    assert one.times_energy == pytest.approx(times, rel=2e-3)
    assert one.usd_per_cycle == 100 / limit


def test_dollars_are_joules_and_wear_together() -> None:
    found = at(ES2, 50_000)
    (one,) = found.wear
    assert one.seconds is not None
    assert found.dollars_s == pytest.approx(found.energy_s + one.seconds)
    # Resting so long saves exactly what the cycle wears.
    saved_j = ES2.saved_w * found.dollars_s - (13.5 * 23.5 - 1.47 * 13.5)
    assert saved_j / 3.6e6 * 0.15 * 1.54 == pytest.approx(100 / 50_000)


def test_the_tighter_of_two_limits_counts_and_unloading_alone_stops_nothing() -> None:
    limits = {"start_stop_cycles": (10_000.0, "x"), "load_unload_cycles": (300_000.0, "y")}
    stopped = break_even(PLAIN, price_usd=100, limits=limits, usd_per_kwh=0.15)
    unloaded = break_even(replace(PLAIN, stopped=False), price_usd=100, limits=limits, usd_per_kwh=0.15)
    assert stopped is not None
    assert unloaded is not None
    assert stopped.by == "start_stop_cycles"
    assert [one.rating for one in stopped.wear] == ["start_stop_cycles", "load_unload_cycles"]
    assert unloaded.by == "load_unload_cycles"
    assert stopped.dollars_s == pytest.approx(30 * (unloaded.dollars_s or 0.0))


def test_what_saves_nothing_never_pays() -> None:
    assert break_even(replace(PLAIN, watts=7.0), price_usd=1, limits={}, usd_per_kwh=1) is None
    free = at(PLAIN, 10_000, usd_per_kwh=0.0)
    assert (free.energy_s, free.dollars_s) == (0.0, None)
    assert free.wear[0].seconds is None
    unlimited = break_even(ES2, price_usd=1, limits={}, usd_per_kwh=1)
    assert unlimited is not None
    assert (unlimited.dollars_s, unlimited.by) == (unlimited.energy_s, None)


@given(
    limit=st.floats(1e3, 1e6), usd=st.floats(0.01, 1e4), price=st.floats(1e-3, 10), pue=st.floats(1, 3),
    factor=st.floats(1.01, 100),
)  # fmt: skip
def test_dearer_drives_wait_longer_and_dearer_energy_less(
    limit: float, usd: float, price: float, pue: float, factor: float
) -> None:
    one = at(ES2, limit, price_usd=usd, usd_per_kwh=price, pue=pue).dollars_s or 0.0
    assert one >= (ES2.break_even_s or 0.0)
    assert (at(ES2, limit, price_usd=usd * factor, usd_per_kwh=price, pue=pue).dollars_s or 0.0) >= one
    assert (at(ES2, limit, price_usd=usd, usd_per_kwh=price * factor, pue=pue).dollars_s or 0.0) <= one


def test_the_library_s_levels_or_the_most_that_they_can_be() -> None:
    (zx,) = states_of_library("arrays2002-disk")
    assert zx.break_even_s == pytest.approx(59.9, abs=0.05)
    assert zx.at_most == ""
    (es2,) = states_of_library("seagate-constellation-es2-sas-2tb")
    # 20 s of stopping at idle's watts on top of 53.9 s.
    assert es2.break_even_s == pytest.approx(20.0 + 13.5 * (23.47 - 1.47) / 5.51)
    assert "peak" in es2.at_most
    names = [state.name for state in states_of_library("seagate-powerchoice-2010")]
    assert names == ["idle_b", "idle_c", "standby"]
    assert states_of_library("intel-320-300gb") == ()
    with pytest.raises(InputError):
        states_of_library("no-such-drive")


@pytest.mark.parametrize("plan", [{}, {"names": {"pools": ["x"]}}, {"names": {"pools": []}}, {"names": 1}])
def test_a_plan_without_levels_has_none(plan: Any) -> None:
    assert states_of_plan(plan, "x") == ()


# ---- systems

SCENARIO = """
name = "rests"
[[workload]]
name = "bursts"
trace = {{ path = "bursts.csv", format = "csv", time_unit = "s" }}
[[array.pool]]
name = "disks"
device = "arrays2002-disk"
count = 2
raid = {{ level = 0, stripe_unit = "64KiB" }}
power = {power}
[observe]
duration = "30min"
"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """A read of both disks every five minutes for half an hour."""
    folder: Path = tmp_path_factory.mktemp("rests")
    rows = ["time,op,offset,size", *(f"{300 * n},R,{n * 1_048_576},131072" for n in range(6))]
    (folder / "bursts.csv").write_text("\n".join(rows) + "\n")
    found = {}
    for name in ("never", "oracle-energy"):
        (folder / f"{name}.toml").write_text(SCENARIO.format(power=f'{{ policy = "{name}" }}'))
        found[name] = iowatt.run(folder / f"{name}.toml")
    return found


def _priced(run: Run, *sets: str) -> list[SpinDown]:
    of = observe(run)
    drives = tuple(replace(one, price=(100.0, None, "a test")) for one in of.drives)
    made = book("cooling.pue=1.54", *sets)
    return spin_downs(case(replace(of, drives=drives), made, Horizon("work", 10.0)), 0.15)


def test_what_was_saved_is_what_the_ledgers_differ_by(runs: dict[str, Run]) -> None:
    """An oracle delays nothing, so that the same requests keep the drives busy for the same time."""
    joules = {name: run.summary["energy"]["total_j"] for name, run in runs.items()}
    (row,) = _priced(runs["oracle-energy"])
    assert row.saved_j == pytest.approx(joules["never"] - joules["oracle-energy"], rel=1e-9)
    assert row.saved_j > 0
    assert (row.pool, row.model, row.drives) == ("disks", "arrays2002-disk", 2)
    assert row.stops >= 10
    assert 0.5 < row.low_share < 1


def test_its_money_is_the_energy_s_less_the_wear_of_its_cycles(runs: dict[str, Run]) -> None:
    (row,) = _priced(runs["oracle-energy"], "wear.start_stop_cycles=10000")
    assert row.saved_usd == pytest.approx(row.saved_j / 3.6e6 * 0.15 * 1.54)
    assert row.wear_usd == pytest.approx(100.0 * row.stops / 10_000)
    assert row.net_usd == pytest.approx(row.saved_usd - row.wear_usd)
    assert row.net_usd < 0
    assert row.horizon.net_usd == pytest.approx(10 * row.net_usd)
    (level,) = row.break_even
    assert (level.level, level.by) == ("standby", "start_stop_cycles")
    assert (row.energy_s, row.dollars_s) == (level.energy_s, level.dollars_s)
    assert level.dollars_s > level.energy_s == pytest.approx(59.92, abs=0.01)
    starts = row.budget[0]
    assert starts.per_day == pytest.approx(10_000 / 1825)
    assert starts.used_per_day == pytest.approx(row.stops / 2 * 48)
    assert row.life_years == pytest.approx(10_000 / starts.used_per_day / 365)
    assert "wear.charge" not in row.note


def test_a_disk_that_never_stopped_is_told_from_when_on_it_would_pay(runs: dict[str, Run]) -> None:
    (row,) = _priced(runs["never"])
    assert (row.stops, row.saved_j, row.wear_usd, row.net_usd) == (0, 0.0, 0.0, 0.0)
    assert row.life_years is None
    assert row.break_even[0].energy_s > 0
    assert "wear.charge" in row.note


def test_a_disk_of_the_library_whose_work_knew_no_levels_has_those_of_the_library() -> None:
    of = system("x", hdd(model="own", based_on="seagate-constellation-es2-sas-2tb"), ssd())
    (row,) = spin_downs(case(of, book(), Horizon("time", 1.0)), 0.2)
    assert row.pool == "hdd"
    assert row.saved_j is row.saved_usd is row.net_usd is row.low_share is None
    assert row.horizon.net_usd is None
    assert "peak" in row.note
    assert row.wear_usd == pytest.approx(160 * 2 / 50_000)


def test_drives_without_levels_have_no_row() -> None:
    of = system("x", hdd(), ssd())
    assert spin_downs(case(of, book(), Horizon("time", 1.0)), 0.2) == []


def test_an_ssd_in_a_low_power_state_saves_and_wears_nothing() -> None:
    low = LowPowerState("ps3", 5.0, 1.0, 0.01, 0.05, 0.01, 0.05, stopped=False)
    drive = replace(
        ssd(),
        low_power_states=(low,),
        counts=replace(ssd().counts, low_s=300.0, saved_j=1200.0, load_unloads=4),
    )
    (row,) = spin_downs(case(system("x", drive), book("cooling.pue=1"), Horizon("work", 2.0)), 0.2)
    assert row.wear_usd == 0.0
    assert row.net_usd == pytest.approx(1200 / 3.6e6 * 0.2)
    assert row.low_share == 0.5
    assert (row.break_even[0].by, row.budget, row.life_years) == (None, [], None)


def test_a_year_saves_what_its_runs_save_each_for_its_seconds(runs: dict[str, Run]) -> None:
    """A third of 900 s as the disks that never stop, the rest as those that do."""
    of = [observe(runs[name]) for name in ("never", "oracle-energy")]
    year = drives_over(of, np.array([300.0, 600.0]))
    for drive, (_, stopping) in zip(year, zip(*(one.drives for one in of), strict=True), strict=True):
        assert stopping.counts.saved_j is not None
        assert drive.counts.saved_j == pytest.approx(stopping.counts.saved_j * 600 / 1800)
        assert drive.counts.low_s == pytest.approx((stopping.counts.low_s or 0.0) / 3)


def test_saved_joules_repeat_with_the_work() -> None:
    counts = replace(hdd().counts, low_s=10.0, saved_j=-3.0).scaled(4.0)
    assert (counts.low_s, counts.saved_j) == (40.0, -12.0)
    assert math.isclose(counts.start_stops, 8)
