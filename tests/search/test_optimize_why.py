"""Why a winner wins: shares, binding constraints and neighbours of outcomes with known answers."""

from __future__ import annotations

import io
import itertools
import json
import re
import statistics
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

import optimize_outcome as made
from iowatt.evaluate.search.optimize.sensitivity import explain_winner, variance_shares
from iowatt.evaluate.search.optimize.view import CORRECTED, OptimizationView
from iowatt.pages.optimize import explanation
from iowatt.pages.optimize.page import document as document_of
from iowatt.render import terminal

A, B = "workload.w.a", "workload.w.b"
GOAL = {"metric": "x", "direction": "maximize", "title": "Worth", "unit": "p"}


def told(document, frame, about):
    said = explanation.sentences(OptimizationView(document, frame), explain_winner(document, frame))
    return [one.text for one in said if one.about == about]


def figures(sentence):
    """The numbers of a sentence as they are written."""
    return re.findall(r"\d(?:[\d.,]*\d)?", sentence)


def small(model, goals=(GOAL,), limits=(), **more):
    axes = [made.axis(A, [0, 1, 2, 3]), made.axis(B, ["u", "v", "w"], ordered=False)]
    return made.outcome(axes, goals, limits, model, **more)


def additive(point):
    return {"x": 10.0 + 3 * point[A] + {"u": 0, "v": 1, "w": 5}[point[B]], "y": 2.0 * point[A] + 1}


# --- shares ---


def test_shares_of_a_sum_are_the_variances_of_its_parts():
    first, second, third = [0.0, 3, 6, 9], [0.0, 1, 5], [0.0, 2]
    every = list(itertools.product(range(4), range(3), range(2)))
    found = variance_shares([first[a] + second[b] + third[c] for a, b, c in every], every)
    parts = [statistics.pvariance(part) for part in (first, second, third)]
    assert found.axes == pytest.approx([part / sum(parts) for part in parts])
    assert found.together == pytest.approx(0, abs=1e-12)
    assert found.variance == pytest.approx(sum(parts))


def test_what_only_a_combination_explains_is_nobodys():
    # A checkerboard: each setting's mean is the same, whatever the other axis has.
    every = list(itertools.product(range(2), range(2)))
    found = variance_shares([float(a != b) for a, b in every], every)
    assert found.axes == pytest.approx([0, 0])
    assert found.together == pytest.approx(1)


def test_a_product_is_as_the_analysis_of_variance_has_it():
    # x = a b over a, b in {1, 2, 3}: variance 52/9 = 16/9 + ... ; main effects (2 a)'s and (2 b)'s, 8/3 each.
    every = list(itertools.product((1, 2, 3), (1, 2, 3)))
    found = variance_shares([float(a * b) for a, b in every], every)
    total = statistics.pvariance([a * b for a, b in every])
    assert found.axes == pytest.approx([(8 / 3) / total] * 2)
    assert found.together == pytest.approx(1 - (16 / 3) / total)


def test_axes_that_vary_together_share_what_both_explain():
    every = [(a, b) for a, b in itertools.product(range(4), range(4)) if abs(a - b) <= 2]
    found = variance_shares([float(a + b) for a, b in every], every)
    assert found.axes == pytest.approx([0.5, 0.5])
    assert found.together == pytest.approx(0, abs=1e-6)
    # An axis without an effect gets what it can say of the other, at most half of it.
    one_sided = variance_shares([float(a) for a, _ in every], every)
    assert one_sided.axes[0] > 0.5 > one_sided.axes[1] > 0
    assert sum(one_sided.axes) == pytest.approx(1)


def test_a_few_points_of_many_settings_tell_nothing():
    assert variance_shares([1.0, 5.0, 3.0], [(0, 0), (1, 1), (2, 2)]) is None
    assert variance_shares([], []) is None
    assert variance_shares([2.0, 2.0], [(0,), (1,)]).axes == (0.0,)


@given(
    st.lists(
        st.tuples(st.floats(-1e9, 1e9), st.integers(0, 3), st.integers(0, 2), st.integers(0, 2)), max_size=60
    )
)
@settings(max_examples=60)
def test_shares_are_shares(points):
    found = variance_shares([value for value, *_ in points], [tuple(where) for _, *where in points])
    if found is not None:
        assert all(0 <= share <= 1 + 1e-6 for share in (*found.axes, found.together))
        assert sum(found.axes) + found.together == pytest.approx(1 if found.variance else 0, abs=1e-6)


# --- why ---


