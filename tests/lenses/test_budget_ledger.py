"""The table `hops` as a ledger: sums that are exact, and what slow requests are made of beside the truth."""

from __future__ import annotations

import re

import numpy as np
import polars as pl
import pytest
from budget_runs import SLOTS, WAY, hops, passed

from iowatt.lenses.budget.ledger import classes, in_order, merged, of_frame
from iowatt.lenses.budget.result import HopName
from refused import refused


@pytest.fixture(scope="module")
def found():
    return passed(4000, requests=8000)


@pytest.fixture(scope="module")
def ledgers(found):
    return of_frame(hops(found))


def truth(found, chosen):
    """Mean waiting and service of some requests, ms, in the order of the way."""
    order = list(WAY)
    return (
        found.waiting[order][:, chosen].mean(axis=1) / 1e6,
        found.service[order][:, chosen].mean(axis=1) / 1e6,
    )


def test_hops_are_in_the_order_of_the_way():
    listed = [HopName(hop=name, place=place, way=way) for name, place, way, _ in SLOTS]
    listed += [HopName(hop="stack", place="host", way="in")]
    assert [(hop.hop.split()[-1], hop.way) for hop in in_order(listed)] == [
        ("queue", ""), ("hba", ""), ("link", "out"), ("switch", "out"), ("port", ""), ("processors", ""),
        ("drive", ""), ("switch", "in"), ("link", "in"), ("stack", "in"),
    ]  # fmt: skip


def test_means_are_exact(found, ledgers):
    for ledger, chosen in zip(ledgers, (~found.write, found.write), strict=True):
        mean = ledger.mean()
        waiting, service = truth(found, chosen)
        assert mean.requests == chosen.sum()
        np.testing.assert_allclose(mean.waiting_ms, waiting, rtol=1e-12)
        np.testing.assert_allclose(mean.service_ms, service, rtol=1e-12)
        assert mean.response_ms == pytest.approx(found.response[chosen].mean() / 1e6, rel=1e-12)
        assert ledger.outside() == 0


def test_merged_classes_are_all_requests(found, ledgers):
    both = merged(ledgers)
    assert both.hops == ledgers[0].hops
    assert (both.workload, both.op, both.total) == ("oltp", "all", found.write.size)
    assert both.mean().response_ms == pytest.approx(found.response.mean() / 1e6, rel=1e-12)
    assert [ledger.name.split() for ledger in classes(ledgers)] == [
        ["oltp", op] for op in ("all", "read", "write")
    ]
    assert classes(ledgers[:1]) == ledgers[:1]


@pytest.mark.parametrize("share", [0.1, 0.01])
def test_the_slowest_are_made_of_what_they_are_made_of(found, ledgers, share):
    both = merged(ledgers)
    slow = np.argsort(found.response)[-round(share * found.response.size) :]
    part = both.slowest(share)
    waiting, service = truth(found, slow)
    assert part.requests == pytest.approx(slow.size)
    # A bin is 9 % wide, and the one at the border is taken to be alike.
    assert part.response_ms == pytest.approx(found.response[slow].mean() / 1e6, rel=0.02)
    np.testing.assert_allclose(part.waiting_ms, waiting, atol=0.02 * part.response_ms)
    np.testing.assert_allclose(part.service_ms, service, atol=0.02 * part.response_ms)


def test_parts_of_the_distribution_add_up(ledgers):
    one = merged(ledgers)
    total = float(one.total)
    parts = [
        one.ranks(*ends) for ends in ((0, 0.5 * total), (0.5 * total, 0.99 * total), (0.99 * total, total))
    ]
    weighted = sum(part.requests * part.waiting_ms for part in parts) / total
    np.testing.assert_allclose(weighted, one.mean().waiting_ms, rtol=1e-9)
    assert parts[0].response_ms < parts[1].response_ms < parts[2].response_ms


def test_around_a_percentile_are_as_many_as_lie_beyond_it(ledgers):
    one = ledgers[0]
    assert one.around(0.99).requests == pytest.approx(0.01 * one.total)
    assert one.around(0.5).requests == pytest.approx(0.5 * one.total)
    assert one.around(0.999999).requests == pytest.approx(1.0)
    scaled = one.around(0.99).scaled_to(2.0)
    assert scaled.response_ms == pytest.approx(2.0)


def test_a_table_that_does_not_add_up_is_noticed(found):
    frame = hops(found).with_columns((pl.col("service_ns") * 3).alias("service_ns"))
    assert all(ledger.outside() for ledger in of_frame(frame))


def test_hops_that_disagree_about_a_bin_are_refused(found):
    frame = hops(found).with_columns(
        pl.when(pl.col("hop") == "drive").then(pl.col("requests") + 1).otherwise("requests").alias("requests")
    )
    with refused("damaged", re.compile("^runs/x: .+: oltp$")):
        of_frame(frame, "runs/x")


def test_a_table_with_gaps_is_refused(found):
    with refused("damaged") as caught:
        of_frame(hops(found).drop("place"))
    assert "place" in caught.value.message
    gap = pl.when(pl.col("hop") == "drive").then(None).otherwise(pl.col("wait_ns")).alias("wait_ns")
    with refused("damaged"):
        of_frame(hops(found).with_columns(gap))


def test_an_empty_table_has_no_classes(found):
    assert of_frame(hops(found).clear()) == []
