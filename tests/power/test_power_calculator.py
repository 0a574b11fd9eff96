"""The calculator against sums made by hand, and everything impossible with place and fix."""

from __future__ import annotations

import json
import re

import pytest
from arrays import ARRAY, HEAD, POOL

from iowatt.base.errors import Argument
from iowatt.base.problems import DocumentError
from iowatt.model.power.plan import ArrayPlan
from iowatt.model.scenario import calculated_power, load
from iowatt.model.scenario.array_power import resolve
from iowatt.model.scenario.keys.scenario import Scenario
from refused import faults, refused


@pytest.fixture
def calculated(tmp_path):
    def calculate(text=ARRAY, *overrides):
        path = tmp_path / "made.toml"
        path.write_text(text)
        return calculated_power(path, overrides)

    return calculate


@pytest.fixture
def refusal(calculated):
    def refusal(text=ARRAY, *overrides):
        with pytest.raises(DocumentError) as caught:
            calculated(text, *overrides)
        assert caught.value.exit_code == 2
        return caught.value

    return refusal


def wall(found, mode="normal", how="idle"):
    return found.modes[mode][how].wall_w


def test_a_sum_by_hand(calculated):
    found = calculated()
    # Head: 2 x 60 W; two shelves of four drives of 10 W and a fan of 16 W at half speed. All over 0.8.
    assert wall(found) == pytest.approx((120 + 2 * (40 + 2)) / 0.8)
    assert wall(found, how="active") == pytest.approx((200 + 2 * (64 + 2)) / 0.8)
    # In failover the fans go to full speed; the efficiency is the same at all loads.
    assert wall(found, "failover", "active") == pytest.approx((200 + 2 * (64 + 16)) / 0.8)
    total = found.modes["normal"]["active"]
    assert total.va == pytest.approx(total.wall_w / 0.95)
    assert total.btu_per_h == pytest.approx(total.wall_w * 3.412142)
    assert total.tons == pytest.approx(total.wall_w / 3516.85, rel=1e-5)
    assert total.facility_w == pytest.approx(1.5 * total.wall_w)
    assert found.drives == 8
    assert found.raw_gb_per_w == pytest.approx(8 * 33.6 / wall(found))


def test_components_add_up_in_every_mode(calculated):
    found = calculated()
    for mode, totals in found.modes.items():
        for how, total in totals.items():
            parts = sum(component.watts[mode][how] for component in found.components)
            assert parts == pytest.approx(total.wall_w)
            losses = [c for c in found.components if c.kind == "supply loss"]
            assert sum(c.watts[mode][how] for c in losses) == pytest.approx(total.loss_w)
    names = [component.name for component in found.components]
    assert names == ["head.controller", "head.supplies", "disks", "shelf.fan", "shelf.supplies"]


def test_the_load_of_the_fullest_enclosure(calculated):
    found = calculated(ARRAY, "array.pool.disks.count=6")
    (_, shelf) = found.enclosures
    # Six drives: four in the first shelf, two in the second.
    assert (shelf.count, shelf.slots, shelf.drives) == (2, 8, 6)
    states = shelf.supply.fullest
    assert states["normal"]["idle"].output_w == pytest.approx(42)
    assert states["normal"]["idle"].load == pytest.approx(42 / 400)
    assert states["failover"]["active"].load == pytest.approx(80 / 200)
    even = calculated(ARRAY, "array.pool.disks.count=6", 'array.power.enclosure.shelf.fill="even"')
    assert even.enclosures[1].supply.fullest["normal"]["idle"].output_w == pytest.approx(32)
    assert wall(even) == pytest.approx(wall(found))


def test_more_drives_take_more_shelves(calculated):
    assert calculated(ARRAY, "array.pool.disks.count=13").enclosures[1].count == 4


