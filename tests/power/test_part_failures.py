"""Parts that fail, boards that do not fit, caches that boards do not hold."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from arrays import ARRAY, HEAD

import iowatt
from iowatt.base.problems import DocumentError
from iowatt.model.scenario import calculated_power
from refused import faults, problems

FRAME = Path(__file__).parents[2] / "examples" / "power" / "frame.toml"
CONTROLLER = "array.power.enclosure.head.part.controller"


@pytest.fixture
def array(tmp_path):
    path = tmp_path / "made.toml"
    path.write_text(ARRAY)
    return path


def active(found):
    return found.modes["normal"]["active"].wall_w


def test_one_controller_of_two_failed(array):
    found = calculated_power(array, [f"{CONTROLLER}.needed=1"])
    (loss,) = found.failures
    assert (loss.component, loss.count, loss.needed) == ("head.controller", 2, 1)
    # Head: one of 60 or 100 W, its supplies give out 80 %.
    assert loss.total["idle"].wall_w == pytest.approx(found.modes["normal"]["idle"].wall_w - 60 / 0.8)
    assert loss.total["active"].wall_w == pytest.approx(active(found) - 100 / 0.8)


def test_fans_of_the_enclosure_speed_up(tmp_path):
    figures = 'kind = "fan"\nactive = "80W"\nlaw = "speed-cubed"\nspeed = 0.5\n'
    fan = f'\n[[array.power.enclosure.part]]\nname = "blower"\n{figures}'
    path = tmp_path / "made.toml"
    path.write_text(ARRAY.replace(HEAD, f"{HEAD}{fan}"))
    found = calculated_power(path, [f"{CONTROLLER}.needed=1"])
    (loss,) = found.failures
    assert loss.total["idle"].wall_w == pytest.approx(
        found.modes["normal"]["idle"].wall_w + (80 - 10 - 60) / 0.8
    )


def test_a_failed_part_draws_nothing_and_the_other_takes_its_work(array):
    whole = calculated_power(array, [f"{CONTROLLER}.needed=1"])
    found = calculated_power(array, [f"{CONTROLLER}.needed=1", f"{CONTROLLER}.failed=1"])
    assert active(found) == pytest.approx(whole.failures[0].total["active"].wall_w)
    assert not found.failures  # another failure would stop the array
    assert "failed-part" in [note.code for note in found.notes]


def test_a_run_with_a_failed_controller(array):
    text = array.read_text() + (
        '[[workload]]\nname = "w"\n'
        'profile = { name = "uniform", rate_iops = 60, duration = "20s" }\n'
        '[observe]\ninterval = "10s"\nduration = "20s"\n'
    )
    above_idle = {}
    for failed in (0, 1):
        run = iowatt.run(text.replace("count = 2\n", f"count = 2\nneeded = 1\nfailed = {failed}\n", 1))
        rows = run.table("energy").filter(pl.col("component") == "head.controller")
        span = run.summary["window"]["duration_s"]
        above_idle[failed] = sum(rows["energy_j"]) - 60.0 * (2 - failed) * span
    # The law is straight: one that takes the work of both draws as much above its idle watts as both did.
    assert above_idle[0] > 10
    assert above_idle[1] == pytest.approx(above_idle[0])


@pytest.mark.parametrize(
    ("overrides", "code", "key"),
    [
        ([f"{CONTROLLER}.failed=1"], None, None),
        ([f"{CONTROLLER}.failed=2"], "infeasible", "failed"),
        ([f"{CONTROLLER}.needed=3"], "conflict", "needed"),
        ([f"{CONTROLLER}.needed=2", f"{CONTROLLER}.failed=1"], "infeasible", "failed"),
        ([f"{CONTROLLER}.most=1"], "out-of-range", "count"),
    ],
)
def test_what_is_refused(array, overrides, code, key):
    if code is None:
        assert calculated_power(array, overrides)
        return
    with pytest.raises(DocumentError) as caught:
        calculated_power(array, overrides)
    assert caught.value.exit_code == 2
    assert faults(caught.value).startswith(f"{code} @ ")
    assert faults(caught.value).endswith(key)


def test_a_frame_from_its_boards():
    found = calculated_power(FRAME)
    # HP's calculator, SNIA SDC 2013.
    assert found.modes["normal"]["idle"].wall_w == pytest.approx(2072, abs=0.1)
    assert active(found) == pytest.approx(2386, abs=0.1)
    assert {one.kind for one in found.failures} == {
        "processor-blade",
        "front-end",
        "back-end",
        "switch",
        "cache",
    }
    assert "stand-in-parts" in [note.code for note in found.notes if note.decides]


@pytest.mark.parametrize(
    ("override", "code"),
    [
        ("array.controller.cache.size=97GB", "infeasible"),
        ("array.power.enclosure.control.part.front-end.count=9", "out-of-range"),
    ],
)
def test_frames_that_cannot_be(override, code):
    with pytest.raises(DocumentError) as caught:
        calculated_power(FRAME, [override])
    assert [found for found, _ in problems(caught.value)] == [code]
