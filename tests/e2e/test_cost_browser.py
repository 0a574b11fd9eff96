"""The page of `iowatt cost` in a real browser: it draws, fits, and says and asks for nothing."""

from __future__ import annotations

import pytest
from visit import NEEDS_BROWSER, Visit

from iowatt.pages.cost import write
from report.cost_document import HOSTILE, document, year

pytestmark = NEEDS_BROWSER
#: Figures without a chart: who is cheapest where, views, components, assumptions.
TABLES = 4
FIGURES = 21


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    target = tmp_path_factory.mktemp("costs") / "costs.html"
    found = document(names=HOSTILE)
    found["systems"][0]["year"] = year()
    write(found, target)
    return target


#: How many elements below each of one kind are of another; one call for all, as each takes long.
COUNT = "(all, within) => all.map(one => one.querySelectorAll(within).length)"
DRAWN = ".scatterlayer path, .barlayer path, .heatmaplayer image, .boxlayer path"


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_every_chart_of_costs_is_drawn_fits_and_has_a_table_twin(browser, written, scheme, width):
    visit = Visit(browser, written, color_scheme=scheme, viewport={"width": width, "height": 800})
    marks = visit.page.locator(".plot").evaluate_all(COUNT, DRAWN)
    assert len(marks) == FIGURES - TABLES
    assert all(marks), marks
    rows = visit.page.locator("figure").evaluate_all(COUNT, "table tbody tr")
    assert len(rows) == FIGURES
    assert all(rows), rows
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
    visit.finish()
