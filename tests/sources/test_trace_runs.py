"""Traces with response times as Runs: every figure against a plain count of the same requests."""

from __future__ import annotations

import math
import struct

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from block_events import Event, recording, written
from figures import figures
from iowatt.base.errors import InputError
from iowatt.run.bundle import Run
from iowatt.sources import outputs
from iowatt.sources.measured import MeasuredAbout, measured_run
from iowatt.sources.meters.log.instrument import InstrumentLog
from refused import refused


def csv(path, rows):
    """Times, operations, sizes and response times (ns; "" where not known)."""
    lines = [f"{t},sda,{op},0,{size},{response}," for t, op, size, response in rows]
    path.write_text("time_ns,device,op,offset,size,response_ns,stream\n" + "\n".join(lines) + "\n")
    return path


def many(path, seed=1, count=3000, seconds=40, known=0.9):
    rng = np.random.default_rng(seed)
    times = np.sort(rng.integers(0, seconds * 10**9, count))
    times[0] = 0
    response = rng.lognormal(13, 1.2, count).astype(np.int64)
    writes = rng.random(count) < 0.3
    there = rng.random(count) < known
    sizes = rng.integers(1, 65, count) * 4096
    rows = zip(
        times.tolist(), np.where(writes, "W", "R").tolist(), sizes.tolist(),
        [str(r) if t else "" for r, t in zip(response.tolist(), there.tolist(), strict=True)], strict=True,
    )  # fmt: skip
    return csv(path, rows), times, writes, sizes, np.where(there, response, -1)


def run_of(path, **options) -> Run:
    (found,) = outputs.read_output(path, options=options or None)
    return measured_run(MeasuredAbout(name="trace"), found, interval_s=outputs.interval_s(found))


