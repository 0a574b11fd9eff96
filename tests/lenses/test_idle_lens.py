"""The idle lens against figures worked out by hand, and against laws that hold for any periods."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from idle_runs import POWER, run_of, succession

from iowatt.base.errors import Argument
from iowatt.lenses.idle import analyse, histogram
from iowatt.lenses.idle.periods import PeriodBatch, ShortPeriods
from iowatt.lenses.idle.policies import OracleBound
from iowatt.lenses.idle.power import TwoStates
from refused import refused

FIGURES = {
    "idle_w": 10.0,
    "standby_w": 2.0,
    "spin_down_s": 4.0,
    "spin_down_j": 20.0,
    "spin_up_s": 6.0,
    "spin_up_j": 120.0,
}
DISK = TwoStates("made-disk", **FIGURES)
NOTHING_SHORT = ShortPeriods(*(np.zeros(0, dtype=np.int64) for _ in range(3)), longest_ns=0)


def policy(found, key):
    (row,) = (row for row in found.policies if row.policy == key)
    return row


def notes(found):
    """Text by code."""
    return {note.code: note.text for note in found.notes}


def test_counts_by_hand():
    rows = [
        (0, 0.0, 10.0, True),
        (1, 0.0, 1000.0, True),
        (0, 20.0, 2.0, False),
        (0, 30.0, 6.0, False),
        (0, 100.0, 70.0, False),
    ]
    found = analyse(run_of(rows))
    zero, one = found.devices
    assert (zero.periods, zero.cut, one.periods, one.cut) == (4, 1, 1, 1)
    # Whole ones: 2, 6 and 70 s; mean 26, mean square (4 + 36 + 4900) / 3.
    assert zero.mean_s == pytest.approx(26)
    assert zero.cv == pytest.approx(math.sqrt(4940 / 3 - 26**2) / 26)
    assert (one.mean_s, one.cv) == (None, None)
    assert (zero.longest_s, zero.idle_s, zero.idle_share) == (70, 88, 0.088)
    assert (zero.over_60s_share, one.over_60s_share) == (0.07, 1.0)
    assert found.idle_share == pytest.approx((88 + 1000) / 2000)
    longer = {row.length_s: row for row in found.longer}
    assert [longer[s].periods for s in (0.1, 2.0, 10.0, 60.0, 300.0)] == [5, 4, 2, 2, 1]
    assert longer[60.0].share_of_idle_time == pytest.approx(1070 / 1088)
    assert longer[60.0].share_of_time == pytest.approx(1070 / 2000)
    assert found.distribution.fewest.name == "disks.1"
    assert found.distribution.most.name == "disks.0"


def test_distribution_by_hand():
    curve = analyse(run_of(succession([1.5, 1.5, 30.0, 150.0]))).distribution.all

    def at(length, kind):
        return [
            share for end, share in zip(curve.length_s, getattr(curve, kind), strict=True) if end <= length
        ][-1]

    assert [at(x, "periods") for x in (2.0, 50.0, 200.0)] == [0.5, 0.75, 1.0]
    assert [at(x, "idle_time") for x in (2.0, 50.0)] == pytest.approx([3 / 183, 33 / 183])


def test_autocorrelation_by_hand():
    # 1 and 3 s in turn, 40 times: mean 2, deviations -1 and 1, r_k = (-1)^k (80 - k) / 80.
    found = analyse(run_of(succession([1.0, 3.0] * 40))).autocorrelation
    assert found.lags == list(range(1, 21))  # a quarter of 80
    assert found.mean == pytest.approx([(-1) ** k * (80 - k) / 80 for k in range(1, 21)])
    assert found.sigma == [0.0] * 20
    assert found.drives == [1] * 20
    assert found.noise_95 == pytest.approx(1.96 / math.sqrt(80))


def test_mean_and_sigma_are_over_drives():
    rows = succession([1.0, 3.0] * 40, drive=0) + succession([1.0, 1.0, 3.0, 3.0] * 20, drive=1)
    found = analyse(run_of(rows)).autocorrelation
    # Pairs of equal ones: at lag 1 of the 79 products 40 are +1 and 39 are -1, at lag 2 all 78 are -1.
    first, second = (np.array(pair) for pair in ((-79 / 80, 1 / 80), (78 / 80, -78 / 80)))
    assert found.mean[:2] == pytest.approx([first.mean(), second.mean()])
    assert found.sigma[:2] == pytest.approx([first.std(), second.std()])


def test_equal_lengths_and_single_periods_have_no_autocorrelation():
    found = analyse(run_of([*succession([2.0] * 100), (1, 5.0, 3.0, False)]))
    assert found.autocorrelation.lags == []
    assert found.fits == []


def test_policies_by_hand():
    # Never: 10 W x (5 + 12 + 100) s = 1170 J.
    found = analyse(run_of(succession([5.0, 12.0, 100.0])))
    assert found.drives[0].break_even_s == pytest.approx(15)
    never = policy(found, "never")
    assert (never.energy_j, never.saved_j, never.delayed, never.start_stops) == (1170, 0, 0, 0)
    # Only 100 s pay: 140 J there and back, 90 s x 2 W.
    energy = policy(found, "oracle-energy")
    assert energy.energy_j == pytest.approx(170 + 140 + 180)
    assert (energy.delayed, energy.start_stops) == (0, 1)
    assert energy.saved_share == pytest.approx(680 / 1170)
    assert energy.saved_share_of_total == pytest.approx(680 / 40_000)
    # By latency 12 s are used as well: 140 J and 2 s x 2 W instead of 120 J.
    latency = policy(found, "oracle-latency")
    assert latency.energy_j == pytest.approx(50 + 144 + 320)
    assert latency.start_stops == 2
    # 10 s: after 10 s of the 12 it spins down; the arrival waits for 2 s of that and 6 s of spin-up. In 100
    # s: 10 s x 10 W, down, 86 s x 2 W, up; the arrival waits 6 s.
    fixed = policy(found, "fixed-threshold-10s")
    assert fixed.energy_j == pytest.approx(50 + (100 + 140) + (100 + 20 + 172 + 120))
    assert (fixed.delayed, fixed.start_stops) == (2, 2)
    assert fixed.delayed_share == pytest.approx(2 / 3)
    assert fixed.added_delay_of_delayed_s == pytest.approx(7)
    assert fixed.added_delay_max_s == pytest.approx(8)
    assert fixed.added_delay_per_access_s == pytest.approx(14 / 200)
    assert [row.policy for row in found.policies][:2] == ["oracle-energy", "oracle-latency"]


def test_the_bound_by_hand():
    rows = succession([12.0, 100.0])
    bound = analyse(run_of(rows)).oracle_bound
    assert bound[0].transition_s == pytest.approx(10)
    # 1120 J idling; 100 s save 1000 - 140 - 180 J of it, and 12 s lose 24 J if they are used.
    assert bound[0].energy_saved_share == pytest.approx(680 / 1120)
    assert bound[0].latency_saved_share == pytest.approx(656 / 1120)
    assert bound[-1].transition_s == pytest.approx(0.01)
    # 0.01 s of transition: all but a little of 8 W x 112 s.
    assert bound[-1].energy_saved_share == pytest.approx((8 * 112 - 2 * 0.12) / 1120, rel=1e-4)
    assert all(a.energy_saved_share <= b.energy_saved_share + 1e-12 for a, b in pairwise(bound))


lengths = st.lists(st.floats(1e-6, 5e3).map(lambda x: round(x, 9)), min_size=1, max_size=40)


@settings(max_examples=60, deadline=None)
@given(lengths, lengths)
def test_what_holds_for_any_periods(one, other):
    rows = succession(one, 0) + succession(other, 1)
    span = sum(one) + sum(other) + 200.0
    found = analyse(run_of(rows, window_s=(0.0, span)))
    table = {row.policy: row for row in found.policies}
    assert found.idle_s == pytest.approx(sum(one) + sum(other))
    oracle = table["oracle-energy"]
    assert oracle.saved_j >= 0
    assert all(row.energy_j >= oracle.energy_j * (1 - 1e-12) for row in table.values())
    assert table["two-competitive"].energy_j <= 2 * oracle.energy_j * (1 + 1e-12)
    assert all(row.delayed <= found.periods for row in table.values())
    assert table["oracle-latency"].delayed == 0
    for curve in (found.distribution.all, found.distribution.most):
        assert curve.periods == sorted(curve.periods) and curve.periods[-1] == 1.0
        assert curve.idle_time[-1] == pytest.approx(1.0)
    assert all(abs(r) <= 1 for r in found.autocorrelation.mean)


def test_batches_change_nothing(monkeypatch):
    draw = np.random.default_rng(3)
    rows = sorted(
        succession(np.round(draw.exponential(0.5, 300), 9), 0)
        + succession(np.round(draw.exponential(2.0, 200), 9), 1),
        key=lambda row: row[1] + row[2],
    )
    whole = analyse(run_of(rows))
    monkeypatch.setattr("iowatt.lenses.idle.periods.BATCH_ROWS", 17)
    assert _rounded(analyse(run_of(rows)).as_dict()) == _rounded(whole.as_dict())


def _rounded(value):
    """Sums are taken in another order."""
    if isinstance(value, float):
        return float(f"{value:.9g}") if abs(value) > 1e-12 else 0.0
    if isinstance(value, dict):
        return {key: _rounded(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_rounded(part) for part in value]
    return value


def test_another_drive_and_none():
    rows = succession([5.0, 100.0])
    other = analyse(run_of(rows), device="ibm-ultrastar-36z15")
    assert other.drives[0].break_even_s == pytest.approx(15.19, abs=0.01)
    assert other.policies[0].saved_share_of_total is None
    assert "ibm-ultrastar-36z15" in notes(other)["other-drive"]
    unknown = analyse(run_of(rows, power=None))
    assert (unknown.policies, unknown.oracle_bound, unknown.drives) == ([], [], [])
    assert "no-policies" in notes(unknown)
    lacking = analyse(run_of(rows, power={**POWER, "standby_w": None}))
    assert "standby_w" in notes(lacking)["no-policies"]
    with refused("missing-figure", Argument("drive")) as caught:
        analyse(run_of(rows), device="ibm-ultrastar-36zx")
    assert "spin_down_w" in caught.value.message
    with refused("not-applicable", Argument("drive")):
        analyse(run_of(rows), device="samsung-950-pro")


def test_a_note_says_what_waiting_in_place_of_idling_would_save():
    # All periods are longer than stopping takes: an arrival waits for the start alone.
    found = analyse(run_of(succession([100.0] * 5)))
    points = f"{DISK.spin_up_s:.2g} points"  # spin_up_s of every 100 s
    assert points in notes(found)["waits-in-place-of-idling"]
    assert "waits-in-place-of-idling" not in notes(analyse(run_of(succession([0.01] * 5))))


def test_a_plan_with_levels_has_the_same_two_states():
    idle_b = {
        "watts": 5.0,
        "enter": {"seconds": 1.0, "joules": 1.0},
        "leave": {"seconds": 1.0, "joules": 9.0},
        "stopped": False,
    }
    levels = {"levels": {"idle_w": 10.0, "below": [idle_b, *DISK.levels()["below"]]}}
    rows = succession([5.0, 100.0])
    assert analyse(run_of(rows, power=levels)).policies == analyse(run_of(rows)).policies
    without = analyse(run_of(rows, power={"levels": {"idle_w": 10.0, "below": [idle_b]}}))
    assert without.policies == [] and "standby_w" in notes(without)["no-policies"]


def test_a_run_whose_drives_never_rest():
    found = analyse(run_of([]))
    assert (found.periods, found.idle_s, found.fits) == (0, 0.0, [])
    assert all(row.saved_share == 0 for row in found.policies)
    assert found.distribution.all.length_s == []


def test_a_stop_that_never_pays_has_no_break_even():
    costly = TwoStates("x", **{**FIGURES, "standby_w": 10.0})
    assert costly.break_even_s is None
    assert DISK.quicker(0.1).break_even_s == pytest.approx(1.5)


def test_the_bound_takes_other_factors():
    bound = OracleBound([DISK], NOTHING_SHORT, factors=(1.0, 0.5))
    bound.add(PeriodBatch(np.array([0]), np.array([20_000_000_000]), np.array([False])))
    assert [point.transition_s for point in bound.points(None)] == [10.0, 5.0]


def test_bins_are_exact_at_their_edges():
    one = histogram.LengthHistogram()
    one.add(np.array([1, 999_999_999, 1_000_000_000, 10**18]))
    assert one.total == 4
    assert one.sum_s.sum() == pytest.approx(1e9 + 2, rel=1e-15)
    below = one.count[: 9 * histogram.BINS_PER_DECADE].sum()
    assert below == 2
