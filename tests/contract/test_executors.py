"""Every executor passes the contract, and a sweep gives the same table on each."""

from __future__ import annotations

import pytest
from executor_contract import ExecutorContract
from processes import Processes

import iowatt
from iowatt.evaluate.search.tasks.executor import Threads

SCENARIO = """\
name = "small"

[[workload]]
name = "oltp"
trace = { path = "small.csv" }

[[array.pool]]
name = "disks"
device = "arrays2002-disk"
count = 4
raid = { level = 5, stripe_unit = "16KiB" }
"""
OVER = {"array.pool.disks.count": [4, 5, 6], "array.pool.disks.raid.level": [5, 10]}


class TestThreads(ExecutorContract):
    @pytest.fixture
    def executor(self):
        made = Threads(3)
        yield made
        made.close()


class TestProcesses(ExecutorContract):
    @pytest.fixture
    def executor(self):
        made = Processes(3)
        yield made
        made.close()


def test_a_sweep_travels_to_other_processes_and_comes_back_the_same(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"{i * 10_000},{'RRW'[i % 3]},{i * 7919 % 100_000 * 4096},4096" for i in range(200)]
    (tmp_path / "small.csv").write_text("\n".join(["time_us,op,offset,size", *rows]) + "\n")
    (tmp_path / "small.toml").write_text(SCENARIO)
    here = iowatt.sweep("small.toml", OVER)
    # Bundles too: the scenario travels by its text, its trace by path and digest.
    there = iowatt.sweep("small.toml", OVER, executor=Processes(2), output="out", bundles=True)
    assert there.drop("run").equals(here)
    assert (tmp_path / "out" / there["run"][0] / "run.json").exists()


def test_reports_reach_who_asked_for_them():
    heard = []
    threads = Threads(1, lambda ticket, fraction: heard.append((ticket, fraction)))
    ticket = threads.submit(_says, 3)
    assert [one.result for one in threads.as_completed()] == ["said"]
    threads.close()
    assert heard == [(ticket, 0.0), (ticket, 1 / 3), (ticket, 2 / 3)]


def _says(times, report):
    for number in range(times):
        report(number / times)
    return "said"


def test_no_threads_is_no_executor():
    with pytest.raises(ValueError):
        Threads(0)
