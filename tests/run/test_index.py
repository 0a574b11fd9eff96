"""The SQLite index: a row per bundle, and never the reason why a run fails."""

from __future__ import annotations

import json
import logging
import sqlite3
import threading

import pytest

from iowatt.run import index
from iowatt.run.index import Index, register


def test_a_bundle_gets_a_row_with_its_key_figures(run, tmp_path):
    saved = run.save(tmp_path / "out")
    register(saved.path, saved.summary)
    (row,) = Index(tmp_path).runs()
    assert row["path"] == "out"
    assert row["name"] == "handmade"
    assert row["energy_total_j"] == 4200
    assert row["requests"] == 8
    assert row["scenario_sha256"] == "cd" * 32
    assert row["summary"] == saved.summary


def test_the_same_path_is_one_row(run, tmp_path):
    saved = run.save(tmp_path / "out")
    register(saved.path, saved.summary)
    register(saved.path, {**saved.summary, "name": "renamed"})
    assert [row["name"] for row in Index(tmp_path).runs()] == ["renamed"]


def test_rows_are_listed_oldest_first_and_only_while_their_bundle_exists(run, tmp_path):
    for name, day in (("late", 3), ("early", 1), ("gone", 2)):
        saved = run.save(tmp_path / name)
        saved.summary["provenance"]["started_at"] = f"2026-01-0{day}T00:00:00Z"
        register(saved.path, saved.summary)
    (tmp_path / "gone" / "run.json").unlink()
    assert [row["path"] for row in Index(tmp_path).runs()] == ["early", "late"]


def test_no_index_is_no_runs(tmp_path):
    assert Index(tmp_path).runs() == []
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def warnings(caplog):
    caplog.set_level(logging.WARNING, logger="iowatt")
    return caplog


def test_a_locked_index_is_a_warning(run, tmp_path, warnings, monkeypatch):
    monkeypatch.setattr(index, "LOCK_TIMEOUT_S", 0.05)
    saved = run.save(tmp_path / "out")
    register(saved.path, saved.summary)
    holder = sqlite3.connect(tmp_path / "iowatt.sqlite", isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    register(saved.path, {**saved.summary, "name": "not written"})
    holder.execute("ROLLBACK")
    holder.close()
    assert "locked" in warnings.text
    assert [row["name"] for row in Index(tmp_path).runs()] == ["handmade"]


@pytest.mark.parametrize("obstacle", ["directory in its place", "garbage in its place"])
def test_an_index_that_cannot_be_written_is_a_warning(run, tmp_path, warnings, obstacle):
    saved = run.save(tmp_path / "out")
    if obstacle.startswith("directory"):
        (tmp_path / "iowatt.sqlite").mkdir()
    else:
        (tmp_path / "iowatt.sqlite").write_bytes(b"no database at all" * 100)
    register(saved.path, saved.summary)
    assert [record.levelname for record in warnings.records] == ["WARNING"]
    assert str(tmp_path) in warnings.text


def test_a_read_only_index_is_a_warning(run, tmp_path, warnings, monkeypatch):
    # Permissions do not bind root, who may run these tests: open the file read-only instead.
    saved = run.save(tmp_path / "out")
    register(saved.path, saved.summary)
    plain = sqlite3.connect

    def read_only(file, **options):
        return plain(f"file:{file}?mode=ro", uri=True, **options)

    monkeypatch.setattr(index.sqlite3, "connect", read_only)
    register(saved.path, saved.summary)
    assert "readonly" in warnings.text


@pytest.mark.parametrize("round_", range(10))  # the file is made anew in each: that is where writers collide
def test_many_writers_at_once_lose_nothing(round_, run, tmp_path):
    bundles = [run.save(tmp_path / f"run-{i}") for i in range(8)]
    start = threading.Barrier(len(bundles))

    def write(saved):
        start.wait()
        register(saved.path, saved.summary)

    threads = [threading.Thread(target=write, args=(saved,)) for saved in bundles]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(Index(tmp_path).runs()) == 8


def test_every_column_is_a_figure_of_run_json(run):
    for _, keys in index.COLUMNS.values():
        value = run.summary
        for key in keys:
            value = value[key]
        assert not isinstance(value, dict | list)
    assert json.loads(json.dumps(run.summary)) == run.summary
