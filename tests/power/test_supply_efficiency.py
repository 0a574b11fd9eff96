"""Efficiency of supplies: certified points are exact, and nothing between or below them is absurd."""

from __future__ import annotations

import numpy as np
import pytest
from arrays import supplies
from hypothesis import given
from hypothesis import strategies as st

from iowatt.base.errors import BadValueError
from iowatt.model.power.efficiency import EfficiencyCurve, check, loss, quadratic
from iowatt.model.power.part import certificates
from refused import refused

TABLES = [
    pytest.param(points, id=f"{certificate.name}-{place}")
    for certificate in certificates().values()
    for place, points in certificate.tables.items()
]


@pytest.mark.parametrize("points", TABLES)
def test_certified_points_are_exact(points):
    curve = EfficiencyCurve(points)
    for load, efficiency in points:
        assert curve.efficiency(load) == pytest.approx(efficiency, rel=1e-15)


@pytest.mark.parametrize("points", TABLES)
def test_a_curve_is_that_of_a_supply(points):
    loads = np.linspace(0, 1, 2001)
    drawn = EfficiencyCurve(points).input_share(loads)
    check(points)
    assert np.all(np.diff(drawn) > 0)
    assert np.all(drawn >= loads)
    # No step at the lowest point, where one rule hands over to the other.
    first = points[0][0]
    below, at = EfficiencyCurve(points).input_share(np.array([first - 1e-9, first]))
    assert at - below == pytest.approx(0, abs=1e-8)


@pytest.mark.parametrize(
    ("certificate", "expected"),
    [
        ("80plus-bronze", (0.03873, 0.00218, 0.19366)),
        ("80plus-silver", (0.03525, -0.03503, 0.17625)),
        ("80plus-gold", (0.03294, -0.06126, 0.16469)),
        ("80plus-platinum", (0.02847, -0.05665, 0.12708)),
    ],
)
def test_the_loss_at_light_load_is_the_quadratic_through_three_points(certificate, expected):
    curve = EfficiencyCurve(certificates()[certificate].tables["230V"])
    assert curve.light_load_loss == pytest.approx(expected, abs=6e-6)
    assert float(curve.input_share(0.0)) == pytest.approx(expected[0], abs=6e-6)


def test_titanium_keeps_its_point_at_ten_percent():
    curve = EfficiencyCurve(certificates()["80plus-titanium"].tables["230V"])
    assert curve.efficiency(0.1) == pytest.approx(0.90)
    # Half way between 10 and 20 %, efficiency is half way too.
    assert curve.efficiency(0.15) == pytest.approx(0.92)
    assert 0 < curve.efficiency(0.05) < 0.9


def test_one_point_holds_at_every_load():
    curve = EfficiencyCurve(((1.0, 0.85),))
    assert [curve.efficiency(load) for load in (0.01, 0.3, 1.0)] == pytest.approx([0.85] * 3)
    assert float(curve.input_share(0.0)) == 0


def test_two_points_keep_the_loss_of_the_lower_one():
    curve = EfficiencyCurve(((0.2, 0.8), (1.0, 0.9)))
    assert float(curve.input_share(0.0)) == pytest.approx(loss(0.2, 0.8)) == pytest.approx(0.05)


def test_a_quadratic_that_is_no_loss_is_not_used():
    # Through these three points the loss at no load would be negative.
    curve = EfficiencyCurve(((0.4, 0.98), (0.5, 0.95), (1.0, 0.9)))
    assert quadratic([(load, loss(load, eta)) for load, eta in curve.points])[0] < 0
    assert float(curve.input_share(0.0)) == pytest.approx(loss(0.4, 0.98))


@given(st.lists(st.tuples(st.floats(0.01, 1), st.floats(0.05, 1)), min_size=1, max_size=6))
def test_whatever_is_accepted_draws_more_for_giving_more(points):
    points = sorted(points)
    try:
        check(points)
    except BadValueError:
        return
    drawn = EfficiencyCurve(tuple(points)).input_share(np.linspace(0, 1, 501))
    assert np.all(np.diff(drawn) >= -1e-12)
    assert np.all(drawn >= np.linspace(0, 1, 501) - 1e-12)


@pytest.mark.parametrize(
    ("points", "code"),
    [
        ([], "missing"),
        ([[0.2, 0.8, 1]], "wrong-type"),
        ([[0.2, 80], [1, 0.8]], "out-of-range"),
        ([[0.5, 0.8], [0.2, 0.9], [1, 0.8]], "out-of-order"),
        ([[0.2, 0.8], [0.9, 0.8]], "missing"),
        ([[0.5, 0.4], [1.0, 0.99]], "conflict"),
    ],
)
def test_what_is_wrong_with_points_is_said(points, code):
    with refused(code, None):
        check(points)


def test_the_measured_pair_of_supplies():
    # Two 1000 W Platinum supplies under 500 W: 556 W sharing, 532 W with one on standby (Thomas-Krenn).
    platinum = EfficiencyCurve(certificates()["80plus-platinum"].tables["230V"])
    sharing = float(supplies(1000, platinum).input_w(500))
    standby = float(supplies(1000, platinum, active_standby=True).input_w(500))
    assert sharing == pytest.approx(556, rel=0.015)
    assert standby == pytest.approx(532, rel=0.015)
    assert sharing == pytest.approx(551.47, abs=0.005)
    assert standby == pytest.approx(531.91 + 3, abs=0.005)


def test_failover_is_the_single_supplys_curve():
    gold = EfficiencyCurve(certificates()["80plus-gold"].tables["230V"])
    pair, one = supplies(750, gold), supplies(750, gold, count=1)
    for watts in (10, 100, 375, 700, 750):
        assert float(pair.input_w(watts, "failover")) == float(one.input_w(watts))
    # With N+N half of the supplies are left, and each gives twice as much.
    four = supplies(750, gold, count=4, needed=2)
    assert float(four.load(900, "failover")) == 2 * float(four.load(900, "normal")) == 0.6
    assert float(four.input_w(1500, "failover")) == pytest.approx(1500 / 0.88)


def test_modes_of_active_and_standby():
    gold = EfficiencyCurve(certificates()["80plus-gold"].tables["230V"])
    feed = supplies(750, gold, active_standby=True, standby=4.0)
    assert [feed.carrying(mode) for mode in ("normal", "redundant", "failover")] == [1, 2, 1]
    assert float(feed.input_w(375)) == pytest.approx(375 / 0.92 + 4)
    assert float(feed.input_w(375, "failover")) == pytest.approx(375 / 0.92)
    assert float(feed.input_w(300, "redundant")) == pytest.approx(300 / 0.88)
