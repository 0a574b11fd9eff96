"""The page of a study in a real browser: it draws, fits, opens, and says and asks for nothing."""

from __future__ import annotations

import pytest
from visit import NEEDS_BROWSER, Visit

from iowatt.studies.conduct import conduct
from small_study import tiny

pytestmark = NEEDS_BROWSER


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    return conduct(tiny(), tmp_path_factory.mktemp("page") / "study").path / "report.html"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_chart_of_the_study_is_drawn(browser, written, scheme):
    visit = Visit(browser, written, color_scheme=scheme)
    assert visit.charts() > 30
    visit.finish()


@pytest.mark.parametrize("width", [390, 1280])
def test_the_study_page_does_not_stick_out_sideways(browser, written, width):
    visit = Visit(browser, written, viewport={"width": width, "height": 800})
    for details in visit.page.locator("details").all():
        details.evaluate("one => { one.open = true }")
    assert visit.width() <= width
    visit.finish()


def test_every_verdict_opens_with_its_causes(browser, written):
    visit = Visit(browser, written)
    verdicts = visit.page.locator("details", has=visit.page.locator("#study-every"))
    heading = verdicts.locator("th", has_text="Why it differs").first
    assert not heading.is_visible()
    for summary in verdicts.locator("summary").all():
        summary.click()
    assert heading.is_visible()
    visit.finish()
