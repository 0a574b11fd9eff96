"""The pages of `iowatt sweep` and `iowatt curve` in a real browser: they draw, choose and sort."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from visit import NEEDS_BROWSER, Visit

import iowatt
from iowatt.evaluate.search.metrics import pareto

pytestmark = NEEDS_BROWSER
SCENARIO = """\
name = "small"

[[workload]]
name = "oltp"
trace = { path = "small.csv" }
replay = { mode = "open" }

[[array.pool]]
name = "disks"
device = "arrays2002-disk"
count = 4
raid = { level = 5, stripe_unit = "16KiB" }

[observe]
interval = "100ms"
"""
COUNT, LEVEL, SPEED = "array.pool.disks.count", "array.pool.disks.raid.level", "workload.oltp.replay.speed"


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    place = tmp_path_factory.mktemp("sweeps")
    rows = [f"{i * 10_000},{'RRW'[i % 3]},{i * 7919 % 100_000 * 4096},4096" for i in range(400)]
    (place / "small.csv").write_text("\n".join(["time_us,op,offset,size", *rows]) + "\n")
    (place / "small.toml").write_text(SCENARIO)
    over = {COUNT: [4, 5, 6, 8], LEVEL: [5, 10], SPEED: [0.5, 1, 100]}
    iowatt.sweep(place / "small.toml", over, output=place / "sweep")
    iowatt.curve(place / "small.toml", rates=[20, 50, 100, 200, 5000], output=place / "rates")
    iowatt.curve(place / "small.toml", outstanding=[1, 2, 4, 8, 16], output=place / "loop")
    return place


@pytest.mark.parametrize("name", ["sweep", "rates", "loop"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_chart_is_drawn(browser, written, name, scheme):
    visit = Visit(browser, written / name / "report.html", color_scheme=scheme)
    assert visit.charts() >= 6
    visit.finish()


@pytest.mark.parametrize("name", ["sweep", "rates", "loop"])
@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_sticks_out_sideways(browser, written, name, width):
    visit = Visit(browser, written / name / "report.html", viewport={"width": width, "height": 800})
    assert visit.width() <= width
    visit.finish()


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ("response_time_ms.all.p99", "energy.per_request_j"),
        ("efficiency.iops_per_w", "response_time_ms.all.mean"),
        ("throughput.iops", "efficiency.raw_gb_per_w"),
        ("devices.utilisation.mean", "response_time_ms.write.p95"),
    ],
)
def test_any_two_figures_make_the_front_that_python_finds(browser, written, x, y):
    frame = pl.read_parquet(written / "sweep" / "table.parquet")
    rows = frame.to_dicts()
    steady = [row["status"] == "done" and not row["overloaded"] for row in rows]

    def column(key):
        return [float(f"{row[key]:.8g}") if ok else None for row, ok in zip(rows, steady, strict=True)]

    front = pareto.front(column(x), column(y), lower=(pareto.lower_is_better(x), pareto.lower_is_better(y)))
    visit = Visit(browser, written / "sweep" / "report.html")
    visit.page.select_option("#choose-x", x)
    visit.page.select_option("#choose-y", y)
    table = visit.page.evaluate("window.iowatt.report.figures['sweep-pareto'].rows")
    assert sorted(row[0] for row in table if row[4]) == sorted(rows[at]["point"] for at in front)
    drawn = visit.page.evaluate("document.querySelector('[data-figure=sweep-pareto]').data[1].x.length")
    assert drawn == len(front)
    shown = visit.page.locator("#sweep-pareto table tbody tr")
    assert shown.count() == sum(steady)
    visit.finish()


def test_the_first_view_is_what_the_script_finds_too(browser, written):
    visit = Visit(browser, written / "sweep" / "report.html")
    before = visit.page.evaluate("window.iowatt.report.figures['sweep-pareto'].rows")
    visit.page.select_option("#choose-x", "throughput.iops")
    visit.page.select_option("#choose-x", "response_time_ms.all.mean")
    assert visit.page.evaluate("window.iowatt.report.figures['sweep-pareto'].rows") == before
    visit.finish()


def test_the_other_way_of_better_turns_the_front(browser, written):
    visit = Visit(browser, written / "sweep" / "report.html")
    marked = "window.iowatt.report.figures['sweep-pareto'].rows.filter((row) => row[4]).map((row) => row[0])"
    before = visit.page.evaluate(marked)
    visit.page.select_option("#choose-x-way", "higher")
    visit.page.select_option("#choose-y-way", "higher")
    assert set(visit.page.evaluate(marked)).isdisjoint(before)
    visit.finish()


def test_overloaded_points_join_on_request(browser, written):
    visit = Visit(browser, written / "sweep" / "report.html")
    count = "window.iowatt.report.figures['sweep-pareto'].rows.length"
    before = visit.page.evaluate(count)
    visit.page.check("#choose-all")
    frame = pl.read_parquet(written / "sweep" / "table.parquet")
    assert visit.page.evaluate(count) - before == frame["overloaded"].sum() > 0
    visit.finish()


def test_a_heading_sorts_both_ways_and_keeps_the_empty_last(browser, written):
    visit = Visit(browser, written / "sweep" / "report.html")
    frame = pl.read_parquet(written / "sweep" / "table.parquet")
    power = [
        row["point"] for row in frame.sort("power_w.mean", nulls_last=True).to_dicts() if row["power_w.mean"]
    ]
    failed = frame.filter(pl.col("status") == "failed")["point"].to_list()

    def order():
        return [
            int(text)
            for text in visit.page.locator("#sweep-points tbody tr > :first-child").all_inner_texts()
        ]

    assert order() == frame["point"].to_list()
    heading = visit.page.locator("#sweep-points thead th", has_text="Power")
    heading.locator("button").click()
    assert heading.get_attribute("aria-sort") == "ascending"
    assert order() == power + failed
    heading.locator("button").press("Enter")
    assert heading.get_attribute("aria-sort") == "descending"
    assert order() == power[::-1] + failed
    visit.finish()


def test_without_scripts_the_tables_are_there(browser, written):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(Path(written / "sweep" / "report.html").as_uri())
    assert page.locator("#sweep-points tbody tr").count() == 24
    assert not page.locator("#choose").is_visible()
    context.close()
