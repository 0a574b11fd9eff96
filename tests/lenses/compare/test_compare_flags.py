"""What two sides differ in besides the change."""

from __future__ import annotations

import numpy as np
import pytest

import compared_runs as made
from iowatt.lenses.compare import changes, flags
from iowatt.lenses.compare.analysis import analyse
from iowatt.lenses.compare.measurement import sides
from iowatt.lenses.compare.request import CompareRequest
from iowatt.lenses.compare.result import NO_VERDICT
from iowatt.lenses.kept_up import kept_up
from iowatt.pages.compare.page import document

BASE = made.build(np.ones(1000))


def keys(before, after):
    asked = CompareRequest(
        before if isinstance(before, list) else [before], after if isinstance(after, list) else [after]
    )
    one, other = sides(asked)
    return [flag.key for flag in flags.flags(one, other, asked)]


def with_plan(**changes):
    plan = {**BASE.plan, **changes}
    return made.build(np.ones(1000), plan=plan)


@pytest.mark.parametrize(
    ("after", "key"),
    [
        (made.build(np.ones(1000), raid="10"), None),
        (made.build(np.ones(1000), seed=2), None),
        (made.build(np.ones(1000), replay=made.closed(4)), "loop"),
        (made.build(np.ones(500), seconds=50.0), "window"),
        (made.build(np.ones(1000), writes=np.arange(1000) % 2), "reads"),
        (made.build(np.ones(1100)), "rate"),
        (with_plan(sources=[{"path": "web.csv"}]), "workload"),
        (with_plan(names={"workloads": ["web"]}), "workload"),
    ],
)
def test_each_difference_is_flagged_and_nothing_else(after, key):
    assert keys(BASE, after) == ([] if key is None else [key])


def made_by_profile(seed, rate):
    source = {"profile": "uniform", "synthetic": {"seed": seed, "processes": [{"law": {"rate": rate}}]}}
    return made.build(np.ones(1000), seed=seed, plan={**BASE.plan, "sources": [source]})


def test_a_seed_makes_no_other_workload_and_a_rate_does():
    before, again, faster = made_by_profile(1, 10), made_by_profile(2, 10), made_by_profile(3, 20)
    assert keys(before, again) == [] and keys([before, again], before) == []
    assert keys(before, faster) == ["workload"] and keys([before, faster], before) == ["workload", "group"]
    found = changes.changed(*sides(CompareRequest([before], [faster])))
    assert [row.key for row in found.listed] == ["sources[0].synthetic.processes[0].law.rate"]


def test_measured_against_simulated_is_flagged():
    driver = made.load_generator(None, 10.0)
    run = made.build(np.ones(1000), source="fio", driver=driver, plan={"measured": {}})
    run.summary["power_w"]["wall_mean"] = 100.0
    assert keys(BASE, run) == ["source", "loop", "power"]


def test_sizes_are_flagged():
    run = made.build(np.ones(1000))
    run.summary["requests"]["bytes_read"] *= 2
    assert keys(BASE, run) == ["size"]


def test_closed_loops_of_different_depth_are_flagged_and_their_rates_are_results():
    one, other = (
        made.build(np.ones(1000), replay=made.closed(4)),
        made.build(np.ones(2000), replay=made.closed(8)),
    )
    assert keys(one, other) == ["loop"]


def test_a_queue_that_grows_is_flagged():
    growing = made.build(np.linspace(1, 40_000, 1000))
    assert keys(BASE, growing) == ["overload"]


def test_runs_of_one_side_that_are_no_repetitions_are_flagged():
    assert keys([BASE, made.build(np.ones(1000), raid="10", seed=2)], BASE) == ["group"]
    assert keys([BASE, made.build(np.ones(1000), seed=2)], BASE) == []


def test_what_was_changed_is_named():
    asked = CompareRequest([BASE], [made.build(np.ones(1000), raid="10", seed=9)])
    found = changes.changed(*sides(asked))
    row = {"key": "array.pool.disks.raid.level", "before": "5", "after": "10"}
    assert found.as_dict() == {"keys": 1, "list": [row]}


