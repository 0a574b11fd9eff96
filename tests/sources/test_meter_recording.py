"""The recorder's thread: it goes on whatever its instrument does, and what it wrote reads back as it was."""

from __future__ import annotations

import json
import os
import re
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from figures import figures
from iowatt.sources.meters.log.alignment import align
from iowatt.sources.meters.log.instrument import Instrument, MeterError, Reading
from iowatt.sources.meters.recording import recorder as recording
from meter_contract import check_log
from refused import refused

FAILURE = "pdu1: silent, 2 s"
NOTES = "notes\n"
NO_ROUTE = MeterError("unreachable", None, "no route")
METER = Instrument("m", "test", "emerald", "made by a test", model="M", sample_interval_s=0.02)


class Script:
    """A meter that follows a list: a number is watts, an exception is raised; then the last for ever."""

    def __init__(self, *steps, instrument=METER, opens=()):
        self.steps, self.instrument, self.opens = list(steps), instrument, list(opens)
        self.threads = set()
        self.opened = self.closed = 0

    def open(self):
        self.threads.add(threading.get_ident())
        self.opened += 1
        if self.opens:
            raise self.opens.pop(0)
        return self.instrument

    def read(self):
        self.threads.add(threading.get_ident())
        step = self.steps.pop(0) if len(self.steps) > 1 else self.steps[0]
        if isinstance(step, Exception):
            raise step
        return step if isinstance(step, Reading) else Reading(time.time(), {"watts": step})

    def close(self):
        self.threads.add(threading.get_ident())
        self.closed += 1


def recorded(meter, path, samples=5, **more):
    told = []
    recorder = recording.Recorder(
        meter,
        path,
        name="m",
        interval_s=0.02,
        retry_s=(0.01, 0.05),
        watcher=lambda event, values: told.append((event, values)),
        **more,
    )
    recorder.start()
    until = time.monotonic() + 20
    while recorder.samples < samples and time.monotonic() < until:
        time.sleep(0.005)
    assert recorder.stop()
    assert recorder.samples >= samples
    return recorder, told


def test_samples_read_back_as_they_were(tmp_path):
    meter = Script(344.1, 345.25, 1e-300, 346.0)
    recorder, told = recorded(meter, tmp_path / "m.csv")
    log = recording.read_log(tmp_path / "m.csv")
    check_log(log)
    assert log.instrument == METER
    assert log.quantities["watts"][:3].tolist() == [344.1, 345.25, 1e-300]
    assert len(log.time_s) == recorder.samples
    assert meter.closed == 1 and len(meter.threads) == 1 and threading.get_ident() not in meter.threads
    assert told == []


def test_a_recording_has_its_own_name_and_the_longer_interval(tmp_path):
    path = tmp_path / "left.csv"
    recorder = recording.Recorder(Script(340), path, name="left", interval_s=0.05)
    recorder.start()
    assert recorder.wait(10)
    recorder.stop()
    instrument = recording.read_log(path).instrument
    assert (instrument.name, instrument.sample_interval_s) == ("left", 0.05)


def test_a_failure_is_noted_told_and_survived(tmp_path):
    fail = MeterError("unreachable", "pdu1", "silent,\n2 s")
    recorder, told = recorded(
        Script(340, fail, fail, OSError(5, "Input/output error"), ValueError("x"), 341), tmp_path / "m.csv"
    )
    assert recorder.failing is None and recorder.error is None
    assert [event for event, _ in told] == ["meter-failed", "meter-back"]
    assert told[0][1] == {"text": FAILURE}
    assert told[1][1]["seconds"] > 0
    log = recording.read_log(tmp_path / "m.csv")
    check_log(log)
    failures = [problem.text for problem in log.problems if problem.kind == "failure"]
    assert failures == [FAILURE, os.strerror(5), "ValueError: x"]
    assert recorder.failing_code == "internal", "that of the last failure"


def test_an_instrument_that_is_away_at_first_is_opened_later(tmp_path):
    meter = Script(340, opens=[NO_ROUTE, NO_ROUTE])
    recorder, told = recorded(meter, tmp_path / "m.csv")
    assert meter.opened == 3 and recorder.instrument == METER
    assert [event for event, _ in told] == ["meter-failed", "meter-back"]
    assert recording.read_log(tmp_path / "m.csv").problems[0].text == NO_ROUTE.message


