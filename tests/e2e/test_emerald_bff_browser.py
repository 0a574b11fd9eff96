"""The page of `iowatt emerald bff` in a real browser: it draws, fits, and asks for nothing."""

from __future__ import annotations

import pytest
from visit import NEEDS_BROWSER, Visit

from iowatt.emerald.bff import page
from iowatt.emerald.bff.result import BestFootForward
from iowatt.render import write

pytestmark = NEEDS_BROWSER

BAD = "<img src=x onerror=alert(1)>"


def judged(basis, ep, **more):
    return {
        "basis": basis, "ep": ep, "wall_w": 300.0, "iops": 300 * ep, "mib_per_s": 10.0,
        "response_ms": 20.0, "outstanding": 4.0, "half_percent": None, "stations": {"drives": 0.9}, "runs": 3,
        "notes": [], **more,
    }  # fmt: skip


def series(metric, by, drives, raid="raid-5"):
    points = [
        {
            "drives": n, "nodes": 1, "shelves": -(-n // 25), "ep": 10 - abs(n - 50) / 25,
            "basis": "simulated",
            "estimated": judged("estimated", 9.5 - abs(n - 50) / 25),
            "found": judged("simulated", 10 - abs(n - 50) / 25) if n != drives[-1] else None, "error": None,
        }
        for n in drives
    ]  # fmt: skip
    top = {"at": 1, "drives": drives[1], "kind": "peak", "why": "fewer and more drives are below it",
           "less_percent": -10.0, "more_percent": -10.0}  # fmt: skip
    return {
        "metric": metric, "by": by, "drive": BAD, "raid": raid, "controller": "one", "per_node": None,
        "name": f"{BAD}, {raid}, one", "peak": top, "points": points,
    }  # fmt: skip


CONFIGURATION = {"controller": "one", "nodes": 1, "groups": [{"drive": BAD, "count": 50, "raid": "raid-5"}]}
HELD = {"configuration": CONFIGURATION, "drives": 50, "shelves": {"small": 2}}


def chosen(raid="raid-5", drives=50):
    return {
        **judged("simulated", 10.0), **HELD, "label": f"{drives} x {BAD}, {raid}, one",
        "drive": BAD, "group": "hdd", "raid": raid,
        "controller": "one", "drives": drives, "nodes": 1, "kind": "peak",
        "why": "fewer and more are below it",
        "less_percent": -10.0, "more_percent": -10.0, "knee": "drives 90 % busy",
    }  # fmt: skip


def metric(name, reads, kind="random"):
    return {
        "name": name, "title": f"Metric {name}", "unit": "IOPS/W", "kind": kind, "read_percent": reads,
        "peak": chosen(), "by_drive": chosen(drives=48), "by_level": [chosen(), chosen("raid-10")],
        "by_option": [chosen(), {**chosen(), "drive": "other"}],
    }  # fmt: skip


ERRORS = {"points": 3, "median_percent": 5.0, "p95_percent": 6.0, "worst_percent": 6.0, "bias_percent": -5.0}
SHARES = {"RR": {"ep": 10.0, "basis": "simulated", "share": 1.0}}
FOUND = {
    "title": BAD,
    "name": "few",
    "rules": {"profile": "emerald-1.0.0", "version": "1.0.0", "sha256": "0", "unverified": []},
    "version": "0", "command": None, "tolerance": 0.01,
    "limit_ms": 20.0,
    "modelled": "modelled by iowatt, not measured",
    "simulated": True,
    "caveat": "judged with 1 unverified rule value",
    "family": {"file": BAD, "sha256": "0", "set": [], "notes": [], "scale_out": False,
               "figures": [{"figure": "test", "quality": None, "source": None}]},
    "estimator": {"used": True, "pilots": 1, "estimated": 9, "not_estimated": 1, "why_not": [BAD],
                  "errors": ERRORS,
                  "by_metric": {"RR": ERRORS}},
    "metrics": [metric("RR", 100), metric("60/40", 60), metric("RW", 0), metric("RI", None, "idle")],
    "series": [
        one
        for name in ("RR", "60/40", "RW", "RI")
        for one in (
            series(name, "shelf", (25, 50, 75)), series(name, "shelf", (25, 50, 75), "raid-10"),
            series(name, "drive", (47, 48, 49)),
        )
    ],
    "configurations": [
        {"name": "sold", "note": BAD, "label": "50 x a", **HELD,
         "figures": [{"metric": "RR", **judged("simulated", 9.0)}]}
    ],
    "projection": [
        {"drive": BAD, "controller": "one", "drives": 250, "shelves": 10, "nodes": 1, "raw_gb": 1e5,
         "idle_w": 2e3, "active_w": 3e3, "gb_per_w": 50.0, "error": None}
    ],
    "reduced": {
        "within_percent": 5.0, "uncovered": ["RI"], "setups": [],
        "configurations": [
            {"label": "50 x a", "covers": ["RR"], "figures": SHARES, "least_share": 1.0, **HELD}
        ],
        "compromise": {"label": "75 x a", "figures": SHARES, "least_share": 0.9, **HELD},
    },
    "variables": {
        "controllers": ["one"], "nodes": None, "levels": ["raid-5", "raid-10"],
        "drives": [{"drive": BAD, "group": "hdd", "least": 5, "most": {"one": 250}}],
        "ras": [{"feature": BAD, "least": 1, "most": 2, "tested": None, "note": BAD}],
        "com": [{"method": "thin-provisioning", "offered": "optional", "during_test": False, "note": BAD}],
    },
    "optimal_points": [],
    "notes": [{"code": "family", "text": BAD}],
}  # fmt: skip


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    target = tmp_path_factory.mktemp("bff") / "report.html"
    target.write_text(write.page([page.document(BestFootForward.model_validate(FOUND))]))
    return target


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_curve_is_drawn(browser, written, scheme):
    visit = Visit(browser, written, color_scheme=scheme)
    # Four curves, four by single drives, levels, mixes, projection, estimates.
    assert visit.charts() == 12
    assert visit.page.locator("h1").inner_text() == BAD and visit.page.locator("img").count() == 0
    visit.finish()


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_sticks_out_sideways(browser, written, width):
    visit = Visit(browser, written, viewport={"width": width, "height": 800})
    assert visit.width() <= width
    visit.finish()
