"""Which trace is replayed on which drive, and how a trace is read."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

from iowatt import core
from iowatt.base.errors import Argument
from iowatt.evaluate.validation import cases, replay
from iowatt.evaluate.validation.cases import FOLDER, PACED, PacedRequests, ValidationCase, read, shipped
from iowatt.model.library import find_drive
from refused import refused

LINES = "R Hit 100 4 1500.0 250.5\nW Hit 5000 2 700.0 0.0\nR Hit 104 4 400.0 90.0\n"


def test_shipped_traces_are_all_there():
    found = cases()
    assert [case.arrivals for case in found] == [PACED] * 8 + ["open"] * 2
    assert all(case.trace.is_file() and find_drive(case.device).name == case.device for case in found)
    aborted, *others = [case for case in found if case.disksim is None]
    assert aborted.device == "seagate-st41601n" and aborted.disksim_note
    assert [(case.device, case.trace_device) for case in others] == [("hp-335h", "0"), ("hp-335h", "1")]
    assert (FOLDER / "COPYING.disksim").is_file() and (FOLDER / "COPYRIGHT.disksim").is_file()


def test_one_device():
    (case,) = cases("dec-rz26")
    assert case.trace.name == "dec_rz26.trace.gz"
    with refused("unknown-name", Argument("drive", "quantum-atlas-10k")):
        cases("quantum-atlas-10k")


def test_a_trace_needs_its_device(tmp_path):
    with refused("missing", "drive"):
        cases(trace=tmp_path / "a.trace")
    (case,) = cases("quantum-atlas-10k", None, tmp_path / "a.trace", "disksim-validate")
    assert case == ValidationCase("quantum-atlas-10k", tmp_path / "a.trace", "disksim-validate")


def test_a_shipped_trace_is_known_by_its_content(tmp_path):
    (known,) = [case for case in shipped() if case.buffer]
    assert known.device == "seagate-cheetah-15k5"
    unpacked = tmp_path / "random.trace"
    unpacked.write_bytes(gzip.decompress(known.trace.read_bytes()))
    (case,) = cases("mine.toml", None, unpacked)
    assert (case.device, case.buffer, case.disksim) == ("mine.toml", known.buffer, known.disksim)


def test_think_times(tmp_path):
    path = tmp_path / "t.trace"
    path.write_text(LINES)
    found = read(path, None)
    assert found.think_ns.tolist() == [250_500, 0, 0]
    assert found.response_ns.tolist() == [1_500_000, 700_000, 400_000]
    assert (found.write.tolist(), found.offset.tolist()) == (
        [False, True, False],
        [51_200, 2_560_000, 53_248],
    )


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("time_ms,op,offset,size\n0,r,0,512\n", "missing"),
        ("time_ms,op,offset,size,response_ms\n0,r,0,512,5\n1,r,0,512,5\n", "unsupported"),
    ],
)
def test_a_trace_that_cannot_be_compared(tmp_path, text, code):
    path = tmp_path / "t.csv"
    path.write_text(text)
    with refused(code, str(path)):
        read(path, "csv")


def test_what_the_core_is_asked(monkeypatch):
    """Whole sectors, requests past the end moved to it, watts that nobody knows as null."""
    asked = {}

    def fake(plan, *arrays):
        names = ("offset", "size", "op", "think_ns", "phase")
        asked.update(plan=json.loads(plan), **dict(zip(names, arrays, strict=True)))
        return {"response_ns": np.array([2_000_000, 3_000_000], np.uint64), "hit": np.zeros(2, np.uint8)}

    monkeypatch.setattr(core, "replay_one", fake, raising=False)
    drive = find_drive("dec-rz26")
    measured = PacedRequests(
        offset=np.array([700, (drive.sectors - 1) * 512], np.uint64),
        size=np.array([1000, 1024], np.uint32),
        write=np.array([False, True]),
        response_ns=np.array([1, 1]),
        think_ns=np.array([5, 0], np.uint64),
    )
    times, moved = replay.respond(drive, measured)
    assert (times.tolist(), moved) == ([2.0, 3.0], 1)
    # Bytes 700 to 1700 are sectors 1 to 3; the last one is moved back by one.
    assert asked["offset"].tolist() == [1, drive.sectors - 2]
    assert (asked["size"].tolist(), asked["op"].tolist()) == ([3, 2], [0, 1])
    power = asked["plan"]["power"]
    assert power["levels"]["idle_w"] is None and power["active_w"] is None
    assert asked["plan"]["layout"]["zoned"]["sparing"] == "per-track"
    assert "kind" not in asked["plan"]
