"""The page of `iowatt compare` in a real browser: it draws, fits, and says and asks for nothing."""

from __future__ import annotations

import numpy as np
import pytest
from visit import NEEDS_BROWSER, Visit

import compared_runs as made
import iowatt

pytestmark = NEEDS_BROWSER
#: Intervals, three histograms, distribution, tail, two courses.
CHARTS = 8


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    draw = np.random.default_rng(1)
    hostile = "<img src=x onerror=alert(1)>"
    before = [
        made.build(draw.exponential(1.0, 4000), name=hostile, seed=seed, replay=made.closed(4))
        for seed in (1, 2)
    ]
    after = [made.build(draw.exponential(0.5, 4000), seed=seed, raid="10") for seed in (3, 4)]
    target = tmp_path_factory.mktemp("compare") / "compare.html"
    iowatt.compare(before, after, output=target)
    return target


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_chart_of_the_comparison_is_drawn(browser, written, scheme):
    visit = Visit(browser, written, color_scheme=scheme)
    assert visit.charts() == CHARTS
    visit.finish()


@pytest.mark.parametrize("width", [390, 1280])
def test_the_comparison_does_not_stick_out_sideways(browser, written, width):
    visit = Visit(browser, written, viewport={"width": width, "height": 800})
    assert visit.width() <= width
    visit.finish()


def test_the_table_of_differences_is_open_and_every_figure_of_the_chart_is_named(browser, written):
    visit = Visit(browser, written)
    shown = visit.page.locator("#compare-differences table")
    assert shown.is_visible() and shown.locator("tbody tr").count() == 12
    named = visit.page.locator("#compare-intervals .ytick").all_inner_texts()
    rows = visit.page.locator("#compare-intervals tbody tr").count()
    assert len(named) == rows
    visit.finish()


@pytest.mark.parametrize("width", [390, 1440])
def test_the_page_of_several_systems_fits_with_both_tables_open(browser, tmp_path, width):
    draw = np.random.default_rng(1)
    names = ["raid5", "<b>raid6</b>", "raid10"]
    runs = [
        made.build(draw.exponential(scale, 4000), name=name, raid=raid)
        for name, scale, raid in zip(names, (1.0, 1.1, 0.5), ("5", "6", "10"), strict=True)
    ]
    iowatt.compare(*runs, output=tmp_path / "systems.html")
    visit = Visit(browser, tmp_path / "systems.html", viewport={"width": width, "height": 900})
    assert visit.charts() == 2 and visit.width() <= width
    for table, rows in (("side-by-side", 3), ("against", 2)):
        assert visit.page.locator(f"#compare-{table} table").is_visible()
        assert visit.page.locator(f"#compare-{table} tbody tr").count() == rows
    visit.finish()