def test_every_figure_is_that_of_the_requests(tmp_path):
    path, times, writes, sizes, response = many(tmp_path / "a.csv")
    (found,) = outputs.read_output(path)
    run = run_of(path)
    known = response >= 0
    done = times + np.maximum(response, 0)
    end = done.max() / 1e9
    assert run.summary["source"] == "trace"
    assert "driver" not in run.summary
    assert run.summary["window"]["duration_s"] == pytest.approx(end)
    assert run.summary["requests"]["count"] == times.size
    assert run.summary["requests"]["bytes_written"] == sizes[writes].sum()
    for op, own in (("read", ~writes), ("write", writes), ("all", writes | ~writes)):
        said = run.summary["response_time_ms"][op]
        values = np.sort(response[own & known])
        assert said["count"] == values.size
        assert said["mean"] == pytest.approx(values.mean() / 1e6)
        assert said["std"] == pytest.approx(values.std() / 1e6, rel=1e-6)
        assert said["max"] == values[-1] / 1e6
        for key, q in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p999", 0.999)):
            exact = values[math.ceil(q * values.size - 1e-9) - 1] / 1e6
            assert exact <= said[key] <= exact * (1 + 1 / 1024)
    series = run.table("series")
    for op, own in (("read", ~writes), ("write", writes)):
        rows = series.filter(pl.col("op") == op)
        latency = run.table("latency").filter(pl.col("op") == op)
        assert rows["count"].sum() == latency["count"].sum() == (own & known).sum()
        assert rows["sum_ns"].sum() == response[own & known].sum()
        assert rows["bin_count"].list.sum().to_list() == rows["count"].to_list()
        width = float((rows["end_s"] - rows["start_s"]).max())
        # Blocks lie on one grid and each request in that of its completion.
        at = np.bincount((done[own & known] // round(width * 1e9)).astype(np.int64))
        assert rows["count"].to_list() == at[at > 0].tolist()
    # Intervals are by completion, and requests without a time by arrival.
    intervals = run.table("intervals")
    assert intervals["completions"].to_list() == np.bincount(done // 10**9).tolist()
    first = np.sort(response[known & (done < 10**9)])
    exact = first[math.ceil(0.95 * first.size - 1e-9) - 1] / 1e6
    assert exact <= intervals["response_p95_ms"][0] <= exact * (1 + 1 / 256)
    assert any(figures(note) == [(~known).sum(), 3000] for note in run.notes)
    assert not found.hops


def test_a_trace_without_response_times_is_refused_with_the_reason(tmp_path):
    path = csv(tmp_path / "a.csv", [(0, "R", 4096, ""), (5, "W", 4096, "")])
    with refused("missing-figure", str(path)) as caught:
        outputs.read_output(path)
    assert "csv" in caught.value.message
    spc = tmp_path / "a.spc"
    spc.write_text("0,100,4096,R,0.5\n0,200,4096,W,0.75\n")
    with refused("missing-figure", str(spc)) as caught:
        outputs.read_output(spc)
    assert "spc" in caught.value.message
    only_trims = tmp_path / "trims.csv"
    only_trims.write_text("time_ns,device,op,offset,size,response_ns,stream\n5,a,trim,0,4096,9,\n")
    with pytest.raises(InputError) as caught:
        outputs.read_output(only_trims)
    assert caught.value.place == str(only_trims)
    assert figures(caught.value.message) == [1]


def test_the_shipped_traces_with_times_are_runs(tmp_path):
    path = tmp_path / "hm.csv"
    ticks = 128166372003061629
    rows = [
        f"{ticks + 10_000 * k},hm,1,{'Read' if k % 3 else 'Write'},{4096 * k},4096,{5000 + 100 * k}"
        for k in range(50)
    ]
    path.write_text("\n".join(rows) + "\n")
    run = run_of(path)
    assert run.plan["measured"]["start"] == "2007-02-22T17:00:00.306+00:00"
    assert run.summary["provenance"]["started_at"] == "2007-02-22T17:00:00Z"
    assert run.summary["response_time_ms"]["all"]["mean"] == pytest.approx(
        0.1 * np.mean(5000 + 100 * np.arange(50)) / 1e3
    )


def validate(path, services, thinks):
    """A measurement of one drive, in the format of DiskSim's: service and think times in us."""
    lines = [
        f"R Miss {100 * k} 8 {service:f} {think:f}"
        for k, (service, think) in enumerate(zip(services, thinks, strict=True))
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_measured_drive_is_a_run(tmp_path):
    services = [5000.0 + 37 * k for k in range(40)]
    run = run_of(validate(tmp_path / "drive.trace", services, [100.0] * 40))
    assert run.summary["response_time_ms"]["read"]["mean"] == pytest.approx(np.mean(services) / 1e3)
    assert run.summary["window"]["duration_s"] == pytest.approx((sum(services) + 39 * 100) / 1e6)
    # One outstanding: the time in flight is the service of all over the window.
    assert run.summary["workloads"][0]["in_flight_mean"] == pytest.approx(
        sum(services) / (sum(services) + 3900)
    )


def srt(path, requests):
    """HP's SRT: (us of the enqueue, start us, stop us, write)."""
    head = b"$$TR_IOREC-1.3 disks = { 0 -> { sectorsize = 256 } }\x0c"
    records = [
        struct.pack(
            ">14i",
            56,
            4 << 16 | 1,
            at // 10**6,
            at % 10**6,
            start,
            stop,
            4096,
            100,
            0,
            0,
            0,
            0 if write else 1,
            0,
            0,
        )
        for at, start, stop, write in requests
    ]
    path.write_bytes(head + b"".join(records))
    return path


def test_start_and_stop_of_the_service_are_hops(tmp_path):
    requests = [(1000 * k, 10 * k, 10 * k + 500 + k, k % 2 == 0) for k in range(20)]
    run = run_of(srt(tmp_path / "a.srt", requests))
    hops = {(row["hop"], row["op"]): row for row in run.table("hops").iter_rows(named=True)}
    for op, write in (("read", False), ("write", True)):
        own = [one for one in requests if one[3] == write]
        assert hops["host queue", op]["wait_ns"] == 1000 * sum(start for _, start, _, _ in own)
        assert hops["device", op]["service_ns"] == 1000 * sum(stop - start for _, start, stop, _ in own)
        assert hops["device", op]["requests"] == len(own)
        assert (hops["device", op]["path"], hops["device", op]["place"]) == ("hp-srt", "drive")


def test_a_part_of_a_trace_and_a_device_can_be_chosen(tmp_path):
    path, times, _, _, response = many(tmp_path / "a.csv", known=1.0)
    run = run_of(path, from_s=10.0, to_s=20.0)
    inside = (times >= 10 * 10**9) & (times < 20 * 10**9)
    assert run.summary["requests"]["count"] == inside.sum()
    assert run.table("series")["sum_ns"].sum() == response[inside].sum()


def test_a_meter_needs_a_date(tmp_path):
    path, *_ = many(tmp_path / "a.csv", count=50)
    (found,) = outputs.read_output(path)
    log = object.__new__(InstrumentLog)
    with refused("missing-figure", str(path)):
        measured_run(MeasuredAbout(name="x"), found, temperature=[log])


# recordings of blktrace


def busy(count=200, seed=5):
    """Requests on four CPUs that overlap; with the times that must come out."""
    rng = np.random.default_rng(seed)
    events, expected = [], []
    for k in range(count):
        queued = int(k * 50_000 + rng.integers(0, 40_000))
        waited, served = int(rng.integers(1_000, 90_000)), int(rng.integers(100_000, 4_000_000))
        write = bool(rng.random() < 0.4)
        cpu = int(rng.integers(0, 4))
        of = {"sector": 64 * k, "sectors": 8, "write": write}
        events += [
            Event(queued, "Q", cpu=cpu, **of),
            Event(queued + waited, "D", cpu=cpu, **of),
            Event(queued + waited + served, "C", cpu=(cpu + 1) % 4, **of),
        ]
        expected.append((queued, waited, served, write))
    return sorted(events, key=lambda event: event.time_ns), expected


def test_a_recording_is_a_run_with_queue_and_device(tmp_path):
    events, expected = busy()
    base = written(tmp_path / "sda", events, unix_s=1_700_000_000)
    run = run_of(base)
    assert run.summary["requests"]["count"] == 200
    assert run.plan["measured"]["start"].startswith("2023-11-14T22:13:20")
    hops = run.table("hops")
    series = run.table("series")
    for op, way in (("read", False), ("write", True)):
        own = [one for one in expected if one[3] == way]
        mine = hops.filter(pl.col("op") == op)
        for low, high in mine.select("low_ns", "high_ns").unique().iter_rows():
            # Each bin of response times has the parts of its own requests, to the nanosecond.
            of = [one for one in own if low <= one[1] + one[2] <= high]
            rows = {row["hop"]: row for row in mine.filter(pl.col("low_ns") == low).iter_rows(named=True)}
            assert rows["host queue"]["wait_ns"] == sum(waited for _, waited, _, _ in of)
            assert rows["device"]["service_ns"] == sum(served for _, _, served, _ in of)
            assert rows["device"]["requests"] == len(of)
            assert high - low <= low / 8
        assert mine["wait_ns"].sum() + mine["service_ns"].sum() == sum(w + s for _, w, s, _ in own)
        assert series.filter(pl.col("op") == op)["sum_ns"].sum() == sum(w + s for _, w, s, _ in own)
    whole = sum(w + s for _, w, s, _ in expected)
    first, last = min(q for q, *_ in expected), max(q + w + s for q, w, s, _ in expected)
    assert run.summary["workloads"][0]["in_flight_mean"] == pytest.approx(whole / (last - first), rel=1e-4)
    assert run.summary["throughput"]["iops"] == pytest.approx(200 / ((last - first) / 1e9), rel=1e-4)
    assert figures(run.notes[0]) == [200, 0, 200, 4]
    # A single file that is all of it reads the same.
    merged = tmp_path / "all.bin"
    merged.write_bytes(recording([Event(**{**vars(event), "cpu": 0}) for event in events], 1_700_000_000)[0])
    assert run_of(merged).summary["response_time_ms"] == run.summary["response_time_ms"]


def test_what_a_recording_did_not_see_is_said(tmp_path):
    events = [
        Event(900, "C", 5000),
        Event(1_000, "Q", 0),
        Event(1_100, "Q", 8),
        Event(1_110, "M", 8),
        Event(1_200, "D", 0, 16),
        Event(1_300, "R", 0, 16),
        Event(1_400, "D", 0, 16),
        Event(2_400, "C", 0, 16),
        Event(2_500, "Q", 100, write=True, lost=4),
        Event(2_600, "D", 100, write=True),
        Event(2_700, "C", 100, write=True, error=5),
        Event(2_800, "Q", 200),
    ]
    run = run_of(written(tmp_path / "sda", events))
    assert run.summary["requests"]["count"] == 2
    # Queued, merged and issued; back from the driver, failed, begun unseen, not done; lost.
    assert [figures(note)[:3] for note in run.notes[:5]] == [[4, 1, 3], [1], [1], [1], [1]]
    assert figures(run.notes[5])[0] == 4
    hops = run.table("hops")
    assert hops.filter(pl.col("hop") == "host queue")["wait_ns"].sum() == 400 + 300


def test_without_the_queueing_the_device_is_what_is_known(tmp_path):
    events, expected = busy(30)
    run = run_of(written(tmp_path / "sda", [event for event in events if event.action != "Q"]))
    mean = run.summary["response_time_ms"]["all"]["mean"]
    assert mean == pytest.approx(np.mean([served for _, _, served, _ in expected]) / 1e6)
    assert "(Q)" in "\n".join(run.notes)


def test_recordings_that_give_no_times_are_refused(tmp_path):
    base = written(tmp_path / "sda", [Event(5, "Q", 0), Event(9, "D", 0)])
    with refused("empty", str(base)) as caught:
        run_of(base)
    assert figures(caught.value.message) == [1, 1, 0]
    events, _ = busy(5)
    base = written(tmp_path / "sdb", events)
    with refused("unknown-name", str(base)) as caught:
        run_of(base, devices=["9,9"])
    assert "'9,9'" in caught.value.message and "8,0" in caught.value.message
    with refused("not-applicable", "pattern"):
        run_of(base, format="blktrace", pattern="x")
    assert run_of(base, devices=["8,0"]).summary["requests"]["count"] == 5


# any bytes

EVENTS = st.builds(
    Event,
    time_ns=st.integers(0, 3000),
    action=st.sampled_from("QMFRDCX"),
    sector=st.integers(0, 30),
    sectors=st.integers(0, 20),
    write=st.booleans(),
    error=st.integers(0, 1),
)


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    events=st.lists(EVENTS, max_size=60),
    damage=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), max_size=3),
)
def test_any_recording_is_read_or_refused(tmp_path, events, damage):
    data = bytearray(recording(events).get(0, b""))
    for at, byte in damage:
        if data:
            data[int(at * (len(data) - 1))] = byte
    path = tmp_path / "any.bin"
    path.write_bytes(bytes(data))
    try:
        (found,) = outputs.read_output(path, options={"format": "blktrace"})
    except InputError as error:
        assert str(error)
        return
    known = sum(part.known for part in found.totals)
    assert (
        known == found.read.total + found.write.total == sum(block.histogram.total for block in found.series)
    )
    spent = sum(hop.wait_ns + hop.service_ns for hop in found.hops)
    assert spent == sum(block.sum_ns for block in found.series)


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=200) | st.text("0123456789,RW \n.-", max_size=200).map(str.encode))
def test_any_file_is_a_run_or_refused(tmp_path, data):
    path = tmp_path / "any"
    path.write_bytes(data)
    try:
        (found,) = outputs.read_output(path)
    except InputError as error:
        assert str(error)
        return
    assert measured_run(MeasuredAbout(name="any"), found, interval_s=outputs.interval_s(found)).summary[
        "requests"
    ]["count"]