def test_heat_with_the_slip(calculated):
    found = calculated(ARRAY, "array.power.btu_factor=p9500-slip")
    total = found.modes["normal"]["idle"]
    assert total.btu_per_h == pytest.approx(3.14 * total.wall_w)
    # Tons are heat, and do not slip.
    assert total.tons == pytest.approx(total.wall_w * 3.412142 / 12000)
    assert "btu-slip" in [note.code for note in found.notes if note.decides]


def test_watts_known_at_the_wall_pass_the_supplies_by(calculated):
    lump = 'part = [{ name = "all", kind = "controller", idle = "100W", basis = "wall" }]'
    found = calculated(ARRAY.replace(HEAD[HEAD.index("[[array.power.enclosure.part]]") :], lump + chr(10)))
    assert wall(found) == pytest.approx(100 + 2 * (40 + 2) / 0.8)


def test_without_supplies_there_is_no_volt_ampere(calculated):
    found = calculated(ARRAY.replace('supply = { rating = "500W", efficiency = 0.8 }', ""))
    assert wall(found) == pytest.approx(120 + 2 * (40 + 2) / 0.8)
    assert found.modes["normal"]["idle"].va is None
    assert "no-supplies" in [note.code for note in found.notes]


def test_an_ssd_or_a_drive_without_mechanics_will_do(calculated):
    pool = '[[array.pool]]\nname = "disks"\ndevice = "{}"\ncount = 4\n'
    for name, idle, operating in (
        ("intel-d7-p5500-7-68tb", 5.0, None),
        # Operating is random reads, as the manual defines it.
        ("seagate-savvio-15k3-146gb", 3.84, 7.44),
    ):
        found = calculated(ARRAY.replace(POOL, pool.format(name)))
        (disks,) = (row for row in found.components if row.name == "disks")
        assert disks.watts["normal"]["idle"] == pytest.approx(4 * idle)
        if operating is None:
            assert disks.watts["normal"]["active"] > disks.watts["normal"]["idle"]
            # Nothing spins up in it.
            assert found.spin_up.peak_w == pytest.approx(wall(found))
        else:
            assert disks.watts["normal"]["active"] == pytest.approx(4 * operating)


def test_the_plan_is_json_and_comes_back(tmp_path):
    path = tmp_path / "made.toml"
    path.write_text(ARRAY.replace("pue = 1.5", "pue = 1.5\nspin_up = { at_once = 2 }"))
    import tomllib

    scenario = Scenario.model_validate(tomllib.loads(path.read_text()))
    plan = resolve(scenario, tmp_path, simulated=False).plan
    assert plan.stagger.at_once == 2
    assert ArrayPlan.of(json.loads(json.dumps(plan.as_dict(), allow_nan=False))) == plan


def test_peak_of_the_start(calculated):
    found = calculated(ARRAY, "array.power.spin_up={ at_once = 2 }")
    # Two shelves start two drives each beside two that idle: 4 x 34.8 + 4 x 10, with fans and head idle.
    assert found.spin_up.peak_w == pytest.approx((4 * 34.8 + 4 * 10 + 2 * 2 + 120) / 0.8)
    assert found.spin_up.at_once_peak_w == pytest.approx((8 * 34.8 + 2 * 2 + 120) / 0.8)
    assert found.spin_up.duration_s == 10


# What stands for a longer path in the overrides below.
SHORT = {
    "CONTROLLER": "array.power.enclosure.head.part.controller",
    "FAN": "array.power.enclosure.shelf.part.fan",
    "SUPPLY": "array.power.enclosure.head.supply",
    "SHELF": "array.power.enclosure.shelf",
    "HEAD": "array.power.enclosure.head",
}


