"""vdbench as the load generator. No vdbench may be shipped or downloaded here, so a stand-in takes its place:
it prints and refuses what the real one does, and leaves the output of a real one (tests/data/vdbench)."""

from __future__ import annotations

import json
import re
import threading
from pathlib import Path

import conducted
import pytest

from iowatt.base.errors import InputError
from iowatt.emerald.conduct.drivers.vdbench import VdbenchDriver
from iowatt.emerald.driver import DriverError
from refused import refused

STAND_IN = """#!/bin/sh
echo "Vdbench distribution: vdbench50406 Wed July 20 15:49:52 MDT 2016"
[ "$1" = -s ] && shift
[ "$1" = -f ] && [ "$3" = -o ] || exit 9
[ -e "{folder}/refuse" ] && echo "java.lang.RuntimeException: Unknown keyword" && exit 1
[ -e "{folder}/fail" ] && echo "Vdbench terminating due to I/O errors" && exit 1
mkdir "$4" && echo "$TZ" > "$4/zone"
exit 0
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    program = tmp_path / "bin" / "vdbench"
    program.parent.mkdir()
    program.write_text(STAND_IN.format(folder=tmp_path))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    return tmp_path


@pytest.fixture
def plan(folder):
    return conducted.load(conducted.plan(folder, conducted.short()[2:4], source="vdbench"))


def test_it_says_its_version_and_accepts_what_it_parses(plan):
    driver = VdbenchDriver()
    assert driver.version() == "vdbench50406"
    driver.check(plan)


def test_a_parameter_file_that_it_refuses_is_named_before_anything_runs(plan, folder):
    (folder / "refuse").touch()
    with refused("tool-failed", "stage RR-warmup") as caught:
        VdbenchDriver().check(plan)
    assert "Unknown" in caught.value.message  # vdbench's own word


def test_a_stage_runs_in_its_folder_with_its_clock_in_utc(plan, folder):
    VdbenchDriver().run(plan, plan.stages[1], folder, threading.Event())
    assert (folder / "out" / "zone").read_text() == "UTC\n"
    assert f"lun={folder / 'target.bin'}" in (folder / "stage.parm").read_text()
    with pytest.raises(InputError):
        VdbenchDriver().observe(plan, plan.stages[1], folder)


def test_a_failure_is_told_in_its_own_words(plan, folder):
    (folder / "fail").touch()
    with refused("tool-failed", None, DriverError) as caught:
        VdbenchDriver().run(plan, plan.stages[1], folder, threading.Event())
    assert re.search(r"\b1: Vdbench\b", caught.value.message)


def test_a_rest_needs_no_vdbench(plan, folder, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    rest = conducted.load(conducted.plan(folder, conducted.short()[-1:], source="vdbench"))
    VdbenchDriver().run(rest, rest.stages[0], folder, threading.Event())
    made = json.loads((folder / "rest.json").read_bytes())
    assert made["end"] - made["start"] >= 0.5


def test_without_vdbench_it_says_what_to_do(plan, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with refused("tool-missing", None):
        VdbenchDriver().check(plan)


def test_the_run_of_a_stage_is_found_in_a_real_output(plan, folder):
    samples = Path(__file__).parent.parent / "data" / "vdbench"
    found = sorted(samples.rglob("*flatfile.html"))
    assert found, "the samples are gone"
    (folder / "out").symlink_to(found[0].parent)
    named = plan.stages[1].model_copy(update={"id": "hband"})
    seen = VdbenchDriver().observe(plan, named, folder)
    assert seen.name == "hband" and seen.tool == "vdbench" and seen.intervals
    with refused("tool-output", str(folder / "out")) as caught:
        VdbenchDriver().observe(plan, plan.stages[1], folder)
    assert "RR" in caught.value.message
