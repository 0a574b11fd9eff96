"""The page of `iowatt emerald calibrate` in a real browser: it draws, fits, and asks for nothing."""

from __future__ import annotations

import pytest
from visit import NEEDS_BROWSER, Visit

from figures import figures
from iowatt.base.results import Note
from iowatt.emerald.calibrate import Calibration, PhaseCalibration, Point, document
from iowatt.emerald.calibrate.outcome import PointOutcome
from iowatt.emerald.calibrate.result import ResponseLimit
from iowatt.emerald.plan.model import PlanDeviation, PlannedRules
from iowatt.render import write

pytestmark = NEEDS_BROWSER


def point(number, *, response_s=0.005, half_width_s=0.0005, mib_per_s=10.0, **load):
    outcome = PointOutcome(
        seconds=18.0, requests=1800, iops=100.0, mib_per_s=mib_per_s, response_s=response_s,
        half_width_s=half_width_s, wall_w=300.0,
    )  # fmt: skip
    return Point.of(outcome, number, "search", **load)


def phase(name, method, points, chosen):
    note = Note(code="a-note", text="a <b>note</b>")
    return PhaseCalibration(
        phase=name, method=method, points=points, chosen=chosen, settled=True,
        point="the whole phase (18 s), simulated", notes=(note,),
    )  # fmt: skip


RATES = [
    point(1, rate_iops=100.0, verdict="meets"),
    point(2, rate_iops=400.0, verdict="over", response_s=0.03),
    point(3, rate_iops=900.0, verdict="saturated", response_s=None, half_width_s=None),
]
LOOPS = [point(4, outstanding=4, streams=2), point(5, outstanding=8, streams=2, mib_per_s=15.0)]
FOUND = Calibration(
    name="<img src=x onerror=alert(1)>",
    source="fio",
    tool="fio-3.33",
    category="online",
    rules=PlannedRules(profile="emerald-4.0.0", sha256="0", version="4.0.0"),
    limit=ResponseLimit(response_mean_ms=20.0, rule="response.mean_ms.random", verified=False, margin=0.05),
    tolerance=0.02,
    complete=False,
    caveat="judged with 1 unverified rule value",
    deviations=[PlanDeviation(code="dry-run", text="a dry run")],
    phases=[
        phase("HB", "limit", RATES, RATES[0]),
        phase("SR", "throughput", LOOPS, LOOPS[1]),
        phase("RW", "limit", RATES[1:], None),
        phase("MW2", "share", [], None),
    ],
)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    target = tmp_path_factory.mktemp("calibration") / "calibration.html"
    return write.write(document(FOUND), target)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_curve_is_drawn(browser, written, scheme):
    visit = Visit(browser, written, color_scheme=scheme)
    assert visit.charts() == 3
    visit.finish()


def test_what_was_found_and_what_was_not(browser, written):
    visit = Visit(browser, written)
    tiles = visit.page.locator("dl.tiles > div").all_inner_texts()
    assert "HB" in tiles[0] and "100" in tiles[0] and "5.000 ms" in tiles[0]
    assert "SR" in tiles[1] and {15, 8} <= set(figures(tiles[1]))
    assert not figures(tiles[2]) and not figures(tiles[3].replace("MW2", ""))
    assert visit.page.locator("h1").inner_text() == FOUND.name
    visit.finish()


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_sticks_out_sideways(browser, written, width):
    visit = Visit(browser, written, viewport={"width": width, "height": 800})
    assert visit.width() <= width
    visit.finish()
