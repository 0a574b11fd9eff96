"""The page of a highest rate says what the document says."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from md1_queue import queue

from iowatt.evaluate.search.prepare import ScenarioInput
from iowatt.evaluate.search.rate import HighestRate, RateRequest
from iowatt.evaluate.search.rate.find import find_highest_rate
from iowatt.evaluate.search.rate.scenario import rate_document
from iowatt.pages.rate import document
from iowatt.render import numbers, write


def answer(**request: Any) -> HighestRate:
    given = RateRequest(0.004, **request)
    found = find_highest_rate(queue(4000), given, start=300, seeds=range(1, 1 + given.replications))
    row = {"power_w.mean": 20.0, "power_w.wall_mean": None, "efficiency.iops_per_w": 40.0}
    made = rate_document(
        replace(found, run=None), ScenarioInput("", Path(), "here", ()), scenario="<b>station</b>"
    )
    return made.model_copy(update={"at_rate": row})


def figures(text: str) -> dict[str, Any]:
    found = re.search(r'id="report-data">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    return dict(json.loads(found[1])["figures"])


def test_the_curve_has_every_rate_in_its_table_and_the_answer_in_its_marks() -> None:
    found = answer(replications=3)
    text = write.page([document(found)])
    assert "<b>station" not in text
    drawn = figures(text)
    curve = drawn["rate-curve"]
    assert [row[0] for row in curve["rows"]] == pytest.approx([point.rate_iops for point in found.points])
    marks = [
        (x, y)
        for trace in curve["spec"]["data"]
        if trace["mode"] == "markers"
        for x, y in zip(trace["x"], trace["y"], strict=True)
    ]
    for point in found.points:
        shown = any(x == pytest.approx(point.rate_iops) for x, _ in marks)
        assert shown == (point.response_ms <= 16)
    lines = {shape.get("line", {}).get("dash"): shape for shape in curve["spec"]["layout"]["shapes"]}
    assert lines["dash"]["y0"] == pytest.approx(4) and lines["dot"]["x0"] == pytest.approx(found.rate_iops)
    band = curve["spec"]["layout"]["shapes"][0]
    assert (band["x0"], band["x1"]) == pytest.approx(found.crossing_ci95_iops)
    assert [row[1] for row in drawn["rate-seeds"]["rows"]] == pytest.approx(found.crossing_by_seed_iops)


def test_without_an_interval_the_band_is_the_bracket() -> None:
    found = answer(statistic="p95")
    assert found.crossing_ci95_iops is None
    drawn = figures(write.page([document(found)]))
    assert list(drawn) == ["rate-curve"]
    band = drawn["rate-curve"]["spec"]["layout"]["shapes"][0]
    assert [band["x0"], band["x1"]] == pytest.approx([found.rate_iops, found.beyond_iops])


def test_the_verdict_and_the_headlines_have_the_figures() -> None:
    found = answer(replications=3)
    made = document(found)
    shown = {headline.key: headline.value for headline in made.headlines}
    assert shown == {
        "rate": found.rate_iops,
        "crossing": found.crossing_iops,
        "response": found.response_ms,
        "power": 20.0,
        "efficiency": 40.0,
    }
    assert made.chart is not None and made.chart.brief
    assert numbers.significant(found.rate_iops, 4) in made.verdict[0]
