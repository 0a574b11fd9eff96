"""The rules that fill what a data sheet leaves out: as fitted, within their bands, never over a figure."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from iowatt.model.library import device_file, device_names, find_device, list_devices
from iowatt.model.library.class_rules import RULES, complete, device_class, figure, rules
from iowatt.model.library.derive import Steps

sys.path.append(str(Path(__file__).parents[2] / "scripts"))
import class_rules as fitting

FITTED = fitting.fit_all()


def test_the_rules_are_those_of_the_library():
    assert RULES.read_text("utf-8") == fitting.written(FITTED), "python scripts/class_rules.py --write"


def test_bands_hold_nine_of_ten_figures_left_out():
    inside = outside = 0
    for fits in FITTED.values():
        for one in fits:
            held = sum(one.rule.low <= ratio <= one.rule.high for ratio in one.ratios)
            assert held >= fitting.COVERED * len(one.ratios)
            inside, outside = inside + held, outside + len(one.ratios) - held
    assert inside > 100
    assert outside > 0, "a band that nothing is ever outside of says nothing"


def test_a_line_is_judged_without_itself():
    files = [device_file(name) for name in device_names() if device_class(device_file(name)) == "hdd-7200"]
    idle = fitting.samples(files, "power.idle", "", 1.0)
    one = next(iter(idle))
    found = fitting.fit(files, "power.idle", "", 1.0)
    without = fitting.fit([file for file in files if fitting.line(file) != one], "power.idle", "", 1.0)
    assert all(
        any(r == pytest.approx(v / without.rule.factor, rel=1e-3) for r in found.ratios) for v in idle[one]
    )


@pytest.mark.parametrize("name", ["seagate-exos-x24-24tb", "samsung-pm1743-15-36tb", "wd-gold-24tb"])
def test_a_published_figure_stays(name):
    file, steps = device_file(name), Steps()
    whole = complete(file, steps)
    filled = {step.figure for step in steps.taken}
    assert filled
    assert all(step.quality == "assumed" and "left out" in step.rule for step in steps.taken)
    assert {path: whole.figures()[path] for path in file.figures() if path not in filled} == {
        path: value for path, value in file.figures().items() if path not in filled
    }
    assert all(figure(file, path) is None for path in filled)
    assert any("left out" in note for note in find_device(name).notes)


def test_old_drives_and_stand_ins_have_no_class():
    assert device_class(device_file("arrays2002-disk")) is None
    assert device_class(device_file("seagate-cheetah-15k7-300gb")) is None
    assert device_class(device_file("samsung-990-pro-1tb")) is None, (
        "no rules of data-centre drives for clients"
    )
    assert rules("ssd-pcie5")


def test_a_library_of_today():
    today = list_devices(needs=["simulation"], since=2020, buyable=True).devices
    assert len(today) >= 80
    assert sum(device.price_usd is not None for device in today) >= 30
    assert {device.kind for device in today} == {"hdd", "ssd"}
    assert max(device.capacity_bytes for device in today if device.kind == "hdd") >= 30 * 10**12