def test_an_instrument_that_never_answers_leaves_its_reason(tmp_path):
    recorder = recording.Recorder(
        Script(1, opens=[NO_ROUTE] * 999),
        tmp_path / "m.csv",
        name="m",
        retry_s=(0.01, 0.01),
    )
    recorder.start()
    assert recorder.wait(10) is False
    recorder.stop()
    with refused("empty", str(tmp_path / "m.csv")) as caught:
        recording.read_log(tmp_path / "m.csv")
    assert caught.value.message.endswith(NO_ROUTE.message)


def test_a_stamp_that_stands_still_is_one_sample(tmp_path):
    at = time.time()
    same = [Reading(at, {"watts": 5.0})] * 10
    recorder, _ = recorded(Script(*same, Reading(at + 1, {"watts": 6.0})), tmp_path / "m.csv", samples=2)
    assert recorder.samples == 2


def test_a_recording_goes_on_without_the_line_that_a_crash_cut_short(tmp_path):
    path = tmp_path / "m.csv"
    recorded(Script(340), path)
    before = len(recording.read_log(path).time_s)
    with path.open("a") as file:
        file.write("1790000000.12,34")
    assert len(recording.read_log(path).time_s) == before
    recorder, _ = recorded(Script(341), path)
    log = recording.read_log(path)
    check_log(log)
    assert len(log.time_s) == before + recorder.samples
    assert [problem.kind for problem in log.problems].count("failure") == 1


def test_another_instrument_in_one_recording_is_named(tmp_path):
    recorded(Script(340), tmp_path / "m.csv")
    other = Instrument("m", "test", "emerald", "made by a test", model="Other")
    recorded(Script(341, instrument=other), tmp_path / "m.csv")
    problems = recording.read_log(tmp_path / "m.csv").problems
    assert any("Other" in problem.text for problem in problems)


def test_a_clock_that_is_set_meanwhile_is_named(tmp_path, monkeypatch):
    real = time.time
    shift = [0.0]
    monkeypatch.setattr(recording.time, "time", lambda: real() + shift[0])

    class Setting(Script):
        def read(self):
            if len(self.steps) == 2:
                shift[0] = -30.0
            return super().read()

    recorded(Setting(340, 341, 342, 343), tmp_path / "m.csv", samples=8)
    log = recording.read_log(tmp_path / "m.csv")
    check_log(log)
    # The recorder notes that the clock was set, and the log that its stamps step back.
    clocks = [problem for problem in log.problems if problem.kind == "clock"]
    (noted,) = [one for one in clocks if figures(one.text)[0] < 0]
    assert figures(noted.text) == [pytest.approx(-30.0, abs=0.5)]
    assert noted.seconds == pytest.approx(30.0, abs=0.5)
    assert any(figures(one.text) == [pytest.approx(30.0, abs=0.15)] for one in clocks)


