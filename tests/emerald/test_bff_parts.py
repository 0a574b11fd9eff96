"""Peaks of curves, the climb to them, the reduced list, errors of estimates: functions of plain numbers."""

from __future__ import annotations

from itertools import combinations
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iowatt.emerald.bff import point
from iowatt.emerald.bff.assemble import estimate_errors
from iowatt.emerald.bff.curve import Refinement, find_peak, next_to_peak
from iowatt.emerald.bff.point import station_utilisation
from iowatt.emerald.bff.reduced import compromise, smallest_cover
from iowatt.emerald.bff.result import PointFigures
from iowatt.emerald.family import EmeraldMetric

SHARES = st.dictionaries(st.sampled_from("ABCD"), st.floats(0.5, 1.0), max_size=4)


def test_a_peak_says_what_a_shelf_less_and_more_costs():
    top = find_peak([2.0, 4.0, 5.0, 4.5])
    assert (top.at, top.kind) == (2, "peak")
    assert top.less_percent == pytest.approx(-20) and top.more_percent == pytest.approx(-10)


@pytest.mark.parametrize(
    ("values", "at", "kind"),
    [
        ([1.0, 2.0, 3.0], 2, "largest"),
        ([3.0, 2.0, 1.0], 0, "smallest"),
        ([None, 3.0, None, 2.0], 1, "smallest"),
        ([None, 3.0], 1, "peak"),
        ([3.0, 3.0, 1.0], 0, "smallest"),
    ],
)
def test_where_a_curve_has_no_inner_peak_it_is_said(values, at, kind):
    top = find_peak(values)
    assert (top.at, top.kind) == (at, kind)


def test_a_curve_without_points_has_no_peak():
    assert find_peak([None, None]) is None


@pytest.mark.parametrize(
    ("values", "at", "kind"),
    [
        # rises towards an asymptote: the smallest from which all stay within 2 %
        ([8.0, 9.0, 9.7, 9.85, 9.95, 10.0], 3, "plateau"),
        # a dip behind a point that is near enough: that point does not count
        ([9.9, 9.0, 9.85, 10.0], 2, "plateau"),
        # flat from the start, then it rolls off: the last point before
        ([10.0, 9.95, 9.9, 9.0, 8.0], 2, "before roll-off"),
        ([8.0, 10.0, 8.0], 1, "peak"),
    ],
)
def test_families_that_scale_out_have_a_plateau_in_the_place_of_a_peak(values, at, kind):
    top = find_peak(values, plateau_percent=2)
    assert (top.at, top.kind) == (at, kind)
    assert kind == "peak" or top.why


def climbed(truth, guess):
    done = {}
    while wanted := next_to_peak(guess, done):
        assert not set(wanted) & set(done)
        done |= {at: truth[at] for at in wanted}
    return done


def test_the_climb_ends_where_the_best_point_has_simulated_neighbours():
    truth = [1.0, 2.0, 3.0, 4.0, 3.5, 2.0, 1.0]
    assert sorted(climbed(truth, [0, 1, 5, 1, 0, 0, 0])) == [1, 2, 3, 4]
    assert sorted(climbed(truth, [None] * 7)) == list(range(7))


def test_a_point_that_cannot_be_run_does_not_stop_the_climb():
    assert sorted(climbed([1.0, None, None, 2.0], [1, 2, 9, 3])) == [1, 2, 3]


@given(
    st.integers(1, 60).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n - 1), st.integers(0, n - 1))),
    st.integers(1, 12),
)
def test_a_refinement_finds_the_peak_of_any_curve_with_one(shape, grid):
    size, peak, centre = shape
    refined = Refinement(0, size, centre, grid)
    while wanted := refined.wanted():
        refined.simulated |= {at: -float(abs(at - peak)) for at in wanted}
    assert refined.centre == peak
    assert {at for at in (peak - 1, peak, peak + 1) if 0 <= at < size} <= set(refined.simulated)


