"""The page of `iowatt cost` in a real browser: it draws, fits, and says and asks for nothing."""

from __future__ import annotations

import pytest
from visit import NEEDS_BROWSER, Visit

from iowatt.report.cost import write
from report.cost_document import HOSTILE, document, year

pytestmark = NEEDS_BROWSER
#: Figures without a chart: who is cheapest where, views, components, assumptions.
TABLES = 4
FIGURES = 23


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    target = tmp_path_factory.mktemp("costs") / "costs.html"
    found = document(names=HOSTILE)
    found["systems"][0]["year"] = year()
    write(found, target)
    return target


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_chart_of_costs_is_drawn_without_a_word(browser, written, scheme):
    visit = Visit(browser, written, color_scheme=scheme)
    plots = visit.page.locator(".plot")
    assert plots.count() == FIGURES - TABLES
    for plot in plots.all():
        drawn = ".scatterlayer path, .barlayer path, .heatmaplayer image, .boxlayer path"
        assert plot.locator(drawn).count() > 0
    visit.finish()


@pytest.mark.parametrize("width", [390, 1280])
def test_the_cost_page_does_not_stick_out_sideways(browser, written, width):
    visit = Visit(browser, written, viewport={"width": width, "height": 800})
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
    visit.finish()


def test_every_chart_of_costs_has_a_table_twin(browser, written):
    visit = Visit(browser, written)
    figures = visit.page.locator("figure")
    assert figures.count() == FIGURES
    for figure in figures.all():
        assert figure.locator("table tbody tr").count() > 0
    visit.finish()