def test_without_a_constraint_the_best_is_the_best_and_every_neighbour_says_what_it_loses():
    document, frame = small(additive)
    found = explain_winner(document, frame)
    assert found.winner == 12  # a = 3, b = "w"
    a, b = found.axes
    assert [one.setting for one in a.neighbours] == ["0", "1", "2"]
    assert [one.steps for one in a.neighbours] == [-3, -2, -1]
    losses = [one.objectives[0] for one in a.neighbours]
    assert [one.change for one in losses] == pytest.approx([-9, -6, -3])
    assert [one.gain_percent for one in losses] == pytest.approx([-900 / 24, -600 / 24, -300 / 24])
    assert {one.setting: one.objectives[0].change for one in b.neighbours} == {"u": -5, "v": -4}
    assert found.shares[0].axes[0].share == pytest.approx(11.25 / (11.25 + 14 / 3))
    assert found.runner_up.point == 9  # a = 2
    assert (a.edge, b.edge) == ("last", None)
    (edge,) = told(document, frame, "edge")
    assert edge.startswith("a 3 ") and a.edge in edge
    assert b.otherwise.point == 11
    assert figures(told(document, frame, "neighbour")[0]) == ["2", "3", "12.5", "21", "24"]


def test_the_binding_constraint_is_the_one_that_keeps_out_a_better_point():
    limits = [made.limit("y", "<=", 5), made.limit("x", "<=", 1000)]
    document, frame = small(additive, limits=limits)
    found = explain_winner(document, frame)
    assert found.winner == 9  # a = 2, b = "w"; a = 3 breaks y <= 5
    binding, loose = found.constraints
    assert (binding.binds, binding.value, binding.slack, binding.tight) == (True, 5, 0, True)
    assert binding.without.point == 12
    assert binding.without.objectives[0].gain == pytest.approx(3)
    assert (loose.binds, loose.without) == (False, None)
    assert found.axes[0].edge is None
    broken = found.axes[0].neighbours[-1]
    assert (broken.setting, broken.feasible, broken.breaks) == ("3", False, ["y <= 5"])
    assert any(
        "binds" in sentence and figures(sentence)[-2:] == ["7", "5"]
        for sentence in told(document, frame, "constraint")
    )
    assert figures(told(document, frame, "neighbour")[1])[-2:] == ["7", "5"]


def test_a_breach_by_a_hair_reads_as_one():
    document, frame = small(
        lambda point: additive(point) | {"y": 4.9998 if point[A] < 3 else 5.0002},
        limits=[made.limit("y", "<=", 5)],
    )
    said = [figures(sentence) for sentence in told(document, frame, "constraint")]
    assert any(found[-2:] == ["5.0002", "5"] and "4.9998" in found for found in said)


def test_a_neighbour_that_nobody_simulated_has_a_corrected_estimate_and_says_so():
    document, frame = small(additive, simulate=lambda number, point: point[A] == 3 or number == 1)
    found = explain_winner(document, frame)
    assert found.winner == 12
    near = found.axes[0].neighbours[-1].objectives[0]
    row = {one["point"]: one for one in frame.to_dicts()}
    assert near.basis == CORRECTED
    assert near.value == pytest.approx(row[9]["estimate.x"] * 24 / row[12]["estimate.x"])
    assert "(estimated)" in told(document, frame, "neighbour")[0]
    assert all(one.objectives[0].basis == "simulated" for one in found.axes[1].neighbours)


def test_less_is_better_where_it_is_minimized():
    cheap = {**GOAL, "direction": "minimize"}
    document, frame = small(additive, [cheap])
    found = explain_winner(document, frame)
    assert found.winner == 1
    next_one = found.axes[0].neighbours[0].objectives[0]
    assert (next_one.change, next_one.gain) == (3, -3)
    assert figures(told(document, frame, "neighbour")[0]) == ["1", "0", "30.0", "13", "10"]


def test_an_efficiency_is_told_with_what_it_is_made_of():
    document, frame = made.one()
    found = explain_winner(document, frame)
    row = {one["point"]: one for one in frame.to_dicts()}
    (level,) = [axis for axis in found.axes if axis.name == "raid.level"]
    other, own = row[level.neighbours[0].point], row[found.winner]
    (sentence,) = [text for text in told(document, frame, "neighbour") if "raid.level" in text]
    parts = [f"{row[metric]:,.0f}" for metric in (made.IOPS, made.WATTS) for row in (other, own)]
    assert ", ".join(parts) in ", ".join(figures(sentence))


def test_of_several_objectives_a_constraint_binds_only_where_all_of_them_would_gain():
    document, frame = made.two()
    found = explain_winner(document, frame)
    for limit in found.constraints:
        if limit.without:
            assert all(one.gain >= 0 for one in limit.without.objectives)
    assert [one.metric for one in found.shares] == [made.EFFICIENCY, made.RESPONSE]


def test_without_a_feasible_point_the_limits_say_who_comes_nearest():
    document, frame = made.nothing()
    found = explain_winner(document, frame)
    assert found.winner is None
    (limit,) = found.limits
    most = frame[made.USABLE].max()
    assert (limit.kept, limit.known, limit.nearest) == (0, frame.height, most)
    sentence = told(document, frame, "constraint")[0]
    assert "capacity_gb.usable >= 90000" in sentence and str(limit.point) in figures(sentence)


def printed(found):
    """What a terminal shows."""
    made_of = io.StringIO()
    console = Console(file=made_of, width=terminal.WIDTH, soft_wrap=True, highlight=False)
    terminal.show(document_of(*found), notes=True, console=console)
    return made_of.getvalue().replace("\u00a0", " ")