@given(st.lists(SHARES, max_size=6), st.floats(0.0, 40.0))
def test_the_reduced_list_is_as_short_as_can_be_and_covers_what_can_be(many, within):
    reached = dict(enumerate(many))
    found = smallest_cover(reached, "ABCD", within)
    least = 1 - within / 100 - 1e-12

    def covered(chosen):
        return {n for n in "ABCD" if any(reached[one].get(n, 0.0) >= least for one in chosen)}

    assert covered([one for one, _ in found.chosen]) == covered(reached) == set("ABCD") - set(found.uncovered)
    for one, names in found.chosen:
        assert set(names) <= covered([one])
    for fewer in range(len(found.chosen)):
        assert all(covered(some) != covered(reached) for some in combinations(reached, fewer))


def test_the_compromise_is_the_one_whose_worst_metric_is_best():
    reached = {"a": {"X": 1.0, "Y": 0.5}, "b": {"X": 0.8, "Y": 0.7}, "c": {"X": 1.0}}
    assert compromise(reached, "XY") == "b"
    assert compromise({"c": {"X": 1.0}}, "XY") is None


def test_errors_are_those_of_estimates_against_simulations():
    simulated = PointFigures(basis="simulated", ep=10.0, wall_w=1.0)
    pairs = [
        (PointFigures(basis="estimated", ep=guess, wall_w=1.0), simulated) for guess in (9.0, 10.0, 10.5)
    ]
    found = estimate_errors(pairs)
    assert found.points == 3
    assert found.median_percent == pytest.approx(5) and found.worst_percent == pytest.approx(10)
    assert found.p95_percent == pytest.approx(10) and found.bias_percent == pytest.approx(-5 / 3)
    assert estimate_errors([]) is None


def test_stations_of_a_run_have_names_and_figures_survive_their_journal():
    controller = {"processors": {"utilisation": 0.5}, "back_end": {"utilisation": 0.9}, "zeros": None}
    stations = station_utilisation({"devices": [{"utilisation": 0.7}], "controller": controller})
    assert stations == {"drives": 0.7, "processors": 0.5, "back end": 0.9}
    one = PointFigures(basis="simulated", ep=1.0, wall_w=2.0, stations=stations, notes=("a",))
    assert one.bottleneck == "back end" and PointFigures.model_validate(one.as_dict()) == one


SUMMARY = {
    "power_w": {"wall_mean": 300.0, "wall_idle": 200.0},
    "throughput": {"iops": 1000.0, "mib_per_s": 8.0},
    "response_time_ms": {"all": {"mean": 19.5}},
    "devices": [{"utilisation": 0.8}, {"utilisation": 0.6}],
    "controller": {"processors": {"utilisation": 0.4}},
}


@pytest.fixture
def task(monkeypatch):
    """A task of random arrivals, whose search finds what ``found`` says."""
    found = {
        "run": SimpleNamespace(summary=SUMMARY), "rate_iops": 1000.0, "crossing_iops": 1020.0,
        "ci95_iops": (1009.8, 1030.2), "notes": (), "problem": None, "settled": True, "runs": 5,
        "scale": 1.0,
    }  # fmt: skip
    monkeypatch.setattr(point, "search_scenario", lambda *_args: SimpleNamespace(**found))
    text = 'name = "x"\n[[array.pool]]\nname = "d"\ndevice = "hotband2013-15k"\ncount = 1\n'
    rr = EmeraldMetric("RR", "Random read", "random", "IOPS/W")
    task = point.Task("k", rr, text, ".", (), "open", 0.02, 0.01, 1000, 100)
    return task, found


def test_figures_are_those_at_the_rate_that_just_meets_the_limit(task):
    """2 % above the run's rate: requests by 2 %, and power above idle by as much."""
    figures = point.evaluate(task[0], lambda _fraction: None)["figures"]
    assert figures["iops"] == pytest.approx(1020) and figures["wall_w"] == pytest.approx(302)
    assert figures["ep"] == pytest.approx(1020 / 302) and figures["half_percent"] == pytest.approx(1)
    assert figures["stations"] == {"drives": pytest.approx(0.7), "processors": 0.4}


def test_a_limit_that_no_rate_keeps_is_an_error_of_the_point(task):
    task[1].update(run=None, rate_iops=None, problem="over 20 ms")
    assert point.evaluate(task[0], lambda _fraction: None)["error"]["message"] == task[1]["problem"]
