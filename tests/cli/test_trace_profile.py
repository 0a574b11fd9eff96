"""`iowatt trace profile`: text, JSON, the page; what it refuses, and with which exit code."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from iowatt.base.errors import InputError
from iowatt.cli.main import app
from iowatt.pages.description import sentences
from iowatt.trace.description import Description
from iowatt.trace.measure import describe

ROOT = Path(__file__).parents[2]
WEEK = ROOT / "python/iowatt/model/library/validation/ajw.1week.srt.gz"
HOSTILE = "<img/src=x/onerror=alert(1)>"
CSV = f"""time_ms,op,offset,size,device
0,R,0,4096,{HOSTILE}
1,R,4096,4096,{HOSTILE}
1,W,0,8192,sdb
5,W,0,4096,sdb
"""
runner = CliRunner()


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "trace.csv"
    path.write_text(CSV)
    return path


def invoke(*arguments: object, **options: Any) -> Result:
    return runner.invoke(app, ["trace", "profile", *map(str, arguments)], **options)


def shown(path: Path, **options: Any) -> dict[str, str]:
    """The sentences of a description by their labels."""
    found = describe({"path": str(path)}, **options)
    return {label: " ".join(text.split()) for label, text in sentences.lines(found)}


def described(path: Path) -> Description:
    return describe({"path": str(path)})


def percents(text: str) -> list[str]:
    return re.findall(r"([\d.]+) %", text)


def test_text_says_requests_and_bytes(trace: Path) -> None:
    result = invoke(trace, "--cache", "4KiB,16KiB", "--notes")
    assert result.exit_code == 0, result.output
    found = shown(trace, cache_bytes=[4096, 16384])
    assert found["requests"].startswith("4: ") and percents(found["requests"]) == ["50.00", "40.00"]
    assert "8 KiB" in found["requests"] and "12 KiB" in found["requests"]
    assert percents(found["sequential"])[:2] == ["25.00", "20.00"]
    # The last write is the only block again, with one other since: a cache of two blocks has it.
    assert percents(found["miss ratio"].partition("16 KiB: ")[2])[:2] == ["75.00", "80.00"]
    assert percents(found["rewriting"])[:2] == ["50.00", "33.33"]
    assert found["devices"].startswith("2: ")
    printed = " ".join(result.stdout.split())
    assert all(text in printed for label, text in found.items() if label != "devices")
    assert printed.count("note: ") == len(described(trace).notes) == 3


def test_json_has_a_version_and_all_traces(trace: Path) -> None:
    result = invoke(trace, WEEK, "--json", "--extent", "64MiB", "--block", "8k")
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert document["schema"] == "iowatt.description/1"
    small, week = document["traces"]
    assert small["options"] == {
        "block_bytes": 8192,
        "extent_bytes": 64 << 20,
        "samples": 1 << 20,
        "lookback": 32,
        "gap_bytes": 0,
        "cache_bytes": [],
        "size_bytes": None,
        "dyadic_windows": False,
    }
    assert week["density"]["extent_bytes"] == 64 << 20
    # What fitting a synthetic workload needs.
    assert {"moments", "fits", "histogram"} <= set(week["inter_arrival"])
    assert week["burstiness"]["hurst"] and week["burstiness"]["scales"]
    assert sum(week["sizes"]["histogram"]["reads"]) == week["requests"]["reads"]
    lengths = week["sequential"]["read_runs"]["histogram"]
    assert sum(lengths["requests"]) == week["requests"]["reads"]
    reused = week["reuse"]["histogram"]
    first = week["reuse"]["first_touch"]
    assert 0 < sum(reused["read_share"]) < 1 and 0 < first["read_requests"] < 1
    assert sum(volume["request_share"] for volume in week["devices"]["listed"]) == pytest.approx(1)


def test_a_page_of_two_traces(trace: Path, tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    result = invoke(trace, WEEK, "-o", target)
    assert result.exit_code == 0, result.output
    page = target.read_text("utf-8")
    assert "<h2>trace.csv</h2>" in page and "<h2>ajw.1week.srt.gz</h2>" in page
    assert HOSTILE not in page and "&lt;img/src=x" in page
    data = re.search(r'<script type="application/json" id="report-data">(.*?)</script>', page, re.DOTALL)
    assert data is not None
    figures = json.loads(data[1])["figures"]
    assert {"trace1-sizes", "trace2-miss-ratio", "trace2-dispersion", "trace2-envelope"} <= set(figures)
    for figure in figures.values():
        assert all(len(row) == len(figure["columns"]) for row in figure["rows"])
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []
    with pytest.raises(InputError) as caught:
        invoke(trace, "-o", target, catch_exceptions=False)
    assert (caught.value.code, caught.value.place) == ("exists", str(target))
    assert invoke(trace, "-o", target, "--force").exit_code == 0


def test_one_request_and_equal_stamps(tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    for lines in (["0,R,0,512"], ["0,W,0,512"] * 3):
        path = tmp_path / "trace.csv"
        path.write_text("\n".join(["time_ms,op,offset,size", *lines]))
        result = invoke(path, "-o", target, "--force")
        assert result.exit_code == 0, result.output
        (found,) = json.loads(invoke(path, "--json").stdout)["traces"]
        assert found["requests"]["count"] == len(lines)
        assert found["rate"]["iops"] == 0


def test_some_devices(trace: Path) -> None:
    (found,) = json.loads(invoke(trace, "--device", "sdb", "--json").stdout)["traces"]
    assert [volume["name"] for volume in found["devices"]["listed"]] == ["sdb"]
    (both,) = json.loads(invoke(trace, "--device", "sdb", "--device", HOSTILE, "--json").stdout)["traces"]
    assert (found["requests"]["count"], both["requests"]["count"]) == (2, 4)


def test_an_order_without_times(tmp_path: Path) -> None:
    path = tmp_path / "order.lis"
    path.write_text("0 8 0 1\n8 8 0 2\n0 8 0 3\n")
    target = tmp_path / "page.html"
    result = invoke(path, "-o", target, "--notes")
    assert result.exit_code == 0, result.output
    found = shown(path)
    assert not re.search(r"\d", found["rate"])
    assert "inter-arrival" not in found
    assert percents(found["reuse"])[0] == "66.67"
    printed = " ".join(result.stdout.split())
    assert printed.count("note: ") == len(described(path).notes) == 6
    assert "512 bytes" in printed
    assert (described(path).requests.reads, described(path).requests.writes) == (3, 0)
    (paced,) = json.loads(invoke(path, "--rate", "10", "--json").stdout)["traces"]
    assert paced["span"]["duration_s"] == pytest.approx(0.2)


def test_a_pattern() -> None:
    script = Path(sys.executable).with_name("iowatt")
    pattern = r"(?<time_s>\d+) (?<op>R|W) (?<lba>\d+)[+](?<sectors>\d+)"
    command = [script, "trace", "profile", "-", "-f", "regex", "--pattern", pattern, "--json"]
    done = subprocess.run(command, input=b"1 R 8+8\n3 W 0+8\n", capture_output=True, check=True)
    (found,) = json.loads(done.stdout)["traces"]
    assert (found["requests"]["reads"], found["span"]["duration_s"]) == (1, 2)


def test_cache_sizes_are_shown_as_they_are_asked_for(trace: Path) -> None:
    printed = " ".join(invoke(trace, "--cache", "64MiB,1GiB").stdout.split())
    assert "64 MiB: " in printed
    assert "1 GiB: " in printed


def test_stdin() -> None:
    script = Path(sys.executable).with_name("iowatt")
    command = [script, "trace", "profile", "-", "--json"]
    done = subprocess.run(command, input=CSV.encode(), capture_output=True, check=True)
    assert json.loads(done.stdout)["traces"][0]["file"] == "<stdin>"
    assert done.stderr == b""
    refused = subprocess.run([*command, "--lookback", "0"], input=b"", capture_output=True, check=False)
    assert (refused.returncode, refused.stdout) == (2, b"")
    assert b"--lookback" in refused.stderr


@pytest.mark.parametrize(
    ("options", "code", "place", "named"),
    [
        (["--block", "0"], "out-of-range", "block", "512"),
        (["--block", "3k"], "out-of-range", "block", "3072"),
        (["--block", "x"], "bad-syntax", "block", "'x'"),
        (["--extent", "1k"], "out-of-range", "extent", "4096"),
        (["--cache", "1GiB,"], "bad-syntax", "cache", "''"),
        (["--cache", "4"], "bad-syntax", "cache", "'4'"),
        (["--cache", "1kB"], "out-of-range", "cache", "4096"),
        (["--regions", "0"], "out-of-range", "regions", "4294967295"),
        (["--regions", "9999999"], "out-of-range", "regions", "4194304"),
        (["--regions", "99999999999"], "out-of-range", "regions", "4294967295"),
        (["--lookback", "-1"], "out-of-range", "lookback", "-1"),
        (["--lookback", "5000"], "out-of-range", "lookback", "1024"),
        (["--gap", "far"], "bad-syntax", "gap", "'far'"),
        (["-o", "page.txt"], "not-accepted", "page.txt", "'.txt'"),
        (["-o", "nowhere/page.html"], "not-found", "nowhere", ""),
        (["--device", "sdz"], "unknown-name", None, "'sdz'"),
    ],
)
def test_bad_options_are_refused(
    trace: Path, options: list[str], code: str, place: str | None, named: str
) -> None:
    with pytest.raises(InputError) as raised:
        invoke(trace, *options, catch_exceptions=False)
    assert (raised.value.code, raised.value.place) == (code, place or str(trace))
    assert named in raised.value.message


def test_a_bad_record_is_placed(tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(CSV + "6,Q,0,4096,sdb\n")
    with pytest.raises(InputError) as raised:
        invoke(path, catch_exceptions=False)
    assert raised.value.place == f"{path}:6"
    skipped = invoke(path, "--skip-bad", 1, "--notes")
    assert skipped.exit_code == 0
    assert "malformed" in skipped.stdout
