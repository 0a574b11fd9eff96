"""The journal of a measurement: what a crash cuts short is cut off, and a full disk still has room for it."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import threading
from pathlib import Path

import conducted
import pytest
from hypothesis import given
from hypothesis import strategies as st

from iowatt.base.errors import Argument, InputError
from iowatt.emerald.conduct.folder import LOCK, RESERVE, MeasurementFolder, hold
from iowatt.emerald.conduct.state import read_state
from iowatt.emerald.measurement import EVENTS, JOURNAL, LONGEST, MeasurementJournal, events
from refused import refused

KEYS = sorted({key for keys in EVENTS.values() for key in keys})


@given(st.binary(max_size=9000).filter(lambda torn: b"\n" not in torn), st.integers(0, 3))
def test_a_line_cut_short_is_cut_off_before_the_next(tmp_path_factory, torn, before):
    folder = tmp_path_factory.mktemp("journal")
    journal = MeasurementJournal(folder)
    for number in range(before):
        journal.append("interrupted", stage=str(number))
    with (folder / JOURNAL).open("ab") as file:
        file.write(torn)
    journal.append("interrupted", stage="last")
    assert [e.values["stage"] for e in events(folder)] == [*map(str, range(before)), "last"]


def test_threads_write_whole_lines(tmp_path):
    journal = MeasurementJournal(tmp_path)
    threads = [
        threading.Thread(target=lambda: [journal.append("interrupted", stage=None) for _ in range(20)])
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(list(events(tmp_path))) == 80


def test_an_event_that_is_none_is_refused(tmp_path):
    with pytest.raises(ValueError):
        MeasurementJournal(tmp_path).append("lunch")
    assert not (tmp_path / JOURNAL).exists()
    with refused("unreadable", str(tmp_path / JOURNAL)):
        list(events(tmp_path))


@pytest.fixture
def folder(tmp_path):
    plan = conducted.load(conducted.plan(tmp_path))
    made = MeasurementFolder(tmp_path / "out", plan)
    yield made
    made.close()


def full_until_given_back(folder, monkeypatch):
    """A file system that is full as long as the reserve is there."""
    sound = MeasurementJournal.append

    def append(self, event, **values):
        if (folder.path / RESERVE).exists():
            raise OSError(errno.ENOSPC, "No space left on device")
        return sound(self, event, **values)

    monkeypatch.setattr(MeasurementJournal, "append", append)


def test_on_a_full_disk_the_journal_is_written_out_of_the_reserve(folder, monkeypatch):
    assert (folder.path / RESERVE).stat().st_size > 0
    full_until_given_back(folder, monkeypatch)
    folder.note("interrupted", stage=None)
    assert folder.full.is_set()
    assert [e.event for e in events(folder.path)] == ["interrupted"]


def test_other_errors_of_the_disk_are_told(folder, monkeypatch):
    def append(*_, **__):
        raise OSError(errno.EIO, "EIO")

    monkeypatch.setattr(MeasurementJournal, "append", append)
    with refused("unwritable", str(folder.path / JOURNAL)) as caught:
        folder.note("interrupted", stage=None)
    assert "EIO" in caught.value.message


def test_a_measurement_is_run_by_one_process_at_a_time(folder, tmp_path):
    plan = conducted.load(tmp_path / "plan.json")
    for options in ({"resume": True}, {"force": True}):
        with refused("in-use", str(folder.path)):
            MeasurementFolder(folder.path, plan, **options)
    assert (folder.path / "plan.json").exists()


def test_a_measurement_is_never_overwritten_unasked_nor_mixed_with_another_plan(folder, tmp_path):
    folder.close()
    plan = conducted.load(tmp_path / "plan.json")
    with refused("exists", str(folder.path)):
        MeasurementFolder(folder.path, plan)
    with refused("conflict", Argument("resume")):
        MeasurementFolder(folder.path, plan, resume=True, force=True)
    with refused("changed", f"{folder.path / 'plan.json'}: seed"):
        MeasurementFolder(folder.path, plan.model_copy(update={"seed": 2}), resume=True)
    other = tmp_path / "thesis"
    other.mkdir()
    (other / "thesis.tex").write_text("years of work")
    with refused("unsafe-target", str(other)):
        MeasurementFolder(other, plan, force=True)
    secret = [{"name": "pdu", "source": "snmp://pdu1/1?community=hidden"}]
    told = conducted.load(conducted.plan(tmp_path, instruments=secret))
    with refused("changed", f"{folder.path / 'plan.json'}: instruments"):
        MeasurementFolder(folder.path, told, resume=True)
    other = MeasurementFolder(tmp_path / "other", told)
    other.close()
    assert "hidden" not in (other.path / "plan.json").read_text()
    MeasurementFolder(tmp_path / "other", told, resume=True).close()
    again = MeasurementFolder(folder.path, plan, force=True)
    assert again.id != folder.id
    again.close()
    assert json.loads((folder.path / "measurement.json").read_bytes())["id"] == again.id


@pytest.mark.parametrize(
    ("line", "code", "key"),
    [
        (b'{"at": 1, "event": "stage-failed", "stage": "RR", "attempt": 1}', "damaged", "text"),
        (b'{"at": 1, "event": "stage-started", "stage": "RR", "folder": "x"}', "damaged", "attempt"),
        (b'{"at": 1, "event": "stage-ended", "stage": "RR", "attempt": true}', "damaged", "attempt"),
        (b'{"at": 1, "event": "resumed", "stage": "RR", "after": 1, "why": ""}', "damaged", "compliant"),
        (b'{"at": 1, "event": "finished", "seams": 3}', "damaged", "seams"),
        (b'{"at": 1, "event": "deviation", "text": "x"}', "damaged", "stage"),
        (b'{"at": 1, "event": ["begun"]}', "unknown-name", "event"),
        (b'{"at": NaN, "event": "begun"}', "wrong-format", None),
        (b'{"at": 1' + 400 * b"0" + b', "event": "begun"}', "wrong-format", None),
        (b"[" * 100_000, "wrong-format", None),
        (b"\xff\xfe", "wrong-format", None),
        (b" " * (LONGEST + 1), "too-large", None),
    ],
)
def test_a_line_that_is_no_whole_event_is_named(tmp_path, line, code, key):
    MeasurementJournal(tmp_path).append("interrupted", stage=None)
    with (tmp_path / JOURNAL).open("ab") as file:
        file.write(line + b"\n")
    place = f"{tmp_path / JOURNAL}:2"
    with refused(code, f"{place}: {key}" if key else place):
        list(events(tmp_path))


@given(
    st.dictionaries(
        st.sampled_from(["at", "event", *KEYS]), st.sampled_from([*EVENTS, 1, 2.5, True, None, []])
    )
)
def test_whatever_a_line_says_it_is_a_state_or_refused(tmp_path_factory, line):
    folder = tmp_path_factory.mktemp("journal")
    plan = conducted.load(conducted.plan(folder))
    (folder / JOURNAL).write_text(json.dumps({"at": 1.0, **line}) + "\n")
    with contextlib.suppress(InputError):
        read_state(folder, plan).result(folder)


@pytest.fixture
def synchronised(monkeypatch):
    """What was brought to the disk, and renamed, in this order."""
    done = []
    fsync, replace = os.fsync, Path.replace

    def noted(handle):
        done.append(Path(f"/proc/self/fd/{handle}").readlink())
        fsync(handle)

    def renamed(self, place):
        done.append(("renamed", Path(place)))
        return replace(self, place)

    monkeypatch.setattr(os, "fsync", noted)
    monkeypatch.setattr(Path, "replace", renamed)
    return done


def test_a_document_is_on_the_disk_before_it_takes_its_name(folder, synchronised):
    folder.write("settings-before.json", {})
    staging, renamed, names = synchronised
    assert staging.name == "settings-before.json" and staging.parent.name.startswith(".iowatt-partial")
    assert renamed == ("renamed", folder.path / "settings-before.json")
    assert names == folder.path


def test_the_name_of_a_journal_is_on_the_disk_with_its_first_event(tmp_path, synchronised):
    MeasurementJournal(tmp_path).append("interrupted", stage=None)
    assert synchronised == [tmp_path / JOURNAL, tmp_path]
    MeasurementJournal(tmp_path).append("interrupted", stage=None)
    assert synchronised[2:] == [tmp_path / JOURNAL]


def test_force_keeps_the_lock_while_it_replaces(folder, tmp_path, monkeypatch):
    plan = conducted.load(tmp_path / "plan.json")
    (folder.path / "stages" / "RR").mkdir()
    folder.note("interrupted", stage=None)
    folder.close()
    before, asked = (folder.path / LOCK).stat().st_ino, []
    sound = shutil.rmtree

    def rmtree(path, *rest, **more):
        with refused("in-use", str(folder.path)):
            hold(folder.path)
        asked.append(path)
        sound(path, *rest, **more)

    monkeypatch.setattr(shutil, "rmtree", rmtree)
    again = MeasurementFolder(folder.path, plan, force=True)
    assert asked, "the lock was looked at while the stages were removed"
    assert (folder.path / LOCK).stat().st_ino == before
    assert not (folder.path / "stages" / "RR").exists() and not (folder.path / JOURNAL).exists()
    again.close()


def test_a_copy_without_its_passwords_is_not_offered(folder, tmp_path):
    folder.close()
    plan = conducted.load(tmp_path / "plan.json")
    with pytest.raises(InputError) as caught:
        MeasurementFolder(folder.path, plan.model_copy(update={"seed": 2}), resume=True)
    assert str(folder.path / "plan.json") in caught.value.hint
    secret = [{"name": "pdu", "source": "snmp://pdu1/1?community=hidden"}]
    told = conducted.load(conducted.plan(tmp_path, instruments=secret))
    MeasurementFolder(tmp_path / "other", told).close()
    with pytest.raises(InputError) as caught:
        MeasurementFolder(tmp_path / "other", told.model_copy(update={"seed": 2}), resume=True)
    assert "plan.json" not in caught.value.hint and "`force=True`" in caught.value.hint
