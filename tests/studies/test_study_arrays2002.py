"""The arrays2002 study from end to end on a small grid."""

from __future__ import annotations

import json

import polars as pl
import pytest

from iowatt.base.errors import Argument
from iowatt.evaluate.search import axes
from iowatt.model.scenario import compile_plan, load
from iowatt.studies.arrays2002 import systems
from iowatt.studies.arrays2002.published import WORKLOADS
from iowatt.studies.conduct import conduct
from iowatt.trace.open import requests
from refused import refused
from small_study import TINY, tiny


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return conduct(tiny(), tmp_path_factory.mktemp("study") / "whole")


def test_every_table_and_figure_of_the_study_is_there(found):
    keys = {figure.key for figure in found.result.figures}
    for number in ("2", "3", "4", "5"):
        assert f"table-{number}" in keys
    for number in ("1", "3", "4", "5", "6", "7", "8", "9", "10", "11"):
        assert any(key == f"figure-{number}" or key.startswith(f"figure-{number}-") for key in keys), number


def test_every_conclusion_has_its_verdict(found):
    verdicts = found.result.verdicts
    assert {one.key for one in verdicts} >= {
        "energy-split", "energy-slope", "best-energy", "best-time", "trade-off", "parity-queue",
        "idle-correlation", "idle-tail", "spin-down", "latency-rule", "oracle-latency-derived",
        "oracle-energy-never-loses", "sensitivity-mechanics", "sensitivity-cache", "server-power",
    }  # fmt: skip
    for one in verdicts:
        assert one.agrees or (one.cause and one.experiment)
    for key in ("energy-slope", "oracle-latency-derived", "oracle-energy-never-loses"):
        assert all(one.agrees for one in verdicts if one.key == key)


def test_the_notes_say_what_stands_in(found):
    notes = {note.code: note.text for note in found.result.notes}
    assert set(notes) == {
        "reduced", "stand-in-drive", "stand-in-workloads", "lengths", "no-tpc-result", "unnumbered-figures"
    }  # fmt: skip
    assert all(name in notes["stand-in-workloads"] for name in systems.TRACES.values())


def test_the_table_has_every_point(found):
    table = pl.read_parquet(found.path / "points.parquet")
    stages = systems.stages(TINY)
    assert table.height == sum(len(axes.all_points(stage.axes)) for stage in stages)
    assert pl.read_csv(found.path / "points.csv", infer_schema_length=None).height == table.height
    assert table["status"].unique().to_list() == ["done"]
    assert set(table["study.source"]) == {"captured", "synthetic"}


def few(stage):
    return stage.labels["source"] == "synthetic" and stage.labels["kind"] in ("space", "detail", "periodic")


class Stopped(KeyboardInterrupt):
    pass


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A study of few stages, one point at a time, and its progress."""
    reports = []
    done = conduct(tiny(few), tmp_path_factory.mktemp("few") / "whole", jobs=1, progress=reports.append)
    return done, reports


def test_an_interrupted_study_goes_on_to_the_same_tables(small, tmp_path):
    def stop(report):
        if report.done >= 9:
            raise Stopped

    whole, _ = small
    part = tmp_path / "part"
    with pytest.raises(Stopped):
        conduct(tiny(few), part, jobs=1, progress=stop)
    begun = json.loads((part / "study.json").read_text("utf-8"))
    assert begun["finished"] is False
    assert not (part / "points.parquet").exists()
    resumed = conduct(tiny(few), part, jobs=2, resume=True)
    assert 0 < resumed.resumed < whole.findings.points.height
    for name in ("points.parquet", "points.csv", "study.json", "report.html"):
        assert (part / name).read_bytes() == (whole.path / name).read_bytes(), name


def test_progress_counts_all_stages(small):
    done, reports = small
    total = done.findings.points.height
    assert {report.total for report in reports} == {total}
    assert reports[-1].done == total
    again = []
    conduct(tiny(few), done.path, resume=True, progress=again.append)
    assert all(report.done == total for report in again)


def test_results_are_never_overwritten(small, tmp_path):
    target = small[0].path
    with refused("exists", target):
        conduct(tiny(few), target)
    with refused("changed", target):
        conduct(tiny(few), target, quick=True, resume=True)
    with refused("conflict", Argument("force")):
        conduct(tiny(few), target, resume=True, force=True)
    other = tmp_path / "other"
    other.mkdir()
    (other / "mine.txt").write_text("mine")
    with refused("exists", other):
        conduct(tiny(few), other, force=True)
    assert (other / "mine.txt").read_text() == "mine"


def test_captured_tpch_is_slowed_to_the_published_rate():
    path = systems.traces() / systems.TRACES["tpch"]
    count, first, last = 0, None, 0
    for batch in requests({"path": str(path)}):
        first = int(batch["time_ns"][0]) if first is None else first
        last, count = int(batch["time_ns"][-1]), count + len(batch["time_ns"])
    recorded = (count - 1) / ((last - first) / 1e9)
    assert recorded == pytest.approx(systems.RECORDED_TPCH_IOPS, rel=1e-3)
    assert recorded * systems.SPEEDS["tpch"] == pytest.approx(WORKLOADS["tpch"].iops, rel=2e-3)
    assert WORKLOADS["tpcc"].iops == pytest.approx(141.66, abs=0.01)


def test_the_whole_space_is_the_published_one():
    stages = {stage.key: stage for stage in systems.stages(systems.FULL)}
    for source in systems.SOURCES:
        for workload in ("tpcc", "tpch"):
            points = axes.all_points(stages[f"space-{source}-{workload}"].axes)
            places = {point.values for point in points}
            assert len(places) == (8 + 8 + 5) * 7
            assert {disks for level, disks, _ in places if level == 10} == {30, 32, 34, 36, 38}
            assert {unit for _, _, unit in places} == {f"{2**k}KiB" for k in range(2, 9)}


def test_without_the_traces_the_message_says_where_they_are(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(systems.TRACES, "tpch", "no_such.parquet")
    with refused("not-found", "examples/traces") as caught:
        systems.traces()
    assert "no_such.parquet" in caught.value.message


def test_every_stage_of_the_reduced_study_compiles_and_is_one_of_the_whole():
    whole = {stage.key for stage in systems.stages(systems.FULL)}
    stages = systems.stages(systems.QUICK)
    assert {stage.key for stage in stages} == whole
    for stage in stages:
        assert compile_plan(load(stage.text, base_dir=stage.base), stage.base)["schema"] == "iowatt.plan/1"