@pytest.mark.parametrize(
    ("overrides", "fault", "figures", "fix"),
    [
        (
            ["SHELF.count=1"],
            "out-of-range @ set=array.power.enclosure.shelf.count",
            ["8", "1", "4"],
            "count = 2",
        ),
        (["SHELF.pools=[]"], "missing @ array.power.enclosure", ["8", "'disks'"], "slots = 8"),
        (
            ['SHELF.pools=["disk"]'],
            "unknown-name @ set=array.power.enclosure.shelf.pools.0",
            ["'disk'"],
            "'disks'",
        ),
        (
            ['HEAD.pools=["disks"]'],
            "missing @ array.power.enclosure.head.slots & duplicate @ array.power.enclosure.shelf.pools.0",
            ["'head'"],
            "slots = 24",
        ),
        (['HEAD.name="disks"'], "duplicate @ set=array.power.enclosure.disks.name", [], "own"),
        (['HEAD.name="shelf"'], "duplicate @ array.power.enclosure.shelf.name", [], "own"),
        (
            ['SHELF.supply.rating="60W"'],
            "infeasible @ set=array.power.enclosure.shelf.supply.rating",
            ["'shelf'", "80.0"],
            "80 W",
        ),
        (
            ["SUPPLY.needed=3"],
            "conflict @ set=array.power.enclosure.head.supply.needed",
            ["3", "2"],
            "2",
        ),
        (
            ['SUPPLY={ rating = "1kW", count = 1, sharing = "active-standby" }'],
            "conflict @ set=array.power.enclosure.head.supply.sharing",
            [],
            '"load-sharing"',
        ),
        (['SUPPLY.peak="1W"'], "conflict @ set=array.power.enclosure.head.supply.peak", [], "give more"),
        (
            ['SUPPLY={ rating = "1kW", efficiency = "80plus" }'],
            "missing-figure @ set=array.power.enclosure.head.supply.efficiency",
            ["80", "230V"],
            "'115V' or '230V-eu'",
        ),
        (['CONTROLLER.kind="other"'], "missing @ array.power.enclosure", [], '"none"'),
        (
            ['array.power.controller="none"'],
            "conflict @ set=array.power.controller",
            [],
            '"inside"',
        ),
        (
            ["CONTROLLER.max_lff=7"],
            "out-of-range @ array.power.enclosure.head.part.controller",
            ["8", "3.5"],
            "7",
        ),
        (
            ['CONTROLLER.active="9W"'],
            "conflict @ set=array.power.enclosure.head.part.controller.active",
            ["9"],
            "check the",
        ),
        (
            ['CONTROLLER={ name = "c", kind = "controller" }'],
            "missing-figure @ set=array.power.enclosure.head.part.c.idle",
            [],
            'idle = "86W"',
        ),
        (
            ['CONTROLLER={ name = "c", kind = "controller", idle = "1W", law = "throughput" }'],
            "missing-figure @ set=array.power.enclosure.head.part.c.active",
            [],
            "active",
        ),
        (
            ['CONTROLLER={ name = "c", idle = "1W", active = "2W", law = "throughput" }'],
            "missing-figure @ set=array.power.enclosure.head.part.c.law",
            [],
            "full_iops",
        ),
        (
            ['FAN={ name = "fan", law = "speed-cubed" }'],
            "missing-figure @ set=array.power.enclosure.shelf.part.fan.active",
            [],
            "14W",
        ),
        (
            ['FAN={ name = "fan", law = "speed-cubed", active = "9W" }'],
            "missing-figure @ set=array.power.enclosure.shelf.part.fan.speed",
            [],
            "speed = 0.6",
        ),
        (
            ['FAN={ name = "supplies", idle = "1W" }'],
            "duplicate @ set=array.power.enclosure.shelf.part.supplies.name",
            [],
            "own",
        ),
        (
            ['CONTROLLER.model="stand-in"'],
            "unknown-name @ set=array.power.enclosure.head.part.controller.model",
            ["'stand-in'"],
            "stand-in",
        ),
        (
            ["array.power.spin_up={ at_once = 8 }", 'SHELF.supply.rating="81W"'],
            "infeasible @ set=array.power.spin_up.at_once",
            ["141"],
            "at_once below 8",
        ),
        (
            ['array.pool.disks.device="arrays2002-dis"'],
            "unknown-name @ set=array.pool.disks.device",
            [],
            "arrays2002-disk",
        ),
        (
            ['array.pool.disks.device="seagate-cheetah-15k7-450gb"'],
            "missing-figure @ set=array.pool.disks.device",
            [],
            'active = "..W"',
        ),
        (
            ['array.pool.disks.device="hgst-ultrastar-c10k900-900gb"', "array.power.spin_up={ at_once = 1 }"],
            "missing-figure @ set=array.power.spin_up",
            [],
            "spin_up",
        ),
    ],
)
def test_the_impossible_is_said_with_place_and_fix(refusal, overrides, fault, figures, fix):
    # The drives of arrays2002-disk have no form factor; one of 3.5 inches is needed for a limit.
    wide = ARRAY.replace('"arrays2002-disk"', '"seagate-cheetah-15k7-300gb"')
    text = wide if "max_lff" in overrides[0] else ARRAY
    for short, path in SHORT.items():
        overrides = [override.replace(short, path) for override in overrides]
    error = refusal(text, *overrides)
    assert any(problem.hint and fix in problem.hint for problem in error.problems)
    assert faults(error) == fault
    assert [figure for figure in figures if figure not in str(error)] == []


