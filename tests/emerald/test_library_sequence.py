"""The sequence of removable and virtual media libraries, planned, run on simulated ones and judged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from figures import figures
from iowatt.cli.main import app
from iowatt.emerald.conduct.drivers import course

#: A dry run's warm-up of 30 s is too short for a locate of up to 87 s: these take 13 s at most.
LIBRARY = """
name = "tapes"

[[array.library]]
name = "tapes"
drive = { name = "ibm-lto-9", locate = "8s" }
robotics = "ibm-ts4500"
drives = 2
cartridges = 10

[observe]
duration = "1h"
"""
APPLIANCE = """
name = "appliance"

[[array.pool]]
name = "disks"
device = "hgst-ultrastar-c10k900-900gb"
count = 6
raid = { level = 6, stripe_unit = "64KiB" }

[[array.virtual_pool]]
name = "library"
scheme = "reduced"
part = { pool = "disks", capacity = "8GB" }
page = "256KiB"
compression = 2
duplicates = 0.9

[array.power]

[[array.power.enclosure]]
name = "shelf"
pools = ["disks"]
slots = 12
supply = { rating = "600W", count = 2, needed = 1 }

[[array.power.enclosure.part]]
name = "controller"
model = "stand-in-controller"
count = 2
full_iops = 100000
full_rate = "4GB/s"

[observe]
duration = "1h"
"""


def iowatt(line: str, codes: tuple[int, ...] = (0,)) -> str:
    done = CliRunner().invoke(app, line.split())
    assert done.exit_code in codes, f"{line}\n{done.output[-3000:]}\n{done.exception!r}"
    return done.stdout


def measured(category: str, text: str, more: str) -> dict:
    Path("system.toml").write_text(text, "utf-8")
    iowatt(
        f"emerald plan --driver simulation --scenario system.toml --category {category} -o plan {more} "
        "--phase-streams 2"
    )
    stages = [stage["id"] for stage in json.loads(Path("plan/plan.json").read_text("utf-8"))["stages"]]
    assert stages == ["conditioning", "SW-warmup", "SW", "SR-warmup", "SR", "ready-idle"]
    iowatt("emerald run plan -o measured")
    return json.loads(iowatt("emerald analyze measured -o result --json", codes=(0, 1)))


def test_a_tape_library_streams_at_its_native_rate_and_idles_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = measured("removable-media-library", LIBRARY, "--time-scale 0.05 --conditioning 30min")
    phases = {one["phase"]: one for one in found["phases"]}
    assert list(phases) == ["SW", "SR"]
    # Two drives at 400 MB/s and 37 W each, a robot that waits at 24 W, and 112 W of frame.
    mib, watts = 2 * 400e6 / 2**20, 2 * 37 + 24 + 112
    for phase in phases.values():
        assert phase["mib_per_s"] == pytest.approx(mib, rel=0.005)
        assert phase["power_w"] == pytest.approx(watts, rel=1e-6)
        assert phase["ep"] == pytest.approx(mib / watts, rel=0.005)
    # The cartridges stay in the drives: idle watts of a loaded drive, and at first each fills its buffer of
    # 1 GiB at 400 MB/s and goes back for 3 s, 37 W in place of 18. 10 cartridges of 18 TB.
    idle, least = found["ready_idle"], 2 * 18 + 24 + 112
    assert least < idle["power_w"] <= least + 2 * 19 * (2**30 / 400e6 + 3) / 360
    assert idle["ep"] == pytest.approx(180_000 / idle["power_w"], rel=1e-6)
    # Modelled, and by rules that nobody has read: never a bare pass.
    assert found["compliant"] is False
    assert figures(found["judged"])[0] > 0
    iowatt("emerald report result -o tdr.xlsx")
    assert Path("tdr.xlsx").stat().st_size > 0


def test_a_virtual_library_is_disks_behind_reduction(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = measured("virtual-media-library", APPLIANCE, "--time-scale 0.002 --conditioning 30min")
    phases = {one["phase"]: one for one in found["phases"]}
    assert list(phases) == ["SW", "SR"]
    assert all(phase["ep"] > 0 for phase in phases.values())
    assert found["ready_idle"]["ep"] == pytest.approx(6 * 900 / found["ready_idle"]["power_w"], rel=1e-3)
    assert found["compliant"] is False


def test_the_watts_of_a_library_are_those_at_the_wall(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("system.toml").write_text(LIBRARY, "utf-8")
    category = "--category removable-media-library"
    said = iowatt(f"emerald plan --driver simulation --scenario system.toml {category} -o plan --json")
    states = {item["state"] for item in json.loads(said)["checklist"] if item["topic"] == "power"}
    assert states == {"in place"}


def test_what_a_library_remembers_is_carried(tmp_path: Path) -> None:
    from simulated_plans import IDLE, plan_of, stages_of

    plan = plan_of(tmp_path, [*stages_of("SW", closed=True, outstanding=2), IDLE], LIBRARY)
    array = course.array(plan, tmp_path)
    assert (array.memory, array.remembers, array.has_wall) == ("recent", ("cartridges in drives",), True)
