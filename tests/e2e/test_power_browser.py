"""The page of `iowatt power` in a real browser: it draws in both schemes, prints, and asks for nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from visit import NEEDS_BROWSER, Visit

from iowatt.model.scenario import calculated_power
from iowatt.pages.power import document
from iowatt.render import write

pytestmark = NEEDS_BROWSER
EXAMPLES = Path(__file__).parents[2] / "examples"
CHARTS = 3  # one of them folded


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    path = tmp_path_factory.mktemp("power") / "power.html"
    found = calculated_power(EXAMPLES / "array-power.toml")
    found.sources.append("<img src=x onerror=alert(1)><script>alert(2)</script>")
    return write.write(document(found), path)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_chart_is_drawn(browser, written, scheme):
    visit = Visit(browser, written, color_scheme=scheme)
    assert visit.charts() == CHARTS
    visit.finish()


def test_paper_has_the_table_of_components(browser, written):
    visit = Visit(browser, written, "#print")
    visit.page.emulate_media(media="print")
    table = visit.page.locator("#power-components table")
    assert table.is_visible()
    assert table.locator("tbody tr").count() == 9
    assert visit.page.locator("#power-totals table").is_visible()
    visit.finish()


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_sticks_out_sideways(browser, written, width):
    visit = Visit(browser, written, viewport={"width": width, "height": 800})
    assert visit.width() <= width
    visit.finish()
