"""Histogram logs of fio over time: added bin by bin whatever their grids, and held against the JSON."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from figures import figures
from iowatt.base.errors import InputError
from iowatt.run.histogram import Histogram
from iowatt.sources.fio import document, histograms, over_time, read
from refused import refused

SAMPLE = Path(__file__).parents[1] / "data" / "fio-hist"


def copied(folder, *, without=(), change=None):
    for file in SAMPLE.iterdir():
        if not any(part in file.name for part in (*without, "README")):
            shutil.copy(file, folder)
    if change is not None:
        found = json.loads((folder / "out.json").read_text())
        change(found)
        (folder / "out.json").write_text(json.dumps(found))
    return folder


@pytest.fixture
def windows(tmp_path):
    """The sample with histogram logs alone."""
    return copied(tmp_path, without=("_lat.", "_clat."))


def of(found, op):
    return [block for block in found.series if block.op == op]


def test_blocks_add_up_to_the_bins_of_the_json(windows):
    found = read(windows, interval_s=1)
    jobs = document.read(windows / "out.json").jobs
    for op in ("read", "write"):
        blocks = of(found, op)
        assert sum(block.histogram.total for block in blocks) == getattr(found, op).total
        assert sum(block.sum_ns for block in blocks) == pytest.approx(
            sum(job.of(op).completion_mean_s * job.of(op).completions for job in jobs) * 1e9, abs=len(blocks)
        )
    assert {round(block.end - block.start, 3) for block in found.series[:-2]} == {0.5}
    assert figures(found.series_note)[:2] == [3, 0.5]
    assert not any("histogram" in said for said in found.warnings)


def test_all_jobs_are_in_the_bins_of_the_coarsest_log(windows):
    """Job 1 logs fio's own bins, job 3 thirty-two of them in one: added, they must not overlap."""
    blocks = [block for block in read(windows, interval_s=1).series if block.op == "write"]
    whole = Histogram.merged([block.histogram for block in blocks])
    assert (whole.low_ns[1:] > whole.high_ns[:-1]).all()
    jobs = document.read(windows / "out.json").jobs
    fine = Histogram.merged([job.write.completion_histogram for job in jobs])
    assert over_time.coarsen(fine, 5).count.tolist() == whole.count.tolist()


def test_logs_of_each_request_are_exact(tmp_path):
    found = read(copied(tmp_path), interval_s=1)
    rows = [
        [int(part) for part in row.split(",")]
        for number in (1, 2, 3)
        for row in (SAMPLE / f"x_lat.{number}.log").read_text().split("\n")
        if row
    ]
    for way, op in enumerate(("read", "write")):
        values = np.array([row[1] for row in rows if row[2] == way])
        blocks = of(found, op)
        assert sum(block.histogram.total for block in blocks) == values.size
        assert sum(block.sum_ns for block in blocks) == values.sum()
        assert max(block.max_ns for block in blocks) == values.max()
    assert "(lat)" in found.series_note


def test_submission_and_completion_are_the_response_time(tmp_path):
    found = read(copied(tmp_path), interval_s=1)
    jobs = json.loads((SAMPLE / "out.json").read_text())["jobs"]
    hops = {(hop.name, hop.op): hop for hop in found.hops}
    assert set(hops) == {(name, op) for name in ("submission", "completion") for op in ("read", "write")}
    for op in ("read", "write"):
        whole = sum(job[op]["lat_ns"]["mean"] * job[op]["lat_ns"]["N"] for job in jobs)
        parts = [hops[name, op] for name in ("submission", "completion")]
        assert sum(part.service_ns for part in parts) == pytest.approx(whole, abs=2)
        assert parts[0].requests == parts[1].requests == sum(job[op]["total_ios"] for job in jobs)
    # Of the job that queues, fio says both: they are the difference.
    queued = jobs[1]["read"]
    ours = over_time.hops(document.read(SAMPLE / "out.json").jobs[1:2])[0]
    assert ours.service_ns == pytest.approx(queued["slat_ns"]["mean"] * queued["slat_ns"]["N"], abs=2)


def without_bins(found):
    for job in found["jobs"]:
        for direction in ("read", "write"):
            job[direction]["clat_ns"].pop("bins", None)


def test_without_bins_in_the_json_the_logs_give_them(tmp_path):
    exact = read(copied(tmp_path, change=without_bins), interval_s=1)
    assert figures(exact.histogram_note) == [0.1]
    assert (exact.read.total, exact.write.total) == (360, 221)
    for file in [*tmp_path.glob("x_lat*"), *tmp_path.glob("x_clat.*")]:
        file.unlink()
    cut = read(tmp_path, interval_s=1)
    assert 400 < cut.read.total + cut.write.total < 581
    assert {cut.read.total + cut.write.total, 581} <= set(figures(cut.histogram_note))
    # The windows' own requests, as they are with the bins: the same but for the end.
    assert cut.read.quantile(0.5) == pytest.approx(exact.read.quantile(0.5), rel=0.2)


