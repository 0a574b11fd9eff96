"""Bad input: exit 2, a message that names the file and the place, no traceback, no bundle left."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import pytest
import small_arrays

from refused import printed_code

GOOD = ["0,R,0,4096", "1000,W,8192,4096", "2000,R,4096,4096"]


def iowatt(folder: Path, *arguments: str, **options) -> subprocess.CompletedProcess:
    """The command line as a user runs it."""
    command = [sys.executable, "-c", "from iowatt.cli.main import main; main()", *arguments]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=120, check=False, **options
    )


def assert_refused(folder: Path, result: subprocess.CompletedProcess, *said: str) -> None:
    assert result.returncode == 2, result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""
    for words in said:
        assert words in result.stderr
    assert not (folder / "out").exists()
    assert not list(folder.glob(".iowatt-partial-*"))


def with_trace(folder: Path, *lines: str, header: str = small_arrays.HEADER) -> Path:
    small_arrays.one_pool(folder, None)
    return small_arrays.write_trace(folder / "trace.csv", list(lines), header)


def test_the_good_case_that_the_others_are_made_from(tmp_path):
    with_trace(tmp_path, *GOOD)
    result = iowatt(tmp_path, "run", "scenario.toml", "-o", "out")
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "out" / "run.json").is_file()


# Lines of a trace, and what the message must say: the file with the line, and the reason.
BAD_LINES = {
    "too few columns": (["0,R,0,4096", "1000,W,8192"], ["trace.csv:3"]),
    "negative time": (["-5,R,0,4096"], ["trace.csv:2"]),
    "time going backwards": (["5000000,R,0,4096", "0,R,0,4096"], ["trace.csv:3"]),
    "past the end of the volume": (["0,R,0,4096", f"1000,R,{1 << 50},4096"], ["trace.csv:3", "volume 'db'"]),
    "zero size": (["0,R,0,0"], ["trace.csv:2"]),
    "nan": (["nan,R,0,4096"], ["trace.csv:2"]),
    "no number": (["0,R,zero,4096"], ["trace.csv:2"]),
    "unknown operation": (["0,X,0,4096"], ["trace.csv:2"]),
}


@pytest.mark.parametrize("case", BAD_LINES)
def test_a_bad_line(tmp_path, case):
    lines, said = BAD_LINES[case]
    with_trace(tmp_path, *lines)
    assert_refused(tmp_path, iowatt(tmp_path, "run", "scenario.toml", "-o", "out"), *said)


def test_an_empty_trace(tmp_path):
    small_arrays.one_pool(tmp_path, None)
    for content in ("", small_arrays.HEADER + "\n"):
        (tmp_path / "trace.csv").write_text(content)
        assert_refused(tmp_path, iowatt(tmp_path, "run", "scenario.toml", "-o", "out"), "trace.csv")


def test_a_truncated_gzip(tmp_path):
    small_arrays.one_pool(tmp_path, None, trace="trace.csv.gz")
    whole = gzip.compress("\n".join([small_arrays.HEADER, *small_arrays.requests(2000)]).encode())
    (tmp_path / "trace.csv.gz").write_bytes(whole[: len(whole) // 2])
    assert_refused(tmp_path, iowatt(tmp_path, "run", "scenario.toml", "-o", "out"), "trace.csv.gz")


@pytest.mark.parametrize("name", ["trace.bin", "trace.csv", "trace.csv.zst", "trace.parquet"])
def test_binary_garbage(tmp_path, name):
    small_arrays.one_pool(tmp_path, None, trace=name)
    (tmp_path / name).write_bytes(bytes((i * 197 + 31) % 256 for i in range(10_000)))
    assert_refused(tmp_path, iowatt(tmp_path, "run", "scenario.toml", "-o", "out"), name)


def test_a_missing_trace(tmp_path):
    small_arrays.one_pool(tmp_path, None)
    assert_refused(tmp_path, iowatt(tmp_path, "run", "scenario.toml", "-o", "out"), "trace.csv")


def test_a_missing_scenario(tmp_path):
    assert_refused(tmp_path, iowatt(tmp_path, "run", "absent.toml", "-o", "out"), "absent.toml")


# Overrides of the good scenario, and what the message must say.
BAD_SCENARIOS = {
    "unknown key": ("array.pool.disks.cuont=5", ["array.pool.disks.cuont", "count"]),
    "wrong unit": ("observe.interval=60MB", ["observe.interval"]),
    "no number": ("array.pool.disks.count=many", ["array.pool.disks.count"]),
    "raid 5 with two disks": ("array.pool.disks.count=2", ["array.pool.disks", "RAID-5", "3"]),
    "unknown device": ("array.pool.disks.device=arrays2003-disk", ["arrays2003-disk", "arrays2002-disk"]),
    "unknown volume": ("workload.oltp.volume=bd", ["workload.oltp.volume", "db"]),
    "not a number": (
        "array.pool.disks.device={name='arrays2002-disk', rpm=nan}",
        ["array.pool.disks.device"],
    ),
}


@pytest.mark.parametrize("case", BAD_SCENARIOS)
def test_a_bad_scenario(tmp_path, case):
    override, said = BAD_SCENARIOS[case]
    with_trace(tmp_path, *GOOD)
    assert_refused(tmp_path, iowatt(tmp_path, "run", "scenario.toml", "-o", "out", "--set", override), *said)


def test_an_odd_raid_10(tmp_path):
    small_arrays.one_pool(tmp_path, GOOD, level=10, count=5)
    assert_refused(
        tmp_path, iowatt(tmp_path, "run", "scenario.toml", "-o", "out"), "scenario.toml", "RAID-10"
    )


def test_a_file_that_is_no_toml(tmp_path):
    (tmp_path / "scenario.toml").write_text("name = \n")
    assert_refused(tmp_path, iowatt(tmp_path, "run", "scenario.toml", "-o", "out"), "scenario.toml:1")


def test_existing_output_is_kept_without_force(tmp_path):
    with_trace(tmp_path, *GOOD)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").touch()
    result = iowatt(tmp_path, "run", "scenario.toml", "-o", "out")
    assert result.returncode == 2
    assert printed_code(result.stderr) == "exists"
    assert "--force" in result.stderr
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["mine"]
    forced = iowatt(tmp_path, "run", "scenario.toml", "-o", "out", "--force")
    assert forced.returncode == 2
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["mine"]


def test_a_bad_run_keeps_the_bundle_that_it_was_to_replace(tmp_path):
    with_trace(tmp_path, *GOOD)
    assert iowatt(tmp_path, "run", "scenario.toml", "-o", "out").returncode == 0
    before = (tmp_path / "out" / "run.json").read_bytes()
    with_trace(tmp_path, "nan,R,0,4096")
    assert iowatt(tmp_path, "run", "scenario.toml", "-o", "out", "--force").returncode == 2
    assert (tmp_path / "out" / "run.json").read_bytes() == before


def test_an_automatic_warm_up_from_standard_input_is_refused_with_the_reason(tmp_path):
    small_arrays.one_pool(tmp_path, None, trace="-")
    result = iowatt(
        tmp_path,
        "run",
        "scenario.toml",
        "-o",
        "out",
        "--set",
        "observe.warmup=auto",
        input=small_arrays.HEADER + "\n",
    )
    assert_refused(tmp_path, result, "error[read-once]: observe.warmup: ")


def test_a_warm_up_longer_than_the_run(tmp_path):
    with_trace(tmp_path, *GOOD)
    result = iowatt(tmp_path, "run", "scenario.toml", "-o", "out", "--set", "observe.warmup=1h")
    assert_refused(tmp_path, result, "error[", "observe.warmup", "3600 s")


def test_a_device_beyond_all_drives(tmp_path):
    with_trace(tmp_path, *GOOD)
    zone = "{ cylinders = 2147483648, sectors_per_track = 100 }"
    (tmp_path / "absurd.toml").write_text(
        'name = "absurd"\ntitle = "A"\nbased_on = "arrays2002-disk"\n'
        f"geometry = {{ surfaces = 2, zones = [{zone}, {zone}] }}\n"
    )
    override = "array.pool.disks.device=absurd.toml"
    result = iowatt(tmp_path, "run", "scenario.toml", "-o", "out", "--set", override)
    assert_refused(tmp_path, result, "[out-of-range] absurd.toml:4: geometry.zones.1.cylinders: ")


@pytest.mark.parametrize(("size", "code"), [("4KiX", "bad-syntax"), ("0", "out-of-range")])
def test_a_sector_size_that_is_none(tmp_path, size, code):
    with_trace(tmp_path, *GOOD)
    result = iowatt(tmp_path, "trace", "info", "trace.csv", "--sector-size", size)
    assert_refused(tmp_path, result, f"error[{code}]: --sector-size")
