"""The page of `iowatt cost` in a real browser: it draws, fits, and says and asks for nothing."""

from __future__ import annotations

import pytest
from visit import COUNT, NEEDS_BROWSER, Visit

from iowatt.lenses.cost.result.costs import Cost
from iowatt.pages.cost import write
from report.cost_document import HOSTILE, document, year

pytestmark = NEEDS_BROWSER
#: Figures without a chart: what is got, who is cheapest where, views, components, assumptions.
TABLES = 5
FIGURES = 22


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    target = tmp_path_factory.mktemp("costs") / "costs.html"
    found = document(names=HOSTILE)
    found["systems"][0]["year"] = year()
    write(Cost.model_validate(found), target)
    return target


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_every_chart_of_costs_is_drawn_fits_and_has_a_table_twin(browser, written, scheme, width):
    visit = Visit(browser, written, color_scheme=scheme, viewport={"width": width, "height": 800})
    assert visit.charts() == FIGURES - TABLES
    rows = visit.page.locator("figure").evaluate_all(COUNT, "table tbody tr")
    assert len(rows) == FIGURES
    assert all(rows), rows
    assert visit.width() <= width
    visit.finish()
