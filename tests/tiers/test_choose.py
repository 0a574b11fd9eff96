"""The rule, drives and groups, against cases worked out by hand; and what holds for any load."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made import GB, MIB, load, technology

from iowatt.evaluate.tiers import choose
from refused import refused

#: 1,000 IOPS for 100 USD and 100 GB, against 100 IOPS for 100 USD and 1,000 GB.
FAST = technology("fast", capacity_gb=100, saturated_iops=1000.0, service_s=0.001)
SLOW = technology("slow", capacity_gb=1000, saturated_iops=100.0)


def test_the_rule_by_hand():
    # An extent of 1 GB takes 1/100 of a fast drive's room and 1/1000 of a slow one's; at 0.7 of its rate, r
    # IOPS take r/700 and r/70. The fast one is less where r/70 > 1/100 and more than 1/100 of it, that is
    # above 0.7 IOPS/GB.
    work = load([8.0, 1.0, 0.75, 0.65, 0.1])
    assert choose.assign(work, [FAST, SLOW], 0.7, "dollars").tolist() == [0, 0, 0, 1, 1]
    # A slow drive for 10 USD is worth ten times the density.
    cheap = technology("cheap", capacity_gb=1000, saturated_iops=100.0, usd=10.0)
    assert choose.assign(work, [FAST, cheap], 0.7, "dollars").tolist() == [0, 1, 1, 1, 1]
    # By drives the price does not matter.
    assert choose.assign(work, [FAST, cheap], 0.7, "drives").tolist() == [0, 0, 0, 1, 1]


def test_watts_count_idling_and_operations():
    # 10 W idle each; the fast drive's operations cost 1 J: 1 W an IOPS more.
    dear = technology("dear", capacity_gb=1000, saturated_iops=1000.0, service_s=0.001, operation_j=1.0)
    work = load([50.0])
    # Room 0.01 W + 50 J/s against 50/70 of 10 W and 0.5 W.
    assert choose.assign(work, [dear, SLOW], 0.7, "watts").tolist() == [1]
    assert choose.assign(work, [FAST, SLOW], 0.7, "watts").tolist() == [0]


def test_drives_are_rounded_up_to_groups_and_their_room_is_filled():
    fast = technology("fast", capacity_gb=100, saturated_iops=1000.0, service_s=0.001, group=4)
    work = load([10.0] * 120 + [0.01] * 3000, extent_gb=1.0)
    tiers = choose.lay_out(work, [fast, SLOW], 0.7, "dollars")
    assert tiers is not None
    # 120 GB need two drives, 1,200 IOPS at 700 each two; a group is four.
    assert [tier.count for tier in tiers] == [4, 3]
    # Their room less what stays free holds as many extents more.
    room = 4 * 100 * GB // 65536 * 65536 - 8 * MIB
    assert tiers[0].last == int(min(room // GB, 3120))
    assert (tiers[1].first, tiers[1].last) == (tiers[0].last, 3120)


def test_work_decides_where_room_is_plenty():
    work = load([10.0] * 100)
    (tier,) = choose.lay_out(work, [SLOW], 0.5, "drives")
    assert tier.count == 20  # 1,000 IOPS at 50 each; 100 GB would fit one


def test_cold_space_goes_where_room_costs_least():
    work = load([500.0], cold_gb=5000.0)
    tiers = choose.lay_out(work, [FAST, SLOW], 0.7, "dollars")
    assert [(tier.technology.name, tier.count) for tier in tiers] == [("fast", 1), ("slow", 5)]
    roomy = technology("roomy", capacity_gb=10_000, saturated_iops=1000.0, service_s=0.001)
    (alone,) = choose.lay_out(work, [roomy, SLOW], 0.7, "dollars")
    assert alone.technology.name == "roomy"
    assert alone.held_bytes(work) == pytest.approx(5001 * GB)


def test_raid_levels_set_the_least_pool():
    assert choose.Technology("r5", "d", 5, 65536, 4, FAST.drive, None).least == 4
    assert choose.Technology("r6", "d", 6, 65536, 3, FAST.drive, None).least == 6
    with refused("conflict", None):
        choose.Technology("r10", "d", 10, 65536, 20_001, FAST.drive, None).least  # noqa: B018
    assert choose.lay_out(load([1e7]), [SLOW], 0.7, "drives") is None


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.floats(0.001, 200.0), min_size=1, max_size=80),
    st.floats(0.0, 20_000.0),
    st.sampled_from(["watts", "dollars", "drives"]),
    st.floats(0.1, 0.95),
    st.integers(1, 7),
)
def test_every_extent_has_one_tier_with_room_and_rate(rates, cold_gb, objective, limit, group):
    work = load(rates, extent_gb=3.0, cold_gb=cold_gb, read_share=0.6)
    fast = technology("fast", capacity_gb=100, saturated_iops=1000.0, service_s=0.001, group=group)
    tiers = choose.lay_out(work, [fast, SLOW], limit, objective)
    assert tiers
    assert tiers[0].first == 0
    assert tiers[-1].last == len(rates)
    for sooner, later in pairwise(tiers):
        assert sooner.last == later.first
    assert sum(tier.held_bytes(work) for tier in tiers) == pytest.approx(work.total_bytes)
    for tier in tiers:
        assert tier.count % tier.technology.group == 0
        assert tier.held_bytes(work) <= tier.technology.usable(tier.count) + 1
        operations = float(tier.technology.operations(work, tier.count)[tier.first : tier.last].sum())
        assert operations <= limit * tier.count * tier.technology.drive.saturated_iops * (1 + 1e-9)
    assert np.all(np.diff(work.reads) <= 0)
