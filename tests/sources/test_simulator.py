"""Driving the simulator: one pass or two, what it costs, what it refuses. The core is a hand-made one."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest

import handmade
from figures import figures
from iowatt.sources.simulation import simulator, warmup
from refused import refused

S = handmade.S


class Core:
    """Stands in for Rust: records what it was asked, answers with the run of ``handmade``."""

    def __init__(self):
        self.asked = []

    def __call__(self, simulation, sources, progress, *, threads):
        self.asked.append(json.loads(simulation))
        self.threads = threads
        self.sources = sources
        progress(0.5, 4)
        return handmade.raw()


@pytest.fixture
def core(monkeypatch):
    core = Core()
    monkeypatch.setattr(simulator, "run_core", core)
    monkeypatch.setattr(simulator, "_source", lambda trace: (json.dumps(trace), None))
    return core


def test_one_pass_gives_a_record(core):
    plan = handmade.plan()
    source = {"path": "/data/trace.csv"}
    record = simulator.observe(plan, [source], scenario_text="text", threads=3)
    assert core.threads == 3
    assert core.asked == [plan["simulation"]]
    assert core.sources == [(json.dumps(source), None)]
    assert (record.name, record.source, record.seed) == ("handmade", "simulation", 7)
    assert record.simulation.requests == 8
    assert record.plan == plan
    assert record.idle_w == {"disks.0": 20.0, "disks.1": 20.0}


def test_a_warm_up_that_leaves_nothing_is_refused(core, monkeypatch):
    raw = handmade.decoded()
    # The run ended at 100 s, in the middle of the warm-up: the window is empty.
    raw["summary"]["window"] |= {"start_ns": 100 * S, "end_ns": 100 * S}
    monkeypatch.setattr(
        simulator, "run_core", lambda *_, **_options: {**raw, "summary": json.dumps(raw["summary"])}
    )
    plan = handmade.plan()
    plan["simulation"]["observe"]["warmup_s"] = 150.0
    with refused("out-of-range", "observe.warmup") as caught:
        simulator.observe(plan, [{"path": "a"}], scenario_text="")
    assert figures(caught.value.message) == [150, 100]


def test_progress_is_passed_on_and_may_stop_the_run(core):
    seen = []
    simulator.observe(
        handmade.plan(), [{"path": "a"}], scenario_text="", progress=lambda *told: seen.append(told)
    )
    assert seen == [(0.5, 4)]

    def interrupt(_fraction, _requests):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        simulator.observe(handmade.plan(), [{"path": "a"}], scenario_text="", progress=interrupt)


def test_time_spent_elsewhere_is_not_the_simulations(core):
    # Another thread is said to have used an hour while the simulation ran: nothing is left of its own time.
    hours = iter([0.0, 3600.0])
    record = simulator.observe(
        handmade.plan(), [{"path": "a"}], scenario_text="", other_cpu_s=lambda: next(hours)
    )
    assert record.simulation.cpu_s == 0


def settling(simulation, *, transient_s=20.0, end_s=100.0):
    """Interval mean response times that fall from 11 ms to 1 ms over the transient, then stay about it."""
    width = simulation["observe"]["interval_s"] or 1.0
    starts = np.arange(0.0, end_s, width)
    ms = np.where(
        starts < transient_s, 11 - 10 * starts / transient_s, 1 + 0.01 * (-1) ** np.arange(len(starts))
    )
    return {
        "summary": {"window": {"start_ns": 0, "end_ns": int(end_s * S), "last_arrival_ns": 0}},
        "intervals": {
            "start_ns": (starts * S).astype(np.uint64),
            "completions": np.full(len(starts), 10, dtype=np.uint64),
            "response_sum_ns": (ms * 10 * handmade.MS).astype(np.uint64),
        },
    }


def test_the_warm_up_is_cut_where_the_response_times_settle():
    asked = []

    def simulate(simulation):
        asked.append(simulation["observe"])
        return settling(simulation)

    found, note = warmup.find_warmup(handmade.plan()["simulation"], simulate)
    # 100 intervals of 1 s are coarse: taken again as 1000 of 0.1 s.
    assert [observe["interval_s"] for observe in asked] == [None, 0.1]
    assert all(observe["warmup_s"] == 0 for observe in asked)
    assert 18 <= found <= 20
    assert "MSER-5" in note


def test_a_long_first_pass_is_enough():
    asked = []

    def simulate(simulation):
        asked.append(simulation["observe"]["interval_s"])
        return settling(simulation, transient_s=100.0, end_s=500.0)

    assert 90 <= warmup.find_warmup(handmade.plan()["simulation"], simulate)[0] <= 100
    assert asked == [None]


def test_intervals_without_completions_keep_the_cut_in_its_place():
    def simulate(simulation):
        raw = settling(simulation)
        raw["intervals"]["completions"][:100] = 0  # nothing completed in the first 10 s of 0.1 s intervals
        return raw

    assert 18 <= warmup.find_warmup(handmade.plan()["simulation"], simulate)[0] <= 20


def test_a_run_that_never_settles_says_so():
    found, note = warmup.find_warmup(
        handmade.plan()["simulation"], lambda simulation: settling(simulation, transient_s=100.0)
    )
    assert found == pytest.approx(50, abs=1)
    assert warmup.NOT_SETTLED in note


def test_too_few_intervals_cut_nothing():
    def simulate(simulation):
        raw = settling(simulation)
        raw["intervals"]["completions"][49:] = 0
        return raw

    found, note = warmup.find_warmup(handmade.plan()["simulation"], simulate)
    assert found == 0
    assert 49 in figures(note)


def test_an_automatic_warm_up_is_resolved_in_the_plan(core, monkeypatch):
    monkeypatch.setattr(
        warmup, "find_warmup", lambda simulation, simulate: (simulate(simulation), (12.5, "cut"))[1]
    )
    plan = {**handmade.plan(), "warmup": "auto"}
    record = simulator.observe(plan, [{"path": "a"}], scenario_text="")
    assert [asked["observe"]["warmup_s"] for asked in core.asked] == [0.0, 12.5]
    assert record.plan["simulation"]["observe"]["warmup_s"] == 12.5
    assert record.window.warmup_s == 12.5
    assert "cut" in record.notes
    # Both passes count: their time is in cpu_s.
    assert record.simulation.requests == 16
    assert plan["simulation"]["observe"]["warmup_s"] == 0


@pytest.mark.parametrize("kind", ["stdin", "pipe"])
def test_an_automatic_warm_up_needs_a_trace_that_can_be_read_twice(core, tmp_path, kind):
    path = "-"
    if kind == "pipe":
        path = str(tmp_path / "pipe")
        os.mkfifo(path)
    with refused("read-once", "observe.warmup") as caught:
        simulator.observe({**handmade.plan(), "warmup": "auto"}, [{"path": path}], scenario_text="")
    assert repr(path) in caught.value.message
    assert core.asked == []
