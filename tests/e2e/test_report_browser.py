"""The report in a real browser: it draws, it says nothing on the console, it asks the network for nothing."""

from __future__ import annotations

import csv

import pytest
from visit import NEEDS_BROWSER, Visit

from iowatt.pages import run as report
from report.fixture import Recipe, build

pytestmark = NEEDS_BROWSER
CHARTS = 12
HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>"


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    run = build(Recipe(notes=(HOSTILE,), pool=HOSTILE))
    slower = build(Recipe(name=HOSTILE, slowdown=2.0))
    return report.write([run], folder / "one.html"), report.write([run, slower], folder / "two.html")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_chart_is_drawn(browser, written, scheme):
    visit = Visit(browser, written[0], color_scheme=scheme)
    assert visit.charts() == CHARTS
    visit.finish()


def test_colours_follow_the_scheme(browser, written):
    visit = Visit(browser, written[0], color_scheme="light")

    def idle_bar():
        bars = visit.page.locator("#run1-energy-by-state .barlayer .point path")
        return bars.last.evaluate("bar => getComputedStyle(bar).fill")

    assert idle_bar() == "rgb(169, 178, 188)"  # a9b2bc
    visit.page.emulate_media(color_scheme="dark")
    visit.page.wait_for_function(
        """() => getComputedStyle([...document.querySelectorAll(
            '#run1-energy-by-state .barlayer .point path')].at(-1)).fill === 'rgb(102, 113, 126)'"""  # 66717e
    )
    visit.finish()


def test_the_tools_cover_neither_legend_nor_axis(browser, written):
    visit = Visit(browser, written[0])
    covered = """plot => {
        const bar = plot.querySelector(".modebar").getBoundingClientRect();
        const texts = [...plot.querySelectorAll(".legend .traces, .xtick text, .ytick text, .xtitle")];
        const aside = (q) => q.right <= bar.left || q.left >= bar.right;
        const beside = (q) => aside(q) || q.bottom <= bar.top || q.top >= bar.bottom;
        return [bar.width > 0, texts.filter((text) => !beside(text.getBoundingClientRect())).length];
    }"""
    assert visit.charts() == CHARTS
    for plot in visit.page.locator(".plot").all():
        assert plot.evaluate(covered) == [True, 0]
    visit.finish()


def test_tables_open(browser, written):
    visit = Visit(browser, written[0])
    assert visit.charts() == CHARTS
    details = visit.page.locator("figure details")
    assert details.count() == CHARTS
    for one in details.all():
        assert not one.locator("table").is_visible()
        one.locator("summary").click()
        assert one.locator("table").is_visible()
    visit.finish()


def test_a_table_is_saved_as_csv(browser, written, tmp_path):
    visit = Visit(browser, written[0])
    with visit.page.expect_download() as download:
        visit.page.locator("#run1-energy-by-component button.csv").click()
    assert download.value.suggested_filename == "run1-energy-by-component.csv"
    download.value.save_as(tmp_path / "table.csv")
    with (tmp_path / "table.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert rows[0][0] == "Component"
    assert rows[0][-1].endswith("(kJ)")
    # 12.75 W for an hour; the name is quoted, so that it comes back whole
    assert [float(row[-1]) for row in rows[1:]] == pytest.approx([12.75 * 3.6] * 8)
    assert rows[1][0] == f"{HOSTILE}.0"
    visit.finish()


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_sticks_out_sideways(browser, written, width):
    for path in written:
        visit = Visit(browser, path, viewport={"width": width, "height": 800})
        assert visit.width() <= width
        visit.finish()


def test_marks_and_titles_of_a_narrow_chart_are_whole_and_apart(browser, written):
    visit = Visit(browser, written[0], viewport={"width": 390, "height": 800})
    wrong = """plot => {
        const box = (one) => one.getBoundingClientRect();
        const edge = box(plot);
        const texts = [...plot.querySelectorAll(".xtick text, .ytick text, .xtitle, .ytitle, .legendtext")];
        const cut = texts.filter((text) => {
            const at = box(text);
            return at.left < edge.left - 1 || at.right > edge.right + 1 || at.top < edge.top - 1
                || at.bottom > edge.bottom + 1;
        });
        const level = (text) => text.transform.baseVal.length < 2 || text.transform.baseVal[1].angle === 0;
        const ticks = [...plot.querySelectorAll(".xtick text")].filter(level);
        const marks = ticks.map(box).sort((a, b) => a.left - b.left);
        const over = marks.filter((mark, at) => at && mark.left < marks[at - 1].right);
        return [...cut.map((text) => text.textContent), over.length];
    }"""
    assert visit.charts() == CHARTS
    for plot in visit.page.locator(".plot").all():
        assert plot.evaluate(wrong) == [0]
    visit.finish()


def test_no_tool_of_a_chart_sends_it_away(browser, written):
    visit = Visit(browser, written[0])
    assert visit.charts() == CHARTS
    tools = visit.page.locator(".modebar-btn").evaluate_all("all => all.map((tool) => tool.dataset.title)")
    assert {tool.split()[0] for tool in tools} == {"Download", "Zoom", "Reset"}
    visit.finish()


def test_nothing_is_wider_than_a_sheet_of_paper(browser, written):
    # A4 less twice 14 mm is 182 mm, 688 CSS pixels; anything wider would shrink the whole print
    visit = Visit(browser, written[0], fragment="#print", viewport={"width": 688, "height": 900})
    visit.page.emulate_media(media="print")
    assert visit.width() <= 688
    visit.finish()


def test_several_runs_are_one_page(browser, written):
    visit = Visit(browser, written[1])
    assert visit.page.locator(".plot").count() == 2 * CHARTS + 1
    # Ten headlines, usable capacity and data loss.
    assert visit.page.locator("#all-comparison tbody tr").count() == 12
    visit.finish()


def test_three_runs_beside_one_another_are_in_view(browser, tmp_path):
    runs = [build(Recipe(name=f"oltp-ssd-cache-{at}", slowdown=at)) for at in (1.0, 50.0, 900.0)]
    visit = Visit(
        browser, report.write(runs, tmp_path / "three.html"), viewport={"width": 1100, "height": 800}
    )
    box = visit.page.locator("#all-comparison .scroll")
    assert box.evaluate("box => box.scrollWidth <= box.clientWidth")
    assert visit.page.locator("#all-comparison thead th").count() == 4
    visit.finish()


def test_the_print_address_is_light_on_a_dark_desktop(browser, written):
    visit = Visit(browser, written[0], fragment="#print", color_scheme="dark")
    ground = visit.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == "rgb(246, 247, 249)"  # f6f7f9
    visit.finish()
