"""Verdicts of the arrays2002 study on tables made by hand, where what is right can be seen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from iowatt.lenses.idle.result import Autocorrelation, DriveIdle, IdlePeriods, LongPeriods, OraclePoint
from iowatt.studies.arrays2002 import conclusions, drive_conclusions, labels, tables
from iowatt.studies.arrays2002.detail import Idle, RunDrives
from iowatt.studies.arrays2002.drive_conclusions import (
    BREAK_EVEN_S,
    ConstantGaps,
    Experiment,
    derived_saving_j,
)
from iowatt.studies.arrays2002.points import DesignPoint, best, cases, choose
from iowatt.studies.arrays2002.published import LARGEST_CORRELATION, PRINTED, TEXT, WORKLOADS
from iowatt.studies.document import claim_verdict
from iowatt.studies.result import ClaimVerdict
from iowatt.studies.stages import RecordedIdle
from iowatt.studies.text import ClaimText, StudyText

GAP_S = 0.00706
DISKS = (24, 28, 32, 38)
UNITS = (4, 16, 256)


def point(disks=32, unit=16, *, kind="space", t=5.0, busy=(0.2, 0.05), level=5, **more):
    """Idle energy of all disks between two requests, and joules of positioning and transfer."""
    idle = PRINTED.idle_w * disks * GAP_S
    given = {
        "kind": kind, "source": "captured", "workload": "tpcc", "level": level,
        "disks": disks, "unit_kib": unit, "t_ms": t, "t_low_ms": 0.99 * t, "t_high_ms": 1.01 * t,
        "e_j": idle + sum(busy), "states_j": {"idle": idle, "positioning": busy[0], "active": busy[1]},
        "interarrival_s": GAP_S, "accesses": 2.0, "overloaded": False,
    }  # fmt: skip
    return DesignPoint(**(given | more))


def published_shape():
    """Small units and 32 disks fast, few disks and large units frugal, as the study has RAID-5."""
    return [
        point(disks, unit, t=3 + abs(disks - 32) / 8 + unit / 64, busy=(0.5 / unit**0.2, 0.05))
        for disks in DISKS
        for unit in UNITS
    ]


def only(verdicts):
    (found,) = verdicts
    return found


def verdict(**fields):
    given = {"key": "k", "claim": "claim", "case": "case", "published": "theirs", "ours": "ours"}
    return ClaimVerdict(**(given | fields))


def test_a_difference_needs_a_cause_and_an_experiment():
    with pytest.raises(ValueError):
        verdict(agrees=False, cause="because")
    with pytest.raises(ValueError):
        verdict(agrees=False, experiment="table")
    assert verdict(agrees=True).verdict == "agree"


def judged(**more):
    claim = ClaimText(claim="claim {what}", published="theirs", cause="c {what}", experiment="e")
    head = dict.fromkeys(("title", "question", "source", "reduced"), "")
    words = StudyText(**head, notes={}, tables={}, claims={"k": claim})
    return words.judge("k", "case", ours="ours", what="x", **more)


def test_only_a_difference_says_why():
    agree, differ = (judged(agrees=agrees) for agrees in (True, False))
    assert (agree.claim, agree.cause, agree.experiment) == ("claim x", "", "")
    assert (differ.published, differ.cause, differ.experiment) == ("theirs", "c x", "e")
    assert judged(why=lambda: ("cause", "run")).cause == "cause"
    assert judged(published="other").published == "other"


def test_what_was_not_tried_or_stops_at_an_assumed_limit_is_not_judged():
    left, capped = judged(tried=False), judged(agrees=False, ceiling="limit")
    assert (left.verdict, left.cause) == ("not tried", "")
    assert (capped.verdict, capped.cause, capped.experiment) == ("not judged", "limit", "e")


def test_the_published_shape_agrees_everywhere():
    points = published_shape()
    assert only(conclusions.energy_split(points)).agrees
    assert only(conclusions.energy_slope(points)).agrees
    assert only(conclusions.best_energy(points)).agrees
    assert only(conclusions.best_time(points)).agrees
    assert only(conclusions.trade_off(points)).agrees
    assert "T 32/4K, E 24/256K" in only(conclusions.trade_off(points)).ours


@pytest.mark.parametrize(
    "busy", [(0.1, 0.2), (6.0, 0.1), (1.0, 9.0)], ids=["transfers lead", "positioning", "all"]
)
def test_another_order_of_the_states_differs(busy):
    found = only(conclusions.energy_split([point(busy=busy)]))
    assert not found.agrees
    assert "0 of 1 " in found.experiment


def test_the_slope_is_least_squares_over_the_disks():
    ours, expected = conclusions.slope(point(disks) for disks in DISKS)
    assert expected == pytest.approx(PRINTED.idle_w * GAP_S)
    assert ours == pytest.approx(expected)


@pytest.mark.parametrize(
    ("more_j", "agrees"), [(0.019, True), (-0.019, True), (0.021, False), (-0.021, False)]
)
def test_the_slope_may_be_two_percent_off(more_j, agrees):
    extra = more_j * PRINTED.idle_w * GAP_S
    points = [point(disks, busy=(1.0 + extra * disks, 0.05)) for disks in DISKS]
    found = only(conclusions.energy_slope(points))
    assert found.agrees == agrees
    assert agrees or "Figure 8" in found.experiment


def test_an_optimum_elsewhere_says_what_differs_and_what_was_tried():
    points = [replace(one, t_ms=10.0 + (one.unit_kib == 4), accesses=4.0 if one.unit_kib == 4 else 2.0)
              for one in published_shape()]  # fmt: skip
    points += [point(32, 4, kind="spindles", t=1.0), point(32, 16, kind="spindles", t=2.0)]
    found = only(conclusions.best_time([*points]))
    assert not found.agrees
    there, here = found.cause.index("4.00"), found.cause.index("2.00")
    assert there < here
    assert found.experiment.endswith(f"{labels.KIND['spindles']} 32/4K"), "it leads to the published place"


def test_the_same_place_for_both_is_no_trade_off():
    points = [replace(one, t_ms=float(one.disks)) for one in published_shape()]
    points = [replace(one, t_ms=one.t_ms - (one.unit_kib == 256)) for one in points]
    found = only(conclusions.trade_off(points))
    assert not found.agrees
    assert best(points, "T").place == best(points, "E").place == (24, 256)
    same = found.cause.partition(":")[0]
    assert "disk" in same and "stripe" in same


def test_overloaded_points_are_no_candidates():
    points = [replace(one, overloaded=one.disks < 38) for one in published_shape()]
    least = best(points, "E")
    assert least is not None
    assert least.disks == 38
    never = [replace(one, overloaded=True) for one in points]
    assert best(never, "T") is None
    found = only(conclusions.trade_off(never))
    assert not found.agrees
    assert found.cause == TEXT.causes["overloaded"].format(place="32/4K", ms="3.06")


def test_sensitivity_compares_the_same_places():
    base = published_shape()
    changed = [replace(one, kind="mechanics", t_ms=2 * one.t_ms) for one in base if one.disks != 28]
    assert only(conclusions.sensitivity([*base, *changed])).agrees
    flat = [replace(one, t_ms=float(one.disks)) for one in changed]
    found = only(conclusions.sensitivity([*base, *flat]))
    assert not found.agrees
    least = best(flat, "T")
    assert least.disks == best(flat, "E").disks, "which the study has at different counts"
    assert found.cause.startswith("RAID-5: ") and labels.place_of(least) in found.cause


def test_cases_are_in_the_order_of_tables():
    mixed = [
        point(source="synthetic"),
        point(workload="tpch"),
        point(level=10),
        point(level=4, source="synthetic"),
    ]
    assert cases(mixed) == [
        ("captured", "tpcc", 10),
        ("captured", "tpch", 5),
        ("synthetic", "tpcc", 4),
        ("synthetic", "tpcc", 5),
    ]
    assert [one.disks for one in choose([point(38), point(24)], level=5)] == [24, 38]


def drives(workload, parity, data=1.1, source="captured"):
    return RunDrives(source, workload, 4, 32, 1000, 10.0, data, parity, 0.1, 1.0, 2000, 3.0, 2500)


def lens(correlation=(0.05,) * 5, over_1s=0.0, over_2s=0.0, longest=3.0, saved=(0.0, 0.0, 0.0)):
    """What the idle lens says, as far as the study reads it."""
    found = IdlePeriods.model_construct(
        autocorrelation=Autocorrelation.model_construct(mean=list(correlation), sigma=[0.01] * 5, disks=[]),
        longer=[
            LongPeriods.model_construct(length_s=1.0, share_of_periods=over_1s),
            LongPeriods.model_construct(length_s=2.0, share_of_periods=over_2s),
        ],
        devices=[
            DriveIdle.model_construct(name="disks.0", longest_s=0.5),
            DriveIdle.model_construct(name="disks.1", longest_s=longest),
        ],
    )
    oracle_at = [
        OraclePoint.model_construct(
            transition_s=s, energy_saved_share_of_total=share, latency_saved_share_of_total=-share
        )
        for s, share in zip((41.0, 9.0, 2.0), saved, strict=True)
    ]
    return RecordedIdle(found, oracle_at)


def experiment(what, workload="tpcc", parity=1.2, **more):
    return Experiment(what, workload, drives(workload, parity), Idle("captured", workload, 4, lens(**more)))


def test_the_parity_disk_queues_where_the_study_says():
    assert only(drive_conclusions.parity_queue([drives("tpcc", 1.2)], [])).agrees
    assert only(drive_conclusions.parity_queue([drives("tpch", 50.0)], [])).agrees
    assert not only(drive_conclusions.parity_queue([drives("tpch", 1.2)], [])).agrees


def test_a_parity_queue_that_should_not_be_is_told_by_elimination():
    tried = [
        experiment("synthetic with the trace's 37 % of writes"),
        experiment("trace at 0.5 of its speed here", parity=30.0),
        experiment("elsewhere", workload="tpch"),
    ]
    found = only(drive_conclusions.parity_queue([drives("tpcc", 60.0)], tried))
    assert not found.agrees
    by_share, by_rate, _ = found.cause.split("; ")
    assert "share" in by_share and "rate" in by_rate
    assert "elsewhere" not in found.experiment
    calm = [experiment("trace at 0.5 of its speed here")]
    (left,) = only(drive_conclusions.parity_queue([drives("tpcc", 60.0)], calm)).cause.split("; ")
    assert "rate" not in left


def test_correlations_are_low_up_to_a_limit_above_the_published_ones():
    assert LARGEST_CORRELATION == 0.139
    low = Idle("captured", "tpcc", 5, lens(correlation=(-0.15, 0.1, 0, 0, 0)))
    high = Idle("captured", "tpch", 5, lens(correlation=(-0.16, 0.1, 0, 0, 0)))
    agree, differ = drive_conclusions.correlations([low, high], [experiment("Poisson", "tpch")])
    assert agree.agrees
    assert not differ.agrees
    assert "Poisson" in differ.experiment


@pytest.mark.parametrize(
    ("workload", "over_1s", "over_2s", "agrees"),
    [
        ("tpcc", 0.05, 0.009, True),
        ("tpcc", 0.05, 0.011, False),
        ("tpch", 0.005, 0.0, True),
        ("tpch", 0.02, 0.0, False),
    ],
)
def test_tails_are_held_against_one_percent(workload, over_1s, over_2s, agrees):
    one = Idle("captured", workload, 4, lens(over_1s=over_1s, over_2s=over_2s))
    found = only(drive_conclusions.tails([one], [experiment("Poisson", workload)]))
    assert found.agrees == agrees


def test_spin_down_pays_only_where_an_oracle_saves():
    def judged(*saved):
        idle = [Idle("captured", "tpch", 4, lens(saved=saved))]
        return only(drive_conclusions.spin_down(idle, [experiment("Poisson", "tpch")]))

    assert judged(0.004, 0.006, 0.009).agrees
    assert not judged(0.006, 0.007, 0.009).agrees
    found = judged(0.0, 0.0, 0.02)
    assert not found.agrees
    assert "parity" in found.cause  # the last of RAID-4 has the longest period
    assert "Poisson 0.00 %" in found.experiment


def test_break_even_and_the_loss_at_41_seconds_are_those_of_the_watts():
    assert pytest.approx(59.92, abs=0.01) == BREAK_EVEN_S
    assert derived_saving_j(40.9) == 0
    assert derived_saving_j(41.0) == pytest.approx(-181.3, abs=0.1)
    assert derived_saving_j(BREAK_EVEN_S) == pytest.approx(0, abs=1e-9)
    assert derived_saving_j(100.0) == pytest.approx((22.3 - 12.72) * (100 - BREAK_EVEN_S))


def row(length_s, latency_j, energy_j=0.0):
    share = latency_j / (22.3 * length_s)
    return ConstantGaps(length_s, 1, latency_j, share, energy_j, derived_saving_j(length_s))


def test_oracles_are_held_against_the_derivation():
    right = [row(s, derived_saving_j(s), max(0.0, derived_saving_j(s))) for s in (40.0, 45.0, 70.0)]
    assert all(one.agrees for one in drive_conclusions.oracles(right))
    by_latency, by_energy = drive_conclusions.oracles([row(45.0, -100.0, -1.0)])
    assert not by_latency.agrees
    assert not by_energy.agrees
    nothing, _ = drive_conclusions.oracles([row(40.0, 0.0)])
    assert not nothing.agrees, "no gap in which the rule acts shows nothing"


def test_the_rule_that_never_acts_cannot_lose():
    idle = [Idle("captured", "tpcc", 4, lens(longest=9.0)), Idle("captured", "tpch", 4, lens())]
    found = only(drive_conclusions.loss_of_latency_rule(idle, [row(45.0, -142.9)]))
    assert not found.agrees
    assert "9.00 s" in found.cause
    assert "45 s: -14.2 %" in found.experiment
    losing = [Idle("captured", "tpcc", 4, lens(saved=(0.01, 0, 0)))]
    assert only(drive_conclusions.loss_of_latency_rule(losing, [])).agrees


def test_claims_count_their_cases():
    agree, differ = verdict(agrees=True), verdict(agrees=False, cause="c", experiment="e")
    left = verdict(agrees=False, tried=False)
    words = [claim_verdict(cases) for cases in ([agree, differ], [agree], [differ], [left], [agree, left])]
    assert words == ["agree in 1 of 2", "agree", "differ", "not tried", "agree, 1 not tried"]


def test_table_5_says_how_much_worse_the_published_place_is():
    points = [replace(one, t_ms=10.0 if one.place == (32, 4) else 8.0) for one in published_shape()]
    table = tables.optima(points).table
    (time,) = [r for r in table.rows if r[2] == "T"]
    assert (time[3], time[4]) == ("24/4K", "32/4K")
    assert time[-1] == pytest.approx(25.0)


def test_derived_slopes_are_idle_watts_times_the_published_gap():
    for published in (WORKLOADS["tpcc"], WORKLOADS["tpch"]):
        assert published.slope_j == pytest.approx(PRINTED.idle_w / published.iops, rel=0.001)
