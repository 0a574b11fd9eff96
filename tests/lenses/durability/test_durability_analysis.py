"""Probabilities of loss beside hand calculations, rebuilds scaled from what was simulated, and evidence."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

import iowatt
from iowatt.evaluate.durability import rebuilt_as
from iowatt.lenses.book import find_book
from iowatt.lenses.durability import (
    DurableSystem,
    analyse,
    expected_loss,
    loss_rates,
    rates,
    rebuild_of_run,
    scale_of,
)
from iowatt.model.scenario import check, compile_plan, load
from iowatt.pages.durability import document
from refused import refused

YEARS = 5.0
BOOK = find_book("default")
RATE = "workload.w.profile.rate_iops"
ALONE = ("durability.latent.ssd-enterprise=0", "durability.latent.hdd-enterprise=0")
RAID5 = """name = "n"
[[array.pool]]
name = "p"
device = "{device}"
count = {count}
spares = 1
raid = {{ level = {level} }}
[observe]
duration = "1s"
"""


def scenario(tmp_path, device="kingston-dc1500m-7-68tb", count=17, level=5):
    path = tmp_path / "n.toml"
    path.write_text(RAID5.format(device=device, count=count, level=level))
    return path


def system(path):
    return DurableSystem.of_plan(compile_plan(load(path, []), path.parent), str(path))


def by_hand(count, drive_bytes, afr, uber, rebuild_h):
    """Failures in the horizon, each of which meets an unreadable sector or another failure in its rebuild."""
    unreadable = -math.expm1(-(count - 1) * drive_bytes * 8 * uber)
    second = (count - 1) * afr * rebuild_h / 8760
    return -math.expm1(-count * afr * YEARS * (unreadable + second))


@pytest.mark.parametrize(
    ("device", "count", "rates", "about"),
    [
        ("kingston-dc1500m-7-68tb", 17, (0.0098, 1e-17), 0.008),
        ("hgst-ultrastar-c10k900-900gb", 140, (0.0157, 1e-16), 0.66),
    ],
)
def test_the_two_raid5_groups_are_what_a_hand_calculation_says(tmp_path, device, count, rates, about):
    afr, uber = rates
    path = scenario(tmp_path, device, count)
    found = iowatt.durability(path, rebuild="10h", assume=[*ALONE, f"durability.uber.{device}={uber}"])
    drive_bytes = compile_plan(load(path, []), tmp_path)["names"]["devices"][0]["raw_bytes"]
    expected = by_hand(count, drive_bytes, afr, uber, 10)
    assert expected == pytest.approx(about, rel=0.06)
    assert found.loss_over_horizon.value == pytest.approx(expected, rel=0.02)
    assert found.groups[0].method == "markov"
    assert found.causes[0].cause == "errors"
    assert found.drives[0].afr.value == afr


def test_another_parity_of_the_same_drives_is_in_the_result_as_that_array_says_itself(tmp_path):
    five = iowatt.durability(scenario(tmp_path), rebuild="10h")
    six = iowatt.durability(scenario(tmp_path, level=6), rebuild="10h")
    change = next(one for one in five.changes if one.survives_more == 1)
    assert change.loss_over_horizon == pytest.approx(six.loss_over_horizon.value, rel=1e-6)
    assert change.user_gb == pytest.approx(six.user_gb, rel=1e-3)
    assert change.better == pytest.approx(
        five.loss_over_horizon.value / six.loss_over_horizon.value, rel=1e-6
    )
    assert change.better > 1000


def test_less_is_lost_the_sooner_drives_are_rebuilt_and_scrubbed(tmp_path):
    path = scenario(tmp_path)
    slow, fast = (iowatt.durability(path, rebuild=time).loss_per_year.value for time in ("40h", "4h"))
    never, often = (
        iowatt.durability(path, rebuild="4h", assume=[f"durability.scrub_days={days}"]).loss_per_year.value
        for days in (60, 1)
    )
    assert slow > fast > often
    assert never > fast


def test_the_field_rate_holds_unless_the_rated_one_is_asked_for(tmp_path):
    path = scenario(tmp_path, "seagate-exos-x24-24tb")
    field = iowatt.durability(path, rebuild="10h")
    rated = iowatt.durability(path, rebuild="10h", assume=["durability.afr=rated"])
    assert (field.drives[0].afr.basis, field.drives[0].afr.value) == ("field", 0.0157)
    assert (rated.drives[0].afr.basis, rated.drives[0].afr.value) == ("rated", pytest.approx(0.0035))
    assert field.drives[0].uber.basis == "rated"
    assert "field-rate" in {note.code for note in field.notes}
    assert {"failures.afr.hdd", "durability.scrub_days"} <= {one.key for one in field.assumptions}


def test_a_rebuild_of_a_run_is_scaled_to_the_whole_drive():
    row = {
        "pool": "p", "drive": "p.0", "spare": "p.8", "failed_s": 10.0, "started_s": 20.0,
        "finished_s": None, "rebuilt_bytes": 10**9, "fraction": 0.01,
    }  # fmt: skip
    run = SimpleNamespace(summary={"window": {"end_s": 30.0}, "rebuilds": [row]})
    (time,) = rebuild_of_run(run).values()
    assert (time.seconds, time.bytes_per_s, time.simulated_share) == (1000.0, 1e8, 0.01)
    done = {**row, "finished_s": 520.0, "fraction": 1.0, "rebuilt_bytes": 10**11}
    (time,) = rebuild_of_run(
        SimpleNamespace(summary={"window": {"end_s": 600.0}, "rebuilds": [done]})
    ).values()
    assert (time.seconds, time.simulated_share) == (500.0, 1.0)


LOADED = """name = "n"
[[workload]]
name = "w"
profile = { name = "uniform", rate_iops = 100, duration = "10s" }
[[array.pool]]
name = "p"
device = { name = "arrays2002-disk", capacity = "1GB" }
count = 5
raid = { level = 5 }
rebuild = { outstanding = 4 }
"""


def test_the_rebuild_is_simulated_under_the_load_of_a_scenario_and_of_its_run(tmp_path):
    path = tmp_path / "loaded.toml"
    path.write_text(LOADED)
    found = iowatt.durability(path)
    (time,) = found.rebuilds
    assert time.basis == "simulated"
    assert 0 < time.simulated_share <= 1
    assert time.seconds == pytest.approx(1e9 / time.bytes_per_s, rel=0.01)
    run = iowatt.run(path, output=tmp_path / "run")
    of_run = iowatt.durability(tmp_path / "run")
    assert of_run.rebuilds == found.rebuilds
    failed = iowatt.run(path, set=["array.pool.p.failure=[{drive=1, at='0s'}]", "array.pool.p.spares=1"])
    assert iowatt.durability(failed).rebuilds[0].basis == "run"
    # The stated rate, where it is asked for, is that of idle time.
    stated = iowatt.durability(run, rebuild="stated").rebuilds[0]
    assert stated.basis == "stated"
    assert stated.bytes_per_s < 100e6
    assert "rebuild-stated" in {note.code for note in iowatt.durability(run, rebuild="stated").notes}


def test_the_first_failure_without_redundancy_loses_data(tmp_path):
    found = iowatt.durability(
        scenario(tmp_path, count=4, level=0).with_name("n.toml"), set=["array.pool.p.spares=0"]
    )
    assert found.loss_over_horizon.value == pytest.approx(-math.expm1(-4 * 0.0098 * 5), rel=1e-3)
    assert "no-redundancy" in {note.code for note in found.notes}


@pytest.mark.parametrize("assume", [[], ["durability.scrub_days=0"]], ids=["chain", "trials"])
def test_the_verdict_its_table_and_tables_of_many_systems_have_one_figure(tmp_path, assume):
    found_in, book = system(scenario(tmp_path)), find_book("default", assume)
    whole = analyse(found_in, book, years=YEARS)
    brief = expected_loss(found_in, book, YEARS, hours=True)
    now = whole.changes[0]
    assert (now.loss_over_horizon, now.low, now.high) == tuple(whole.loss_over_horizon.model_dump().values())
    assert brief.loss_per_year == now.loss_per_year == whole.loss_per_year.value
    assert brief.loss_over_horizon == now.loss_over_horizon
    assert brief.bytes_lost_per_year == now.bytes_lost_per_year == whole.bytes_lost_per_year
    assert brief.unavailable_hours_per_year == whole.unavailable_hours_per_year
    assert whole.nomdl == pytest.approx(whole.bytes_lost_per_year * YEARS / (whole.user_gb * 1e9))
    assert document(whole).verdict
    # What trials cannot tell from the system as it is is called neither better nor worse.
    unclear = {one.change for one in whole.changes if one.better is None}
    assert unclear == ({"rebuilds in half the time", "one more spare", now.change} if assume else set())


def test_a_cluster_has_one_figure_too_and_prices_start_from_it():
    path = Path(__file__).parents[3] / "examples" / "ceph-cluster.toml"
    durable = system(path)
    whole = analyse(durable, BOOK, years=YEARS)
    assert expected_loss(durable, BOOK, YEARS).loss_over_horizon == whole.loss_over_horizon.value
    scaled = replace(durable, scale=scale_of(durable, BOOK.changed({}), YEARS, hours=True))
    rates = loss_rates(scaled, BOOK.changed({}))
    assert -math.expm1(-rates.events * YEARS) == pytest.approx(whole.loss_over_horizon.value)
    assert rates.bytes_lost == pytest.approx(whole.bytes_lost_per_year)
    assert rates.unavailable_hours == pytest.approx(whole.unavailable_hours_per_year)
    # Copies on other servers: two of them must be down at once, so that hours grow with the square.
    often = BOOK.changed({"durability.failures.node": 2 * BOOK.peek("durability.failures.node")})
    longer = analyse(durable, often, years=YEARS).unavailable_hours_per_year
    assert loss_rates(scaled, often).unavailable_hours == pytest.approx(longer, rel=0.02)


@pytest.mark.parametrize(
    ("name", "more", "key", "rebuild"),
    [
        ("ceph-cluster", 1, "cluster.ceph.pool.nvme.redundancy.copies=4", "stated"),
        ("ceph-cluster", -1, "cluster.ceph.pool.nvme.redundancy.copies=2", "stated"),
        ("ec-cluster", 1, "cluster.ceph.pool.hdd.redundancy.parity=3", "simulated"),
    ],
)
def test_another_copy_or_parity_of_a_cluster_is_what_setting_it_gives(name, more, key, rebuild):
    path = Path(__file__).parents[3] / "examples" / f"{name}.toml"
    whole = iowatt.durability(path, rebuild=rebuild)
    row = next(one for one in whole.changes if one.survives_more == more)
    other = DurableSystem.of_plan(compile_plan(load(path, [key]), path.parent), str(path), base=path.parent)
    other = rebuilt_as(other, rebuild)
    found = expected_loss(other, BOOK, YEARS, hours=True)
    assert found.rebuilds[0].basis == rebuild
    assert (row.loss_over_horizon, row.loss_per_year, row.bytes_lost_per_year) == pytest.approx(
        (found.loss_over_horizon, found.loss_per_year, found.bytes_lost_per_year), rel=1e-9
    )
    assert row.user_gb == whole.user_gb, "the same data"
    assert row.usable_gb == pytest.approx(check(path, [key]).usable_bytes / 1e9)
    assert whole.groups[0].delay_s == 600.0
    at_once = next(one for one in whole.changes if one.change == "recovery at once")
    assert at_once.loss_over_horizon < whole.loss_over_horizon.value


def test_a_slow_rebuild_is_offered_larger_steps_as_setting_them_gives(tmp_path):
    path = tmp_path / "slow.toml"
    text = LOADED.replace('{ name = "arrays2002-disk", capacity = "1GB" }', '"seagate-exos-x24-24tb"')
    path.write_text(text.replace("rebuild = { outstanding = 4 }\n", ""))
    slow = iowatt.durability(path, rebuild_window="2s")
    row = next(one for one in slow.changes if "4 MiB" in one.change.replace("\u00a0", " "))
    keys = ["array.pool.p.rebuild.outstanding=8", "array.pool.p.rebuild.step=4MiB"]
    set_so = iowatt.durability(path, rebuild_window="2s", set=keys)
    assert set_so.rebuilds[0].seconds < slow.rebuilds[0].seconds / 2
    assert row.loss_over_horizon == set_so.loss_over_horizon.value
    assert not [one for one in set_so.changes if one.change == row.change], "it has them already"
    assert row.change not in {one.change for one in iowatt.durability(path, rebuild="10d").changes}


def test_another_spare_is_another_drive(tmp_path):
    found = iowatt.durability(scenario(tmp_path, level=6), rebuild="10h")
    assert {one.change: one.drives_more for one in found.changes}["one more spare"] == 1


def test_a_figure_that_no_loss_rests_on_does_not_ask_the_engine_again(tmp_path, monkeypatch):
    durable = system(scenario(tmp_path))
    scaled = replace(durable, scale=scale_of(durable, BOOK.changed({}), YEARS, hours=False))
    asked = []
    rough = rates.rough_loss
    monkeypatch.setattr(rates, "rough_loss", lambda *given: asked.append(1) or rough(*given))
    first, dearer = BOOK.changed({}), BOOK.changed({"energy.factor": 2.0})
    assert loss_rates(scaled, first) == loss_rates(scaled, dearer)
    assert len(asked) == 1
    assert dearer.used == first.used
    often = BOOK.changed({"failures.afr.ssd": 2 * BOOK.peek("failures.afr.ssd")})
    assert loss_rates(scaled, often).events > 1.9 * loss_rates(scaled, first).events
    assert len(asked) == 2


def test_bytes_are_told_by_what_loses_them(tmp_path):
    found = iowatt.durability(scenario(tmp_path), rebuild="2h")
    by = {one.cause: one for one in found.causes}
    assert found.causes[0].cause == "errors"
    assert by["drives"].bytes_lost_per_year > 1e3 * by["errors"].bytes_lost_per_year
    assert sum(one.bytes_lost_per_year for one in found.causes) == pytest.approx(found.bytes_lost_per_year)
    lost = by["drives"].loss_over_horizon * found.user_gb * 1e9 / YEARS
    assert by["drives"].bytes_lost_per_year == pytest.approx(lost, rel=0.02)


def test_a_system_that_cannot_keep_up_says_so_and_is_offered_no_faster_rebuild(tmp_path):
    path = tmp_path / "loaded.toml"
    path.write_text(LOADED.replace("rate_iops = 100", "rate_iops = 5000"))
    found = iowatt.durability(path, rebuild_window="2s")
    assert found.overload
    assert "rebuilds in half the time" not in {one.change for one in found.changes}
    assert not iowatt.durability(path, rebuild_window="2s", set=[f"{RATE}=100"]).overload
    # A closed loop never falls behind, but starves a rebuild that lets it go first.
    starved = ["workload.w.replay={ mode = 'closed', outstanding = 64 }"]
    assert iowatt.durability(path, rebuild_window="2s", set=starved).overload


def test_the_rebuilds_of_a_failed_server_are_not_those_of_one_drive():
    rows = [
        {
            "pool": "p", "drive": f"p.{number}", "spare": None, "failed_s": 1.0, "started_s": 1.0,
            "finished_s": None, "rebuilt_bytes": 10**9, "fraction": 0.01,
        }
        for number in range(2)
    ]  # fmt: skip
    run = SimpleNamespace(summary={"window": {"end_s": 30.0}, "rebuilds": rows})
    assert rebuild_of_run(run) == {}


def test_what_cannot_be_assessed_is_refused(tmp_path):
    path = scenario(tmp_path)
    with refused("out-of-range", "years"):
        iowatt.durability(path, years=0)
    with refused("out-of-range", "rebuild"):
        iowatt.durability(path, rebuild=0)
    with refused("not-accepted", "solver"):
        iowatt.durability(path, rebuild="1h", solver="guess")
    with refused("out-of-range", "dollars2014: failures.afr.ssd"):
        iowatt.durability(path, rebuild="1h", preset="dollars2014")
