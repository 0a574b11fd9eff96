"""A fleet of small members that are simulated in milliseconds."""

from __future__ import annotations

import pytest

MEMBER = """
name = "member"
[[workload]]
name = "w"
profile = { name = "uniform", rate_iops = 80, duration = "4s" }
[[array.pool]]
name = "disks"
device = "arrays2002-disk"
count = 4
raid = { level = 5 }
"""

FLEET = """
schema = "iowatt.fleet-plan/1"
name = "small"
years = 2
[[demand]]
name = "files"
stored = "500GB"
load = 1000
growth = 0.5
most_load = { p95 = "40ms" }
load_spread = 0.3
[[class]]
name = "old"
scenario = "member.toml"
count = 12
refresh_after = 5
price = 900
[spares]
[racks]
power_cap = "4kW"
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "member.toml").write_text(MEMBER, "utf-8")
    (tmp_path / "fleet.toml").write_text(FLEET, "utf-8")
    return tmp_path
