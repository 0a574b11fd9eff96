"""The page of `iowatt emerald calibrate` in a real browser: it draws, fits, and asks for nothing."""

from __future__ import annotations

import pytest
from visit import NEEDS_BROWSER, Visit

from figures import figures
from iowatt.emerald.calibrate import page

pytestmark = NEEDS_BROWSER


def point(number, **values):
    return {
        "number": number, "kind": "search", "rate_iops": None, "outstanding": None, "streams": None,
        "achieved_iops": 100.0, "mib_per_s": 10.0, "response_ms": 5.0, "response_half_width_ms": 0.5,
        "wall_w": 300.0, "verdict": None, **values,
    }  # fmt: skip


def phase(name, method, points, chosen):
    return {
        "phase": name, "method": method, "points": points, "chosen": chosen, "settled": True,
        "point": "the whole phase (18 s), simulated", "notes": ["a <b>note</b>"],
    }  # fmt: skip


RATES = [
    point(1, rate_iops=100.0, verdict="meets"),
    point(2, rate_iops=400.0, verdict="over", response_ms=30.0),
    point(3, rate_iops=900.0, verdict="saturated", response_ms=None, response_half_width_ms=None),
]
LOOPS = [point(4, outstanding=4, streams=2), point(5, outstanding=8, streams=2, mib_per_s=15.0)]
FOUND = {
    "name": "<img src=x onerror=alert(1)>",
    "tool": "fio-3.33",
    "rules": {"profile": "emerald-4.0.0"},
    "limit": {"response_mean_ms": 20.0, "rule": "response.mean_ms.random", "verified": False, "margin": 0.05},
    "caveat": "judged with 1 unverified rule value",
    "deviations": [{"code": "dry-run", "text": "a dry run"}],
    "notes": [],
    "phases": [
        phase("HB", "limit", RATES, RATES[0]),
        phase("SR", "throughput", LOOPS, LOOPS[1]),
        phase("RW", "limit", RATES[1:], None),
        phase("MW2", "share", [], None),
    ],
}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    target = tmp_path_factory.mktemp("calibration") / "calibration.html"
    target.write_text(page.render(FOUND))
    return target


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
    assert visit.page.locator("h1").inner_text() == FOUND["name"]
    visit.finish()


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_sticks_out_sideways(browser, written, width):
    visit = Visit(browser, written, viewport={"width": width, "height": 800})
    assert visit.width() <= width
    visit.finish()
