"""Address laws cut into zones hold the shares that the laws give."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iowatt.model.profile.laws.access import HotBand, Skew, Zipf
from iowatt.sources.export.loads import apportion
from iowatt.sources.export.zones import REACH_BYTES, hot_band, zones

GB = 10**9
HOT = HotBand(pattern="hot-band")
# Shares of reads in the first 0.1, 1, 10, 20 and 50 % of a band (vdbench 5.04.06, run).
TABLE = {
    0.05 * GB: (0.119, 0.265, 0.446, 0.545, 0.742),
    1 * GB: (0.324, 0.451, 0.613, 0.678, 0.814),
    10 * GB: (0.447, 0.581, 0.700, 0.749, 0.854),
    100 * GB: (0.578, 0.675, 0.765, 0.802, 0.877),
    1000 * GB: (0.673, 0.738, 0.804, 0.892, 0.991),
    8000 * GB: (0.733, 0.780, 0.813, 1.000, 1.000),
}


def share_below(found, fraction, length):
    """Share of the requests in the first part of the range."""
    limit = fraction * length
    total = sum(zone.weight for zone in found)
    inside = sum(zone.weight * min(1.0, max(0.0, (limit - zone.start) / zone.length)) for zone in found)
    return inside / total


@pytest.mark.parametrize("length", TABLE)
def test_the_curve_gives_the_published_shares(length):
    edges, shares = hot_band(length)
    cumulative = np.concatenate([[0.0], np.cumsum(shares)])
    assert cumulative[-1] == pytest.approx(1)
    for fraction, expected in zip((0.001, 0.01, 0.1, 0.2, 0.5), TABLE[length], strict=True):
        assert np.interp(fraction * length, edges, cumulative) == pytest.approx(expected, abs=0.005)


@pytest.mark.parametrize("length", TABLE)
def test_zones_keep_them_within_a_percent(length):
    found = zones(HOT, int(length), op="read", size=1024, unit=1024, count=100, seed=1)
    for fraction, expected in zip((0.001, 0.01, 0.1, 0.2, 0.5), TABLE[length], strict=True):
        assert share_below(found, fraction, length) == pytest.approx(expected, abs=0.01)


def test_writes_go_one_percent_further():
    reads = zones(HOT, GB, op="read", size=8192, unit=1024, count=100, seed=1)
    writes = zones(HOT, GB, op="write", size=8192, unit=1024, count=100, seed=1)
    # The first 16 kB hold 8.7 % of the reads; a write there has wrapped.
    assert share_below(reads, 0.000_016, GB) == pytest.approx(0.087, abs=0.005)
    assert share_below(writes, 0.000_016, GB) < 0.001
    # 1 % of 122,070 records of 8 KiB is 1220 records, 9.994 MB.
    assert share_below(writes, 0.010_016, GB) - share_below(writes, 0.009_994, GB) > 0.08


def test_nothing_is_said_of_what_a_band_never_reaches():
    length = 8000 * GB
    found = zones(HOT, length, op="read", size=8192, unit=4096, count=100, seed=1)
    assert sum(zone.length for zone in found) == pytest.approx(REACH_BYTES, rel=1e-6)
    shifted = zones(HOT, length, op="write", size=8192, unit=4096, count=100, seed=1)
    assert (shifted[0].weight, shifted[0].length) == (0, pytest.approx(length / 100, rel=1e-3))


def test_the_skew_law():
    law = Skew(pattern="skew", k=7, extent="1MiB", order="ascending")
    found = zones(law, GB, op="read", size=8192, unit=8192, count=100, seed=1)
    for fraction in (0.05, 0.2, 0.5):
        assert share_below(found, fraction, GB) == pytest.approx(1 - (1 - fraction) ** 7, abs=0.005)


@pytest.mark.parametrize("exponent", [0.8, 1.0, 1.2])
@pytest.mark.parametrize("extents", [1000, 3_000_000])
def test_zipf(exponent, extents):
    law = Zipf(pattern="zipf", exponent=exponent, extent=4096, order="ascending")
    length = extents * 4096
    found = zones(law, length, op="read", size=4096, unit=4096, count=100, seed=1)
    mass = np.arange(1, extents + 1, dtype=float) ** -exponent
    for first in (extents // 1000, extents // 10, extents // 2):
        expected = mass[:first].sum() / mass.sum()
        assert share_below(found, first / extents, length) == pytest.approx(expected, abs=0.011)


@given(
    st.sampled_from([HOT, Skew(pattern="skew", k=3), Zipf(pattern="zipf", exponent=0.9)]),
    st.integers(4 << 20, 1 << 50),
    st.sampled_from(["read", "write"]),
    st.sampled_from([512, 4096, 65_536]),
    st.integers(1, 200),
)
@settings(max_examples=60, deadline=None)
def test_zones_lie_in_turn_on_multiples_of_the_unit(law, length, op, unit, count):
    found = zones(law, length, op=op, size=unit, unit=unit, count=count, seed=3)
    assert sum(zone.weight for zone in found) == count
    at = 0
    for zone in found:
        assert (zone.start, zone.start % unit, zone.length % unit) == (at, 0, 0)
        assert zone.length > 0
        at += zone.length
    assert at <= length


def test_scattered_zones_are_the_same_in_another_order():
    law = {order: Skew(pattern="skew", k=7, extent=4096, order=order) for order in ("scattered", "ascending")}
    found = {o: zones(a, GB, op="read", size=4096, unit=4096, count=100, seed=1) for o, a in law.items()}
    assert [z.length for z in found["scattered"]] != [z.length for z in found["ascending"]]
    assert sorted(z.length for z in found["scattered"]) == sorted(z.length for z in found["ascending"])


@given(
    st.lists(st.floats(0, 1e9), min_size=1, max_size=50).filter(lambda w: sum(w) > 0), st.integers(1, 10_000)
)
def test_apportioned_weights_add_up_and_are_at_most_one_off(weights, units):
    found = apportion(weights, units)
    assert sum(found) == units
    total = sum(weights)
    assert all(abs(n - w / total * units) < 1 + 1e-6 for n, w in zip(found, weights, strict=True))
