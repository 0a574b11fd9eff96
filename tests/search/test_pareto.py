"""The Pareto front against its definition, and the knee of fronts whose knee is plain."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iowatt.evaluate.search.metrics import pareto

VALUES = st.lists(
    st.tuples(st.none() | st.integers(-5, 5).map(float), st.none() | st.integers(-5, 5).map(float)),
    max_size=25,
)


def beats(a, b, lower):
    signed = [[v if way else -v for v, way in zip(p, lower, strict=True)] for p in (a, b)]
    first, second = signed
    return all(x <= y for x, y in zip(first, second, strict=True)) and first != second


@given(VALUES, st.booleans(), st.booleans())
def test_the_front_is_what_nothing_beats(points, x_way, y_way):
    lower = (x_way, y_way)
    xs, ys = [p[0] for p in points], [p[1] for p in points]
    known = [i for i, p in enumerate(points) if None not in p]
    expected = {i for i in known if not any(beats(points[j], points[i], lower) for j in known)}
    found = pareto.front(xs, ys, lower=lower)
    assert set(found) == expected
    assert len(found) == len(expected)
    signed = [xs[i] if x_way else -xs[i] for i in found]
    assert signed == sorted(signed)


def test_the_knee_is_the_corner():
    assert pareto.knee([0, 1, 10], [10, 1, 0]) == 1
    assert pareto.knee([0, 2, 3, 10], [10, 3, 2.9, 0]) == 1


@pytest.mark.parametrize(
    ("x", "y"),
    [([], []), ([1], [1]), ([1, 2], [2, 1]), ([0, 5, 10], [10, 5, 0]), ([0, 9, 10], [10, 9, 0])],
    ids=["none", "one", "two", "straight", "bulging the wrong way"],
)
def test_no_corner_no_knee(x, y):
    assert pareto.knee(x, y) is None


def test_the_knee_does_not_depend_on_units():
    x, y = [1.0, 2.0, 4.0, 9.0], [8.0, 3.0, 2.0, 1.0]
    at = pareto.knee(x, y)
    assert at == pareto.knee([1000 * v + 3 for v in x], [v / 7 for v in y]) == 1


@pytest.mark.parametrize(
    ("metric", "lower"),
    [
        ("response_time_ms.all.mean", True),
        ("power_w.mean", True),
        ("energy.per_request_j", True),
        ("throughput.iops", False),
        ("efficiency.iops_per_w", False),
        ("efficiency.raw_gb_per_w", False),
        ("cache.read_hit_ratio", False),
        ("cache.delayed_hit_ratio", True),
        ("devices.count", True),
    ],
)
def test_which_way_a_metric_improves(metric, lower):
    assert pareto.lower_is_better(metric) is lower
