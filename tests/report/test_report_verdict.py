"""What the page of several Runs says first: who has the least, among Runs that kept up and compare."""

from __future__ import annotations

from dataclasses import replace

import pytest

import iowatt
from iowatt.lenses.durability import loss_of_run
from iowatt.pages.run import comparison, documents
from iowatt.pages.run.comparison import verdict
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


def least(found):
    return {one.key: list(one.runs) for one in found.least}


def test_the_lowest_of_each_figure_is_named():
    runs = [build(SLOW), build(FAST), build(replace(FAST, disks=6, slowdown=1.5))]
    found = verdict(runs, ["slow", "fast", "small"])
    assert least(found) == {"p95": ["fast"], "power": ["small"], "per_request": ["small"]}
    assert (found.overloaded, found.reservations) == ([], [])


def test_runs_that_read_the_same_are_named_together():
    assert least(verdict([build(SLOW), build(FAST)], ["a", "b"]))["power"] == ["a", "b"]


def test_a_run_that_did_not_keep_up_is_not_ranked():
    behind = build(Recipe(intervals=10, overload=True, disks=2))
    found = verdict([build(SLOW), behind, build(FAST)], ["slow", "behind", "fast"])
    assert list(found.overloaded) == ["behind"]
    assert all("behind" not in one.runs for one in found.least)
    alone = verdict([behind, build(FAST)], ["behind", "fast"])
    assert alone.least == []
    assert any("behind" in sentence for sentence in alone.sentences)


def test_different_work_and_different_power_are_said():
    other = build(Recipe(intervals=10, rate=8.0))
    assert len(verdict([build(FAST), other], ["a", "b"]).reservations) == 1
    metered = build(FAST)
    metered.summary["power_basis"] = "wall"
    found = verdict([build(SLOW), metered], ["a", "b"])
    assert len(found.reservations) == 1
    assert list(least(found)) == ["p95"]


def test_figures_that_a_run_has_not_are_not_told():
    idle = build(Recipe(intervals=10, rate=0, busy=0))
    found = verdict([idle, build(Recipe(intervals=10, rate=0, busy=0, disks=6))], ["a", "b"])
    assert least(found) == {"power": ["b"]}
    assert found.reservations == []


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
    assert rows["Data loss a year"] == [loss_of_run(small), loss_of_run(large)]
    assert rows["Data loss a year"][1] > rows["Data loss a year"][0] > 0
