"""fio's JSON and logs: the sample, and what the fio that is installed writes."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

import needs
from figures import figures
from iowatt.sources.fio import read
from iowatt.sources.fio.histograms import bin_bounds
from refused import refused

SAMPLE = Path(__file__).parents[1] / "data" / "fio"
JSON = SAMPLE / "json_plus_3.33_sample.json"
needs_fio = needs.mark("fio")


def sums(found, of):
    return sum(getattr(part, of).requests for part in found.intervals)


def a_copy(folder, change):
    document = json.loads(JSON.read_text())
    change(document)
    path = folder / "out.json"
    path.write_text(json.dumps(document))
    return path


def test_the_sample_adds_up():
    found = read(JSON, interval_s=1)
    assert (found.tool, found.version, found.asked_iops, found.warnings) == ("fio", "fio-3.33", 1000.0, [])
    assert [part.read.requests for part in found.intervals] == [501, 499, 500]
    assert (found.totals[0].requests, found.totals[1].requests) == (1500, 1500)
    assert found.start == pytest.approx(1795189521.833)
    assert found.intervals[-1].end == found.end == pytest.approx(1795189524.834)
    assert sum(part.read.bytes for part in found.intervals) == 12_288_000
    assert (found.read.total, found.write.total) == (1500, 1500)
    # fio's own percentiles are middles of bins, ours their upper ends.
    assert found.read.quantile(0.99) == bin_bounds(1304)[1]


def test_means_are_weighted_by_requests():
    found = read(JSON, interval_s=60)
    (minute,) = found.intervals
    assert minute.read.response_mean_s == pytest.approx(found.totals[0].response_mean_s, rel=0.01)


@pytest.mark.parametrize(
    ("middle", "low", "high"), [(35, 35, 35), (127, 127, 127), (141, 140, 141), (1032, 1024, 1039)]
)
def test_a_bin_is_named_by_its_middle(middle, low, high):
    assert bin_bounds(middle) == (low, high)


def test_without_logs_the_run_is_one_interval(tmp_path):
    shutil.copy(JSON, tmp_path)
    found = read(tmp_path, interval_s=1)
    assert len(found.intervals) == 1
    assert len(found.warnings) == 1
    assert found.end == 1795189524.846


@pytest.mark.parametrize(
    ("change", "code", "key", "named"),
    [
        (lambda d: d.update({"global options": {"group_reporting": "1"}}), "unsupported", "",
         "group_reporting"),
        (lambda d: d["jobs"][0]["job options"].update(group_reporting=""), "unsupported", "",
         "group_reporting"),
        (lambda d: d["jobs"][0]["job options"].update(numjobs="4"), "unsupported", "", "(numjobs)"),
        (lambda d: d["jobs"][0].update(job_runtime=9003), "unsupported", "", "9.003 s"),
        (lambda d: d.update({"fio version": "fio-2.21"}), "unsupported", "", "fio-2.21"),
        (lambda d: d.update(client_stats=[]), "unsupported", "", "client"),
        (lambda d: d.update(jobs=[]), "empty", "", ""),
        (lambda d: d["jobs"][0]["read"].update(total_ios=-1), "out-of-range",
         "read, total_ios", "-1"),
        (lambda d: d["jobs"][0]["read"].update(total_ios="many"), "wrong-type",
         "read, total_ios", "many"),
        (lambda d: d["jobs"][0]["read"]["clat_ns"]["bins"].update(x=1), "bad-syntax",
         "read, clat_ns.bins", "'x'"),
        (lambda d: d["jobs"][0].pop("write"), "missing", "write", ""),
    ],
)  # fmt: skip
def test_what_cannot_be_trusted_is_refused_with_the_reason(tmp_path, change, code, key, named):
    path = a_copy(tmp_path, change)
    with refused(code, f"{path}: job 'a', {key}" if key else str(path)) as caught:
        read(path)
    assert named in caught.value.message


def test_a_file_that_was_cut_is_refused(tmp_path):
    (tmp_path / "out.json").write_text(JSON.read_text()[:9000])
    with refused("damaged", str(tmp_path / "out.json")):
        read(tmp_path / "out.json")
    (tmp_path / "out.json").write_text("")
    with refused("empty", str(tmp_path / "out.json")):
        read(tmp_path / "out.json")


@pytest.mark.parametrize(
    ("change", "code", "line", "named"),
    [
        (lambda text: text.replace("1795189", "1795188"), "not-comparable", "", "json_plus_3.33_sample.json"),
        (lambda text: text.replace(", 501, ", ", 50, "), "not-comparable", "", "1500"),
        (lambda text: text.replace(", 501, ", ", 5010, "), "not-comparable", "", "1500"),
        (lambda text: text.replace(", 501, ", ", many, "), "damaged", ":1", "many"),
    ],
)
def test_a_log_of_another_run_is_refused(tmp_path, change, code, line, named):
    for path in SAMPLE.iterdir():
        shutil.copy(path, tmp_path)
    log = tmp_path / "x_iops.1.log"
    log.write_text(change(log.read_text()))
    with refused(code, f"{log}{line}") as caught:
        read(tmp_path / JSON.name)
    assert named in caught.value.message


def test_a_log_of_another_name_or_job_is_refused(tmp_path):
    path = a_copy(tmp_path, lambda d: d["jobs"][0]["job options"].update(write_iops_log="hot1"))
    for name in ("x_iops.1.log", "x_lat.1.log"):
        shutil.copy(SAMPLE / name, tmp_path)
    with refused("not-comparable", str(tmp_path / "x_iops.1.log")) as caught:
        read(path)
    assert "'hot1'" in caught.value.message
    (tmp_path / "x_iops.1.log").rename(tmp_path / "hot1_iops.1.log")
    assert len(read(path, interval_s=1).intervals) == 3
    shutil.copy(SAMPLE / "x_lat.1.log", tmp_path / "x_lat.2.log")
    with refused("not-comparable", str(tmp_path / "x_lat.2.log")):
        read(path)


def test_the_end_of_a_killed_log_is_left_out_and_said(tmp_path):
    for path in SAMPLE.iterdir():
        shutil.copy(path, tmp_path)
    log = tmp_path / "x_lat.1.log"
    log.write_text(log.read_text() + "17951895258")
    found = read(tmp_path / JSON.name)
    assert any("x_lat.1.log" in said for said in found.warnings)


def test_windows_of_maxima_are_refused(tmp_path):
    for path in SAMPLE.iterdir():
        shutil.copy(path, tmp_path)
    path = a_copy(tmp_path, lambda d: d["jobs"][0]["job options"].update(log_window_value="both"))
    with refused("unsupported", str(tmp_path / "x_iops.1.log")) as caught:
        read(path)
    assert "log_window_value=both" in caught.value.message


def fio(folder, *words):
    subprocess.run(["fio", *words], cwd=folder, check=True, capture_output=True, timeout=60)


TWO_JOBS = """\
[global]
ioengine=null
size=1g
runtime=3
time_based=1
rate_process=poisson
log_avg_msec=1000
log_unix_epoch=1
[hot]
rw=randrw
bs=8k
rate_iops=400,200
write_iops_log=hot
write_bw_log=hot
write_lat_log=hot
[seq]
rw=read
bs=256k
rate_iops=100
numjobs=2
write_iops_log=seq
write_bw_log=seq
write_lat_log=seq
"""


@needs_fio
def test_the_installed_fio_adds_up(tmp_path):
    (tmp_path / "a.fio").write_text(TWO_JOBS)
    fio(tmp_path, "--output-format=json+", "--output=out.json", "a.fio")
    found = read(tmp_path / "out.json", interval_s=1)
    jobs = json.loads((tmp_path / "out.json").read_text())["jobs"]
    assert sums(found, "read") == sum(job["read"]["total_ios"] for job in jobs)
    assert sums(found, "write") == sum(job["write"]["total_ios"] for job in jobs)
    assert sum(part.read.bytes for part in found.intervals) == sum(job["read"]["io_bytes"] for job in jobs)
    assert found.asked_iops == 800
    assert [(share.stream, share.asked) for share in found.shares] == [("hot", 75.0), ("seq", 25.0)]
    assert sum(share.observed for share in found.shares) == pytest.approx(100)
    assert found.read.total == found.totals[0].requests
    assert len(found.intervals) == 3
    document = json.loads((tmp_path / "out.json").read_text())
    assert -0.002 < document["timestamp_ms"] / 1000 - found.end < 2


@needs_fio
@pytest.mark.parametrize("place", ["file", "command line"])
def test_group_reporting_of_the_installed_fio_is_refused(tmp_path, place):
    text = TWO_JOBS.replace("numjobs=2\n", "").replace("runtime=3", "runtime=1")
    if place == "file":
        text = text.replace("[global]", "[global]\ngroup_reporting")
    (tmp_path / "a.fio").write_text(text)
    fio(
        tmp_path,
        "--output-format=json+",
        "--output=out.json",
        "--group_reporting" if place != "file" else "--eta=never",
        "a.fio",
    )
    with refused("unsupported", str(tmp_path / "out.json")):
        read(tmp_path / "out.json")


@needs_fio
def test_a_log_of_every_request_of_a_file_is_exact(tmp_path):
    fio(
        tmp_path, "--name=x", "--filename=data", "--size=4m", "--rw=randrw", "--bssplit=4k/50:16k/50",
        "--ioengine=psync", "--log_unix_epoch=1", "--write_lat_log=x", "--output-format=json+",
        "--output=out.json",
    )  # fmt: skip
    found = read(tmp_path / "out.json", interval_s=1)
    job = json.loads((tmp_path / "out.json").read_text())["jobs"][0]
    assert sums(found, "write") == job["write"]["total_ios"]
    assert sum(part.write.bytes for part in found.intervals) == job["write"]["io_bytes"]
    longest = max(part.write.response_max_s for part in found.intervals)
    assert longest == pytest.approx(job["write"]["lat_ns"]["max"] / 1e9)


@needs_fio
def test_a_rate_that_was_not_kept_up_is_named(tmp_path):
    fio(
        tmp_path, "--name=x", "--ioengine=null", "--size=1g", "--rw=read", "--rate_iops=1000",
        "--thinktime=20ms", "--runtime=1", "--time_based", "--output-format=json", "--output=out.json",
    )  # fmt: skip
    found = read(tmp_path / "out.json")
    assert any(1000 in figures(said) for said in found.warnings)
    assert any("json+" in said for said in found.warnings)


def test_a_late_row_of_the_latency_log_speaks_for_the_window_before(tmp_path):
    """At low rates fio writes it with the first completion after its window."""
    for path in SAMPLE.iterdir():
        shutil.copy(path, tmp_path)
    log = tmp_path / "x_lat.1.log"
    rows = [line.split(", ") for line in log.read_text().splitlines()]
    late = [", ".join([str(int(row[0]) + 700), *row[1:]]) for row in rows]
    log.write_text("\n".join(late) + "\n")
    found = read(tmp_path / "json_plus_3.33_sample.json", interval_s=1)
    plain = read(JSON, interval_s=1)
    for k, interval in enumerate(found.intervals):
        assert interval.read.response_mean_s is not None, k
    total = sum(i.read.requests * i.read.response_mean_s for i in found.intervals if i.read.requests)
    known = sum(i.read.requests * i.read.response_mean_s for i in plain.intervals if i.read.requests)
    assert total == pytest.approx(known, rel=0.01)
