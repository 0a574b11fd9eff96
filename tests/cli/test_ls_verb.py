"""``iowatt ls``: what lies below a directory, by the heads of the folders."""

from __future__ import annotations

import json
import os

import pytest
from typer.testing import CliRunner

from iowatt.cli.main import app
from iowatt.pages.workspace import document
from iowatt.run import workspace
from iowatt.run.workspace import listed
from refused import refused


def written(folder, name, head):
    folder.mkdir(parents=True)
    (folder / name).write_text(head if isinstance(head, str) else json.dumps(head))
    os.utime(folder / name, (1_700_000_000, 1_700_000_000))  # 2023-11-14T22:13:20Z


@pytest.fixture
def place(tmp_path):
    run = {
        "schema": "iowatt.run/1",
        "name": "oltp",
        "source": "simulation",
        "provenance": {"started_at": "2026-01-02T03:04:05Z"},
        "throughput": {"iops": 143.5},
        "response_time_ms": {"all": {"p95": 20.5}},
        "power_w": {"mean": 53.0, "wall_mean": None},
        "devices": [{"model": "disk"}, {"model": "disk"}, {"model": "ssd"}],
    }
    written(tmp_path / "runs" / "old", "run.json", run)
    newer = {
        **run,
        "provenance": {"started_at": "2026-01-03T00:00:00Z"},
        "power_w": {"mean": 5.0, "wall_mean": 6.5},
    }
    written(tmp_path / "runs" / "new", "run.json", newer)
    written(tmp_path / "sweeps" / "s", "sweep.json", {"schema": "iowatt.sweep/1", "kind": "curve"})
    written(tmp_path / "sweeps" / "s" / "points" / "p", "run.json", run)
    written(tmp_path / "studies" / "a", "study.json", {"schema": "iowatt.study/1"})
    written(tmp_path / "other", "run.json", {"schema": "another/1"})
    written(tmp_path / "scalar", "run.json", {"schema": "iowatt.run/1", "devices": 5, "power_w": "none"})
    return tmp_path


def test_newest_first_with_the_figures_of_runs(place):
    found = {one.path: one for one in listed(place).entries}
    assert list(found) == ["runs/new", "runs/old", "scalar", "studies/a", "sweeps/s"]
    old = found["runs/old"]
    assert (old.name, old.kind, old.source) == ("oltp", "run", "simulation")
    assert old.system is not None and old.system.split(", ") == ["2 x disk", "1 x ssd"]
    assert (old.iops, old.response_p95_ms, old.power_mean_w) == (143.5, 20.5, 53.0)
    assert found["runs/new"].power_mean_w == 6.5
    # The points of a sweep are not listed again.
    assert (found["sweeps/s"].kind, found["sweeps/s"].source) == ("sweep", "curve")
    assert found["studies/a"].at == "2023-11-14T22:13:20Z"
    assert found["scalar"].power_mean_w is found["scalar"].system is None


def test_what_cannot_be_read_is_a_note(place):
    written(place / "broken", "run.json", "{")
    found = listed(place)
    assert [note.code for note in found.notes] == ["unreadable"]
    assert len(found.entries) == 5


def test_the_search_is_bounded(place, monkeypatch):
    monkeypatch.setattr(workspace, "MOST_FOLDERS", 1)
    found = listed(place)
    assert found.entries == [] and [note.code for note in found.notes] == ["not-all-folders"]


def test_hidden_folders_and_links_are_left_out(place, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    written(elsewhere / "x", "study.json", {"schema": "iowatt.study/1"})
    (place / "link").symlink_to(elsewhere)
    written(place / ".hidden", "study.json", {"schema": "iowatt.study/1"})
    assert len(listed(place).entries) == 5


def test_the_verb(place, monkeypatch):
    monkeypatch.chdir(place)
    printed = json.loads(CliRunner().invoke(app, ["ls", "--json"]).stdout)
    assert printed == listed().as_dict() and printed["schema"] == "iowatt.workspace/1"
    shown = CliRunner().invoke(app, ["ls", "runs"]).stdout
    assert shown.index("new") < shown.index("old") and "20.5" in shown
    assert all(len(line.rstrip()) <= 80 for line in shown.splitlines())
    assert CliRunner().invoke(app, ["ls", "scalar"]).exit_code == 0


def test_an_empty_place_and_none(tmp_path):
    assert document(listed(tmp_path)).verdict
    with refused("not-found", str(tmp_path / "no")):
        listed(tmp_path / "no")
