"""The page of `iowatt heat` in a real browser: it draws, fits, and says and asks for nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from visit import NEEDS_BROWSER, Visit

import iowatt
from iowatt.lenses.heat import analyse, of_run
from iowatt.pages.heat import document
from iowatt.render import write

pytestmark = NEEDS_BROWSER
EXAMPLES = Path(__file__).parents[2] / "examples"
#: Curve, density, address, time and ways at two points, stability.
CHARTS = 2 + 3 * 2 + 1


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("heat")
    hostile = "<img src=x onerror=alert(1)>"
    run = iowatt.run(EXAMPLES / "cached-raid5.toml", set=["observe.heat={}"])
    found = analyse(of_run(run), hostile)
    for point in found.points:
        (space,) = point.spaces
        point.spaces[:] = [space.model_copy(update={"name": name}) for name in (hostile, "b")]
    return write.write(document(found), folder / "heat.html")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_chart_of_heat_is_drawn(browser, written, scheme):
    visit = Visit(browser, written, color_scheme=scheme)
    assert visit.charts() == CHARTS
    visit.finish()


@pytest.mark.parametrize("width", [390, 1280])
def test_the_heat_page_does_not_stick_out_sideways(browser, written, width):
    visit = Visit(browser, written, viewport={"width": width, "height": 800})
    assert visit.width() <= width
    visit.finish()


def test_every_chart_of_heat_has_a_table_twin(browser, written):
    visit = Visit(browser, written)
    figures = visit.page.locator("figure")
    assert figures.count() == CHARTS + 2  # skew in figures, address spaces
    for figure in figures.all():
        assert figure.locator("table tbody tr").count() > 0
    visit.finish()
