"""`iowatt replay` as typed: real requests, a meter beside them, the same trace simulated."""

from __future__ import annotations

import contextlib
import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

import needs
from iowatt.run.bundle import Run
from refused import printed_code

SCENARIO = """\
name = "one-disk"

[[workload]]
name = "other"
trace = { path = "nothing.csv" }

[[array.pool]]
name = "disks"
device = "arrays2002-disk"
count = 1
"""


def wait_for_requests(place, process):
    """Wait until fio has opened the target, is past its start and has made a request on it."""
    deadline = time.monotonic() + 60
    while True:
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.02)
        for entry in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                words = (entry / "cmdline").read_bytes().split(b"\0")
                if not (words[0].endswith(b"fio") and (entry / "cwd").readlink().is_relative_to(place)):
                    continue
                if any(link.readlink() == place / "data" for link in (entry / "fd").iterdir()):
                    before = moved(entry)
                    while moved(entry) == before:
                        assert time.monotonic() < deadline
                        time.sleep(0.02)
                    return


def moved(entry):
    counts = dict(line.split(": ") for line in (entry / "io").read_text().splitlines())
    return int(counts["read_bytes"]) + int(counts["write_bytes"])


def wait_for_samples(place, process, number):
    """Wait until a meter has so many more samples on record."""
    (file,) = place.glob(".iowatt-partial-*/meters/wall.csv")
    begin, deadline = file.read_bytes().count(b"\n"), time.monotonic() + 60
    while file.read_bytes().count(b"\n") < begin + number:
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.02)


def iowatt(*words, cwd):
    command = [sys.executable, "-c", "from iowatt.cli.main import main; main()", "replay", *words]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, timeout=120)


@pytest.fixture
def place(disk_folder):
    """A folder with a trace of 200 requests in about 2 s, a meter that says 42 W and a scenario."""
    rng, at = random.Random(1), 0.0
    lines = ["time_ns,op,offset,size"]
    for _ in range(200):
        at += rng.expovariate(100)
        op = "read" if rng.random() < 0.6 else "write"
        lines.append(f"{round(at * 1e9)},{op},{4096 * rng.randrange(4000)},{rng.choice((4096, 8192))}")
    (disk_folder / "t.csv").write_text("\n".join(lines) + "\n")
    sensor = disk_folder / "sys" / "hwmon0"
    sensor.mkdir(parents=True)
    (sensor / "name").write_text("power_meter\n")
    (sensor / "power1_average").write_text("42000000\n")
    (disk_folder / "disk.toml").write_text(SCENARIO)
    return disk_folder


@pytest.mark.parametrize("engine", ["iowatt", pytest.param("fio", marks=needs.mark("fio"))])
def test_the_run_has_the_traces_requests_and_the_meters_watts(place, engine):
    meter = f"wall=hwmon:power_meter/power1?root={place / 'sys'}"
    words = ("t.csv", "--target", "data", "--size", "32MiB", "-o", "out", "--depth", "8")
    words += ("--engine", engine)
    done = iowatt(*words, "--meter", meter, "--sample-interval", "100ms", "--json", cwd=place)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["schema"] == "iowatt.replay/1"
    assert not (place / "data").exists()
    run = Run.open(place / "out")
    rows = pl.read_csv(place / "t.csv")
    reads = rows.filter(pl.col("op") == "read")
    assert run.summary["source"] == "replay"
    assert run.summary["requests"]["reads"] == reads.height
    assert run.summary["requests"]["bytes_read"] == reads["size"].sum()
    assert run.summary["requests"]["completed"] == 200
    seconds = (rows["time_ns"].max() - rows["time_ns"].min()) / 1e9
    assert run.summary["window"]["duration_s"] == pytest.approx(seconds, abs=1.0)
    assert run.summary["power_w"]["wall_mean"] == pytest.approx(42.0)
    joules = run.summary["energy"]["total_j"]
    assert joules == pytest.approx(42.0 * run.summary["window"]["duration_s"])
    assert run.summary["energy"]["per_request_j"] == pytest.approx(joules / 200)
    assert [one["name"] for one in run.summary["instruments"]] == ["wall"]
    latency = run.table("latency")
    assert latency["count"].sum() == 200
    assert (place / "out" / "meters" / "wall.csv").exists()
    assert ".iowatt-partial" not in (place / "out" / "run.json").read_text()
    assert any(one["path"].endswith("t.csv") for one in run.summary["provenance"]["inputs"])
    assert found["lateness"]["mean_ms"] >= 0
    (space,) = run.summary["heat"]["spaces"]
    assert (space["reads"], space["bytes_written"]) == (
        reads.height,
        rows.filter(pl.col("op") == "write")["size"].sum(),
    )
    assert run.table("heat")["extent"].max() <= (32 << 20) // run.summary["heat"]["extent_bytes"]
    command = [sys.executable, "-c", "from iowatt.cli.main import main; main()", "heat", "out"]
    shown = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
    assert shown.returncode == 0, shown.stderr
    assert (place / "iowatt.sqlite").exists()


