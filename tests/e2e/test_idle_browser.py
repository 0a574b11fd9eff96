"""The page of `iowatt idle` in a real browser: it draws, fits, prints, and says and asks for nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from visit import NEEDS_BROWSER, Visit

import iowatt
from iowatt.lenses.idle import analyse
from iowatt.pages.idle import document
from iowatt.render import write

pytestmark = NEEDS_BROWSER
EXAMPLES = Path(__file__).parents[2] / "examples"
CHARTS = 7


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("idle")
    found = analyse(iowatt.run(EXAMPLES / "hp-week.toml"))
    hostile = "<img src=x onerror=alert(1)>"
    lengths = found.distribution
    named = {
        role: curve.model_copy(update={"name": curve.name + hostile})
        for role, curve in lengths.extremes.items()
    }
    found = found.model_copy(update={"run": hostile, "distribution": lengths.model_copy(update=named)})
    return write.write(document(found), folder / "idle.html")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_chart_of_the_week_is_drawn(browser, written, scheme):
    visit = Visit(browser, written, color_scheme=scheme)
    assert visit.charts() == CHARTS
    visit.finish()


@pytest.mark.parametrize("width", [390, 1280])
def test_the_idle_page_does_not_stick_out_sideways_and_has_every_row(browser, written, width):
    visit = Visit(browser, written, viewport={"width": width, "height": 800})
    assert visit.width() <= width
    # Each policy has its name, one line of it, in the chart.
    saved = visit.page.locator("#idle-saved")
    names = [" ".join(name.split()) for name in saved.locator(".ytick").all_text_contents()]
    cells = saved.locator("tbody tr").locator("th, td").nth(0)
    assert len(names) == len(set(names)) == saved.locator("tbody tr").count()
    assert cells.text_content().strip() in names
    visit.finish()


def test_the_table_of_policies_is_open(browser, written):
    visit = Visit(browser, written)
    shown = visit.page.locator("table:visible").filter(has_text="Start-stops")
    assert shown.locator("tbody tr").first.inner_text().startswith("Oracle")
    assert shown.locator("tbody tr").count() == 14
    visit.finish()
