"""The page of `iowatt emerald analyze` in a real browser: it draws, fits, and asks for nothing."""

from __future__ import annotations

import pytest
from visit import NEEDS_BROWSER, Visit

import emerald_runs
from figures import figures
from iowatt.emerald.analyze import judge, page
from iowatt.emerald.rules import load
from iowatt.render import write

pytestmark = NEEDS_BROWSER
CHARTS = 1 + 5 * 4 + 1  # whether they settled, phases of version 4, and ready idle


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    target = tmp_path_factory.mktemp("analysis") / "analysis.html"
    knobs = emerald_runs.Knobs(response_ms={"RR": 32.8})
    given = emerald_runs.plan(name="<img src=x onerror=alert(1)>")
    target.write_text(
        write.page([page.document(judge(emerald_runs.measured(given, knobs), load("emerald-4.0.0")))])
    )
    return target


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_chart_is_drawn(browser, written, scheme):
    visit = Visit(browser, written, color_scheme=scheme)
    assert visit.charts() == CHARTS
    visit.finish()


def test_a_refused_metric_has_no_number_and_its_reason(browser, written):
    visit = Visit(browser, written)
    tiles = visit.page.locator("dl.tiles > div").all_inner_texts()
    (refused,) = [tile for tile in tiles if "EP_RR" in tile]
    assert "INVALID" in refused and not figures(refused)
    caveats = visit.page.locator("#emerald-caveats li.decides").all_inner_texts()
    assert any(text.startswith("RR") and 20 in figures(text) for text in caveats)
    visit.finish()


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_sticks_out_sideways(browser, written, width):
    visit = Visit(browser, written, viewport={"width": width, "height": 800})
    assert visit.width() <= width
    visit.finish()
