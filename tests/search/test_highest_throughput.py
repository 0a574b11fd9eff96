"""The search for the highest throughput over outstanding requests."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iowatt.evaluate.search.highest.throughput import highest_throughput


@settings(max_examples=200, deadline=None)
@given(capacity=st.floats(1.0, 1e6), turn=st.floats(1e-5, 1.0), tolerance=st.floats(0.005, 0.1))
def test_what_is_chosen_is_near_the_most_and_no_more_than_needed(
    capacity: float, turn: float, tolerance: float
) -> None:
    """The asymptotic bounds as the curve: min(N / turn, capacity)."""

    def measure(streams: int, outstanding: int) -> tuple[float, int]:
        return min(outstanding / turn, capacity), streams * outstanding

    found = highest_throughput(measure, most_outstanding=1 << 24, tolerance=tolerance)
    assert found.settled
    assert found.best.throughput >= capacity * (1 - tolerance)
    # Half as many would give less.
    if found.best.outstanding > 1:
        assert found.best.outstanding / 2 / turn < capacity * (1 - tolerance) * (1 + 1e-9)
    assert len(found.points) <= math.log2(max(1.0, capacity * turn)) + 5


def test_a_throughput_that_falls_behind_its_peak() -> None:
    curve = {1: 100.0, 2: 180.0, 4: 250.0, 8: 200.0, 16: 150.0, 32: 900.0}
    found = highest_throughput(lambda _, n: (curve[n], None))
    assert (found.best.outstanding, len(found.points)) == (4, 5)


def test_streams_have_series_of_their_own() -> None:
    def measure(streams: int, outstanding: int) -> tuple[float, None]:
        return (100.0 if streams == 4 else 60.0) * min(1.0, outstanding / 8), None

    found = highest_throughput(measure, streams=[1, 4, 16])
    assert (found.best.streams, found.best.outstanding) == (4, 8)
    assert all(point.outstanding >= point.streams for point in found.points)


def test_the_end_of_the_range_is_not_taken_for_a_peak() -> None:
    found = highest_throughput(lambda _, n: (float(n), None), most_outstanding=64)
    assert found.best.outstanding == 64 and not found.settled


@pytest.mark.parametrize("streams", [[], [0], [300]])
def test_streams_that_cannot_be_are_refused(streams: list[int]) -> None:
    with pytest.raises(ValueError):
        highest_throughput(lambda _, n: (1.0, None), streams=streams)
