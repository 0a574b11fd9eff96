"""Grades of devices: from what ships, with the errors that the validations found."""

from __future__ import annotations

import json
import tomllib
from importlib.resources import files

import pytest

import iowatt
from iowatt.evaluate.measured import MeasuredDevices, validate_measured
from iowatt.lenses.evidence import grades, run_doubt
from iowatt.model.library import (
    BARS,
    PURPOSES,
    Evidence,
    describe_device,
    device_evidence,
    device_file,
    device_names,
    doubts,
    list_devices,
    shipped_cells,
)

LIBRARY = files("iowatt.model.library")
TABLE = tomllib.loads(LIBRARY.joinpath("evidence.toml").read_text())
TRACED = {
    one["device"] for one in json.loads(LIBRARY.joinpath("validation/traces.json").read_text())["traces"]
}


def test_the_grade_is_what_ships():
    found = {device.name: device.evidence for device in list_devices().devices}
    assert {name for name, grade in found.items() if grade == "replayed"} == TRACED
    assert {name for name, grade in found.items() if grade == "fio-checked"} == set(shipped_cells())
    assert set(found.values()) == {"replayed", "fio-checked", "sheet only"}


def test_the_table_has_the_devices_that_were_measured_and_no_other():
    assert set(TABLE) == TRACED | set(shipped_cells())
    assert set(TABLE) <= set(device_names())
    for stated in TABLE.values():
        errors = {figure: one for figure, one in stated.items() if figure != "reads_only"}
        assert set(errors) <= set(BARS)
        for figure, one in errors.items():
            assert 0 <= one["within"] <= one["cells"] > 0
            assert (abs(one["worst"]) <= BARS[figure]) == (one["within"] == one["cells"])


def test_every_set_says_where_it_is_from():
    for about in shipped_cells().values():
        assert all(about[key] for key in ("file", "tool", "how", "source", "licence"))


def test_the_table_is_that_of_the_validation():
    """The quickest set; the script writes all of them."""
    device = "samsung-845dc-pro-400gb"
    found: MeasuredDevices = validate_measured((), device)
    for one in found.devices[0].checked:
        kept = TABLE[device][one.figure]
        assert (kept["cells"], kept["within"]) == (one.cells, one.within)
        assert kept["worst"] == pytest.approx(one.worst, abs=1e-3)


def test_doubts_name_the_device_and_its_grade():
    sheet_only = next(name for name in device_names() if device_evidence(name).grade == "sheet only")
    assert device_evidence(sheet_only).trusted_for == ()
    for purpose in PURPOSES:
        assert sheet_only in (doubts([sheet_only], purpose) or "")
    assert doubts(["hp-c3323a"], "tail") is None
    assert doubts(["hp-c3323a", "hp-c3323a"], "mean") is None
    assert doubts(["hp-335h"], "mean") is not None
    assert doubts([], "tail") is None


def test_a_file_of_one_s_own_has_no_evidence_whatever_its_name(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text(
        'name = "hp-c3323a"\nkind = "hdd"\ntitle = "Mine"\nbased_on = "hp-c3323a"\nhead_switch = "9ms"\n'
    )
    own = describe_device(device_file(str(path)))
    assert (own.evidence, own.trusted_for, own.checked) == ("sheet only", [], [])
    library = describe_device(device_file("hp-c3323a"))
    assert library.evidence == "replayed"
    assert library.checked
    text = (
        'name = "a"\n[[workload]]\nname = "w"\n'
        'profile = { name = "uniform", rate_iops = 20, duration = "5s" }\n'
        f"[[array.pool]]\nname = 'd'\ndevice = {str(path)!r}\ncount = 1\n"
    )
    run = iowatt.run(text)
    assert run_doubt(run, "tail") is not None
    assert grades(run) == {"hp-c3323a": "sheet only"}
    real = iowatt.run(text.replace(repr(str(path)), "'hp-c3323a'"))
    assert run_doubt(real, "tail") is None
    assert grades(real)["hp-c3323a"].startswith("replayed: mean, tail")


def test_what_was_checked_for_reads_only_is_in_doubt_where_there_are_writes():
    """All measured cells of the P4510 are reads; the 845DC PRO was measured with writes beside."""
    read, mixed = (doubts(["intel-dc-p4510-1tb"], "tail", writes=writes) for writes in (False, True))
    assert read is None and mixed is not None and "reads" in mixed
    assert device_evidence("intel-dc-p4510-1tb").reads_only
    assert not device_evidence("samsung-845dc-pro-400gb").reads_only
    assert doubts(["hp-c3323a"], "tail", writes=True) is None


@pytest.mark.parametrize(
    ("name", "by_class"), [("micron-7500-max-6-4tb", True), ("intel-dc-p4510-1tb", False)]
)
def test_watts_of_a_class_are_told_from_watts_of_a_sheet(name, by_class):
    found = device_evidence(name)
    assert found.class_watts == by_class
    assert ("class" in (found.doubt("energy") or "")) == by_class


def test_a_tail_that_was_not_checked_says_so_in_its_line():
    from iowatt.pages.run.brief_document import brief

    name = "toshiba-mg04sca500e"
    text = (
        'name = "a"\n[[workload]]\nname = "w"\n'
        'profile = { name = "uniform", rate_iops = 50, duration = "20s" }\n'
        f"[[array.pool]]\nname = 'd'\ndevice = {name!r}\ncount = 1\n"
    )
    shown = brief(iowatt.run(text))
    doubt = Evidence(name, "sheet only").doubt("tail")
    assert doubt is not None
    lines = {line.key: line.remark for line in shown.headlines}
    assert all(doubt in lines[key] for key in ("p95", "p99"))
    assert any(doubt in sentence for sentence in shown.verdict)
    assert any(f"{name} drive (sheet only)" in sentence for sentence in shown.verdict)
