"""A profile made of counters runs in a scenario."""

from __future__ import annotations

from pathlib import Path

import pytest

import iowatt
from iowatt.counters.profile import build_profile, profile_toml
from iowatt.counters.read import read
from iowatt.counters.streams import ProfileRequest

DATA = Path(__file__).parents[1] / "data" / "counters"
SCENARIO = """\
name = "counted"
seed = 1

[[workload]]
name = "mine"
profile = { name = "mine.toml", duration = "20s" }

[[array.pool]]
name = "disks"
device = "arrays2002-disk"
count = 4
raid = { level = 5, stripe_unit = "64KiB" }
"""


def test_a_scenario_takes_the_profile(tmp_path: Path) -> None:
    log = read([DATA / "iostat-10-xtk.txt"])
    built = build_profile(
        log, ["sda"], ProfileRequest({"pattern": "uniform"}, span=1 << 30), name="mine", origin="log"
    )
    (tmp_path / "mine.toml").write_text(profile_toml(built.tables))
    (tmp_path / "s.toml").write_text(SCENARIO)
    run = iowatt.run(tmp_path / "s.toml")
    assert run.summary["requests"]["count"] == pytest.approx(4000, abs=300)
    assert any("assumed" in note for note in run.summary["notes"])
