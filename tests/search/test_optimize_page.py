"""The page of an optimisation says what its outcome says, for every shape of outcome."""

from __future__ import annotations

import json
import re

import polars as pl
import pytest
from hypothesis import given, settings
from test_optimize_why import broken_outcomes

import optimize_outcome as made
from iowatt.base.results import Note
from iowatt.evaluate.search.metrics import metric_column
from iowatt.evaluate.search.optimize.view import OptimizationView
from iowatt.pages.optimize.figures import choice, points, screen, view
from iowatt.pages.optimize.page import document as document_of
from iowatt.render import write


def explained(outcome):
    document, frame = outcome
    return OptimizationView(made.explained(document, frame), frame)


def page(document, frame, scenario=""):
    return write.page([document_of(document, frame, scenario)])


def data(text):
    return json.loads(re.search(r'id="report-data">(.*?)</script>', text, re.DOTALL)[1])


def drawn(explored):
    return data(page(explored.document, explored.frame))["figures"]


@pytest.fixture(scope="module")
def two():
    return explained(made.two(simulate=lambda number, _: number % 3 != 1))


@pytest.fixture(scope="module")
def large():
    return explained(made.large())


@pytest.mark.parametrize(
    ("make", "charts"),
    [
        # Choices and shares; view and lines; by axis; estimates; what became of the points.
        (made.one, 1 + 1 + 2 + 3 + 1 + 1),
        (made.two, 2 + 1 + 2 + 2 * 4 + 2 + 1),
        (made.three, 3 + 1 + 2 + 3 * 4 + 3 + 1),
        (made.nothing, 1 + 2 + 1 + 1),
        (lambda: made.one(estimator=False), 1 + 1 + 2 + 3 + 1),
    ],
)
def test_every_shape_of_outcome_has_its_figures_and_each_a_table(make, charts):
    found = drawn(explained(make()))
    assert sum(figure["spec"] is not None for figure in found.values()) == charts
    assert all(figure["columns"] and figure["rows"] for figure in found.values())


def test_kinds_of_points_are_told_apart(two):
    found = points.ExploredPoints(two)
    rows = {row["point"]: row for row in two.rows}
    for row, kind in zip(found.rows, found.kinds, strict=True):
        given_row = rows[row["point"]]
        if kind == "front":
            assert given_row["on_front"]
        elif kind == "infeasible":
            assert given_row["violated"]
        elif kind in ("estimated", "unlikely"):
            assert given_row["status"] == "estimated"
    assert {"front", "feasible", "infeasible", "estimated", "unlikely"} == set(found.kinds)
    assert found.rows[0]["point"] == two.document.winner
    front = [row["point"] for row, kind in zip(found.rows, found.kinds, strict=True) if kind == "front"]
    assert front[1:] == [n for n in two.document.front if n != two.document.winner]


def test_the_view_has_the_front_between_its_two_objectives(two):
    figure = view.view_figure(points.ExploredPoints(two))
    (front,) = [trace for trace in figure.spec["data"] if trace["name"] == "On the front"]
    rows = {row["point"]: row for row in two.rows}
    expected = sorted((rows[n][made.EFFICIENCY], rows[n][made.RESPONSE]) for n in two.document.front)
    assert list(zip(front["x"], front["y"], strict=True)) == expected
    # More of the first costs some of the second, so the stairs go up before they go on.
    assert front["line"]["shape"] == "vh"
    (winner,) = [trace for trace in figure.spec["data"] if trace["name"] == "Winner"]
    assert winner["x"] == [rows[two.document.winner][made.EFFICIENCY]]


def test_a_single_objective_is_set_against_the_limit_that_binds():
    explored = explained(made.one())
    every = points.ExploredPoints(explored)
    x, y = view.first(every)
    assert every.columns[x].column == metric_column(made.USABLE)
    assert every.columns[x].limits == (7000,)
    assert every.columns[y].column == metric_column(made.EFFICIENCY)
    (limit,) = view.view_figure(every).spec["layout"]["shapes"]
    assert (limit["x0"], limit["x1"]) == (7000, 7000)


def test_lines_cross_each_upright_at_its_setting_and_the_better_end_is_on_top(two):
    every = points.ExploredPoints(two)
    heights = view.heights(every)
    known = [(row, line) for row, line in zip(every.rows, heights, strict=True) if line]
    assert {len(line) for _, line in known} == {4 + 2 + 1}
    counts = two.axes[0].settings
    assert all(
        line[0] == round(counts.index(str(row[made.COUNT])) / (len(counts) - 1), 4) for row, line in known
    )
    least = min(known, key=lambda one: two.known(one[0], made.RESPONSE)[0])
    most = max(known, key=lambda one: two.known(one[0], made.EFFICIENCY)[0])
    assert least[1][5] == most[1][4] == 1


