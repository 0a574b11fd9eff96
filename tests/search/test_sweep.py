"""A sweep from its request to its table: what is in it, what survives, what is refused."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import polars as pl
import pytest
from small_sweep import trace

import iowatt
from figures import figures
from iowatt.base.errors import Argument, IowattError
from iowatt.evaluate.search.tasks import journal
from iowatt.run.bundle import Run
from refused import refused

COUNT, LEVEL = "array.pool.disks.count", "array.pool.disks.raid.level"
OVER = {COUNT: [4, 5, 6], LEVEL: [5, 10]}
MEAN = "response_time_ms.all.mean"


def test_the_table_has_a_row_for_each_point_and_the_figures_of_the_runs(scenario):
    frame = iowatt.sweep(scenario, OVER, jobs=2)
    assert frame["point"].to_list() == [1, 2, 3, 4, 5, 6]
    assert frame[COUNT].to_list() == [4, 4, 5, 5, 6, 6]
    assert frame[LEVEL].to_list() == [5, 10] * 3
    assert frame["status"].to_list() == ["done", "done", "done", "failed", "done", "done"]
    alone = iowatt.run(scenario, set={COUNT: 6, LEVEL: 10}).summary
    row = frame.row(5, named=True)
    assert row[MEAN] == alone["response_time_ms"]["all"]["mean"]
    assert row["power_w.mean"] == alone["power_w"]["mean"]
    assert row["energy.by_state_j.idle"] == alone["energy"]["by_state_j"]["idle"]
    assert row[f"{MEAN}_ci95.low"] == alone["response_time_ms"]["all"]["mean_ci95"][0]
    assert row["devices.count"] == 6
    assert row["devices.utilisation.max"] == max(d["utilisation"] for d in alone["devices"])
    assert (row["seed"], row["overloaded"]) == (1, False)


def test_the_name_of_the_only_pool_may_be_left_out(scenario):
    """The same points, in columns named as given; the same key by two paths is one key."""
    frame = iowatt.sweep(scenario, {"array.pool.count": [4, 6]}, set=["array.pool.raid.level=10"])
    named = iowatt.sweep(scenario, {COUNT: [4, 6]}, set=[f"{LEVEL}=10"])
    assert frame["array.pool.count"].to_list() == [4, 6]
    assert frame[MEAN].to_list() == named[MEAN].to_list()
    with refused("duplicate", Argument("over", COUNT)) as error:
        iowatt.sweep(scenario, {"array.pool.count": [4, 6], COUNT: [4, 6]})
    assert "array.pool.count" in error.value.message


def test_every_scalar_that_equal_runs_share_is_a_column(scenario):
    frame = iowatt.sweep(scenario, {COUNT: [4]})
    summary = iowatt.run(scenario).summary

    def scalars(name, value):
        if isinstance(value, dict):
            return [one for key, part in value.items() for one in scalars(f"{name}.{key}", part)]
        return [] if isinstance(value, list | tuple) else [name]

    # Points keep no heat, and a reason why energy is not known only where it is not.
    left_out = ("schema", "provenance", "simulation", "energy", "heat")
    parts = [key for key in summary if key not in left_out]
    expected = {name for key in parts for name in scalars(key, summary[key])}
    expected |= {
        name
        for key, value in summary["energy"].items()
        if key not in ("by_component_j", "unknown")
        for name in scalars(f"energy.{key}", value)
    }
    expected -= {name for name in expected if name.endswith("ci95")}
    assert expected <= set(frame.columns)


def test_an_impossible_combination_is_a_row_with_its_message(scenario):
    row = iowatt.sweep(scenario, OVER).row(3, named=True)
    assert row["status"] == "failed"
    assert row["error"].startswith(f"[out-of-range] over: {COUNT}=5: ")
    assert row[MEAN] is None


def test_strict_stops_at_it(scenario):
    with refused("out-of-range") as caught:
        iowatt.sweep(scenario, OVER, strict=True)
    assert figures(caught.value.place)[0] == 4
    assert caught.value.place.endswith(f"(count=5, level=10): {COUNT}=5: {COUNT}")


def test_a_point_that_fails_while_it_runs_is_a_row_too(scenario, tmp_path):
    # Beyond the end of a volume of one drive: found when the request comes.
    (tmp_path / "far.csv").write_text(f"time_us,op,offset,size\n0,R,{10**12},4096\n")
    over = {"workload.oltp.trace.path": ["small.csv", "far.csv"]}
    frame = iowatt.sweep(scenario, over, output="out")
    assert frame["status"].to_list() == ["done", "failed"]
    assert "far.csv" in frame["error"][1]
    again = iowatt.sweep(scenario, over, output="out", resume=True)
    assert again.equals(frame)
    with refused("out-of-range", re.compile(r"^point 2 .*far\.csv:2$")):
        iowatt.sweep(scenario, over, strict=True)


def test_keys_that_change_together(scenario):
    frame = iowatt.sweep(scenario, {(COUNT, LEVEL): [(4, 10), (6, 5)]})
    assert list(zip(frame[COUNT], frame[LEVEL], strict=True)) == [(4, 10), (6, 5)]


def test_units_stay_as_given_and_texts_are_text(scenario):
    frame = iowatt.sweep(scenario, ["array.pool.disks.raid.stripe_unit=4KiB..16KiB:x2"])
    assert frame["array.pool.disks.raid.stripe_unit"].to_list() == ["4KiB", "8KiB", "16KiB"]


def test_all_points_share_the_seed_unless_asked_otherwise(scenario):
    shared = iowatt.sweep(scenario, {COUNT: [4, 6]}, set={"seed": 9})
    assert shared["seed"].to_list() == [9, 9]
    own = iowatt.sweep(scenario, {COUNT: [4, 6]}, own_seeds=True)
    again = iowatt.sweep(scenario, {COUNT: [6, 8]}, own_seeds=True)
    assert own["seed"].n_unique() == 2
    assert own["seed"][1] == again["seed"][0]


def test_the_number_of_jobs_changes_nothing(scenario):
    for jobs in (1, 3):
        iowatt.sweep(scenario, OVER, jobs=jobs, output=f"out{jobs}")
    for name in ("table.parquet", "table.csv"):
        assert Path("out1", name).read_bytes() == Path("out3", name).read_bytes()


@pytest.mark.parametrize("kept", [0, 1, 3])
def test_resuming_gives_the_same_table_byte_for_byte(scenario, kept, monkeypatch):
    iowatt.sweep(scenario, OVER, output="whole")
    # As an interruption leaves it: some whole records, half of another, no table.
    shutil.copytree("whole", "cut")
    lines = Path("whole/points.jsonl").read_bytes().splitlines(keepends=True)
    Path("cut/points.jsonl").write_bytes(b"".join(lines[:kept]) + lines[kept][: len(lines[kept]) // 2])
    for name in ("table.parquet", "table.csv", "report.html"):
        Path("cut", name).unlink()
    ran = []
    import iowatt.evaluate.search.sweep as module

    real = module.evaluate_point
    monkeypatch.setattr(
        module, "evaluate_point", lambda task, report: (ran.append(task.key), real(task, report))[1]
    )
    iowatt.sweep(scenario, OVER, output="cut", resume=True)
    assert len(ran) == 5 - kept
    for name in ("table.parquet", "table.csv"):
        assert Path("cut", name).read_bytes() == Path("whole", name).read_bytes()
    assert set(journal.read_journal(Path("cut/points.jsonl"))) == set(
        journal.read_journal(Path("whole/points.jsonl"))
    )
    assert Path("cut/report.html").exists()


def test_resuming_may_add_values(scenario):
    iowatt.sweep(scenario, {COUNT: [4, 6]}, output="out")
    before = Path("out/points.jsonl").read_bytes()
    frame = iowatt.sweep(scenario, {COUNT: [4, 5, 6]}, output="out", resume=True)
    assert frame[COUNT].to_list() == [4, 5, 6]
    after = Path("out/points.jsonl").read_bytes()
    assert after.startswith(before)
    assert after.count(b"\n") == 3
    assert frame.equals(iowatt.sweep(scenario, {COUNT: [4, 5, 6]}))


def test_resuming_where_there_is_nothing_begins(scenario):
    assert iowatt.sweep(scenario, {COUNT: [4]}, output="out", resume=True).height == 1


def test_a_comment_in_the_scenario_does_not_keep_from_resuming(scenario):
    iowatt.sweep(scenario, {COUNT: [4]}, output="out")
    scenario.write_text("# a thought\n" + scenario.read_text())
    iowatt.sweep(scenario, {COUNT: [4]}, output="out", resume=True)


def changed_scenario(scenario):
    scenario.write_text(scenario.read_text().replace('"16KiB"', '"32KiB"'))
    return {}


def changed_trace(_scenario):
    Path("small.csv").write_text(trace(gap_us=9_000))
    return {}


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (changed_scenario, "scenario"),
        (changed_trace, "small.csv"),
        (lambda _: {"set": ["array.pool.disks.scheduler=fcfs"]}, "overrides"),
        (lambda _: {"own_seeds": True}, "own_seeds"),
    ],
    ids=["scenario", "trace", "set", "seeds"],
)
def test_resuming_what_has_changed_is_refused(scenario, change, what):
    iowatt.sweep(scenario, {COUNT: [4]}, output="out")
    table = Path("out/table.csv").read_bytes()
    options = change(scenario)
    with refused("changed", "out") as caught:
        iowatt.sweep(scenario, {COUNT: [4]}, output="out", resume=True, **options)
    assert what in caught.value.message
    assert "`force=True`" in caught.value.hint
    assert Path("out/table.csv").read_bytes() == table


def test_another_version_of_iowatt_is_refused(scenario):
    iowatt.sweep(scenario, {COUNT: [4]}, output="out")
    file = Path("out/sweep.json")
    file.write_text(json.dumps(json.loads(file.read_text()) | {"version": "0.0.1"}))
    with refused("changed", "out") as caught:
        iowatt.sweep(scenario, {COUNT: [4]}, output="out", resume=True)
    assert "0.0.1" in caught.value.message


def test_results_are_not_overwritten_without_force(scenario):
    iowatt.sweep(scenario, {COUNT: [4]}, output="out")
    with refused("exists", "out"):
        iowatt.sweep(scenario, {COUNT: [5]}, output="out")
    with refused("conflict", Argument("force")):
        iowatt.sweep(scenario, {COUNT: [5]}, output="out", force=True, resume=True)
    frame = iowatt.sweep(scenario, {COUNT: [5]}, output="out", force=True)
    assert pl.read_parquet("out/table.parquet").equals(frame)
    assert len(journal.read_journal(Path("out/points.jsonl"))) == 1


def test_force_replaces_sweeps_only(scenario):
    Path("mine").mkdir()
    Path("mine/thesis.txt").write_text("mine")
    for options in ({}, {"force": True}, {"resume": True}):
        with refused("exists", "mine"):
            iowatt.sweep(scenario, {COUNT: [4]}, output="mine", **options)
    assert Path("mine/thesis.txt").read_text() == "mine"


def test_bundles_are_runs_as_any_other(scenario):
    frame = iowatt.sweep(scenario, OVER, output="out", bundles=True)
    assert frame["run"].null_count() == 1
    for row in frame.filter(pl.col("status") == "done").iter_rows(named=True):
        run = Run.open(Path("out") / row["run"])
        assert run.summary["response_time_ms"]["all"]["mean"] == row[MEAN]
        assert f"{COUNT}={row[COUNT]}" in run.scenario_text
        (given,) = run.summary["provenance"]["inputs"]
        assert given["path"] == "small.csv"
        assert len(given["sha256"]) == 64
    # One that is gone is made again, and no other.
    first = Path("out") / frame["run"][0]
    shutil.rmtree(first)
    other = Path("out") / frame["run"][1] / "run.json"
    stamp = other.stat().st_mtime_ns
    again = iowatt.sweep(scenario, OVER, output="out", bundles=True, resume=True)
    assert (first / "run.json").exists()
    assert other.stat().st_mtime_ns == stamp
    assert again.equals(frame)


def test_bundles_need_a_place(scenario):
    with refused("missing", Argument("output")):
        iowatt.sweep(scenario, {COUNT: [4]}, bundles=True)


def test_points_that_resolve_to_the_same_scenario_run_once(scenario):
    frame = iowatt.sweep(scenario, ["array.pool.disks.raid.stripe_unit=16KiB,16384"], output="out")
    assert frame.height == 2
    assert frame[MEAN][0] == frame[MEAN][1]
    assert len(journal.read_journal(Path("out/points.jsonl"))) == 1


@pytest.mark.parametrize(
    ("over", "code", "place", "hint"),
    [
        ("array.pool.disks.cuont=4", "unknown-key", "over: array.pool.disks.cuont", "array.pool.count"),
        (
            "array.pool.disk.count=4",
            "unknown-name",
            "over: array.pool.disk.count=4",
            "'disks'",
        ),
        (f"{COUNT}=4,banana", "wrong-type", f"over: {COUNT}=banana: {COUNT}", None),
        (f"{COUNT}=4,0", "out-of-range", f"over: {COUNT}=0: {COUNT}", None),
        (
            "array.pool.disks.raid.stripe_unit=16XB",
            "bad-syntax",
            "over: array.pool.disks.raid.stripe_unit=16XB",
            None,
        ),
        (
            "array.pool.disks.device=arrays2002-disk,arrays-disk",
            "unknown-name",
            "over: array.pool.disks.device=arrays-disk",
            "arrays2002",
        ),
        (
            "workload.oltp.trace.path=smal.csv",
            "not-found",
            "over: workload.oltp.trace.path=smal.csv",
            "small.csv",
        ),
        ("workload.oltp.trace.path=-", "read-once", "point 1 of 1 (path=-): -", "file"),
        (f"{LEVEL}=10 {COUNT}=5", "out-of-range", f"point 1 of 1 (level=10, count=5): {COUNT}=5", None),
    ],
)
def test_bad_input_stops_before_anything_runs(scenario, over, code, place, hint):
    with refused(code, re.compile(re.escape(place))) as caught:
        iowatt.sweep(scenario, over.split(), output="out")
    error = caught.value
    assert error.exit_code == 2
    if hint:
        assert hint in error.hint
    assert not Path("out").exists()


def test_a_bad_value_stops_even_beside_impossible_combinations(scenario):
    with refused("wrong-type", Argument("over", f'{COUNT}="banana": {COUNT}')):
        iowatt.sweep(scenario, {COUNT: [5, "banana"], LEVEL: [5, 10]})


def test_a_scenario_that_is_wrong_itself_is_named_with_its_line(scenario):
    scenario.write_text(scenario.read_text().replace("seed = 1", "sede = 1"))
    with refused("unknown-key", re.compile(r"small\.toml:2: sede$")):
        iowatt.sweep(scenario, {COUNT: [4]})


def test_a_key_that_only_some_points_can_have_is_a_combination(scenario):
    over = {
        "array.pool.disks.power.policy": ["never", "fixed-threshold"],
        "array.pool.disks.power.threshold": ["10s", "20s"],
    }
    frame = iowatt.sweep(scenario, over)
    assert frame["status"].to_list() == ["failed", "failed", "done", "done"]
    assert frame["error"][0].startswith("[not-applicable] ")


@pytest.mark.parametrize("jobs", [0, -1])
def test_jobs_below_one_are_refused(scenario, jobs):
    with refused("out-of-range", Argument("jobs")):
        iowatt.sweep(scenario, {COUNT: [4]}, jobs=jobs)


def test_a_text_is_a_scenario_too(scenario):
    frame = iowatt.sweep(scenario.read_text(), {COUNT: [4]})
    assert frame.equals(iowatt.sweep(scenario, {COUNT: [4]}))


def test_progress_ends_at_the_total(scenario):
    seen = []
    iowatt.sweep(scenario, OVER, progress=seen.append)
    assert (seen[0].done, seen[0].failed) == (1, 1)  # the impossible one
    last = seen[-1]
    assert (last.done, last.total, last.failed, last.running) == (6, 6, 1, 0.0)


def test_a_fault_of_ours_keeps_the_others_and_is_tried_again(scenario, monkeypatch):
    import iowatt.evaluate.search.sweep as module

    real = module.evaluate_point

    def broken(task, report):
        if '"count": 5' in task.document:
            raise RuntimeError("a bug")
        return real(task, report)

    monkeypatch.setattr(module, "evaluate_point", broken)
    with refused("internal", None, IowattError) as caught:
        iowatt.sweep(scenario, {COUNT: [4, 5, 6]}, output="out")
    assert "a bug" in caught.value.message
    assert caught.value.exit_code == 3
    table = pl.read_parquet("out/table.parquet")
    assert table["status"].to_list() == ["done", "failed", "done"]
    assert table["error"][1].startswith("[internal] ")
    monkeypatch.setattr(module, "evaluate_point", real)
    frame = iowatt.sweep(scenario, {COUNT: [4, 5, 6]}, output="out", resume=True)
    assert frame["status"].to_list() == ["done"] * 3


def test_a_trace_that_changes_while_the_sweep_runs_is_noticed(scenario, monkeypatch):
    import iowatt.evaluate.search.sweep as module

    real = module.evaluate_point

    def late(task, report):
        Path("small.csv").write_text(trace(gap_us=5_000))
        return real(task, report)

    monkeypatch.setattr(module, "evaluate_point", late)
    frame = iowatt.sweep(scenario, {COUNT: [4]})
    assert frame["error"][0].split()[:2] == ["[changed]", "small.csv:"]
