"""The budget of Runs whose truth is known: estimates beside queues in a row, loads, levels, refusals."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from budget_runs import DRIVE, PROCESSORS, SLOTS, made

from iowatt.base.errors import Argument
from iowatt.lenses.budget import ServiceLevel, analyse, estimate, service_level
from iowatt.lenses.budget.ledger import RequestMeans
from iowatt.run.bundle import Run
from refused import refused


def within(ms: float, of: str = "mean") -> ServiceLevel:
    return ServiceLevel(within_ms=ms, of=of)


RATES = (500.0, 2000.0, 4000.0, 5500.0, 6500.0, 7200.0)
HOP = SLOTS[PROCESSORS][0]
MODERATION = "interrupt-moderation"


@pytest.fixture(scope="module")
def one():
    return made(4000)


@pytest.fixture(scope="module")
def several():
    return [made(rate, 6000)[0] for rate in RATES]


def load(found, op="all"):
    return next(each for each in found.classes if each.op == op)


def test_one_run_tells_where_its_time_goes(one):
    run, passed = one
    found = analyse([run])
    assert found.schema_id == "iowatt.budget/1"
    assert found.level is None
    assert [(each.workload, each.op) for each in found.classes] == [
        ("oltp", op) for op in ("all", "read", "write")
    ]
    for each, chosen in zip(found.classes, (passed.write >= 0, ~passed.write, passed.write), strict=True):
        (only,) = each.loads
        assert only.requests == chosen.sum()
        assert only.adds_up.holds
        assert only.response_ms["mean"] == pytest.approx(passed.response[chosen].mean() / 1e6)
        assert only.response_ms["p99"] == pytest.approx(
            np.quantile(passed.response[chosen], 0.99, method="inverted_cdf") / 1e6
        )
        assert sum(hop.share for hop in only.hops) == pytest.approx(1)
        assert sum(hop.share for hop in only.both_ways) == pytest.approx(1)
        assert len(only.both_ways) == len(only.hops) - 2
        for band in only.made_of:
            assert sum(band.waiting_ms) + sum(band.service_ms) == pytest.approx(band.response_ms)
        named = {band.of: band for band in only.made_of}
        assert named["p99"].response_ms == pytest.approx(only.response_ms["p99"])
        assert named["slowest 10 %"].response_ms < named["slowest 1 %"].response_ms


def test_saturation_is_by_the_utilisation_law(one):
    run, passed = one
    hops = {hop.hop + hop.way: hop for hop in load(analyse([run])).loads[0].hops}
    for name, slot in ((HOP, PROCESSORS), ("drive", DRIVE), ("linkout", 2)):
        assert hops[name].saturation_iops == pytest.approx(1e9 / passed.service[slot].mean(), rel=1e-9)
    # The host queue holds 32 commands, each for the response time.
    assert hops[SLOTS[0][0]].saturation_iops == pytest.approx(32e9 / passed.response.mean(), rel=1e-9)


def test_an_estimate_is_near_what_the_queues_do(one):
    run, _ = one
    held = load(analyse([run], level=within(0.6))).against
    assert held.basis == "estimate"
    assert held.kept
    assert held.slack_ms == pytest.approx(0.6 - held.seen_ms)
    assert held.first.hop == HOP
    # By itself a hop needs a higher rate than all of them together.
    assert held.first.alone_iops > held.rate_iops
    there = made(held.rate_iops)[1]
    assert there.response.mean() / 1e6 == pytest.approx(0.6, rel=0.1)
    assert held.validity[0].code == "estimate"


def test_interrupts_that_are_held_back_do_not_wait_as_a_queue_does():
    moderation = {"processors": 1, "moderation_s": 200e-6, "moderation_count": 8}
    run, _ = made(2000, 4000, processing=moderation)
    plain, _ = made(2000, 4000, processing={"processors": 1})
    held, queued = (analyse([one], level=within(0.6)) for one in (run, plain))
    each, other = load(held), load(queued)
    (row,) = [hop for hop in each.loads[0].hops if hop.hop == HOP]
    saturated = row.saturation_iops
    assert row.remark
    # They break it by themselves only where they are saturated, and as a queue they would before that.
    (mine,) = [hop for hop in each.against.hops if hop.hop == HOP]
    (theirs,) = [hop for hop in other.against.hops if hop.hop == HOP]
    assert mine.alone_iops == pytest.approx(saturated)
    assert theirs.alone_iops < 0.95 * saturated
    assert other.against.rate_iops < each.against.rate_iops <= saturated
    assert any(note.code == MODERATION and HOP in note.text for note in held.notes)
    assert any(note.code == MODERATION and HOP in note.text for note in each.against.validity)
    (plainly,) = [hop for hop in other.loads[0].hops if hop.hop == HOP]
    assert not plainly.remark
    assert MODERATION not in {note.code for note in (*queued.notes, *other.against.validity)}
    # One visit at a time is not moderated, whatever the delay.
    alone = analyse(
        [made(2000, 500, processing={**moderation, "moderation_count": 1})[0]],
        level=within(0.6),
    )
    assert MODERATION not in {note.code for note in alone.notes}


def test_waiting_that_is_no_queue_stays_up_to_saturation():
    part = RequestMeans(100, np.array([0.2, 0.1]), np.array([0.1, 0.1]))
    grown = estimate.scaled_class(part, [0.25, 0.5], queues=[False, True])
    assert grown.waiting(1.5).tolist() == pytest.approx([0.2, 0.1 * 1.5 * 0.5 / (1 - 0.75)])
    assert grown.alone(1.0) == [pytest.approx(4.0), pytest.approx(12 / 7)]
    assert grown.alone(0.45) == [None, pytest.approx(2 / 3)]
    assert grown.most == pytest.approx(2.0)


@pytest.mark.parametrize(("part", "noted"), [(0.25, True), (0.95, False)])
def test_a_workload_that_ended_long_before_its_run_is_named(part, noted):
    run, passed = made(2000, 500)
    end = part * passed.span_s
    series = pl.DataFrame(
        {
            "point": ["host", "host", "array"],
            "workload": ["oltp"] * 3,
            "start_s": [0.0, end / 2, 0.0],
            "end_s": [end / 2, end, 2 * end],
            "count": [250, 250, 500],
        }
    )
    tables = {name: run.table(name) for name in ("intervals", "energy", "devices", "latency", "hops")}
    both = Run(
        summary=run.summary,
        plan=run.plan,
        scenario_text=run.scenario_text,
        tables={**tables, "series": series},
    )
    found = analyse([both], names=["short"]).notes
    ended = [note.text for note in found if note.code == "workload-ended-early"]
    assert bool(ended) is noted
    assert all("oltp" in text and "short" in text and "25 %" in text for text in ended)
    assert "workload-ended-early" not in {note.code for note in analyse([run]).notes}


def test_a_level_that_is_broken_has_a_rate_at_which_it_is_kept(one):
    run, _ = one
    held = load(analyse([run], level=within(0.3))).against
    assert not held.kept
    assert held.slack_ms < 0
    assert 0 < held.rate_iops < 4000
    assert made(held.rate_iops)[1].response.mean() / 1e6 == pytest.approx(0.3, rel=0.1)
    impossible = load(analyse([run], level=within(0.1))).against
    assert impossible.rate_iops is None


def test_a_percentile_is_told_and_called_rougher(one):
    run, _ = one
    each = load(analyse([run], level=within(3.0, "p95")))
    assert each.against.seen_ms < 3.0
    assert "percentile" in {note.code for note in each.against.validity}
    assert "p95" in {band.of for band in each.loads[0].made_of}


def test_a_percentile_of_an_estimate_is_near_what_the_queues_do(one):
    run, _ = one
    held = load(analyse([run], level=within(3.0, "p99"))).against
    there = made(held.rate_iops, 40_000)[1]
    assert np.quantile(there.response, 0.99) / 1e6 == pytest.approx(3.0, rel=0.2)


def test_closed_loops_and_overload_have_no_estimate():
    closed = load(analyse([made(3000, 2000, mode="closed")[0]], level=within(1.0)))
    piled = load(analyse([made(3000, 2000)[0]], overloaded=[True], level=within(1.0)))
    assert closed.against.rate_iops is None and piled.against.rate_iops is None
    assert (closed.loads[0].overloaded, piled.loads[0].overloaded) == (False, True)
    (one,), (other,) = closed.against.validity, piled.against.validity
    assert (one.code, other.code) == ("closed-loop", "overloaded")


def test_loads_say_where_a_level_breaks_and_by_which_hop(several):
    found = analyse(several, level=within(1.0))
    for each in found.classes:
        held = each.against
        assert held.basis == "loads"
        low, high = held.between_iops
        assert low < held.rate_iops < high
        assert held.first.hop == HOP
        assert sum(hop.there_ms for hop in held.hops) == pytest.approx(1.0)
        kept = [seen.kept for seen in held.seen]
        assert kept == sorted(kept, reverse=True)
        alone = {hop.hop + hop.way: hop.alone_iops for hop in held.hops}
        assert alone[HOP] > held.rate_iops
        assert alone["drive"] is None


def test_the_order_in_which_runs_are_given_does_not_matter(several):
    names = [f"{rate:g}" for rate in RATES]
    forward = analyse(several, names=names, level=within(1.0))
    backward = analyse(several[::-1], names=names[::-1], level=within(1.0))
    assert forward.classes == backward.classes


def test_a_load_that_could_not_be_kept_up_with_is_only_a_bound(several):
    found = analyse(several[:4], overloaded=[False, False, False, True], level=within(10.0))
    held = load(found).against
    assert held.rate_iops is None
    assert held.between_iops == pytest.approx([4000, 5500], rel=0.05)
    assert held.first.hop == HOP
    assert [seen.overloaded for seen in held.seen] == [False, False, False, True]
    assert len(held.validity) == 2


def test_a_level_that_no_load_breaks_and_one_that_all_break(several):
    never = load(analyse(several, level=within(100.0))).against
    assert never.between_iops is None
    assert never.first is None
    always = load(analyse(several, level=within(0.01))).against
    assert always.between_iops[0] == 0
    assert always.first.hop == HOP


def test_a_run_that_tells_only_means_is_told_so(one):
    import polars as pl

    run, passed = one
    rows = (
        run.table("hops")
        .group_by("path", "workload", "op", "hop", "place", "way", maintain_order=True)
        .agg(pl.col("requests", "wait_ns", "service_ns").sum())
        .with_columns(
            pl.lit(0, pl.UInt64).alias("low_ns"),
            pl.lit(int(passed.response.max()), pl.UInt64).alias("high_ns"),
        )
        .select(run.table("hops").columns)
    )
    summary = {**run.summary, "source": "fio", "paths": None, "controller": None, "devices": []}
    tables = {name: run.table(name) for name in ("intervals", "latency", "energy", "devices")}
    measured = Run(summary=summary, plan={}, scenario_text="", tables={**tables, "hops": rows})
    found = analyse([measured], level=within(1.0, "p99"))
    for each in found.classes:  # all of them too: bins that overlap tell nothing apart
        assert [band.of for band in each.loads[0].made_of] == ["mean", "p99"]
        assert each.against.rate_iops is None
        assert {hop.utilisation for hop in each.loads[0].hops} == {None}
        assert len(each.against.validity) == 1
    assert "means-only" in {note.code for note in found.notes}


def test_what_has_no_budget_is_refused(one, several):
    run, _ = one
    tables = {name: run.table(name) for name in ("intervals", "latency", "energy", "devices")}
    bare = Run(summary=run.summary, plan=run.plan, scenario_text="", tables=tables)
    with refused("missing", bare.name):
        analyse([bare])
    with refused("missing", None):
        analyse([])
    import polars as pl

    other = {**tables, "hops": run.table("hops").with_columns(pl.lit("lan").alias("path"))}
    with refused("not-comparable", run.name):
        analyse([run, Run(summary=run.summary, plan=run.plan, scenario_text="", tables=other)])
    fewer = {**tables, "hops": run.table("hops").filter(pl.col("hop") != "hba")}
    with refused("not-comparable", f"{run.name}: san"):
        analyse([run, Run(summary=run.summary, plan=run.plan, scenario_text="", tables=fewer)])
    with refused("not-accepted", Argument("of")):
        within(1.0, "p98")
    with refused("out-of-range", Argument("within")):
        within(0.0)


def test_paths_are_told_apart_and_rates_are_of_all_requests(one):
    import polars as pl

    run, passed = one
    tables = {name: run.table(name) for name in ("intervals", "latency", "energy", "devices")}
    other = run.table("hops").with_columns(pl.lit("lan").alias("path"), pl.lit("web").alias("workload"))
    tables["hops"] = pl.concat([run.table("hops"), other])
    both = Run(summary=run.summary, plan=run.plan, scenario_text="", tables=tables)
    found = analyse([both]).classes
    assert [(each.path, each.name) for each in found] == [
        (path, f"{workload} {op}")
        for path, workload in (("san", "oltp"), ("lan", "web"))
        for op in ("all", "read", "write")
    ]
    for each in found:
        (only,) = each.loads
        assert only.rate_iops == pytest.approx(2 * passed.write.size / passed.span_s)
    assert found[0].loads[0].own_iops == pytest.approx(passed.write.size / passed.span_s)


def part(waiting, service):
    return RequestMeans(100.0, np.array(waiting), np.array(service))


def test_one_station_grows_as_m_m_1():
    # Service 1 ms at 500/s: busy 0.5, waiting 1 ms. At 800/s it waits 4 ms.
    grown = estimate.scaled_class(part([1.0], [1.0]), [0.5])
    assert grown.waiting(1.6).tolist() == pytest.approx([4.0])
    assert grown.together(5.0) == pytest.approx(1.6)
    assert grown.alone(5.0) == pytest.approx([1.6])
    assert grown.most == pytest.approx(2.0)


def test_several_servers_wait_later():
    # Two servers busy 0.5: rho^(sqrt(6) - 1) / (1 - rho) from 0.5 to 0.8.
    grown = estimate.scaled_class(part([1.0], [1.0]), [0.5], [2])
    growth = 1.6 ** (6**0.5 - 1) * 0.5 / 0.2
    assert grown.waiting(1.6).tolist() == pytest.approx([growth])
    assert grown.alone(1.0 + growth) == pytest.approx([1.6])
    assert grown.together(1.0 + growth) == pytest.approx(1.6)


def test_a_hop_without_waiting_breaks_the_level_at_its_saturation():
    grown = estimate.scaled_class(part([0.0, 0.0], [1.0, 2.0]), [0.25, None])
    assert grown.alone(4.0) == [4.0, None]
    assert grown.together(4.0) == pytest.approx(4.0)
    assert grown.together(2.0) is None  # services alone are beyond it
    assert estimate.scaled_class(part([1.0], [1.0]), [None]).together(5.0) is None


def test_a_crossing_lies_on_the_line_between_two_loads():
    hops = [np.array([1.0, 1.0]), np.array([1.5, 1.5]), np.array([5.0, 2.0])]
    rates, values = [100.0, 200.0, 300.0], [2.0, 3.0, 7.0]
    found = service_level.find_crossing(rates, values, hops, [True] * 3, 5.0)
    assert found.rate_iops == pytest.approx(250.0)
    assert found.hops_ms.tolist() == pytest.approx([3.25, 1.75])
    assert np.argmax(found.hops_ms - hops[0]) == 0
    # Alone: the first from 1 to 4 ms lies between 1.5 and 5; the second never gets there.
    assert service_level.rates_alone(rates, values, hops, 5.0) == [pytest.approx(200 + 100 * 2.5 / 3.5), None]
    assert service_level.find_crossing(rates, values, hops, [True] * 3, 9.0) is None


def test_workloads_on_one_path_have_a_class_together_without_a_workload(one):
    run, _ = one
    hops = run.table("hops")
    both = pl.concat([hops, hops.with_columns(pl.lit("other").alias("workload"))])
    names = ("intervals", "energy", "devices", "latency")
    shared = Run(
        summary=run.summary,
        plan=run.plan,
        scenario_text=run.scenario_text,
        tables={**{name: run.table(name) for name in names}, "hops": both},
    )
    first = analyse([shared]).classes[0]
    assert (first.workload, first.op) == (None, "all")
    assert first.loads[0].requests == 2 * load(analyse([run])).loads[0].requests