def test_bars_of_other_choices_are_what_why_says(two):
    (first, _) = choice.neighbours(two, two.document.why)
    table = {(row[0], row[1]): row for row in first.table.rows}
    for axis in two.document.why.axes:
        for one in axis.neighbours:
            row = table[axis.name, one.setting]
            assert row[5] == one.objectives[0].gain_percent
            assert row[7] == {True: "yes", False: "no"}[one.feasible]
    bars = {
        (trace["name"], y): x
        for trace in first.spec["data"]
        for x, y in zip(trace["x"], trace["y"], strict=True)
    }
    for (name, label), gain in bars.items():
        row = next(row for (axis, setting), row in table.items() if f"{axis} {setting}" == label)
        assert row[5] == gain
        assert ("estimated" in name) == (row[6] != "simulated")
        assert ("Breaks" in name) == (row[7] == "no")


def test_shares_fill_the_bar(two):
    figure = choice.shares(two, two.document.why)
    for at in range(2):
        assert sum(trace["x"][at] for trace in figure.spec["data"]) == pytest.approx(100)


def test_by_axis_the_best_feasible_point_is_that_of_brute_force(two):
    figure = choice.by_axis(two)[0]
    rows = [row for row in two.rows if row["feasible"]]
    for setting, *_, best, point, _ in figure.table.rows:
        mine = [row for row in rows if str(row[made.COUNT]) == setting]
        expected = max(mine, key=lambda row: row[made.EFFICIENCY], default=None)
        assert (best, point) == (
            (expected and (expected[made.EFFICIENCY], expected["point"])) or (None, None)
        )


def test_estimates_stand_against_simulations_and_exact_ones_are_not_drawn(two):
    figures = {figure.key: figure for figure in screen.estimates(two)}
    assert set(figures) == {"estimate-0", "estimate-1", "errors"}  # usable capacity is exact
    for _, _, true, said, error in figures["estimate-0"].table.rows:
        assert error == pytest.approx(100 * (said / true - 1))


def test_what_became_of_the_points_adds_up(large):
    found = screen.became(points.ExploredPoints(large))
    assert sum(found.table.column("Points")) == large.document.space.size == 5040
    reasons = {row[0]: row[2] for row in screen.reasons(large).table.rows}
    (pruned,) = [
        count for why, count in reasons.items() if why.startswith("power_w.mean ") and "2,700" in why
    ]
    assert pruned == large.document.space.pruned


def test_without_a_simulation_what_is_known_is_shown_and_why_nothing_is_feasible():
    def reason_of(capacity):
        return f"capacity_gb.usable is {capacity}, and capacity_gb.usable >= 90000 is asked"

    def too_small(number, row):
        return reason_of(f"{row[made.USABLE]:g}")

    document, frame = made.nothing(prune=too_small, estimator=False)
    known = [
        made.array({made.COUNT: row[made.COUNT], made.LEVEL: row[made.LEVEL]}) for row in frame.to_dicts()
    ]
    frame = frame.with_columns(
        pl.Series(made.USABLE, [one[made.USABLE] for one in known]), pl.lit(value=False).alias("feasible")
    )
    document = made.explained(document, frame)
    explored = OptimizationView(document, frame)
    every = points.ExploredPoints(explored)
    assert set(every.kinds) == {"impossible"}
    figure = view.view_figure(every)
    assert (figure.table.columns[2].title, figure.table.columns[3]) == ("count", metric_column(made.USABLE))
    assert [trace["visible"] for trace in figure.spec["data"] if trace["x"]] == [True]
    (reason,) = screen.reasons(explored).table.rows
    assert reason[0] == reason_of("…")
    text = page(document, frame)
    assert document_of(document, frame).open_sections and "capacity_gb.usable &gt;= 90000" in text


def test_a_large_space_is_thinned_but_every_simulated_point_stays(large, monkeypatch):
    monkeypatch.setattr(points, "MOST_POINTS", 1000)
    found = points.ExploredPoints(large)
    assert 900 <= len(found.rows) <= 1001
    assert sum(row["status"] == "simulated" for row in found.rows) == large.document.space.simulated
    assert "5,040" in points.table(found).remarks[0]


def test_names_are_text_whatever_they_are():
    hostile = "</script><img src=x onerror=alert(1)>"
    level = made.axis(made.LEVEL, [5, 10], ordered=False)
    level["names"] = [hostile]
    document, frame = made.outcome([made.COUNTS, level], [made.goal(made.EFFICIENCY, "maximize")])
    notes = [Note(code="hostile", text=hostile)]
    document = made.explained(document, frame).model_copy(update={"scenario": hostile, "notes": notes})
    text = page(document, frame, hostile)
    assert hostile not in text
    for figure in data(text)["figures"].values():
        assert "<img" not in json.dumps(figure["spec"])


@given(broken_outcomes())
@settings(max_examples=15)
def test_missing_figures_are_never_an_error(outcome):
    document, frame = outcome
    document = made.explained(document, frame)
    data(page(document, frame))
