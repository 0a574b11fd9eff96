"""The page of a highest rate says what the document says."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from md1_queue import queue

from iowatt.evaluate.search.rate import Asked, find
from iowatt.pages.rate import page


def documented(**asked: Any) -> dict[str, Any]:
    given = Asked(0.004, **asked)
    found = find(queue(4000), given, start=300, seeds=range(1, 1 + given.replications))
    row = {"power_w.mean": 20.0, "power_w.wall_mean": None, "efficiency.iops_per_w": 40.0}
    return {"scenario": "<b>station</b>", **found.as_dict(), "at_rate": row}


def figures(text: str) -> dict[str, Any]:
    found = re.search(r'id="report-data">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    return dict(json.loads(found[1])["figures"])


def test_the_curve_has_every_rate_in_its_table_and_the_answer_in_its_marks() -> None:
    found = documented(replications=3)
    text = page.render(found)
    assert "<b>station" not in text
    drawn = figures(text)
    curve = drawn["rate-curve"]
    assert [row[1] for row in curve["rows"]] == pytest.approx([p["rate_iops"] for p in found["points"]])
    marks = [
        (x, y)
        for trace in curve["spec"]["data"]
        if trace["mode"] == "markers"
        for x, y in zip(trace["x"], trace["y"], strict=True)
    ]
    for point in found["points"]:
        shown = any(x == pytest.approx(point["rate_iops"]) for x, _ in marks)
        assert shown == (point["response_ms"] <= 16)
    lines = {shape.get("line", {}).get("dash"): shape for shape in curve["spec"]["layout"]["shapes"]}
    assert lines["dash"]["y0"] == pytest.approx(4) and lines["dot"]["x0"] == pytest.approx(found["rate_iops"])
    band = curve["spec"]["layout"]["shapes"][0]
    assert [band["x0"], band["x1"]] == pytest.approx(found["crossing_ci95_iops"])
    assert [row[1] for row in drawn["rate-seeds"]["rows"]] == pytest.approx(found["crossing_by_seed_iops"])


def test_without_an_interval_the_band_is_the_bracket() -> None:
    found = documented(statistic="p95")
    assert found["crossing_ci95_iops"] is None
    drawn = figures(page.render(found))
    assert list(drawn) == ["rate-curve"]
    band = drawn["rate-curve"]["spec"]["layout"]["shapes"][0]
    assert [band["x0"], band["x1"]] == pytest.approx([found["rate_iops"], found["beyond_iops"]])
