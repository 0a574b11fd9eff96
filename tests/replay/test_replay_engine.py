"""`iowatt replay` by its own engine: every request stamped, closed loops, NBD exports."""

from __future__ import annotations

import json
import signal
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

from iowatt import core
from iowatt.base.errors import Argument, IowattError
from iowatt.evaluate.replay import engine, export, request, trace
from iowatt.run.bundle import Run
from iowatt.sources.lateness import RequestStamps
from refused import printed_code, refused

COMMAND = [sys.executable, "-c", "from iowatt.cli.main import main; main()", "replay"]


def iowatt(*words, cwd):
    return subprocess.run(
        [*COMMAND, *words], cwd=cwd, capture_output=True, text=True, check=False, timeout=120
    )


@pytest.fixture
def place(disk_folder):
    """A folder with a trace of 60 requests a ms apart, of three streams, each 0.1 ms long."""
    lines = ["time_ns,op,offset,size,stream,response_ns"]
    for k in range(60):
        op = "write" if k % 3 == 0 else "read"
        lines.append(f"{k * 10**6},{op},{4096 * (k * 37 % 1000)},4096,s{k % 3},100000")
    (disk_folder / "t.csv").write_text("\n".join(lines) + "\n")
    return disk_folder


def replayed(place, *words):
    done = iowatt("t.csv", "-o", "out", "--json", *words, cwd=place)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), pl.read_parquet(place / "out" / "requests.parquet")


def test_every_request_has_its_stamps(place):
    found, rows = replayed(place, "--target", "data", "--size", "8MiB", "--repeat", "2")
    assert (found["engine"], found["mode"], found["requests"], found["errors"]) == ("iowatt", "open", 120, 0)
    assert not (place / "data").exists()
    # 59 ms, and the mean gap of 1 ms before the second pass.
    due = [k * 10**6 for k in range(60)]
    assert rows["due_ns"].to_list() == due + [60 * 10**6 + one for one in due]
    assert rows["error"].to_list() == [0] * 120
    assert (rows["late_ns"] >= 0).all() and (rows["done_ns"] >= rows["sent_ns"]).all()
    assert rows["late_ns"].to_list() == (rows["sent_ns"] - rows["due_ns"]).to_list()
    assert found["lateness"]["most_ms"] == pytest.approx(rows["late_ns"].max() / 1e6)
    assert found["lateness"]["late_1ms"] == (rows["late_ns"] > 10**6).mean()
    run = Run.open(place / "out")
    assert run.summary["requests"]["completed"] == 120
    # The response time is from sending, not from when a request was due.
    mean_ms = (rows["done_ns"] - rows["sent_ns"]).mean() / 1e6
    assert run.summary["response_time_ms"]["all"]["mean"] == pytest.approx(mean_ms)
    again = pl.read_parquet(place / "out" / "trace.parquet")
    assert again["time_ns"].to_list() == rows["due_ns"].to_list()


def test_streams_go_one_after_another(place):
    target = ("--target", "data", "--size", "8MiB")
    found, rows = replayed(place, *target, "--mode", "closed", "--think")
    assert found["mode"] == "closed"
    for stream in range(3):
        own = rows.gather_every(3, stream)
        # 3 ms from request to request, of which 0.1 ms was its response time.
        waits = own["due_ns"].to_numpy()[1:] - own["done_ns"].to_numpy()[:-1]
        assert waits.tolist() == [2_900_000] * 19
    found, rows = replayed(place, *target, "--mode", "closed", "--outstanding", "1", "--force")
    assert (rows["sent_ns"].to_numpy()[1:] >= rows["done_ns"].to_numpy()[:-1]).all()


def test_think_time_is_that_of_the_stream(place):
    read = trace.read({"path": str(place / "t.csv")})
    think = trace.think_ns(read, "t.csv")
    assert think.tolist() == [0] * 3 + [2_900_000] * 57
    bare = trace.ReplayTrace(read.time_ns, read.write, read.offset, read.size)
    with refused("missing-figure", "t.csv"):
        trace.think_ns(bare, "t.csv")


@pytest.mark.parametrize(
    ("words", "code", "named"),
    [
        (("--mode", "both"), "not-accepted", "--mode"),
        (("--engine", "dd"), "not-accepted", "--engine"),
        (("--outstanding", "4"), "not-applicable", "--outstanding"),
        (("--think",), "not-applicable", "--think"),
        (("--mode", "closed", "--think", "--outstanding", "2"), "conflict", "--think"),
        (("--connections", "2"), "not-applicable", "--connections"),
        (("--mode", "closed", "--engine", "fio"), "conflict", "--mode"),
        (("--mode", "closed", "--scenario", "a.toml"), "conflict", "--scenario"),
        (("--repeat", "1000000"), "too-large", "--repeat"),
    ],
)
def test_what_does_not_go_together_is_refused(place, words, code, named):
    done = iowatt("t.csv", "--target", "data", "--size", "8MiB", "-o", "out", *words, cwd=place)
    assert done.returncode == 2, done.stdout
    assert printed_code(done.stderr) == code
    assert named in done.stderr
    assert sorted(path.name for path in place.iterdir()) == ["t.csv"]


