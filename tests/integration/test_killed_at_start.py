"""A kill at any step of a folder's beginning, or of its replacement, leaves one that can be gone on with."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

import iowatt
from iowatt.emerald.conduct.folder import MeasurementFolder as Measurement
from iowatt.emerald.plan.folder import read
from iowatt.evaluate.search.tasks.folder import SearchFolder
from iowatt.studies import conduct
from refused import refused

STEPS = {"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.truncate", "os.chmod"}
PLAN = Path(__file__).parents[1] / "emerald"


def killed_before(step: int, work) -> bool:
    """Whether ``work`` was killed before its file system call of that number; else it had fewer."""
    pid = os.fork()
    if pid == 0:
        left = [step]

        def count(event: str, _arguments: object) -> None:
            if event in STEPS:
                if left[0] == 0:
                    os._exit(9)
                left[0] -= 1

        try:
            sys.addaudithook(count)
            work()
        except BaseException:
            os._exit(3)
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert code in (0, 9), "it failed by itself"
    return code == 9


def search(place: Path, **how: bool) -> None:
    manifest = {
        "schema": "iowatt.sweep/1",
        "inputs": [],
        **dict.fromkeys(("kind", "version", "set", "scenario_sha256", "own_seeds")),
    }
    folder = SearchFolder(place, manifest, "", **({"force": False, "resume": False} | how))
    assert (place / "sweep.json").is_file()
    folder.close()


def finished_search(place: Path) -> None:
    folder = SearchFolder(place, {"schema": "iowatt.sweep/1", "inputs": []}, "", force=False, resume=False)
    folder.journal.append({"key": "a", "row": {}})
    folder.close()
    (place / "table.parquet").write_text("old")
    (place / "runs" / "a").mkdir(parents=True)
    (place / "runs" / "a" / "run.json").write_text("old")
    (place / "runs" / "a" / "plan.json").write_text("old")


def study(place: Path, **how: bool) -> None:
    asked = {"schema": conduct.SCHEMA, "study": "s", "version": "1", "quick": True}
    conduct._begin(place, asked, **({"force": False, "resume": False} | how))
    assert conduct.is_study(place)


def finished_study(place: Path) -> None:
    study(place)
    (place / "report.html").write_text("old")
    (place / "sweeps" / "a").mkdir()


@pytest.fixture
def plan(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(PLAN))
    import conducted

    return read(conducted.plan(tmp_path))


def measurement(plan):
    def begin(place: Path, **how: bool) -> None:
        folder = Measurement(place, plan, **how)
        assert (place / "measurement.json").is_file()
        folder.close()

    def finished(place: Path) -> None:
        begin(place)
        (place / "stages" / "fill").mkdir()
        (place / "stages" / "fill" / "fio.json").write_text("old")

    return begin, finished


@pytest.mark.parametrize("kind", ["search", "study", "measurement"])
def test_every_step_leaves_what_resume_and_force_accept(kind, plan, tmp_path):
    begin, finished = {
        "search": (search, finished_search),
        "study": (study, finished_study),
        "measurement": measurement(plan),
    }[kind]
    for before, how in ((None, {}), (finished, {"force": True})):
        step, more = 0, True
        while more:
            for again in ({"resume": True}, {"force": True}):
                place = tmp_path / f"{kind}-{len(how)}-{step}-{next(iter(again))}" / "it"
                place.parent.mkdir()
                if before is not None:
                    before(place)
                more = killed_before(step, lambda place=place, how=how: begin(place, **how))
                begin(place, **again)
                assert [path.name for path in place.parent.iterdir()] == ["it"]
                assert not [path for path in place.iterdir() if path.name.startswith(".iowatt")]
            step += 1
        assert step > 5


def test_a_search_that_force_was_killed_in_has_no_half_bundle(tmp_path):
    step = 0
    while True:
        place = tmp_path / str(step)
        finished_search(place)
        more = killed_before(step, lambda place=place: search(place, force=True))
        run = place / "runs" / "a"
        assert not run.exists() or sorted(path.name for path in run.iterdir()) == ["plan.json", "run.json"]
        if not more:
            break
        step += 1


def test_what_is_somebody_elses_is_still_refused(tmp_path):
    for name in ("scenario.toml", "plan.json", "thesis.txt"):
        place = tmp_path / name
        place.mkdir()
        (place / name).write_text("mine")
        for how in ({}, {"resume": True}, {"force": True}):
            for begin in (search, study):
                with refused("exists", place):
                    begin(place, **how)
        assert (place / name).read_text() == "mine"
    journal = tmp_path / "kept" / "points.jsonl"
    journal.parent.mkdir()
    journal.write_text('{"key": "a", "row": {}}\n')  # points without what they are of
    with refused("exists", journal.parent):
        search(journal.parent, force=True)


@pytest.mark.parametrize("text", ["", '{"key": "a", "ro'])
def test_a_sweep_goes_on_from_a_journal_alone(text, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "search"))
    from small_sweep import SCENARIO, trace

    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.csv").write_text(trace(20))
    (tmp_path / "small.toml").write_text(SCENARIO)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "points.jsonl").write_text(text)
    frame = iowatt.sweep("small.toml", {"array.pool.disks.count": [4]}, output="out", resume=True)
    assert frame["status"].to_list() == ["done"]
    shutil.rmtree("out")
