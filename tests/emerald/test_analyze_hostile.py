"""Whatever minutes a Run holds, the judgement ends in a result, and never passes what is not there."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import emerald_runs
from iowatt.emerald.analyze import figures, judge, page
from iowatt.emerald.rules import load
from iowatt.render import terminal, write

RULES = load("emerald-4.0.0")
WATTS = st.one_of(st.none(), st.sampled_from([-1.0, 0.0, 1e-9, 1e12]), st.floats(1.0, 2000.0))
RATES = st.one_of(st.sampled_from([0.0, 1e7]), st.floats(0.0, 5000.0))
TIMES = st.one_of(st.sampled_from([0.0, 1e9]), st.floats(0.0, 100.0))


@pytest.fixture(scope="module")
def whole():
    return emerald_runs.measured()


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(st.tuples(RATES, WATTS, TIMES), max_size=40),
    stage=st.sampled_from(["HB", "SW", "RR-warmup", "ready-idle"]),
    reading=st.sampled_from(["a", "b", "c"]),
)
# No request in any minute: mean PE is 0, and nothing can be compared with it.
@example(rows=[(0.0, 1.0, 0.0)], stage="HB", reading="a")
@example(rows=[(0.0, 1.0, 0.0)] * 30, stage="HB", reading="b")
@example(rows=[(0.0, 1.0, 0.0)] * 30, stage="SW", reading="c")
@example(rows=[(1e7, 5e-324, 1e9)] * 30, stage="HB", reading="a")
@example(rows=[(1e7, 1e-300, float("inf"))] * 30, stage="HB", reading="a")
@example(rows=[(1e7, 1e308, 1.0)] * 30, stage="HB", reading="a")
def test_no_minutes_break_the_judgement(whole, rows, stage, reading):
    made = emerald_runs.Made(*([row[at] for row in rows] for at in range(3)))
    found = judge(emerald_runs.rerun(whole, stage, made), RULES, reading=reading)
    json.dumps(found.as_dict(), allow_nan=False)
    assert list(terminal.parts(page.document(found)))
    if stage in ("HB", "SW", "ready-idle"):
        parts = [*found.phases, found.ready_idle]
        part = next(one for one in parts if one.stage == stage)
        planned = 120 if stage == "ready-idle" else 30
        missing = len(rows) < planned or any(not watts or watts <= 0 for _, watts, _ in rows)
        if missing:
            assert part.status == "invalid"
            assert part.ep_shown is None
        if part.status == "valid":
            assert part.ep > 0


@settings(max_examples=5, deadline=None)
@given(rows=st.lists(st.tuples(RATES, WATTS, TIMES), max_size=40))
def test_no_minutes_break_the_page(whole, rows):
    made = emerald_runs.Made(*([row[at] for row in rows] for at in range(3)))
    found = judge(emerald_runs.rerun(whole, "HB", made), RULES)
    assert found.judged in write.page([page.document(found)])


def test_names_cannot_leave_the_page_s_text():
    plan = emerald_runs.plan(name="<script>alert(1)</script>", deviations=["</script><b>bold"])
    rendered = write.page([page.document(judge(emerald_runs.measured(plan), RULES))])
    assert "<script>alert(1)" not in rendered
    assert "</script><b>" not in rendered


def test_every_part_of_the_page_says_that_rules_are_unverified():
    found = judge(emerald_runs.measured(), RULES)
    drawn = page.document(found)
    statuses = {figures.status(part, found) for part in found.parts}
    assert len(statuses) == 1 and "valid" not in statuses  # marked by its rules
    rendered, (mark,) = write.page([drawn]), statuses
    assert rendered.count(mark) >= 12  # tiles, headings, table
    assert ">valid<" not in rendered


def test_a_page_shows_limit_band_and_history():
    found = judge(emerald_runs.measured(), RULES)
    rate, response, power, efficiency = figures.part_figures(found.phases[0], found)
    assert len(rate.table.rows) == len(power.table.rows) == 40
    assert any(shape["type"] == "line" and shape["y0"] == 20.0 for shape in response.spec["layout"]["shapes"])
    band = efficiency.spec["layout"]["shapes"][-1]
    mean = found.phases[0].stability.mean_efficiency
    assert (band["y0"], band["y1"]) == (pytest.approx(0.95 * mean), pytest.approx(1.05 * mean))


@pytest.mark.parametrize("reading", ["a", "b", "c"])
def test_a_phase_without_requests_is_of_unknown_stability(whole, reading):
    """Also where its warm-up had some, or none, so that averages are not missing but zero."""
    still = emerald_runs.rerun(whole, "HB-warmup", emerald_runs.Made([0.0] * 10, [800.0] * 10, [0.0] * 10))
    still = emerald_runs.rerun(still, "HB", emerald_runs.Made([0.0] * 30, [800.0] * 30, [0.0] * 30))
    found = judge(still, RULES, reading=reading)
    json.dumps(found.as_dict(), allow_nan=False)
    part = next(one for one in found.phases if one.phase == "HB")
    against = {one.code: one for one in part.findings}
    assert against["stability-unknown"].weight == "invalid"
    assert against["stability-unknown"].values == {"reading": reading}
    assert "not-stable" not in against


def test_settings_that_are_no_numbers_do_not_break_the_result(whole):
    """Python reads NaN and Infinity in JSON, and does not write them."""
    values = {"before": float("nan"), "list": [float("inf"), 1.0]}
    found = judge(replace(whole, settings_before={"a": values}, settings_after={"a": {}}), RULES)
    (finding,) = [one for one in found.findings if one.code == "configuration-changed"]
    json.dumps(found.as_dict(), allow_nan=False)
    assert finding.values["changed"]["a.list"] == [[None, 1.0], None]


def test_work_that_stops_behind_a_warm_up_has_no_infinite_deviation_in_its_result(whole):
    found = judge(emerald_runs.rerun(whole, "HB", emerald_runs.Made([0.0], [1e-9], [0.0])), RULES)
    json.dumps(found.as_dict(), allow_nan=False)
    assert found.phases[0].status == "invalid"
