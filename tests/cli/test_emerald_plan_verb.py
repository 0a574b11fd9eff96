"""`iowatt emerald plan` as typed."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from iowatt.base.errors import InputError
from iowatt.cli.main import app
from iowatt.emerald.conduct.begin import read_plan
from iowatt.emerald.plan.build import CATEGORIES, DEVICE
from iowatt.emerald.rules import load, profile_names
from refused import faults, printed_code

PLAN = (
    "--category",
    "online",
    "--class",
    "3",
    "--driver",
    "fio",
    "--target",
    "t.dat",
    "--size",
    "64MiB",
    "-o",
    "plan",
)


def iowatt(*words, cwd):
    command = [sys.executable, "-c", "from iowatt.cli.main import main; main()", "emerald", "plan", *words]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("target", ["nfs://host/share", "host:/share"])
def test_an_address_is_no_target(tmp_path, target):
    words = [target if word == "t.dat" else word for word in PLAN]
    done = iowatt(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert "--target" in done.stderr and repr(target) in done.stderr and "/dev/sdb" in done.stderr
    assert not (tmp_path / "plan").exists()
    # Nor in place of a plan's own one.
    assert iowatt(*PLAN, cwd=tmp_path).returncode == 0
    with pytest.raises(InputError) as caught:
        read_plan(tmp_path / "plan", target=target)
    assert caught.value.place == "target"


def test_a_plan_is_printed_and_written(tmp_path):
    done = iowatt(
        *PLAN, "--time-scale", "0.01", "--phase-rate", "HB=400", "--meter", "pdu1=csv:p.csv", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    first = done.stdout.splitlines()[0].replace(",", "").split()
    assert first[-1] == f"{tmp_path}/t.dat"
    assert {"online", "3", "emerald-4.0.0", "fio"} <= set(first)
    written = json.loads((tmp_path / "plan" / "planned.json").read_text())
    deviations = [one["text"] for one in written["plan"]["deviations"]]
    said = (tmp_path / "plan" / "plan.txt").read_text()
    for text in (done.stdout, said):
        assert all(f"NON-COMPLIANT: {one}" in text for one in deviations)
    assert deviations
    assert written["caveat"] in said
    assert done.stdout.endswith(" plan/plan.json\n")
    again = iowatt(*PLAN, cwd=tmp_path)
    assert again.returncode == 2
    assert printed_code(again.stderr) == "exists"


def test_json_has_plan_calendar_list_and_files(tmp_path):
    done = iowatt(*PLAN, "--json", "--begin", "2026-11-23T08:00", "--fill-rate", "10MiB/s", cwd=tmp_path)
    found = json.loads(done.stdout)
    assert found["schema"] == "iowatt.emerald-planned/1"
    assert found["calendar"]["stages"][-1]["ends"] == "2026-11-24 01:20:06"
    assert {"plan", "checklist", "files", "rules_used", "notes"} <= found.keys()


@pytest.mark.parametrize(
    ("words", "fault", "named"),
    [
        (("--phase-rate", "HB"), "bad-syntax @ phase_rate=HB", "HB=4000"),
        (("--phase-rate", "HB=fast"), "bad-syntax @ phase_rate", "'fast'"),
        (("--phase-streams", "SR=0"), "out-of-range @ phase_streams", "'0'"),
        (("--phase-streams", "SR=2", "--phase-streams", "SR=3"), "duplicate @ phase_streams", "SR "),
        (("--meter", "pdu1"), "bad-syntax @ meter=pdu1", "csv:"),
        (("--meter", "wall=blah"), "bad-syntax @ meter=wall", " blah: "),
        (("--meter", "wall=smnp://pdu1/1"), "unknown-name @ meter=wall", " snmp:?"),
        (("--meter", "wall=csv:p.csv?wats=P"), "unknown-key @ meter=wall", " watts?"),
        (("--meter", "wall=csv:"), "missing @ meter=wall", " csv:: "),
        (
            ("--thermometer", "in=ipmi://u:p@bmc1/x"),
            "not-applicable @ thermometer=in",
            "ipmi://u:***@bmc1/x: ",
        ),
        (("--begin", "tomorrow"), "bad-syntax @ start", "'tomorrow'"),
        (("--block-size", "1000"), "not-accepted @ block_size", "1000"),
    ],
)
def test_what_is_wrong_is_named_with_exit_code_2(tmp_path, monkeypatch, words, fault, named):
    monkeypatch.chdir(tmp_path)
    error = CliRunner().invoke(app, ["emerald", "plan", *PLAN, *words]).exception
    assert faults(error) == fault and error.exit_code == 2
    assert named in f"{error} {error.hint}"
    assert not (tmp_path / "plan").exists()


SCENARIO = """
name = "a"
[[workload]]
name = "w"
profile = { name = "uniform", rate_iops = 10, duration = "1s" }
[[array.pool]]
name = "d"
device = "arrays2002-disk"
count = 4
raid = { level = 0, stripe_unit = "64KiB" }
"""
FILE_ACCESS = [name for name in profile_names() if name.endswith("-file")]
"""Rules of file access, which has a driver of its own (tests/emerald/test_file_access.py)."""
SEQUENCED = [
    name
    for name in profile_names()
    if load(name).find("phases.order", "online") is not None and name not in FILE_ACCESS
]


@pytest.mark.parametrize("driver", ["fio", "vdbench", "simulation"])
@pytest.mark.parametrize(
    ("rules", "category"),
    [
        (rules, category)
        for rules in SEQUENCED
        for category in ((DEVICE,) if "device" in rules else CATEGORIES)
    ],
)
def test_every_driver_plans_every_category_of_every_version(tmp_path, monkeypatch, driver, rules, category):
    # What fio itself says of jobs is tested elsewhere; a dozen processes for each of these take minutes.
    monkeypatch.setattr("iowatt.emerald.plan.load.check.shutil.which", lambda name: None)
    (tmp_path / "a.toml").write_text(SCENARIO)
    target = ("--target", str(tmp_path / "t.dat"), "--size", "64MiB")
    words = ("--scenario", str(tmp_path / "a.toml")) if driver == "simulation" else target
    out = tmp_path / "plan"
    command = ["emerald", "plan", "--driver", driver, "--rules", rules, "--category", category, *words]
    done = CliRunner().invoke(app, [*command, "-o", str(out), "--json"], catch_exceptions=False)
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    assert [one["problem"] for one in found["files"] if one["problem"] is not None] == []
    stages = {f"fio/{one['id']}.fio" for one in found["plan"]["stages"] if one["workload"] is not None}
    sets = {"vdbench/rate-finding.parm", "vdbench/test-sequence.parm"}
    expected = {"fio": stages | sets, "vdbench": sets, "simulation": set()}[driver]
    assert {one["path"] for one in found["files"]} == expected
    assert {str(path.relative_to(out)) for path in out.glob("*/*")} == expected
    assert ("no-fio-files" in {note["code"] for note in found["notes"]}) == (driver == "vdbench")


def test_every_version_of_emerald_is_among_those_that_are_planned():
    assert [name for name in SEQUENCED if name.startswith("emerald-")] == [
        "emerald-1.0.0", "emerald-2.0.0", "emerald-2.1.1", "emerald-3.0.1", "emerald-3.0.2", "emerald-3.0.3",
        "emerald-4.0.0", "emerald-device-1.0",
    ]  # fmt: skip


def test_a_name_that_vdbench_cannot_say_leaves_fio_its_plan(tmp_path):
    done = iowatt(*PLAN[:-1], "plan", "--target", "second disk.dat", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    written = json.loads((tmp_path / "plan" / "planned.json").read_text())
    assert "no-vdbench-files" in {note["code"] for note in written["notes"]}
    assert (tmp_path / "plan" / "fio" / "HB.fio").exists()
    assert not (tmp_path / "plan" / "vdbench").exists()
    for_vdbench = iowatt(
        "--category", "online", "--driver", "vdbench", "--target", "second disk.dat", "--size", "64MiB",
        "-o", "other", cwd=tmp_path,
    )  # fmt: skip
    assert for_vdbench.returncode == 2
    assert printed_code(for_vdbench.stderr) == "unsupported"


def items_about(folder, meter):
    """Items of the check-list that name a meter: to try it, and that its log does not exist yet."""
    planned = json.loads((folder / "plan" / "planned.json").read_text())
    return sum(meter in item["text"] and item["topic"] == "power" for item in planned["checklist"])


def test_a_log_may_still_be_awaited_but_one_that_is_there_must_be_readable(tmp_path):
    done = iowatt(*PLAN, "--meter", "pdu1=csv:p.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert items_about(tmp_path, "pdu1") == 2
    (tmp_path / "p.csv").write_text("time,watts\n2026-11-23T08:00:00Z,300\n2026-11-23T08:00:01Z,301\n")
    again = iowatt(*PLAN, "--force", "--meter", "pdu1=csv:p.csv", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert items_about(tmp_path, "pdu1") == 1
    (tmp_path / "p.csv").write_text("no,power\nin,it\n")
    refused = iowatt(*PLAN, "--force", "--meter", "pdu1=csv:p.csv", cwd=tmp_path)
    assert refused.returncode == 2
    assert "]: --meter pdu1: p.csv" in refused.stderr
