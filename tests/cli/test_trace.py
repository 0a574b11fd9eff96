"""`iowatt trace`: what it prints, what it refuses, and its exit codes through the installed command."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner, Result

from iowatt.base.errors import InputError
from iowatt.cli.main import app

ROOT = Path(__file__).parents[2]
EXCERPT = ROOT / "examples/traces/pg_tpcc_paced_excerpt.parquet"
CSV = """ts,op,lba,size,device
0,R,0,512,sda
1000,W,8,4096,sdb
1000,R,1,512,sda
3000,R,16,4096,sdb
"""
runner = CliRunner()


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "trace.csv"
    path.write_text(CSV)
    return path


def said(text: str) -> str:
    """Text with single spaces, however it was wrapped."""
    return " ".join(text.split())


def invoke(*arguments: object, **options: object) -> Result:
    return runner.invoke(app, ["trace", *map(str, arguments)], **options)


def command(*arguments: object, stdin: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    """The installed console script, which stands beside the interpreter."""
    script = Path(sys.executable).with_name("iowatt")
    return subprocess.run(
        [script, "trace", *map(str, arguments)], input=stdin, capture_output=True, check=False
    )


def one(*arguments: object) -> dict[str, object]:
    result = invoke("info", *arguments, "--json")
    assert result.exit_code == 0, result.output
    (found,) = json.loads(result.stdout)["traces"]
    return dict(found)


def test_info_counts(trace: Path) -> None:
    found = one(trace, "--time-unit", "us")
    # 4 requests over 3,000 us: 1,333.3 per second; 2 x 512 + 4,096 read, 4,096 written; sectors of 512 bytes.
    assert found["requests"]["count"] == 4
    assert found["requests"]["reads"] == 3
    assert found["bytes"] == {"read": 5120, "written": 4096, "read_share": pytest.approx(5120 / 9216)}
    assert found["span"]["duration_s"] == pytest.approx(0.003)
    assert found["rate"]["iops"] == pytest.approx(4 / 0.003)
    assert found["max_offset_bytes"] == 16 * 512 + 4096
    assert found["order"]["equal_stamps"] == 1
    # On sda sector 1 follows sector 0; on sdb sector 16 follows bytes 4,096 to 8,192: 2 of 4.
    assert found["sequential"]["share"] == pytest.approx(0.5)


def test_options_reach_the_reader(trace: Path) -> None:
    assert one(trace, "--time-unit", "s")["span"]["duration_s"] == 3000
    sdb = one(trace, "--time-unit", "us", "--device", "sdb", "--sector-size", "4096")
    assert sdb == one(trace, "--time-unit", "us", "--device", "sdb", "--sector-size", "4KiB")
    assert sdb["requests"]["count"] == 2
    assert sdb["max_offset_bytes"] == 17 * 4096
    swapped = one(
        trace,
        "--columns",
        "time=size, sectors=ts",
        "--time-unit",
        "s",
        "--order-tolerance",
        "2h",
        "--skip-bad",
        "1",
    )
    assert swapped["order"]["reordered"] == 1  # 4,096 s, then 512 s
    assert swapped["requests"]["skipped_bad"] == 1  # the size that was the time 0


def test_info_in_words(trace: Path) -> None:
    shown = said(invoke("info", trace, "--time-unit", "us").stdout)
    shares = re.findall(r"\(?[\d.]+ %\)?", shown)
    assert [shares.count(share) for share in ("(75.00 %)", "(25.00 %)")] == [1, 2]
    assert shares.count("50.00 %") >= 2
    assert "1,333" in shown and "sda" in shown and "sdb" in shown
    assert "\x1b[" not in shown


def test_several_traces_are_several_blocks(trace: Path) -> None:
    shown = invoke("info", trace, trace, "--time-unit", "us").stdout
    lines = shown.splitlines()
    half = len(lines) // 2
    assert lines[:half] == lines[half + 1 :]
    assert lines[half] == ""
    found = json.loads(invoke("info", trace, trace, "--time-unit", "us", "--json").stdout)
    assert found["schema"] == "iowatt.trace-info/1"
    assert found["traces"][0] == found["traces"][1]


def test_a_wrong_unit_of_time_is_warned_of(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rows = [f"{10 * i},R,{4096 * i},4096" for i in range(200)]
    path.write_text("\n".join(["time,op,offset,size", *rows]) + "\n")
    # 200 requests 10 us apart are 100,000 per second; read as ns they would be 100 million.
    assert one(path, "--time-unit", "us")["warnings"] == []
    warnings = one(path, "--time-unit", "ns")["warnings"]
    assert [(note["code"], note["decides"]) for note in warnings] == [("likely-mistake", True)]
    assert said(warnings[0]["text"]) in said(invoke("info", path, "--time-unit", "ns").stdout)


def test_a_table_with_a_header_of_its_own_is_told_the_option(tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text("when,kind,addr,len\n1,R,0,512\n2,W,512,512\n")
    replay = ["replay", str(path), "--target", str(tmp_path / "t"), "--size", "1MiB"]
    for words in (["trace", "info", str(path)], replay):
        answer = runner.invoke(app, words)
        assert isinstance(answer.exception, InputError)
        assert "`columns=time=...,op=...,offset=...,size=...`" in str(answer.exception)
    shown = invoke("info", path, "--columns", "time=when,op=kind,offset=addr,size=len", "--time-unit", "s")
    assert "2: 1 reads" in said(shown.stdout)


def test_the_excerpts_readme_shows_what_info_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    shown = invoke("info", EXCERPT.relative_to(ROOT)).stdout
    plain = "\n".join(line.rstrip() for line in shown.replace("\u00a0", " ").splitlines())
    assert f"```text\n{plain}\n```" in (EXCERPT.parent / "README.md").read_text()


def test_stdin_and_compression(trace: Path) -> None:
    packed = command("info", "-", "--time-unit", "us", "--json", stdin=gzip.compress(CSV.encode()))
    assert packed.returncode == 0
    assert packed.stderr == b""
    (found,) = json.loads(packed.stdout)["traces"]
    assert found["file"] == "<stdin>"
    found["file"] = str(trace)
    assert found == one(trace, "--time-unit", "us")


def test_convert_and_convert_back(trace: Path, tmp_path: Path) -> None:
    parquet, csv = tmp_path / "t.parquet", tmp_path / "t.csv"
    result = invoke("convert", trace, parquet, "--time-unit", "us")
    assert result.exit_code == 0
    assert f"{parquet}: 4 requests" in result.stdout
    assert pl.read_parquet(parquet)["time_ns"].to_list() == [0, 10**6, 10**6, 3 * 10**6]
    again = json.loads(invoke("convert", parquet, csv, "--json").stdout)
    assert (again["schema"], again["requests"], again["format"]) == ("iowatt.trace-convert/1", 4, "parquet")
    assert csv.read_text().splitlines()[:2] == [
        "time_ns,device,op,offset,size,response_ns,stream",
        "0,sda,read,0,512,,",
    ]
    same = one(csv)
    assert {**same, "file": "", "format": "", "detected": None} == {
        **one(parquet),
        "file": "",
        "format": "",
        "detected": None,
    }


def test_what_was_skipped_is_told(trace: Path, tmp_path: Path) -> None:
    trace.write_text(CSV + "4000,R,24\n5000,R,24,0,sda\n")
    shown = invoke("convert", trace, tmp_path / "t.csv", "--time-unit", "us", "--skip-bad", "5").stdout
    assert "4 requests" in shown
    assert shown.count("\nskipped ") == 2
    counted = one(trace, "--time-unit", "us", "--skip-bad", "5")["requests"]
    assert (counted["skipped_bad"], len(counted["first_bad"])) == (2, 2)
    told = said(invoke("info", trace, "--time-unit", "us", "--skip-bad", "5").stdout)
    assert all(said(bad) in told for bad in counted["first_bad"])


@pytest.mark.parametrize(
    ("arguments", "code", "place", "named"),
    [
        (["--columns", "time"], "bad-syntax", "columns", "'time'"),
        (["--columns", "time=ts", "--order-tolerance", "1"], "bad-syntax", "order_tolerance", "'1'"),
        (["--format", "nonsense"], "unknown-name", "{}", "'nonsense'"),
        (["--time-unit", "us", "--device", "sdz"], "unknown-name", "{}", "'sdz'"),
        ([], "missing", "{}:1", "'ts'"),
    ],
)
def test_a_wrong_option_is_an_error_with_its_place(
    trace: Path, arguments: list[str], code: str, place: str, named: str
) -> None:
    error = invoke("info", trace, *arguments).exception
    assert isinstance(error, InputError)
    assert (error.code, error.place) == (code, place.format(trace))
    assert named in error.message


NUMBERED = "0.5;R;8;16;x\n0.75;W;24;16;y\n"


@pytest.mark.parametrize(
    ("columns", "reads_bytes"), [("time=0,op=1,lba=2,sectors=3", 8192), ("time=0,op=1,offset=2,size=3", 16)]
)
def test_a_table_without_a_header_by_the_numbers_of_its_columns(
    tmp_path: Path, columns: str, reads_bytes: int
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(NUMBERED)
    assert "`columns=" in str(invoke("info", path).exception)  # what to do stands in the error
    shown = invoke("info", path, "--columns", columns, "--time-unit", "s", "--json").stdout
    (found,) = json.loads(shown)["traces"]
    assert (found["format"], found["requests"]["count"]) == ("csv", 2)
    assert (found["bytes"]["read"], found["span"]["duration_s"]) == (reads_bytes, 0.25)


@pytest.mark.parametrize("columns", ["time=0,op=1,lba=2,sectors=9", "time=0,op=x,lba=2,size=3", "time=0"])
def test_a_number_that_no_column_has_is_an_error_of_the_first_line(tmp_path: Path, columns: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(NUMBERED)
    result = invoke("info", path, "--columns", columns, "--time-unit", "s")
    assert isinstance(result.exception, InputError)
    assert f"{path}:1" in str(result.exception)


@pytest.mark.parametrize(
    "name", ["missing.csv", "missing.parquet", "empty.csv", "garbage.parquet", "garbage.bin", "cut.csv.gz"]
)
def test_bad_files_are_exit_2_one_message_and_no_output(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if name.startswith("empty"):
        path.write_bytes(b"")
    elif name.startswith("garbage"):
        path.write_bytes(bytes(range(256)) * 8)
    elif name.startswith("cut"):
        path.write_bytes(gzip.compress(CSV.encode() * 50)[:-20])
    for arguments in (["info", path], ["convert", path, tmp_path / "out.parquet"]):
        done = command(*arguments)
        assert done.returncode == 2
        assert done.stdout == b""
        assert done.stderr.startswith(b"iowatt: error[")
        assert str(path).encode() in done.stderr
        assert b"Traceback" not in done.stderr
    assert [entry.name for entry in tmp_path.iterdir() if entry != path] == []


def test_existing_output_needs_force(trace: Path, tmp_path: Path) -> None:
    target = tmp_path / "t.csv"
    target.write_text("precious")
    answer = command("convert", trace, target, "--time-unit", "us")
    assert answer.returncode == 2
    assert b"--force" in answer.stderr
    assert target.read_text() == "precious"
    assert command("convert", trace, target, "--time-unit", "us", "--force").returncode == 0
    assert target.read_text().startswith("time_ns,")


@pytest.mark.parametrize("option", ["--speed", "--rate"])
@pytest.mark.parametrize("value", ["nan", "inf"])
def test_numbers_are_finite(tmp_path, option, value):
    path = tmp_path / "t.csv"
    path.write_text("time_s,op,offset,size\n0,R,0,512\n")
    with pytest.raises(InputError) as caught:
        invoke("convert", path, tmp_path / "o.csv", option, value, catch_exceptions=False)
    assert (caught.value.code, value in caught.value.message) == ("out-of-range", True)


def test_what_is_refused_is_named_as_it_was_given(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("time_ns,op,offset,size\n5,R,0,512\n")
    for options, code, named in [
        (["--start", "5s", "--end", "1s"], "out-of-range", ("start", "end")),
        (["--split", "100"], "out-of-range", ("split", "100")),
        (["--sector-size", "4KiB"], "not-applicable", ("sector_size",)),
        (["--time-unit", "us"], "conflict", ("time_unit", "'time_ns'")),
    ]:
        with pytest.raises(InputError) as raised:
            invoke("convert", path, tmp_path / "o.csv", *options, catch_exceptions=False)
        assert raised.value.code == code
        assert all(name in raised.value.message for name in named)


def test_a_pipe_is_read_once_from_its_beginning(tmp_path):
    pipe, count = tmp_path / "pipe", 50_000  # more than a pipe and the reader's buffer hold at once
    os.mkfifo(pipe)
    lines = [f"128166372{i:09d},hm,1,Read,{i * 512},512,413\n" for i in range(count)]
    writer = threading.Thread(target=lambda: pipe.write_text("".join(lines)), daemon=True)
    writer.start()
    done = command("info", pipe, "--json")
    writer.join(timeout=60)
    assert done.returncode == 0, done.stderr
    (found,) = json.loads(done.stdout)["traces"]
    assert (found["requests"]["count"], found["max_offset_bytes"]) == (count, count * 512)