def test_group_reporting_is_refused_with_histogram_logs_too(windows, tmp_path):
    """fio then joins jobs in the JSON, while each writes its own log: nothing tells whose they are."""

    def grouped(found):
        found["global options"]["group_reporting"] = "1"
        found["jobs"] = found["jobs"][:1]

    text = json.loads((windows / "out.json").read_text())
    text.setdefault("global options", {})
    (windows / "out.json").write_text(json.dumps(text))
    copied(tmp_path, without=("_lat.", "_clat."), change=grouped)
    with refused("unsupported", str(tmp_path / "out.json")):
        read(tmp_path)


def test_logs_of_a_job_that_is_not_there_are_refused(windows):
    shutil.copy(windows / "x_clat_hist.1.log", windows / "x_clat_hist.9.log")
    with refused("not-comparable", str(windows / "x_clat_hist.9.log")):
        read(windows)


def test_a_part_of_the_jobs_is_not_all_of_them(windows):
    (windows / "x_clat_hist.2.log").unlink()
    found = read(windows, interval_s=1)
    assert not found.series
    assert any("queued" in said for said in found.warnings)


def test_a_log_of_another_day_is_refused(windows):
    path = windows / "x_clat_hist.3.log"
    rows = [row.split(",", 1) for row in path.read_text().split("\n") if row]
    path.write_text("".join(f"{int(time) - 86_400_000},{rest}\n" for time, rest in rows))
    with refused("not-comparable", str(path)):
        read(windows)


def test_a_log_with_more_requests_than_the_json_is_left_out(windows):
    path = windows / "x_clat_hist.3.log"
    lines = path.read_text().split("\n")
    path.write_text("\n".join([*lines[:-1], *lines]))
    found = read(windows, interval_s=1)
    assert not found.series
    assert any(101 in figures(said) for said in found.warnings)


def test_zeros_only_are_no_times(windows):
    path = windows / "x_clat_hist.3.log"
    rows = [row.split(", ") for row in path.read_text().split("\n") if row]
    path.write_text("".join(", ".join([*row[:3], *["0"] * (len(row) - 3)]) + "\n" for row in rows))
    found = read(windows, interval_s=1)
    assert any("clat_percentiles=0" in said for said in found.warnings)


def row(time, way, at, coarse=0, count=1):
    """A row with some requests in one bin."""
    counts = ["0"] * (histograms.BINS >> coarse)
    counts[at] = str(count)
    return ", ".join([str(time), str(way), "4096", *counts]) + "\n"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("100, 0, 4096, 1, 2\n", 1),
        (row(100, 0, 3) + row(200, 0, 3, 1), 2),
        (row(100, 0, 3).replace(" 1,", " 18446744073709551612,", 1), 1),
        (row(100, 0, 3).replace(" 1,", " -1,", 1), 1),
        ("1" * 60_000, 1),
        (", ".join(["100", "0", "4096", *["1"] * 1216]) + "\n", 1),
    ],
)
def test_what_is_no_row_is_said(tmp_path, text, line):
    path = tmp_path / "x_clat_hist.1.log"
    path.write_text(text)
    with refused("damaged", f"{path}:{line}") as caught:
        histograms.read_log(path)
    assert "fio 2" in caught.value.hint


def test_trims_and_a_cut_row_are_passed_over(tmp_path):
    path = tmp_path / "x_clat_hist.1.log"
    path.write_text(row(100, 2, 3, 2) + row(200, 1, 70, 2, 5) + row(300, 0, 3, 2)[:40])
    log = histograms.read_log(path)
    assert (len(log.windows), log.cut, log.coarseness, log.windows[0].total) == (1, True, 2, 5)
    low, high = histograms.bin_ranges(np.array([280]), np.array([283]))
    assert (log.windows[0].low_ns[0], log.windows[0].high_ns[0]) == (low[0], high[0])


def test_the_last_bin_ends_with_the_longest_time():
    low, high = histograms.bin_ranges(
        np.array([histograms.BINS - 1]), np.array([histograms.BINS - 1]), 40_000_000_000
    )
    assert (low[0], high[0]) == (17_045_651_456, 40_000_000_000)
    of_json = histograms.json_histogram({"17112760320": 2, "100": 1}, "bins", "here", 40_000_000_000)
    assert of_json.high_ns.tolist() == [100, 40_000_000_000]


