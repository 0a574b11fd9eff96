"""Parts of the study latency2015 on plain numbers: equations, histograms, the installed base, verdicts."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from pathlib import Path
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iowatt.studies.latency2015 import base, conclusions, equations, systems, tables
from iowatt.studies.latency2015.equations import ProcessorStation, RequestRates
from iowatt.studies.latency2015.points import (
    LatencyHistogram,
    LatencyPoint,
    LatencyPoints,
    MemberHopTime,
    Second,
)
from iowatt.studies.latency2015.published import BY_KEY, EXCHANGE_US, MEMBERS, PRINTED, REFERENCE, TEXT

# At the end: scripts/figures.py is not the tests' figures.
sys.path.append(str(Path(__file__).parents[2] / "scripts"))
import fit_latency2015 as fitting

LOAD = RequestRates(reads=7_000.0, writes=1_100.0)


def test_the_published_calibration_is_one_answer_of_the_printed_equation():
    one = equations.printed(500e-6, 250e-6, fixed_s=60e-6, background=0.0)
    assert one.visit_s == pytest.approx(167e-6, rel=2e-3)
    assert (one.before_busy, one.after_busy) == pytest.approx((0.24, 0.12))
    assert one.mean_s(2) == pytest.approx(500e-6)
    assert one.mean_s(1) == pytest.approx(250e-6)


@given(fixed=st.floats(1e-6, 240e-6), background=st.floats(0, 0.95), after=st.floats(0.45, 0.55))
def test_every_answer_of_the_printed_equation_gives_both_means(fixed, background, after):
    one = equations.printed(500e-6, after * 500e-6, fixed, background)
    if one is None:
        return
    assert one.mean_s(2) == pytest.approx(500e-6, rel=1e-9)
    assert one.mean_s(1) == pytest.approx(after * 500e-6, rel=1e-9)
    assert background < one.after_busy < one.before_busy < 1
    # The load of the writes is the same in both: one visit each, or two.
    assert one.before_busy - background == pytest.approx(2 * (one.after_busy - background))
    assert one.writes * one.visit_s == pytest.approx(one.after_busy - background)


def test_a_fixed_part_alone_explains_nothing():
    assert equations.printed(500e-6, 250e-6, fixed_s=250e-6, background=0.0) is None
    assert equations.printed(500e-6, 250e-6, fixed_s=60e-6, background=1.0) is None


def test_erlang_c_of_one_server_is_its_utilisation_and_of_two_as_in_the_books():
    assert equations.erlang_c(0.7, 1) == pytest.approx(0.7)
    assert equations.erlang_c(1.0, 2) == pytest.approx(1 / 3)
    assert equations.erlang_c(0.0, 3) == 0


def test_equal_visits_wait_as_in_m_d_1():
    one = ProcessorStation(read_s=20e-6, visit_s=20e-6)
    rho = (LOAD.reads + 2 * LOAD.writes) * 20e-6
    assert one.busy(LOAD, 2) == pytest.approx(rho)
    assert one.wait_s(LOAD, 2) == pytest.approx(rho * 20e-6 / (2 * (1 - rho)))
    assert ProcessorStation(0.0, 0.0).wait_s(LOAD, 2) == 0
    assert math.isinf(ProcessorStation(1e-3, 1e-3).wait_s(LOAD, 1))
    two = ProcessorStation(read_s=40e-6, visit_s=40e-6, processors=2)
    assert two.busy(LOAD, 2) == pytest.approx(rho)
    assert 0 < two.wait_s(LOAD, 2) < ProcessorStation(40e-6, 40e-6).wait_s(RequestRates(3_500.0, 550.0), 2)


@given(read=st.floats(0, 100e-6), processors=st.sampled_from([1, 2]))
def test_a_halved_mean_means_that_what_is_fixed_is_twice_the_wait_that_is_spared(read, processors):
    found = equations.solve(500e-6, 250e-6, LOAD, read_s=read, processors=processors)
    assert found is not None
    assert found.mean_s(LOAD, 2) == pytest.approx(500e-6, rel=1e-6)
    assert found.mean_s(LOAD, 1) == pytest.approx(250e-6, rel=1e-6)
    station = found.station
    spared = station.wait_s(LOAD, 2) - station.wait_s(LOAD, 1)
    assert found.fixed_s == pytest.approx(2 * spared, abs=1e-9)


def test_the_best_case_settles_the_time_of_reads():
    found = equations.solve_best(500e-6, 250e-6, LOAD, best_s=62e-6)
    assert found.best_s == pytest.approx(62e-6, rel=1e-3)
    assert found.mean_s(LOAD, 2) == pytest.approx(500e-6, rel=1e-6)
    assert found.station.busy(LOAD, 1) > 0.7, "short visits need much waiting behind others"
    assert equations.solve_best(500e-6, 250e-6, LOAD, best_s=1e-3) is None


def test_reads_that_are_too_much_have_no_answer():
    assert equations.solve(500e-6, 250e-6, LOAD, read_s=150e-6) is None


@pytest.mark.parametrize("key", ["reads-30", "best-62", "two-processors"])
def test_the_fit_finds_both_means_of_a_system_that_is_not_the_equations(monkeypatch, key):
    """Writes before take 5 % longer than the equations say, as the simulated second visits do."""

    def seen(member, express, users=PRINTED.users):
        load = LOAD if users > 1 else RequestRates(0.0, 0.0)
        visits, longer = (1, 1.0) if express == systems.ON else (2, 1.05)
        return fitting.Seen(longer * member.equation.mean_s(load, visits), load)

    monkeypatch.setattr(fitting, "seen", seen)
    assert fitting.exchange_s() == pytest.approx(EXCHANGE_US * 1e-6)
    member = fitting.fit(BY_KEY[key], fitting.exchange_s())
    assert seen(member, systems.OFF).write_s == pytest.approx(500e-6, rel=fitting.WITHIN)
    assert seen(member, systems.ON).write_s == pytest.approx(250e-6, rel=fitting.WITHIN)


def test_a_histogram_answers_by_its_bins():
    one = LatencyHistogram.of([(100_000, 199_999, 3), (0, 99_999, 1), (0, 99_999, 1)])
    assert one.total == 5
    assert one.counts == (2, 3)
    assert one.share_within(0.099999) == pytest.approx(0.4)
    assert one.share_within(0.149999) == pytest.approx(0.4 + 0.6 * 0.5)
    assert one.share_within(1) == 1
    assert one.quantile_ms(0.4) == pytest.approx(0.099999)
    assert one.quantile_ms(0.5) == pytest.approx(0.199999)


def test_a_mixture_weighs_shares_and_not_counts():
    fast, slow = LatencyHistogram.of([(1, 1, 1_000)]), LatencyHistogram.of([(2_000_000, 2_000_000, 1)])
    both = LatencyHistogram.mixture({0: 0.25, 1: 0.75}, {0: fast, 1: slow})
    assert both.share_within(1) == pytest.approx(0.25)
    assert both.total == pytest.approx(1)


def test_the_law_of_an_installed_base_is_found_again():
    visits = [10 * 2 ** (n / 2) for n in range(11)]
    law = base.VisitLaw(70.0, 0.7)
    weights = law.weights(visits)
    assert sum(weights) == pytest.approx(1)
    normal = NormalDist(math.log(70.0), 0.7)
    assert sum(weights[:5]) == pytest.approx(normal.cdf(math.log(visits[4] * 2**0.25)))
    before = [1 / (1 + (visit / 25) ** 4) for visit in visits]
    after = [1 / (1 + (visit / 60) ** 4) for visit in visits]
    wanted = [sum(w * s for w, s in zip(weights, shares, strict=True)) for shares in (before, after)]
    found = base.fit(visits, before, after, *wanted)
    assert (found.median_us, found.sigma) == pytest.approx((70.0, 0.7), rel=1e-4)
    assert base.fit(visits, before, before, 0.1, 0.4) is None, "one histogram cannot have both shares"


def test_the_load_has_the_published_ratio_of_reads_and_the_users():
    pages = systems.LOAD.reads * (1 + 1 / PRINTED.reads_per_write)
    assert pages == pytest.approx(PRINTED.users * systems.PAGES)
    assert systems.LOAD.writes == pytest.approx(pages / 10.7 + PRINTED.users * systems.COMMITS)


def test_members_differ_in_what_a_sweep_sets():
    assert len({(one.read_us, one.visit_us, one.processors) for one in MEMBERS}) == len(MEMBERS)
    assert REFERENCE in BY_KEY


def hand(kind="steady", member=REFERENCE, express=False, **more):
    """A point with the published latencies."""
    ms = PRINTED.after_ms if express else PRINTED.before_ms
    given = {
        "kind": kind, "member": member, "express": express, "setting": "", "visit_us": 100.0,
        "write_ms": ms, "read_ms": 0.2, "host_write_ms": ms + 0.01, "host_read_ms": 0.21,
        "write_p99_ms": 2 * ms, "host_write_p99_ms": 2 * ms, "read_p99_ms": 0.4, "iops": 8_400.0,
        "read_mib_s": 56.0, "write_mib_s": 10.0,
        "busy": 0.5, "drive_writes": 2.0, "express_share": float(express),
        "seconds": (Second(0.0, ms, 1_000), Second(1.0, 1.1 * ms, 1_000), Second(2.0, None, 0)),
        "writes": LatencyHistogram.of([(0, 120_000, 10), (120_001, 1_000_000, 90)]),
        "write_hops": tuple(
            MemberHopTime("switch", "fabric", *at) for at in (("out", 0.1, 0.7), ("in", 0.0, 0.7))
        ),
        "read_hops": (),
    }  # fmt: skip
    return LatencyPoint(**(given | more))


def family(**after):
    """The reference alone, before and after, in every sweep."""
    kinds = ("steady", "alone", "twice", "checkpoint")
    return LatencyPoints(
        [
            hand(kind, express=express, **(after if express else {}))
            for kind in kinds
            for express in (False, True)
        ]
    )


def only(verdicts, key):
    (found,) = [one for one in verdicts if one.key == key]
    return found


def judged(conclusion, points):
    (verdict,) = conclusion(points, BY_KEY[REFERENCE])
    return verdict


def test_the_published_means_agree_and_six_percent_differ():
    member = BY_KEY[REFERENCE]
    assert all(one.agrees for one in conclusions.latency(family(), member))
    found = conclusions.latency(family(write_ms=0.265), member)
    assert [one.agrees for one in found] == [True, False]
    assert "+6.0%" in found[1].ours


def test_bandwidth_may_change_by_one_percent():
    member = BY_KEY[REFERENCE]
    assert all(one.agrees for one in conclusions.bandwidth(family(read_mib_s=56.5), member))
    found = conclusions.bandwidth(family(write_mib_s=10.11), member)
    assert [one.agrees for one in found] == [True, False]


def test_one_second_above_a_millisecond_is_a_spike():
    assert judged(conclusions.spikes, family()).agrees
    over = (Second(0.0, 0.2, 10), Second(1.0, 1.01, 10))
    assert not judged(conclusions.spikes, family(seconds=over)).agrees


def test_a_checkpoint_must_spike_before_and_not_after():
    quiet = judged(conclusions.checkpoint, family())
    assert not quiet.agrees
    assert quiet.cause == TEXT.causes["checkpoint-absorbed"]
    points = family()
    wild = replace(points.one("checkpoint", member=REFERENCE, express=False), seconds=(Second(0.0, 3.0, 10),))
    points.all[points.all.index(points.one("checkpoint", member=REFERENCE, express=False))] = wild
    assert judged(conclusions.checkpoint, points).agrees


def test_62_us_are_claimed_of_a_write_that_meets_nobody():
    assert not judged(conclusions.best, family()).agrees
    assert judged(conclusions.best, family(write_ms=0.063)).agrees
    assert judged(conclusions.below, family(write_ms=0.199)).agrees
    assert not judged(conclusions.below, family(write_ms=0.2)).agrees


def test_the_switch_is_told_from_its_hops():
    found = conclusions.switch(family())
    assert not found.agrees
    assert found.ours == "1.5 us"


def test_the_nearest_two_members_say_what_a_measurement_must_resolve():
    assert tables.nearest_ratio([1.0, 2.0, 1.5]) == pytest.approx(4 / 3)
    assert tables.nearest_ratio([0.0, 1.0]) is None
    assert tables.nearest_ratio([2.0, 2.0]) == 1


def test_the_table_of_the_printed_equation_has_both_means_in_every_line():
    rows = tables.printed().table.rows
    assert len(rows) > 10
    for row in rows:
        assert row[-2:] == pytest.approx([0.5, 0.25])
        assert row[3] < 100
