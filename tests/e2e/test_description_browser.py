"""The page of `iowatt trace profile` in a real browser: it draws, and says and asks for nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from visit import NEEDS_BROWSER, Visit

from iowatt.pages.description.document import documents
from iowatt.render import write
from iowatt.trace.description import Descriptions
from iowatt.trace.measure import describe

pytestmark = NEEDS_BROWSER
WEEK = Path(__file__).parents[2] / "python/iowatt/model/library/validation/ajw.1week.srt.gz"
HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>"
CHARTS = 16  # with a daily envelope


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("description")
    small = folder / "small.csv"
    rows = "".join(f"{i},{'RW'[i % 2]},{i * i % 99 * 512},4096,{HOSTILE}\n" for i in range(50))
    small.write_text("time_ms,op,offset,size,device\n" + rows)
    week, other = describe({"path": str(WEEK)}), describe({"path": str(small)})
    write.write(documents(Descriptions(traces=[week])), folder / "one.html")
    write.write(documents(Descriptions(traces=[week, other])), folder / "two.html")
    return folder / "one.html", folder / "two.html"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_chart_is_drawn(browser, written, scheme):
    visit = Visit(browser, written[0], color_scheme=scheme)
    assert visit.charts() == CHARTS
    visit.finish()


def test_two_traces_are_one_page(browser, written):
    visit = Visit(browser, written[1])
    assert visit.page.locator("section.run").count() == 2
    assert visit.page.locator("section.run h2").all_inner_texts() == ["ajw.1week.srt.gz", "small.csv"]
    visit.finish()


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_sticks_out_sideways(browser, written, width):
    visit = Visit(browser, written[0], viewport={"width": width, "height": 800})
    assert visit.width() <= width
    visit.finish()