def test_a_file_that_is_something_else_is_not_overwritten(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text(NOTES)
    with refused("exists", str(path)):
        recording.Recorder(Script(1), path, name="m").start()
    assert path.read_text() == NOTES


def test_a_recording_that_cannot_be_written_any_more_says_so(tmp_path):
    recorder = recording.Recorder(Script(1), tmp_path / "m.csv", name="m", interval_s=0.01)
    recorder.start()
    assert recorder.wait(10)

    class Full:
        def write(self, _text):
            raise OSError(28, os.strerror(28))

        flush = close = lambda self: None

    recorder._file = Full()
    recorder._thread.join(10)
    assert recorder.error == f"{tmp_path / 'm.csv'}: {os.strerror(28)}"
    assert recorder.failing_code == "unwritable"


@pytest.mark.parametrize("size", [70, 70_000, 200_000])
def test_a_foreign_file_without_a_line_end_keeps_every_byte(tmp_path, size):
    path = tmp_path / "m.csv"
    for content in (b"x" * size, b"notes\n" + b"x" * size):
        path.write_bytes(content)
        with refused("exists", str(path)):
            recording.Recorder(Script(1), path, name="m").start()
        assert path.read_bytes() == content


def test_samples_lie_as_far_apart_as_the_instruments_own_stamps(tmp_path):
    path = tmp_path / "m.csv"
    fresh = [Reading(1.79e9 + 5 * k, {"watts": 300.0 + k}) for k in range(25)]
    recorder, _ = recorded(Script(*(one for one in fresh for _ in range(3))), path, samples=25)
    assert recorder.samples == 25
    log = recording.read_log(path)
    check_log(log)
    assert log.instrument.sample_interval_s == 5.0
    assert figures(log.instrument.details["sampling"]) == [5, 0.02]
    minute = align(log, "watts", np.array([1.79e9]), np.array([1.79e9 + 60]))
    assert (minute.samples[0], minute.expected[0]) == (12, 12)
    assert minute.complete[0] and not minute.flags[0]


def asked(path, watts, kind, apart=1.0):
    """A recording of samples that were stamped when they were asked for."""
    instrument = {
        "name": "m",
        "kind": kind,
        "grade": "indicative",
        "why": "unstated",
        "sample_interval_s": apart,
    }
    rows = [f"{1.79e9 + apart * k:.6f},{w},,,,,,,,," for k, w in enumerate(watts)]
    lines = [recording.SCHEMA, ",".join(recording.COLUMNS), f"# instrument {json.dumps(instrument)}", *rows]
    path.write_text("\n".join(lines) + "\n")
    return recording.read_log(path).instrument


def test_values_that_repeat_are_said_of_what_is_stamped_when_asked(tmp_path):
    slow = [300.0 + k // 10 for k in range(100)]
    found = asked(tmp_path / "a.csv", slow, "ipmi")
    assert figures(found.details["repeats"]) == [90, 100, 10]
    assert found.details["repeats"] in found.why
    # A steady load looks the same, so nothing is concluded.
    assert found.sample_interval_s == 1.0
    steady = asked(tmp_path / "b.csv", [300.0] * 50, "redfish")
    assert figures(steady.details["repeats"]) == [49, 50]
    assert asked(tmp_path / "c.csv", [300.0 + k for k in range(50)], "nut").why == "unstated"
    assert asked(tmp_path / "d.csv", slow, "scpi").why == "unstated"
    assert figures(asked(tmp_path / "e.csv", slow, "modbus").details["repeats"]) == [90, 100, 10]


def test_a_watcher_that_raises_ends_nothing(tmp_path):
    closed = RuntimeError("closed")

    def watcher(_event, _values):
        raise closed

    recorder = recording.Recorder(
        Script(340, MeterError("unreachable", None, "gone"), 341),
        tmp_path / "m.csv",
        name="m",
        interval_s=0.02,
        retry_s=(0.01, 0.01),
        watcher=watcher,
    )
    recorder.start()
    until = time.monotonic() + 20
    while recorder.samples < 5 and time.monotonic() < until:
        time.sleep(0.005)
    assert recorder.present.quantities == {"watts": 341}
    assert recorder.stop()
    assert recorder.samples >= 5 and recorder.error is None
    assert recorder.watcher_error == f"RuntimeError: {closed}"
    assert recorder.present is None


def test_a_fault_of_the_recorder_itself_leaves_no_old_watts(tmp_path):
    meter = Script(340, Reading("no time", {"watts": 1.0}))
    meter.close = lambda: (_ for _ in ()).throw(RuntimeError("not closed"))
    recorder = recording.Recorder(meter, tmp_path / "m.csv", name="m", interval_s=0.02)
    recorder.start()
    recorder._thread.join(10)
    assert recorder.samples == 1 and recorder.last is not None
    assert recorder.present is None
    assert recorder.error == recorder.failing
    assert "ValueError" in recorder.error


def test_an_instrument_that_hangs_says_nothing_at_present(tmp_path, monkeypatch):
    monkeypatch.setattr(recording, "_PRESENT", (1.0, 0.05))
    hang = threading.Event()

    class Hanging(Script):
        def read(self):
            if len(self.steps) == 1:
                hang.wait(20)
            return super().read()

    recorder = recording.Recorder(Hanging(340, 341), tmp_path / "m.csv", name="m", interval_s=0.01)
    recorder.start()
    assert recorder.wait(10)
    time.sleep(0.2)
    assert recorder.failing is None and recorder.present is None
    hang.set()
    assert recorder.stop()


def test_reading_is_bounded(tmp_path, monkeypatch):
    path = tmp_path / "m.csv"
    recorded(Script(340), path)
    with path.open("a") as file:
        file.write("1" * 70_000 + "\n")
    with refused("too-large", re.compile(r"m\.csv:\d+$")):
        recording.read_log(path)
    monkeypatch.setattr(recording, "_MOST_BYTES", 60_000)
    with refused("too-large", str(path)):
        recording.read_log(path)
    with refused("wrong-kind", "/dev/zero"):
        recording.read_log(Path("/dev/zero"))