def test_a_drive_too_wide_for_its_slot(refusal):
    text = ARRAY.replace(POOL, POOL.replace("arrays2002-disk", "seagate-cheetah-15k7-300gb"))
    (problem,) = refusal(text, 'array.power.enclosure.shelf.form_factor="2.5"').problems
    assert (problem.code, problem.place.rpartition(": ")[2]) == (
        "conflict",
        "array.power.enclosure.shelf.pools.0",
    )
    assert 'form_factor = "3.5"' in problem.hint


def test_drives_without_slots(refusal):
    (problem,) = refusal(ARRAY.replace("slots = 4\n", "")).problems
    assert (problem.code, problem.place.rpartition(": ")[2]) == (
        "missing",
        "array.power.enclosure.shelf.slots",
    )


def test_a_problem_stands_at_its_line(refusal, tmp_path):
    text = ARRAY.replace('rating = "200W"', 'rating = "60W"')
    (problem,) = refusal(text).problems
    line = text[: text.index('rating = "60W"')].count("\n") + 1
    assert problem.place == f"{tmp_path / 'made.toml'}:{line}: array.power.enclosure.shelf.supply.rating"


def test_a_scenario_without_power_is_told_how(refusal):
    (problem,) = refusal(f'name = "x"\n{POOL}').problems
    assert (problem.code, problem.place.rpartition(": ")[2]) == ("missing", "array")
    assert "array-power" in problem.hint


def test_keys_are_checked_by_themselves_too(refusal):
    supply = "array.power.enclosure.head.supply.efficiency"
    for value, code in (
        ("1.2", "out-of-range"),
        ('"80plus-god"', "unknown-name"),
        ("[[0.2, 0.9]]", "missing"),
        ("true", "wrong-type"),
    ):
        (problem,) = refusal(ARRAY, f"{supply}={value}").problems
        assert (problem.code, problem.place.rpartition(": ")[2]) == (code, supply)


def test_a_run_must_know_the_processors(tmp_path):
    text = f'{ARRAY}\n[observe]\nduration = "10s"\n'.replace(
        'law = "throughput"\nfull_iops = 1000', 'law = "utilisation"'
    )
    with refused("missing-figure", re.compile(r": array\.power\.enclosure\.head\.part\.controller\.law$")):
        load(text)
    processed = text + '[array.controller]\nprocessing = { read = "1ms" }\n'
    assert load(processed).array.power is not None


def test_run_and_check_refuse_the_impossible_as_well(tmp_path):
    text = f'{ARRAY}\n[observe]\nduration = "10s"\n'
    assert load(text)
    count = "array.power.enclosure.shelf.count"
    with refused("out-of-range", Argument("set", f"{count}=1: {count}")):
        load(text, [f"{count}=1"])