def test_the_document_tells_winner_front_and_why():
    for make in (made.one, made.two, made.three, made.large):
        found, frame = make()
        found = made.explained(found, frame)
        json.dumps(found.as_dict(), allow_nan=False)
        shown = document_of(found, frame)
        figures = {figure.key: figure for figure in shown.figures()}
        assert figures["winner"].table.rows[0][1] == str(found.winner)
        assert shown.chart is figures["view"]
        why_said = next(section for section in shown.open_sections if section.key == "why")
        assert why_said.sentences
        if len(found.front) > 1:
            front = figures["front"].table
            assert front.column("Point") == found.front
            (marked,) = [row for row in front.rows if row[-1] == "winner, knee"]
            assert marked[0] == found.winner
        lines = printed((found, frame)).splitlines()
        assert any(f" {found.winner} " in line for line in lines[:3])
        if len(found.front) > 1:
            head = lines.index("The front") + 1
            rows = min(len(found.front), terminal.MOST_ROWS)
            assert all(len(line) <= terminal.WIDTH for line in lines[head : head + 1 + rows])


def test_without_a_feasible_point_the_nearest_is_shown_with_what_it_violates():
    found, frame = made.nothing()
    found = made.explained(found, frame)
    (winner,) = [figure for figure in document_of(found, frame).figures() if figure.key == "winner"]
    rows = {row[0]: row for row in winner.table.rows}
    assert rows["Point"][1] == "1" == str(found.nearest) and rows["count"][1] == "24"
    left = rows["capacity_gb.usable >= 90000"][2].replace("\u00a0", " ")
    assert left.startswith("87,197 GB (96.9 %)")


def test_why_no_estimator_was_used_is_a_caveat():
    found, frame = made.one(estimator=False)
    caveats = [caveat.text for caveat in document_of(made.explained(found, frame), frame).caveats]
    assert any(found.estimator.why_not in text for text in caveats)


def test_the_reference_has_every_key():
    document, frame = made.two(simulate=lambda number, _: number % 3 != 1)
    found = explain_winner(document, frame)
    axis = next(one for one in found.axes if one.otherwise)
    known = [one for one in axis.neighbours if one.point]
    parts = (found, axis, known[0], known[0].objectives[0], found.constraints[0], found.shares[0])
    keys = {key for part in parts for key in type(part).model_fields}
    keys -= {"text", "name", "columns", "ordered"}  # as everywhere else in the document
    reference = (Path(__file__).parents[2] / "docs/reference/optimize.md").read_text("utf-8")
    told_there = reference[reference.index("## why") :]
    assert {key for key in keys if f"`{key}`" not in told_there} == set()


# --- whatever the frame lacks ---

STATUS = st.sampled_from(["simulated", "failed", "pruned", "refused", "estimated"])
FIGURE = st.none() | st.floats(-1e12, 1e12) | st.sampled_from([0.0, float("inf"), float("nan")])


@st.composite
def broken_outcomes(draw):
    document, frame = small(
        additive,
        [GOAL, {**GOAL, "metric": "y", "direction": "minimize"}][: draw(st.integers(1, 2))],
        [made.limit("y", draw(st.sampled_from(["<=", ">="])), draw(st.floats(-10, 10)))][
            : draw(st.integers(0, 1))
        ],
    )
    rows = draw(st.lists(st.sampled_from(frame.to_dicts()), max_size=12, unique_by=lambda row: row["point"]))
    for row in rows:
        row |= {"status": draw(STATUS), "overloaded": draw(st.none() | st.booleans())}
        row |= {key: draw(FIGURE) for key in ("x", "y", "estimate.x", "estimate.y")}
        row |= {"feasible": draw(st.none() | st.booleans()), "reason": draw(st.none() | st.just("too slow"))}
        row |= {"bottleneck": draw(st.none() | st.just("disks")), B: draw(st.none() | st.sampled_from("uvw"))}
    numbers = [row["point"] for row in rows]
    some = st.none() | st.sampled_from(numbers) if numbers else st.none()
    document = document.model_copy(
        update={
            "winner": draw(some),
            "knee": draw(some),
            "nearest": draw(some),
            "front": [n for n in numbers if draw(st.booleans())],
        }
    )
    texts = dict.fromkeys(("error", "reason", "violated", "bottleneck"), pl.String)
    truths = dict.fromkeys(("feasible", "overloaded", "on_front"), pl.Boolean)
    shape = pl.DataFrame(rows, schema=frame.schema | texts | truths)
    if draw(st.booleans()):
        shape = shape.drop("overloaded", "bottleneck", "estimate.x", "violated")
    return document, shape


@given(broken_outcomes())
@settings(max_examples=80)
def test_missing_figures_are_never_an_error(outcome):
    found, frame = outcome
    found = made.explained(found, frame)
    json.dumps(found.as_dict(), allow_nan=False)
    assert printed((found, frame))