def test_the_same_requests_are_simulated_beside_it(place):
    words = ("t.csv", "--target", "data", "--size", "32MiB", "-o", "out", "--scenario", "disk.toml")
    changes = ("--set", "array.pool.disks.count=2", "--set", "array.pool.disks.raid.level=0")
    done = iowatt(*words, *changes, "--json", cwd=place)
    assert done.returncode == 0, done.stderr
    beside = json.loads(done.stdout)["simulated"]
    figures = {(one["figure"], one["unit"]): one for one in beside["comparison"]}
    assert len(figures) == len(beside["comparison"]) == 13
    assert figures["energy per request", "J"]["simulated"] > 0
    due = figures["response time from the trace's moment, mean", "ms"]
    assert due["measured"] >= figures["response time, mean", "ms"]["measured"]
    assert due["ratio"] == pytest.approx(due["simulated"] / due["measured"])
    assert [note["code"] for note in beside["notes"]] == ["no-meter", "drives-alone"]
    simulated = Run.open(place / "out" / "simulated")
    measured = Run.open(place / "out")
    for key in ("reads", "writes", "bytes_read", "bytes_written"):
        assert simulated.summary["requests"][key] == measured.summary["requests"][key]
    assert len(simulated.summary["devices"]) == 2
    page = (place / "out" / "comparison.html").read_text()
    assert "one-disk" in page


def test_speed_and_fold_are_said(place):
    words = ("t.csv", "--target", "data", "--size", "4MiB", "-o", "out", "--speed", "4", "--fold", "--notes")
    done = iowatt(*words, cwd=place)
    assert done.returncode == 0, done.stderr
    assert " 4194304 " in done.stdout
    assert Run.open(place / "out").summary["window"]["duration_s"] < 1.5
    assert pl.read_parquet(place / "out" / "trace.parquet")["offset"].max() < 4 << 20


@pytest.mark.parametrize(
    ("words", "code", "named"),
    [
        (("--target", "data"), "not-found", "--size"),
        (("--target", "t.csv"), "unsafe-target", "--erase"),
        (("--target", "data", "--size", "4MiB"), "out-of-range", "--fold"),
        (("--target", "data", "--size", "32MiB", "--meter", "snmq://x"), "unknown-name", "snmq"),
        (
            ("--target", "data", "--size", "32MiB", "--meter", "hwmon:power_meter/power9?root=sys"),
            "unknown-name",
            "power9",
        ),
        (("--target", "data", "--size", "32MiB", "--scenario", "none.toml"), "not-found", "none.toml"),
        (("--target", "data", "--size", "32MiB", "--place", "end-to-nowhere"), "bad-syntax", "--place"),
    ],
)
def test_what_is_wrong_leaves_nothing(place, words, code, named):
    before = sorted(path.name for path in place.iterdir())
    done = iowatt("t.csv", *words, "-o", "out", cwd=place)
    assert done.returncode == 2, done.stdout
    assert printed_code(done.stderr) == code
    assert named in done.stderr
    assert sorted(path.name for path in place.iterdir()) == before


def test_an_existing_file_is_kept_and_replaced_only_where_it_is_named_twice(place):
    (place / "data").write_bytes(b"\1" * (32 << 20))
    done = iowatt("t.csv", "--target", "data", "--erase", "data", "-o", "out", "--speed", "20", cwd=place)
    assert done.returncode == 0, done.stderr
    assert (place / "data").stat().st_size == 32 << 20
    assert (place / "data").read_bytes() != b"\1" * (32 << 20)


