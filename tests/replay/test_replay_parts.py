"""What is replayed, on what, and how well its times are kept."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from iowatt.base.errors import Argument
from iowatt.evaluate.replay import fio, target, trace
from iowatt.evaluate.replay.result import compare
from iowatt.evaluate.replay.trace import ReplayTrace
from iowatt.sources.meters.address import split_name
from refused import refused


def some(offsets, sizes=4096, times=None, write=False):
    count = len(offsets)
    return ReplayTrace(
        np.array(times if times is not None else range(0, count * 10**7, 10**7), dtype=np.int64),
        np.full(count, write),
        np.array(offsets, dtype=np.uint64),
        np.full(count, sizes, dtype=np.uint32)
        if isinstance(sizes, int)
        else np.array(sizes, dtype=np.uint32),
    )


def fit(requests, capacity, block=512, **how):
    return trace.fitted(
        requests, "t.csv", capacity=capacity, block=block, **{"fold": False, "align": False} | how
    )


def test_a_trace_is_read_from_any_format(tmp_path):
    (tmp_path / "a.csv").write_text("time,op,offset,size\n5.5,R,0,4096\n5.6,W,8192,512\n5.7,trim,0,512\n")
    columns = {"time": "time", "op": "op", "offset": "offset", "size": "size"}
    spec = {"path": str(tmp_path / "a.csv"), "columns": columns, "time_unit": "s"}
    found = trace.read(spec)
    assert found.time_ns.tolist() == [0, 10**8]
    assert found.write.tolist() == [False, True]
    assert len(found.notes) == 1 and found.notes[0].startswith("1 ")
    trace.save(found, tmp_path / "a.parquet")
    again = trace.read({"path": str(tmp_path / "a.parquet")})
    for name in ("time_ns", "write", "offset", "size"):
        assert getattr(found, name).tolist() == getattr(again, name).tolist()
    (tmp_path / "b.csv").write_text("time,op,offset,size\n5.7,trim,0,512\n")
    with refused("empty", tmp_path / "b.csv"):
        trace.read({**spec, "path": str(tmp_path / "b.csv")})


def test_what_lies_behind_the_end_is_refused_or_folded():
    requests = some([0, 1 << 20, 1 << 30])
    with refused("out-of-range", "t.csv") as caught:
        fit(requests, 1 << 20)
    assert caught.value.message.startswith("2 of 3 ") and " 1048576 " in caught.value.message
    folded = fit(requests, 1 << 20, fold=True)
    assert folded.end <= 1 << 20
    assert any(note.startswith("2 of 3 ") for note in folded.notes)
    assert fit(requests, 1 << 31).notes == ()


def test_requests_between_blocks_are_refused_or_widened():
    requests = some([512, 4096], [512, 4096])
    with refused("not-accepted", "t.csv") as caught:
        fit(requests, 1 << 20, block=4096)
    assert caught.value.message.startswith("1 of 2 ") and " 4096 " in caught.value.message
    wide = fit(requests, 1 << 20, block=4096, align=True)
    assert (wide.offset.tolist(), wide.size.tolist()) == ([0, 4096], [4096, 4096])
    assert any("widened" in note for note in wide.notes)


@given(
    st.lists(st.tuples(st.integers(0, 1 << 40), st.integers(1, 1 << 17)), min_size=1, max_size=20),
    st.sampled_from([1, 512, 4096]),
    st.integers(1 << 19, 1 << 24),
)
def test_folded_and_aligned_requests_always_fit(requests, block, capacity):
    found = fit(
        some([at for at, _ in requests], [size for _, size in requests]),
        capacity,
        block,
        fold=True,
        align=True,
    )
    assert found.end <= capacity
    assert not (found.offset % block).any()
    assert not (found.size % block).any()
    assert all(after >= size for after, (_, size) in zip(found.size.tolist(), requests, strict=True))


def test_a_request_larger_than_the_target_is_refused():
    with refused("too-large", "t.csv"):
        fit(some([0], 8192), 4096, fold=True)


def test_requests_go_round_the_jobs_at_their_times(tmp_path):
    requests = some([0, 4096, 8192, 12288], times=[0, 2_400_000, 2_600_000, 10**9], write=True)
    lead = fio.write_job(requests, tmp_path, depth=3, direct=True)
    text = (tmp_path / fio.JOB).read_text()
    assert text.count("read_iolog=") == 3
    assert "group_reporting" not in text
    first = (tmp_path / "part0.iolog").read_text().splitlines()
    assert first == [
        "fio version 2 iolog", "target add", "target open",
        f"target wait {lead} 0", "target write 0 4096",
        f"target wait {lead + 1000} 0", "target write 12288 4096", "target close",
    ]  # fmt: skip
    assert f"target wait {lead + 3} 0" in (tmp_path / "part2.iolog").read_text()


def test_lateness_is_that_of_the_logs(tmp_path):
    requests = some(range(0, 400 * 4096, 4096))
    begin = 1795189522833
    for number in (0, 1):
        rows = []
        for k in range(number, 400, 2):
            late = 50 if k == 399 else 0
            # Completed 2 ms after it was made.
            rows.append(f"{begin + 10 * k + late + 2}, 2000000, 0, 4096, 0\n")
        (tmp_path / f"replay_lat.{number + 1}.log").write_text("".join(rows))
    found = fio.lateness_of(requests, tmp_path)
    assert found.most_ms == pytest.approx(50)
    assert found.late == pytest.approx(1 / 400)
    assert found.mean_ms == pytest.approx(50 / 400)
    assert found.waited_ms == pytest.approx(48 / 400)


def test_what_exists_must_be_named_twice(tmp_path):
    path = tmp_path / "data"
    path.write_bytes(b"precious" * 512)
    with refused("unsafe-target", path), target.ready(path, size=None, erase=None, writes=True):
        pass
    with (
        refused("conflict", Argument("erase")),
        target.ready(path, size=None, erase=tmp_path / "other", writes=True),
    ):
        pass
    with target.ready(path, size=None, erase=path, writes=True) as there:
        assert (there.capacity, there.made) == (4096, False)
    # What only reads needs no leave.
    with target.ready(path, size=2048, erase=None, writes=False) as there:
        assert there.capacity == 2048
    assert path.read_bytes() == b"precious" * 512
    with (
        refused("out-of-range", Argument("size")),
        target.ready(path, size=1 << 20, erase=path, writes=True),
    ):
        pass


def test_a_file_that_is_made_is_full_and_goes_again(tmp_path):
    path = tmp_path / "data"
    with refused("not-found", path), target.ready(path, size=None, erase=None, writes=True):
        pass
    with target.ready(path, size=3 << 20, erase=None, writes=True) as there:
        assert there.made
        assert path.stat().st_size == 3 << 20
        assert path.stat().st_blocks * 512 >= 3 << 20
        assert path.read_bytes()[: 1 << 20].count(0) < 1 << 14
    assert not path.exists()
    with (
        refused("unwritable", path),
        target.ready(path, size=1 << 60, erase=None, writes=True),
    ):
        pass
    with (
        refused("wrong-kind", tmp_path),
        target.ready(tmp_path, size=1, erase=None, writes=True),
    ):
        pass


@pytest.mark.parametrize(
    ("text", "name", "address"),
    [
        ("pdu=snmp://pdu1/1?community=public", "pdu", "snmp://pdu1/1?community=public"),
        ("csv:p.csv?time=when", None, "csv:p.csv?time=when"),
        ("rapl:package-0", None, "rapl:package-0"),
    ],
)
def test_an_instrument_may_have_a_name(text, name, address):
    assert split_name(text) == (name, address)


def test_lateness_counts_in_the_comparison():
    def summary(mean):
        times = dict.fromkeys(("p50", "p95", "p99", "max"), 1.0)
        return {
            "throughput": {"iops": 10.0, "mib_per_s": 1.0},
            "response_time_ms": {op: {"mean": mean, **times} for op in ("all", "read", "write")},
            "power_w": {"wall_mean": None, "mean": 5.0},
            "energy": {"total_j": 50.0, "per_request_j": None},
            "requests": {"completed": 100},
        }

    rows = {row.figure: row for row in compare(summary(2.0), summary(3.0), 1.0)}
    due = rows["response time from the trace's moment, mean"]
    assert (due.measured, due.simulated, due.ratio) == (3.0, 3.0, 1.0)
    assert rows["energy per request"].measured == 0.5