def job(name, number, reads, runtime_s, options):
    """A job whose JSON says no more than how many reads it did."""
    bins_of = Histogram.of([], [], [])
    done = document.JobCounts(reads, reads * 4096, runtime_s, reads, 1e-3, 0.0, 1e-3, bins_of)
    none = document.JobCounts(0, 0, 0.0, 0, 0.0, 0.0, 0.0, bins_of)
    return document.FioJob(name, number, options, done, none, 0, runtime_s, None, 0, 0)


def test_grids_of_jobs_are_joined_without_splitting_a_window(tmp_path):
    """Windows of 200 ms and of 300 ms that begin 50 ms later: blocks of 600 ms hold three and two of them."""
    texts = {
        1: "".join(row(1000 + 200 * k, 0, 65, count=10) for k in range(1, 10)),
        2: "".join(row(1050 + 300 * k, 0, 200, count=7) for k in range(1, 7)),
    }
    parts = []
    for number, text in texts.items():
        path = tmp_path / f"x_clat_hist.{number}.log"
        path.write_text(text)
        width = 200 if number == 1 else 300
        one = job(f"job{number}", number, 90 if number == 1 else 42, 1.8, {"log_hist_msec": str(width)})
        begin = 1.0 + 0.05 * (number == 2)
        parts.append(over_time.PlacedLog(one, histograms.read_log(path), 0.0, begin, begin + 1.8))
    warnings: list[str] = []
    blocks = over_time.histogram_blocks(parts, 1.0, 2.85, warnings)
    assert [block.histogram.total for block in blocks] == [44, 44, 44]
    assert [(round(b.start, 3), round(b.end, 3)) for b in blocks] == [(1.0, 1.6), (1.6, 2.2), (2.2, 2.8)]
    for block in blocks:
        assert block.histogram.count.tolist() == [30, 14]
        # 30 of 44 are at most 65 ns: percentiles of what was added, no mean of percentiles.
        assert (block.histogram.quantile(0.68), block.histogram.quantile(0.69)) == (65, 291)
    assert not warnings


def test_late_windows_are_said(tmp_path):
    path = tmp_path / "x_clat_hist.1.log"
    path.write_text(row(1200, 0, 65, count=4) + row(2000, 0, 65, count=6))
    one = job("slow", 1, 10, 1.0, {"log_hist_msec": "200"})
    warnings: list[str] = []
    blocks = over_time.histogram_blocks(
        [over_time.PlacedLog(one, histograms.read_log(path), 0.0, 1.0, 2.0)], 1.0, 2.0, warnings
    )
    assert [(round(b.start, 1), b.histogram.total) for b in blocks] == [(1.0, 4), (1.8, 6)]
    assert figures(warnings[0])[:2] == [1, 1.5]


@settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=200) | st.text("0123456789, \n-", max_size=300).map(str.encode))
def test_any_bytes_are_a_log_or_refused(tmp_path, data):
    path = tmp_path / "x_clat_hist.1.log"
    path.write_bytes(data)
    try:
        histograms.read_log(path)
    except InputError as error:
        assert str(error)


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    at=st.floats(0, 1),
    word=st.sampled_from([b"", b",", b"\n", b"9" * 30, b"-1", b"\xff", b"a", b", 0", b"18"]),
)
def test_damaged_logs_are_read_or_refused(windows, at, word):
    path = windows / "x_clat_hist.2.log"
    data = (SAMPLE / path.name).read_bytes()
    cut = int(at * len(data))
    path.write_bytes(data[:cut] + word + data[cut + len(word) :])
    try:
        found = read(windows, interval_s=1)
    except InputError as error:
        assert str(error)
        return
    assert all(block.histogram.total > 0 and block.start <= block.end for block in found.series)


@given(value=st.integers(0, 17_000_000_000))
def test_a_value_lies_in_the_bin_of_its_number(value):
    number = histograms.bin_number(np.array([value]))
    low, high = histograms.bin_ranges(number, number)
    assert low[0] <= value <= high[0]
    assert histograms.bin_bounds(int(low[0] + (high[0] - low[0] + 1) // 2)) == (low[0], high[0])


def test_histogram_logs_alone_give_intervals(windows):
    found = read(windows, interval_s=1)
    assert [round(part.end - found.start, 2) for part in found.intervals[:2]] == [1.0, 2.0]
    for way, op in enumerate(("read", "write")):
        parts = [getattr(part, op) for part in found.intervals]
        total = found.totals[way]
        assert sum(part.requests for part in parts) == total.requests
        assert sum(part.bytes for part in parts) == total.bytes
        spent = sum(part.requests * (part.response_mean_s or 0.0) for part in parts)
        assert spent == pytest.approx(total.requests * total.response_mean_s)
    assert not found.warnings
