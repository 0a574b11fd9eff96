"""What parts draw, and the library's part files: sources for every figure, nothing without a mark."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from arrays import array, part, supplies

from iowatt.model.power.part import PartFile, find_part, part_names
from iowatt.model.power.plan import ArrayPlan, fan
from refused import refused

FIGURES = ("idle", "active", "full_iops", "full_rate", "speed", "failover_speed", "max_sff", "max_lff")


def test_a_part_goes_in_a_straight_line_from_idle_to_active():
    controller = part(count=2, law="utilisation", idle_w=60.0, active_w=100.0)
    assert [controller.watts(u) for u in (0, 0.25, 1)] == [120, 140, 200]


def test_a_fan_takes_the_cube_of_its_speed():
    assert fan(16, 0.5) == 2
    fans = part(count=3, law="speed-cubed", idle_w=2.0, active_w=16.0, speed=0.5, failover_speed=0.75)
    assert fans.watts(0.9) == 6
    assert fans.watts(0.9, "failover") == 3 * 16 * 0.75**3
    assert part(law="speed-cubed", active_w=16.0, speed=0.5).watts(0, "failover") == 16


def test_throughput_adds_requests_and_bytes_and_stops_at_full():
    adapter = part(law="throughput", idle_w=5.0, active_w=15.0, full_iops=1000.0, full_bytes_per_s=1e9)
    busy = adapter.utilisation(np.array([0.0, 500.0, 900.0]), np.array([0.0, 1e8, 5e8]), None)
    assert busy.tolist() == [0, 0.6, 1]


def test_utilisation_is_the_processors_or_else_the_rates():
    controller = part(law="utilisation", active_w=20.0, full_iops=1000.0)
    rates = np.array([100.0]), np.array([0.0])
    assert controller.utilisation(*rates, np.array([0.3])).tolist() == [0.3]
    assert controller.utilisation(*rates, None).tolist() == [0.1]
    assert part().utilisation(*rates, np.array([0.3])).tolist() == [0]


@pytest.mark.parametrize("name", part_names())
def test_a_library_part_says_where_its_figures_come_from(name):
    file = find_part(name, Path())
    assert file.name == name
    assert file.kind is not None
    given = [figure for figure in FIGURES if getattr(file, figure) is not None]
    assert given
    for figure in given:
        source = file.source_of(figure)
        assert source is not None, f"{name}: {figure} has no source"
        if source.quality == "assumed" or (file.stand_in and source.quality == "derived"):
            assert file.stand_in or file.notes or name == "dec-shelf-blower"
    if file.stand_in:
        assert file.assumptions


def test_every_part_file_is_listed():
    folder = Path(str(resources.files("iowatt.model.library"))) / "parts"
    assert {file.stem for file in folder.iterdir()} == set(part_names())


def test_an_unknown_part_is_named_with_the_nearest():
    with refused("unknown-name") as error:
        find_part("stand-in-controler", Path())
    assert "'stand-in-controller'" in (error.value.hint or "")


def test_a_part_of_ones_own(tmp_path):
    (tmp_path / "mine.toml").write_text('name = "mine"\ntitle = "Mine"\nkind = "adapter"\nidle = "9W"\n')
    assert find_part("mine.toml", tmp_path) == PartFile(name="mine", title="Mine", kind="adapter", idle="9W")
    (tmp_path / "bad.toml").write_text('name = "bad"\ntitle = "Bad"\nidle = "9"\n')
    with refused("bad-syntax", f"{tmp_path / 'bad.toml'}:3: idle"):
        find_part("bad.toml", tmp_path)


def test_a_part_comes_back_from_a_plan():
    fans = part(law="speed-cubed", speed=0.5, sources=("somewhere",))
    plan = array(parts=(fans,), feed=supplies())
    back = ArrayPlan.of(json.loads(json.dumps(plan.as_dict())))
    assert (back, back.enclosures[0].parts) == (plan, (fans,))