@pytest.mark.parametrize(
    ("target", "code"),
    [
        ("nbd+unix:///x?socket=none.sock", "unreachable"),
        ("nbd+unix:///x", "bad-syntax"),
        ("nfs://host/share", "wrong-kind"),
    ],
)
def test_addresses_that_lead_nowhere_are_refused(place, target, code):
    done = iowatt("t.csv", "--target", target, "--erase", target, "-o", "out", cwd=place)
    assert done.returncode == 2, done.stdout
    assert printed_code(done.stderr) == code


def test_an_interruption_leaves_nothing(place):
    text = "time_ns,op,offset,size\n0,read,0,4096\n600000000000,read,0,4096\n"
    (place / "far.csv").write_text(text)
    words = ["far.csv", "--target", "data", "--size", "1MiB", "-o", "out"]
    with subprocess.Popen([*COMMAND, *words], cwd=place, stderr=subprocess.PIPE, text=True) as process:
        for line in process.stderr:
            if "replaying" in line:
                break
        process.send_signal(signal.SIGINT)
        said = process.stderr.read()
    assert process.returncode == 130, said
    assert sorted(path.name for path in place.iterdir()) == ["far.csv", "t.csv"]


def stamps(error):
    count = len(error)
    due = np.arange(count, dtype=np.uint64) * 1000
    done = due + np.where(np.array(error) < 0, 0, 500).astype(np.uint64)
    return RequestStamps(due, due + 200, done + 200, np.array(error, np.int32), "threads", 10**18)


def test_requests_that_failed_are_in_no_figure(tmp_path):
    requests = trace.ReplayTrace(
        np.arange(4, dtype=np.int64) * 1000,
        np.zeros(4, bool),
        np.zeros(4, np.uint64),
        np.full(4, 512, np.uint32),
    )
    asked = request.ReplayRequest({"path": "t.csv"}, "data", tmp_path / "out")
    made = stamps([0, 5, 28, 0])
    found = engine.observed(requests, made, asked, tmp_path)
    assert found.totals[0].requests == 2
    assert found.totals[0].response_mean_s == pytest.approx(500e-9)
    assert made.error_note.startswith("2 of 4 ")
    assert pl.read_parquet(tmp_path / engine.REQUESTS)["error"].to_list() == [0, 5, 28, 0]
    with pytest.raises(IowattError) as caught:
        engine.observed(requests, stamps([5] * 4), asked, tmp_path)
    assert (caught.value.code, caught.value.place) == ("tool-failed", "data")


@pytest.fixture
def server(place):
    """A live volume of 8 MiB; gives the URI."""
    parts = [{"pool": pool, "offset_bytes": 0, "capacity_bytes": 4 << 20} for pool in (0, 1)]
    plan = json.dumps({"parts": parts, "scheme": {"kind": "linear"}})
    paths = [place / name for name in ("fast", "slow")]
    for path, size in zip(paths, core.volume_needs(plan), strict=True):
        with path.open("wb") as file:
            file.truncate(size)
    stores = [str(path) for path in paths]
    core.volume_create(stores, plan, "v", "0" * 32)
    volume = core.VolumeServer(stores, socket=str(place / "s.sock"))
    yield volume.uri
    volume.stop()


def test_an_export_is_replayed_on_several_connections(place, server):
    found, rows = replayed(place, "--target", server, "--erase", server, "--connections", "2")
    assert (found["driven_by"], found["errors"]) == ("nbd", 0)
    assert rows["error"].to_list() == [0] * 60
    assert Run.open(place / "out").summary["requests"]["writes"] == 20


def test_an_export_is_written_to_only_where_it_is_named_twice(place, server):
    with refused("unsafe-target", server), export.ready(server, size=None, erase=None, writes=True):
        pass
    with (
        refused("conflict", Argument("erase")),
        export.ready(server, size=None, erase="nbd://other", writes=True),
    ):
        pass
    with (
        refused("out-of-range", Argument("size")),
        export.ready(server, size=1 << 30, erase=server, writes=True),
    ):
        pass
    with export.ready(server, size=None, erase=None, writes=False) as there:
        assert (there.capacity, there.made) == (8 << 20, False)
