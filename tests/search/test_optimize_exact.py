"""Enumeration with bounds finds what brute force finds, with fewer simulations; its bounds hold."""

import itertools
from pathlib import Path

import pytest
from optimizing import CLOSED, OPEN, brute_force, optimized

import iowatt
from iowatt.evaluate import evaluation
from iowatt.evaluate.search.metrics.pareto import dominates, knee_of, nondominated, recommend
from iowatt.evaluate.search.metrics.table import row_of_run
from iowatt.evaluate.search.optimize import bounds
from iowatt.evaluate.search.optimize.bounds import static_metrics
from iowatt.model.scenario import load

DRIVES = "array.pool.p.count=4..10:2"
LEVELS = "array.pool.p.raid.level=0,5,6,10"
EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (CLOSED, {"maximize": ["efficiency.iops_per_w"]}),
        (CLOSED, {"minimize": ["response_time_ms.all.p95"], "subject_to": ["devices.count <= 8"]}),
        (
            CLOSED,
            {
                "maximize": ["throughput.iops", "capacity_gb.usable"],
                "minimize": ["power_w.mean"],
                "subject_to": ["redundancy.failures_survived >= 1"],
            },
        ),
        (OPEN, {"maximize": ["efficiency.iops_per_w"], "subject_to": ["response_time_ms.all.mean <= 9ms"]}),
        (OPEN, {"minimize": ["energy.per_request_j"], "subject_to": ["capacity_gb.usable >= 3TB"]}),
        (OPEN, {"minimize": ["power_w.wall_mean", "response_time_ms.read.mean"]}),
    ],
)
def test_the_front_is_that_of_brute_force(text, options):
    best, frame = brute_force(text, [DRIVES, LEVELS], **options)
    found = optimized(text, [DRIVES, LEVELS], **options)
    assert set(found.document.front) == best
    assert found.document.proof == "exact"
    space = found.document.space
    parts = ("refused", "known_infeasible", "pruned", "simulated", "failed", "untouched")
    assert sum(getattr(space, part) for part in parts) == space.size == frame.height


def test_bounds_spare_simulations():
    """At a rate that every system bears, watts decide, and these are known but for little."""
    over = ["array.pool.p.count=4..12", LEVELS]
    options = {"maximize": ["efficiency.iops_per_w"], "subject_to": ["redundancy.failures_survived >= 1"]}
    found = optimized(OPEN, over, overrides=["workload.w.profile.rate_iops=60"], **options)
    best, frame = brute_force(OPEN, over, overrides=["workload.w.profile.rate_iops=60"], **options)
    assert set(found.document.front) == best
    assert found.document.space.simulated < 0.5 * frame.height
    assert found.document.space.pruned > 0


@pytest.mark.parametrize("name", ["array-power", "spin-down", "ssd", "emerald-small", "rebuild"])
def test_every_run_keeps_to_the_bounds_of_its_plan(name):
    """Of shipped scenarios, each with other parts: policies that stop drives, supplies, SSDs, failures."""
    text = (EXAMPLES / f"{name}.toml").read_text()
    work = evaluation.prepare(load(EXAMPLES / f"{name}.toml", []), EXAMPLES, text)
    row = row_of_run(iowatt.run(EXAMPLES / f"{name}.toml"))
    digest = bounds.arrivals_digest(work.plan)
    come = bounds.arrivals_of(row, work.plan) if digest else None
    sure = static_metrics(work.plan, None)
    for metric, value in sure.items():
        assert row[metric] == pytest.approx(value, rel=1e-12), metric
    ranges = bounds.metric_bounds(work.plan, come)
    ranges |= bounds.capacity_per_watt(sure, ranges)
    assert {"power_w.mean", "throughput.iops"} <= set(ranges)
    for metric, (low, high) in ranges.items():
        if row.get(metric) is not None:
            assert low <= row[metric] <= high, metric


def test_a_front_is_what_nothing_beats():
    losses = list(itertools.product((0.0, 1.0, 2.0), repeat=3))
    chosen = [(0, 2, 1), (1, 1, 1), (2, 0, 1), (1, 1, 2), (1, 1, 1), (2, 2, 0)]
    kept = [chosen[at] for at in nondominated(chosen)]
    assert kept == sorted(kept)
    assert set(kept) == {(0, 2, 1), (1, 1, 1), (2, 0, 1), (2, 2, 0)}
    assert kept.count((1, 1, 1)) == 2  # equals do not beat each other
    assert [losses[at] for at in nondominated(losses)] == [(0.0, 0.0, 0.0)]
    assert dominates((1, 1), (1, 2)) and not dominates((1, 1), (1, 1)) and not dominates((0, 3), (1, 2))


def test_the_choice_from_a_front():
    assert recommend([]) is None
    assert recommend([(3.0,)])[0] == 0
    bent = [(0.0, 10.0), (1.0, 2.0), (10.0, 0.0)]
    at, by = recommend(bent)
    assert at == knee_of(bent) == 1 and "knee" in by
    at, by = recommend([(0.0, 9.0, 9.0), (3.0, 3.0, 3.0), (9.0, 9.0, 0.0)])
    assert at == 1 and by.startswith("nearest")
