"""What the page of several Runs says first, and the table of their figures."""

from __future__ import annotations

from dataclasses import replace

import pytest

import iowatt
from iowatt.lenses.durability import loss_of_run
from iowatt.pages.run import comparison, documents
from iowatt.pages.run.comparison import overloaded, reservations
from iowatt.pages.run.headlines import headlines
from iowatt.render import write
from report.fixture import Recipe, build

RAID = """
name = "raid"
[[workload]]
name = "w"
profile = { name = "uniform", rate_iops = 20, duration = "2s" }
[[array.pool]]
name = "disks"
device = { name = "arrays2002-disk", capacity = "1GB" }
count = 5
raid = { level = 5, stripe_unit = "64KiB" }
"""
SLOW, FAST = Recipe(intervals=10, slowdown=2.0), Recipe(intervals=10)


def test_a_run_that_did_not_keep_up_is_named():
    behind = build(Recipe(intervals=10, overload=True, disks=2))
    runs, names = [build(SLOW), behind, build(FAST)], ["slow", "behind", "fast"]
    assert overloaded(runs, names) == ["behind"]
    assert any("behind" in sentence for sentence in comparison.document(runs, names).verdict)


def test_different_power_is_said():
    metered = build(FAST)
    metered.summary["power_basis"] = "wall"
    assert len(reservations([build(SLOW), metered], ["a", "b"])) == 1
    assert reservations([build(SLOW), build(FAST)], ["a", "b"]) == []


def test_the_page_says_it_before_the_table_which_has_both_percentiles():
    runs = [build(SLOW), build(FAST), build(replace(FAST, name="third"))]
    page = write.page(documents(runs))
    assert 0 < page.index('id="all-verdict"') < page.index('id="all-comparison"') < page.index('id="run1"')
    keys = [headline.key for headline in headlines(runs[0].summary)]
    assert keys[:3] == ["mean", "p95", "p99"]
    shown = comparison.side_by_side(runs, ["a", "b", "c"])
    assert shown.wide
    values = shown.table.rows[keys.index("p95")][1:]
    assert values == pytest.approx([run.summary["response_time_ms"]["all"]["p95"] for run in runs])


def test_capacity_and_loss_stand_beside_the_headlines(tmp_path):
    file = tmp_path / "raid.toml"
    file.write_text(RAID, "utf-8")
    small, large = (iowatt.run(file, set=[f"array.pool.disks.count={count}"]) for count in (5, 9))
    rows = {row[0]: row[1:] for row in comparison.side_by_side([small, large], ["a", "b"]).table.rows}
    # RAID-5 of drives of 1 GB: all but one of them.
    assert rows["Usable capacity (TB)"] == pytest.approx([0.004, 0.008], rel=1e-3)
    assert "100" in rows["Usable capacity (TB)"][1].text
    assert rows["Data loss per year"] == [loss_of_run(small), loss_of_run(large)]
    assert rows["Data loss per year"][1] > rows["Data loss per year"][0] > 0
