"""The page of `iowatt budget`, and the section of a report, in a real browser: drawn, fitting, silent."""

from __future__ import annotations

import pytest
from visit import NEEDS_BROWSER, Visit

from iowatt.lenses.budget import ServiceLevel, analyse
from iowatt.pages import run as report
from iowatt.pages.budget import document
from iowatt.render import write
from lenses.budget_runs import made

pytestmark = NEEDS_BROWSER
HOSTILE = "<img src=x onerror=alert(1)>"
#: Three classes over load, the bars, percentiles of reads and of writes.
CHARTS = 3 + 1 + 2


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    import polars as pl

    folder = tmp_path_factory.mktemp("budget")
    runs = [made(rate, 2000)[0] for rate in (500, 3000, 6000)]
    found = analyse(runs, level=ServiceLevel(within_ms=0.5, of="mean"))
    hostile = found.model_copy(
        update={
            "classes": [
                one.model_copy(
                    update={
                        "hops": [
                            hop.model_copy(update={"hop": HOSTILE}) if hop.hop == "link" else hop
                            for hop in one.hops
                        ]
                    }
                )
                for one in found.classes
            ]
        }
    )
    write.write(document(hostile), folder / "budget.html")
    run = runs[0]
    run._tables["hops"] = run.table("hops").with_columns(pl.col("hop").replace({"link": HOSTILE}))
    return folder / "budget.html", report.write([run], folder / "report.html")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_chart_of_a_budget_is_drawn(browser, written, scheme):
    visit = Visit(browser, written[0], color_scheme=scheme)
    assert visit.charts() == CHARTS
    assert visit.page.locator(".barlayer path[style*='url(']").count() > 0  # waiting is hatched
    visit.finish()


def test_the_budget_does_not_stick_out_sideways(browser, written):
    for path in written:
        visit = Visit(browser, path, viewport={"width": 390, "height": 800})
        assert visit.width() <= 390
        visit.finish()


def test_the_report_of_a_run_has_the_section(browser, written):
    visit = Visit(browser, written[1])
    assert visit.page.locator("#run1-budget .plot").count() == 3
    assert visit.page.locator("#run1-budget figure details table").count() == 3
    visit.finish()
