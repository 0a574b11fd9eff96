"""The estimator's parts against formulas of the textbooks."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iowatt.evaluate.estimate.caching import cache_state
from iowatt.evaluate.estimate.device_benchmark import BenchmarkCurve, BenchmarkPoint, ServiceMoments
from iowatt.evaluate.estimate.hybrid import AddressRange, steady_state
from iowatt.evaluate.estimate.load import EstimatedWorkload, RequestStream
from iowatt.evaluate.estimate.network import Network, RequestPath
from iowatt.evaluate.estimate.queueing import DriveCurve, Leg, Servers, Sets, greatest, wait
from iowatt.evaluate.estimate.root import root
from iowatt.evaluate.estimate.unknown import NotEstimated

S = 0.010


def server(rate_of_depth, deviation=S, depths=(1, 2, 4, 8, 16, 32)) -> DriveCurve:
    """The curve of a made-up drive: ``rate_of_depth`` operations a second, exponential unless said."""
    points = []
    for depth in depths:
        rate = rate_of_depth(depth)
        times = ServiceMoments(depth / rate, deviation)
        points.append(BenchmarkPoint(depth, rate, times, times, times, 0.1, float(depth)))
    return DriveCurve(BenchmarkCurve(tuple(points), 1))


def flow(rate=None, outstanding=None, think=0.0, streams=(), volume=0) -> EstimatedWorkload:
    return EstimatedWorkload("load", volume, tuple(streams), rate, outstanding, think, 1.0, ())


def stream(read=1.0, size=16384, end=1 << 30, **access) -> RequestStream:
    sizes = ((size, 1.0),)
    own = {"pattern": "uniform", "align_bytes": None} | access
    return RequestStream(1.0, read, sizes, sizes, 0, end, own)


@pytest.mark.parametrize("load", [0.1, 0.5, 0.8, 0.95])
def test_one_server_waits_as_pollaczek_and_khinchine_say(load):
    assert wait(S, 1, 1.0, load) == pytest.approx(S * load / (1 - load))
    assert wait(S, 1, 0.5, load) == pytest.approx(S * load / (1 - load) / 2)
    assert wait(S, 1, 1.0, 1.0) == math.inf


@pytest.mark.parametrize("load", [0.2, 0.5, 0.8, 0.95])
def test_a_drive_of_one_rate_is_an_m_m_1(load):
    curve = server(lambda _: 1 / S)
    assert curve.at(load / S).both == pytest.approx(S / (1 - load), rel=0.02)
    # and without variation of its services an M/D/1
    steady = server(lambda _: 1 / S, deviation=0.0)
    assert steady.at(load / S).both == pytest.approx(S + S * load / (2 * (1 - load)), rel=0.02)


@pytest.mark.parametrize(("number", "outstanding"), [(1, 5), (4, 1), (4, 8), (12, 40)])
def test_a_balanced_closed_network_has_the_rate_of_mean_value_analysis(number, outstanding):
    # N requests over M equal exponential stations: X = N / (S (N + M - 1)).
    sets = Sets("drives", "drives", number, server(lambda _: 1 / S))
    sets.visit(0, 1.0)
    network = Network(
        [flow(outstanding=outstanding)], [sets], [RequestPath(0, False, 1.0, (Leg(sets, 1.0),))]
    )
    exact = outstanding * number / (S * (outstanding + number - 1)) / number
    assert network.solve().rates[0] == pytest.approx(number * exact, rel=0.03)


def test_a_loop_with_time_to_think_obeys_littles_law():
    cpu = Servers("cpu", "processor", 2)
    cpu.visit(0, 1.0, S)
    network = Network(
        [flow(outstanding=10, think=0.05)], [cpu], [RequestPath(0, False, 1.0, (Leg(cpu, 1.0, S),))]
    )
    found = network.solve()
    assert found.rates[0] * (found.responses[0] + 0.05) == pytest.approx(10, rel=1e-3)
    assert found.rates[0] < 2 / S


def test_an_open_load_beyond_what_can_be_is_saturated():
    sets = Sets("drives", "drives", 4, server(lambda _: 1 / S))
    sets.visit(0, 1.0)
    network = Network([flow(rate=1000.0)], [sets], [RequestPath(0, False, 1.0, (Leg(sets, 1.0),))])
    found = network.solve()
    assert found.saturated
    assert found.rates[0] == pytest.approx(4 / S)


@given(st.floats(1, 64), st.floats(1, 64))
def test_the_greatest_of_more_is_greater(one, other):
    assert (greatest(one) <= greatest(other)) == (one <= other) or greatest(one) == greatest(other)


@given(st.floats(-5, 5), st.floats(0.1, 9))
def test_a_root_is_found(where, power):
    found = root(lambda x: math.copysign(abs(x - where) ** power, x - where), -10.0, 10.0)
    assert found == pytest.approx(where, abs=2e-4)


CACHE = {
    "capacity_bytes": 256 << 20,
    "line_bytes": 16384,
    "replacement": "lru",
    "read": True,
    "write": "through",
    "high_watermark": 0.8,
    "low_watermark": 0.6,
    "destage_bytes": 262144,
    "destage_outstanding": 16,
    "destage": "watermark",
    "transfers": "mixed",
    "read_ahead": None,
    "mirror": None,
}


def hit(cache, own) -> float:
    load = flow(rate=1.0, streams=[own])
    kept = cache_state(cache, [load], [1.0])
    from iowatt.evaluate.estimate.load import bands

    return sum(band.share * kept.hit(load, band) for band in bands(own, write=False))


@pytest.mark.parametrize("share", [0.1, 0.25, 0.5, 0.9])
def test_uniform_reads_hit_as_much_as_the_cache_holds(share):
    own = stream(end=round((256 << 20) / share))
    assert hit(CACHE, own) == pytest.approx(share, rel=1e-3)


def test_a_cache_that_holds_everything_always_hits():
    assert hit(CACHE, stream(end=128 << 20)) == pytest.approx(1.0)


def test_skewed_reads_hit_more_than_uniform_ones():
    skewed = stream(end=1 << 40, pattern="skew", k=7.0, extent_bytes=1 << 20, order="scattered")
    small = {**CACHE, "capacity_bytes": 64 << 30}
    assert hit(small, stream(end=1 << 40)) == pytest.approx(1 / 16, rel=1e-3)
    # No cache without foresight does better than holding the hottest 1/16: 1 - (1 - 1/16)^7 = 36 %.
    assert 1 / 16 < hit(small, skewed) < 0.37


def test_destages_are_as_many_as_writes_where_nothing_is_written_twice():
    load = flow(rate=100.0, streams=[stream(read=0.0, end=1 << 45)])
    kept = cache_state({**CACHE, "write": "back"}, [load], [100.0])
    assert sum(run.rate for run in kept.runs) == pytest.approx(100.0, rel=0.01)
    assert kept.dirty == pytest.approx(0.7, rel=0.01)


def test_what_is_written_again_before_the_sweep_is_destaged_once():
    load = flow(rate=100.0, streams=[stream(read=0.0, end=300 << 20)])
    kept = cache_state({**CACHE, "write": "back"}, [load], [100.0])
    runs = sum(run.rate * run.bytes / 16384 for run in kept.runs)
    assert runs < 60  # lines a second, of 100 that are written
    assert max(run.bytes for run in kept.runs) > 32768  # neighbours leave together


def test_writes_that_fit_below_the_watermark_are_never_destaged():
    load = flow(rate=100.0, streams=[stream(read=0.0, end=100 << 20)])
    assert cache_state({**CACHE, "write": "back"}, [load], [100.0]).runs == ()


def test_a_hybrid_holds_what_fits_and_moves_no_more():
    plan = {
        "parts": [
            {"pool": 0, "offset_bytes": 0, "capacity_bytes": 1 << 30},
            {"pool": 1, "offset_bytes": 0, "capacity_bytes": 1 << 40},
        ],
        "scheme": {
            "kind": "caching",
            "extent_bytes": 1 << 20,
            "promotion_threshold": 4,
            "max_migrations": 4,
            "write": "through",
        },
    }
    fits = AddressRange(0, 1 << 29, float(1 << 29), 0.0)
    assert (
        steady_state(plan, {fits: (100.0, 0.0)}, slower=1.0, cleaned=1.0).targets(fits, write=False)[0].share
        == 1
    )
    more = AddressRange(0, 1 << 33, float(1 << 33), 0.0)
    hybrid = steady_state(plan, {more: (100.0, 0.0)}, slower=1.0, cleaned=1.0)
    assert hybrid.targets(more, write=False)[0].share == pytest.approx(1 / 8, rel=0.01)
    # Every fourth access to what is not there moves an extent.
    assert hybrid.moves[0].rate == pytest.approx(100 * 7 / 8 / 4, rel=0.01)


def test_a_cache_by_sectors_is_refused_by_name():
    part = {"pool": 0, "offset_bytes": 0, "capacity_bytes": 1 << 30}
    scheme = {"kind": "caching", "extent_bytes": 1 << 16, "write": "back", "sector_bytes": 512}
    with pytest.raises(NotEstimated) as refused:
        steady_state({"parts": [part, part], "scheme": scheme}, {}, slower=1.0, cleaned=1.0)
    assert refused.value.place == "array.virtual_pool"
    assert "copy_unit" in str(refused.value)
