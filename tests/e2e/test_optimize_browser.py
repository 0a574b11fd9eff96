"""The page of `iowatt optimize` in a real browser: it draws, filters all views at once, and sorts."""

from __future__ import annotations

import pytest
from visit import NEEDS_BROWSER, Visit

import optimize_outcome as made
from figures import figures
from iowatt.evaluate.search.metrics.names import column
from iowatt.pages.optimize.page import FIRST_ROWS
from iowatt.pages.optimize.page import document as document_of
from iowatt.render import write

pytestmark = NEEDS_BROWSER
CAPACITY = column(made.USABLE).heading
ROWS = "window.iowatt.report.figures['optimize-{}'].rows"


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    place = tmp_path_factory.mktemp("optimized")
    axes = [made.COUNTS, made.LEVELS, made.axis(made.DEVICE, ["savvio-15k2", "savvio-10k3"], ordered=False)]
    goals = [made.goal(made.EFFICIENCY, "maximize"), made.goal(made.RESPONSE, "minimize")]
    limits = [made.limit(made.USABLE, ">=", 7000)]
    found = {}
    for name, outcome in (
        ("two", made.outcome(axes, goals, limits, simulate=lambda number, _: number % 3 != 1)),
        ("nothing", made.nothing()),
    ):
        document, frame = outcome
        document = made.explained(document, frame)
        page = write.page([document_of(document, frame, 'name = "peak"\n')])
        (place / f"{name}.html").write_text(page)
        found[name] = document, frame.to_dicts()
    return place, found


@pytest.mark.parametrize(("name", "scheme", "width"), [("two", "dark", 390), ("nothing", "light", 1280)])
def test_every_chart_is_drawn_and_nothing_sticks_out(browser, written, name, scheme, width):
    view = {"width": width, "height": 800}
    visit = Visit(browser, written[0] / f"{name}.html", color_scheme=scheme, viewport=view)
    visit.charts()
    assert visit.width() <= width
    visit.finish()


def test_one_filter_holds_for_view_lines_and_table(browser, written):
    place, found = written
    document, rows = found["two"]
    visit = Visit(browser, place / "two.html")
    first = visit.page.evaluate(ROWS.format("view"))
    cells = visit.page.locator("#optimize-points tbody tr").first.locator("td").all_inner_texts()
    level = visit.page.locator("#filter fieldset", has_text="raid.level").get_by_label("10", exact=True)
    level.uncheck()
    kept = [row["point"] for row in rows if row[made.LEVEL] == 5]
    assert figures(visit.page.locator("#filter-count").inner_text()) == [len(kept), len(rows)]
    for name in ("view", "lines"):
        assert sorted(row[0] for row in visit.page.evaluate(ROWS.format(name))) == kept
    assert visit.page.locator("#optimize-lines table tbody tr").count() == len(kept)
    assert (
        visit.page.evaluate("document.querySelector('[data-figure=optimize-view]').data.at(-1).name")
        != "Winner"
    )
    visit.page.select_option("#filter select >> nth=1", label="49")
    fewer = [row["point"] for row in rows if row[made.LEVEL] == 5 and row[made.COUNT] <= 49]
    table = visit.page.locator("#optimize-points tbody tr > :first-child")
    assert sorted(map(int, table.all_inner_texts())) == fewer
    visit.page.click("#filter button[type=reset]")
    visit.page.locator("#filter-count", has_text=f"{len(rows)} of {len(rows)}").wait_for()
    # All is as Python made it.
    assert visit.page.evaluate(ROWS.format("view")) == first
    assert visit.page.locator("#optimize-points tbody tr").first.locator("td").all_inner_texts() == cells
    assert table.first.inner_text() == str(document.winner)
    visit.finish()


def test_other_figures_can_be_set_against_each_other_and_headings_sort(browser, written):
    place, found = written
    visit = Visit(browser, place / "two.html")
    visit.page.select_option("#choose-x", label=CAPACITY)
    visit.page.select_option("#choose-y", label="device")
    drawn = visit.page.evaluate("document.querySelector('[data-figure=optimize-view]').layout")
    assert (drawn["xaxis"]["title"]["text"], drawn["yaxis"]["type"]) == (CAPACITY, "category")
    assert [shape["x0"] for shape in drawn["shapes"]] == [7000]
    heading = visit.page.locator("#optimize-points thead th", has_text="Efficiency")
    heading.locator("button").click()
    assert heading.get_attribute("aria-sort") == "ascending"
    known = {
        row["point"]: row[made.EFFICIENCY] or row[f"estimate.{made.EFFICIENCY}"] for row in found["two"][1]
    }
    table = visit.page.locator("#optimize-points tbody")
    listed = [int(text) for text in table.locator("tr > :first-child").all_inner_texts()]
    assert listed == sorted(known, key=known.get)[:FIRST_ROWS]
    visit.page.click("#points-more")
    assert figures(visit.page.locator("#points-shown").inner_text()) == [100, 100]
    assert table.locator("tr").count() == len(known) == 100
    assert not visit.page.locator("#points-more").is_visible()
    visit.finish()
