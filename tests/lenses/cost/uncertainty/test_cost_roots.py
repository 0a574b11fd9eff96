"""Changes of sign of functions that are smooth, that jump, that are 0 for a while."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from iowatt.lenses.cost.uncertainty.root import boundary, flips

GRID = tuple(float(x) for x in np.geomspace(0.01, 100.0, 97))


def test_a_line_crosses_where_it_does() -> None:
    (found,) = flips(lambda x: 3.0 * x - 5.0, GRID)
    assert (found.kind, found.direction) == ("cross", 1)
    assert found.at == pytest.approx(5.0 / 3.0, rel=1e-9)
    assert found.lower == found.upper == found.at
    assert (found.below, found.above) == (0.0, 0.0)


def test_a_line_takes_few_looks() -> None:
    looks = 0

    def line(x: float) -> float:
        nonlocal looks
        looks += 1
        return 3.0 * x - 5.0

    list(flips(line, GRID))
    assert looks <= len(GRID) + 8


def test_a_curve_crosses_as_often_as_it_does() -> None:
    found = list(flips(lambda x: math.sin(math.log(x)), GRID))
    assert [one.at for one in found] == pytest.approx([math.exp(-math.pi), 1.0, math.exp(math.pi)], rel=1e-8)
    assert [one.direction for one in found] == [-1, 1, -1]


def test_a_step_is_a_jump_with_both_its_sides() -> None:
    (found,) = flips(lambda x: -2.0 if x < math.pi else 7.0, GRID)
    assert (found.kind, found.direction, found.below, found.above) == ("jump", 1, -2.0, 7.0)
    assert found.lower < math.pi <= found.upper == found.at
    assert found.upper - found.lower <= 1.001e-9 * math.pi


def test_a_saw_crosses_and_jumps() -> None:
    # Rises by 1 a unit of time and falls by 1.2 at each whole number from 2 on.
    found = list(
        flips(lambda x: x - 1.4 - 1.2 * max(math.floor(x) - 1.0, 0.0), tuple(np.arange(0.1, 5.0, 0.1)))
    )
    assert [one.kind for one in found] == ["cross", "jump", "cross", "jump", "cross", "jump"]
    assert [one.at for one in found] == pytest.approx([1.4, 2.0, 2.6, 3.0, 3.8, 4.0], rel=1e-6)


def test_what_is_the_same_for_a_while_is_a_tie() -> None:
    (found,) = flips(lambda x: min(x - 2.0, 0.0) + max(x - 30.0, 0.0), GRID)
    assert (found.kind, found.direction) == ("tie", 1)
    assert (found.lower, found.upper) == (pytest.approx(2.0, rel=1e-8), pytest.approx(30.0, rel=1e-8))
    assert found.at == found.upper


def test_touching_nothing_is_no_flip() -> None:
    assert list(flips(lambda x: (x - 1.0) ** 2, (0.5, 1.0, 2.0))) == []
    assert list(flips(lambda x: 0.0, GRID)) == []
    assert list(flips(lambda x: 1.0, GRID)) == []


def test_a_zero_on_the_grid_is_where_it_crosses() -> None:
    (found,) = flips(lambda x: 1.0 - x, (0.5, 1.0, 2.0))
    assert (found.at, found.kind, found.direction) == (1.0, "cross", -1)


@pytest.mark.parametrize("power", [1, 3, 9, 0.2])
def test_flat_and_steep_crossings_are_found(power: float) -> None:
    (found,) = flips(lambda x: math.copysign(abs(x - 7.0) ** power, x - 7.0), GRID)
    assert found.at == pytest.approx(7.0, rel=1e-6)


@given(root=st.floats(0.0101, 99.9), slope=st.floats(1e-6, 1e6), rise=st.booleans())
def test_any_line_is_solved(root: float, slope: float, rise: bool) -> None:
    sign = 1.0 if rise else -1.0
    (found,) = flips(lambda x: sign * slope * (x - root), GRID)
    assert found.at == pytest.approx(root, rel=2e-9)
    assert (found.kind, found.direction) == ("cross", 1 if rise else -1)


@given(places=st.lists(st.floats(0.011, 99.0), min_size=1, max_size=8, unique=True))
def test_any_steps_are_found_where_they_lie(places: list[float]) -> None:
    """All but those that two in one cell of the grid hide."""

    def step(x: float) -> float:
        return 1.0 if sum(x >= place for place in places) % 2 else -1.0

    found = list(flips(step, GRID))
    cells = [sum(low < place <= high for place in places) for low, high in pairwise(GRID)]
    assert len(found) == sum(count % 2 for count in cells)
    for one in found:
        assert one.kind == "jump"
        assert any(one.lower < place <= one.upper for place in places)
    assert [one.direction for one in found] == [1 if n % 2 == 0 else -1 for n in range(len(found))]


def test_a_boundary_is_closed_in_on() -> None:
    inside, outside = boundary(lambda x: x < 3.0, 1.0, 8.0, 1e-6)
    assert inside < 3.0 <= outside
    assert outside - inside < 1e-5