def test_a_trace_that_only_reads_leaves_the_target_as_it_was(place):
    rows = pl.read_csv(place / "t.csv").with_columns(op=pl.lit("read"))
    rows.write_csv(place / "r.csv")
    (place / "data").write_bytes(b"\1" * (32 << 20))
    done = iowatt("r.csv", "--target", "data", "-o", "out", "--speed", "20", cwd=place)
    assert done.returncode == 0, done.stderr
    assert (place / "data").read_bytes() == b"\1" * (32 << 20)
    assert Run.open(place / "out").summary["requests"]["writes"] == 0


@needs.mark("fio")
def test_an_interruption_ends_fio_and_leaves_nothing(place):
    """Ctrl-C while fio waits for a request that is far away."""
    far = pl.read_csv(place / "t.csv").with_columns(
        time_ns=pl.col("time_ns") + pl.int_range(pl.len()) * 10**9
    )
    far.write_csv(place / "far.csv")
    before = sorted(path.name for path in place.iterdir())
    words = ["replay", "far.csv", "--target", "data", "--size", "32MiB", "-o", "out", "--engine", "fio"]
    command = [sys.executable, "-c", "from iowatt.cli.main import main; main()", *words]
    with subprocess.Popen(command, cwd=place, stderr=subprocess.PIPE, text=True) as process:
        for line in process.stderr:
            if "replaying" in line:
                break
        wait_for_requests(place, process)
        process.send_signal(signal.SIGINT)
        said = process.stderr.read()
    assert process.returncode == 130, said
    assert sorted(path.name for path in place.iterdir()) == before
    assert "Traceback" not in said
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            words = entry.read_bytes().split(b"\0")
            here = entry.with_name("cwd").readlink().is_relative_to(place)
            assert not (here and words[0].endswith(b"fio"))


@needs.mark("fio")
def test_a_meter_that_dies_leaves_a_gap_and_no_energy(place):
    slow = pl.read_csv(place / "t.csv").with_columns(time_ns=pl.col("time_ns") * 3)
    slow.write_csv(place / "slow.csv")
    meter = f"wall=hwmon:power_meter/power1?root={place / 'sys'}"
    words = ["replay", "slow.csv", "--target", "data", "--size", "32MiB", "-o", "out", "--meter", meter]
    words += ["--engine", "fio"]
    command = [sys.executable, "-c", "from iowatt.cli.main import main; main()", *words]
    with subprocess.Popen(
        [*command, "--sample-interval", "100ms"],
        cwd=place,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        for line in process.stderr:
            if "replaying" in line:
                break
        wait_for_requests(place, process)
        wait_for_samples(place, process, 10)
        (place / "sys" / "hwmon0" / "power1_average").unlink()
        said = process.stderr.read()
    assert process.returncode == 0, said
    run = Run.open(place / "out")
    assert run.summary["requests"]["completed"] == 200
    watts = run.table("intervals")["wall_w"].to_list()
    assert watts[0] == pytest.approx(42.0)
    assert watts[-1] is None
    assert run.summary["energy"]["total_j"] is None
    assert any(problem["kind"] == "failure" for problem in run.summary["instruments"][0]["problems"])


def test_no_secret_of_an_instrument_is_written_down(place):
    needs.modules("snmpsim")
    from loopback import snmp

    with snmp.pdu(place / "agent", 240.0) as pdu:
        community = pdu.url.rpartition("community=")[2].partition("&")[0]
        assert community
        words = ("t.csv", "--target", "data", "--size", "32MiB", "-o", "out")
        done = iowatt(*words, "--meter", f"pdu={pdu.url}", "--sample-interval", "100ms", cwd=place)
    assert done.returncode == 0, done.stderr
    kept = json.loads((place / "out" / "run.json").read_text())["provenance"]["command"]
    assert "--meter" in kept and "pdu=snmp://" in kept and "community=***" in kept
    for path in (place / "out").rglob("*"):
        if path.suffix in (".json", ".csv", ".html", ".toml"):
            assert f"community={community}" not in path.read_text("utf-8", "replace"), path