def test_another_drive_and_another_pool_are_one_key_each():
    before, after = (
        {
            "simulation": {
                "volumes": [{"pool": pool}],
                "pools": [{"count": 2, "device": {"kind": "hdd", "rpm": rpm, "sectors": rpm}}, *more],
                **({"virtual_pools": [{"scheme": one} for one in schemes]} if schemes else {}),
            },
            "names": {
                "volumes": ["db"], "pools": ["disks", *("flash" for _ in more)],
                "virtual_pools": [{"name": "cached", "scheme": one} for one in schemes],
                "devices": [
                    *({"pool": "disks", "model": f"disk-{rpm}"} for _ in range(2)),
                    *({"pool": "flash", "model": "ssd"} for _ in more),
                ],
            },
        }
        for rpm, pool, more, schemes in ((7200, 0, [], []), (10_000, 2, [{"count": 1}], ["caching"]))
    )  # fmt: skip
    found = changes.changed_plans(before, after)
    assert [(row.key, row.before, row.after) for row in found.listed] == [
        ("array.volume.db.pool", "disks", "cached"),
        ("array.pool.disks.device", "disk-7200", "disk-10000"),
        ("array.pool.flash", None, "1 x ssd"),
        ("array.virtual_pool.cached", None, "caching"),
    ]


@pytest.mark.parametrize(
    ("after", "said"),
    [
        (made.build(np.ones(1000), seed=2), ("one-system", "seed")),
        (made.build(np.ones(1000), raid="10"), ("same-requests", "seed")),
        (made.build(np.ones(1000), raid="10", seed=2), ("same-requests", "trace")),
    ],
)
def test_what_a_reader_should_know_of_seeds(after, said):
    code, why = said
    (found,) = flags.remarks(*sides(CompareRequest([BASE], [after])))
    assert found.code == code and why in found.text


def test_one_seed_several_times_is_no_repetition():
    asked = CompareRequest([BASE, made.build(np.ones(1000))], [made.build(np.ones(1000), raid="10", seed=3)])
    assert "no-repetitions" in {note.code for note in flags.remarks(*sides(asked))}


def backlogged():
    """A Run whose requests in flight grow for as long as they arrive."""
    return made.build(np.linspace(1.0, 60_000.0, 2000))


def test_a_run_that_did_not_keep_up_withholds_every_verdict_and_is_told_first():
    late = backlogged()
    assert not kept_up(late).kept_up
    for before, after in ((late, made.build(np.ones(2000), raid="10")), (made.build(np.ones(2000)), late)):
        found = analyse(CompareRequest([before], [after]))
        assert found.withheld == ["overload"]
        assert {row.verdict for row in found.differences} == {NO_VERDICT}
        (overload,) = (flag.text for flag in found.flags if flag.withholds)
        assert overload in document(found).verdict[0]


def unlike(**changes):
    driver = made.load_generator(None, 10.0)
    run = made.build(np.ones(1000), source="fio", driver=driver, plan={"measured": {}}, **changes)
    run.summary["power_w"]["wall_mean"] = 100.0
    return run


def test_other_requests_on_another_system_withhold_every_verdict():
    measured = unlike(writes=np.arange(1000) % 2)
    found = analyse(CompareRequest([measured], [made.build(np.full(1000, 3.0))]))
    assert set(found.withheld) == {"loop", "reads"}
    assert {row.verdict for row in found.differences} == {NO_VERDICT}
    web = made.build(np.full(1100, 3.0), raid="10", plan={**BASE.plan, "sources": [{"path": "web.csv"}]})
    system = {**web.plan["simulation"], "pools": [{"raid": {"level": "6"}}]}
    web = made.build(np.full(1100, 3.0), plan={**web.plan, "simulation": system})
    assert analyse(CompareRequest([BASE], [web])).withheld == ["workload"]


def test_other_requests_on_one_system_are_the_change_that_is_asked_about():
    found = analyse(CompareRequest([BASE], [made.build(np.full(1000, 3.0), writes=np.arange(1000) % 2)]))
    assert [flag.key for flag in found.flags] == ["reads"] and found.withheld == []
    assert any(row.verdict == "worse" for row in found.differences)


def test_a_spike_is_over_what_one_request_in_a_hundred_exceeded_before():
    rng = np.random.default_rng(1)
    disks = made.build(rng.exponential(9.0, 5000))
    found = analyse(CompareRequest([disks], [disks]))
    p99 = found.response_time_ms.before.p99
    assert found.asked.spike_by == "p99 before"
    assert found.asked.spike_ms == pytest.approx(p99, rel=0.05)
    assert found.over_threshold.before.share < 0.02
    assert analyse(CompareRequest([disks], [disks], threshold_s=1e-3)).asked.spike_by == "given"
