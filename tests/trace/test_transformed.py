"""What is done to traces on their way in, from the command line and from a scenario."""

from __future__ import annotations

import json
import re
import struct
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

import iowatt
from iowatt.base.errors import Argument
from iowatt.base.problems import DocumentError
from iowatt.cli import main
from iowatt.model.scenario import compile_plan, load, resolve_sources
from iowatt.trace.measure import info
from iowatt.trace.open import requests, spec
from refused import check, problems, refused

SCENARIO = """\
name = "placed"
seed = 3
[[workload]]
name = "all"
trace = {trace}
{replay}
[[array.pool]]
name = "disks"
device = "arrays2002-disk"
count = 1
"""


def scenario(trace: str, replay: str = "") -> str:
    return SCENARIO.format(trace="{ " + trace + " }", replay=replay)


@pytest.fixture
def hm(tmp_path: Path) -> Path:
    """Two disks of 10 and 4 KiB, one request a second."""
    path = tmp_path / "hm.csv"
    rows = ["0,0,R,0,4096", "1,1,W,0,4096", "2,0,R,8192,2048"]
    path.write_text("time_s,device,op,offset,size\n" + "\n".join(rows) + "\n")
    return path


@pytest.fixture
def usr(tmp_path: Path) -> Path:
    """One disk of 8 KiB, two requests in the same half second, as Parquet."""
    path = tmp_path / "usr.parquet"
    frame = {"time_ns": [500_000_000] * 2, "op": ["read", "write"], "offset": [0, 4096], "size": [4096] * 2}
    pl.DataFrame(frame).write_parquet(path)
    return path


def with_more(path: Path, count: int) -> re.Pattern[str]:
    """The place of an error about several files: the first, and how many more there are."""
    return re.compile(rf"^{re.escape(str(path))} \D+ {count} \D+$")


def convert(*words: object) -> Any:
    return CliRunner().invoke(main.app, ["trace", "convert", *[str(word) for word in words]])


def rows(path: Path) -> list[tuple[Any, ...]]:
    frame = pl.read_parquet(path).with_columns(pl.col("device", "op").cast(pl.String))
    return frame.select("time_ns", "device", "op", "offset", "size").rows()


def test_merged_and_placed_in_named_volumes(hm: Path, usr: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.parquet"
    seats = ["hm:0=db", "hm:1=db", "usr:0=log@1GiB"]
    words = [word for seat in seats for word in ("--place", seat)]
    done = convert(hm, usr, out, *words, "--place-align", "8k", "--max-transfer", "2k", "--json")
    assert done.exit_code == 0, done.output
    gib = 2**30
    assert rows(out) == [
        (0, "db", "read", 0, 2048),
        (0, "db", "read", 2048, 2048),
        (500_000_000, "log", "read", gib, 2048),
        (500_000_000, "log", "read", gib + 2048, 2048),
        (500_000_000, "log", "write", gib + 4096, 2048),
        (500_000_000, "log", "write", gib + 6144, 2048),
        (1_000_000_000, "db", "write", 16384, 2048),  # 10 KiB of the device before, up to 16 KiB
        (1_000_000_000, "db", "write", 18432, 2048),
        (2_000_000_000, "db", "read", 8192, 2048),
    ]
    result = json.loads(done.output)
    assert (result["reads"], result["writes"]) == (5, 4)
    assert any("2 traces" in note["text"] for note in result["notes"])


def test_parquet_is_measured_in_a_pass_of_its_own(hm: Path, usr: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.parquet"
    assert convert(usr, hm, out, "--place", "end-to-end", "--place-align", "4k").exit_code == 0
    # Every row once, usr after hm's two devices in the order of their first requests.
    assert [(row[1], row[3]) for row in rows(out)] == [
        ("volume", 0),
        ("volume", 12288),
        ("volume", 16384),
        ("volume", 20480),
        ("volume", 8192),
    ]
    alone = convert(usr, out, "--place", "end-to-end", "--force", "--json")
    assert json.loads(alone.output)["requests"] == 2


def test_appended_scaled_and_cut_out(hm: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.parquet"
    done = convert(hm, hm, out, "--append", "--start", "1s", "--end", "4s", "--speed", "2", "--json")
    assert done.exit_code == 0, done.output
    assert [row[0] for row in rows(out)] == [0, 500_000_000, 500_000_000, 1_000_000_000]
    assert {row[1] for row in rows(out)} == {"0", "1"}
    result = json.loads(done.output)
    assert (result["requests"], result["reads"], result["writes"]) == (4, 2, 2)
    assert any("time 0" in note["text"] for note in result["notes"])


def test_coarse_stamps_are_spread_by_the_seed(tmp_path: Path) -> None:
    source, out = tmp_path / "t.csv", tmp_path / "out.parquet"
    source.write_text("".join(f"{1538323200 + i // 50},{i},8,0,7\n" for i in range(100)))
    stamps = []
    for seed in (1, 1, 2):
        assert convert(source, out, "--spread", "1s", "--seed", seed, "--force").exit_code == 0
        stamps.append([row[0] for row in rows(out)])
        assert [row[3] for row in rows(out)] == [i * 512 for i in range(100)]
    assert stamps[0] == stamps[1] != stamps[2]
    assert all(first < second for first, second in zip(stamps[0], stamps[0][1:], strict=False))
    assert all(stamp // 10**9 == i // 50 for i, stamp in enumerate(stamps[0]))


def test_several_devices_by_name(hm: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.parquet"
    assert convert(hm, out, "--device", "1").exit_code == 0
    assert [row[1] for row in rows(out)] == ["1"]
    assert convert(hm, out, "--device", "1", "--device", "0", "--force").exit_code == 0
    assert len(rows(out)) == 3
    check(convert(hm, out, "--device", "9", "--force").exception, "unknown-name", str(hm))


@pytest.mark.parametrize(
    ("words", "code", "place"),
    [
        (["--append"], "not-applicable", Argument("append")),
        (["--clock", "start"], "not-applicable", Argument("clock")),
        (["--clock", "now"], "not-accepted", Argument("clock")),
        (["--spread", "soon"], "bad-syntax", Argument("spread")),
        (["--split", "100"], "out-of-range", None),
        (["--speed", "0"], "out-of-range", None),
        (["--start", "2s", "--end", "1s"], "out-of-range", None),
        (["--start", "1h"], "empty", None),
        (["--place", "hm.0"], "bad-syntax", Argument("place", "hm.0")),
        (["--place", "0=@"], "bad-syntax", Argument("place", "0=@")),
        (["--place", "0=@1G"], "ambiguous", Argument("place", "0=@1G")),
        (["--place", "end-to-end", "--place", "0=db"], "conflict", Argument("place")),
        (["--place", "0=db"], "missing", None),
        (["--place", "0=@0B", "--place", "1=@4KiB"], "conflict", None),
    ],
)
def test_what_makes_no_sense_is_refused(
    hm: Path, tmp_path: Path, words: list[str], code: str, place: str | None
) -> None:
    done = CliRunner().invoke(main.app, ["trace", "convert", str(hm), str(tmp_path / "out.csv"), *words])
    check(done.exception, code, str(hm) if place is None else place)
    assert not (tmp_path / "out.csv").exists()


def test_a_pattern_reads_any_log(tmp_path: Path) -> None:
    log, out = tmp_path / "t.log", tmp_path / "out.parquet"
    log.write_text("boot\n[1.5ms] 0 at 8 for 0x10\n[2.5ms] 1 at 0 for 1\n")
    pattern = r"\[(?<time_ms>[\d.]+)ms\] (?:(?<read>0)|(?<write>1)) at (?<lba>\d+) for (?<sectors>\w+)"
    done = convert(log, out, "--format", "regex", "--pattern", pattern, "--json")
    assert done.exit_code == 0, done.output
    assert rows(out) == [(1_500_000, "0", "read", 4096, 8192), (2_500_000, "0", "write", 0, 512)]
    assert any("'boot'" in note["text"] for note in json.loads(done.output)["notes"])


def test_a_trace_without_times_needs_a_rate_or_a_closed_replay(tmp_path: Path) -> None:
    arc, out = tmp_path / "t.lis", tmp_path / "out.parquet"
    arc.write_text("".join(f"{i * 64} 64 0 {i}\n" for i in range(20)))
    with refused("missing", str(arc)):
        list(requests(spec(arc)))
    assert convert(arc, out, "--rate", "100").exit_code == 0
    assert [row[0] for row in rows(out)] == [i * 10_000_000 for i in range(20)]
    shown = info(spec(arc))
    assert (shown.untimed, shown.requests.count, shown.warnings) == (True, 20, [])
    text = CliRunner().invoke(main.app, ["trace", "info", str(arc)]).output
    assert "rate" not in text.split()
    assert shown.rate.iops == 0
    assert any("512" in note.text for note in shown.notes)

    with refused("missing", str(arc)):
        iowatt.run(scenario(f'path = "{arc}"'))
    timed = iowatt.run(scenario(f'path = "{arc}", rate_iops = 100'))
    assert timed.summary["requests"]["count"] == 20
    closed = iowatt.run(scenario(f'path = "{arc}"', 'replay = { mode = "closed", outstanding = 2 }'))
    assert closed.summary["requests"]["count"] == 20


def test_a_scenario_lays_several_traces_into_its_volume(hm: Path, usr: Path) -> None:
    files = f'path = "{hm}", more = ["{usr}"]'
    run = iowatt.run(scenario(f'{files}, place = "end-to-end", split = "2KiB"'))
    assert (run.summary["requests"]["count"], run.summary["requests"]["bytes_read"]) == (9, 10_240)
    assert {Path(given["path"]).name for given in run.summary["provenance"]["inputs"]} >= {
        "hm.csv",
        "usr.parquet",
    }
    # Over one another only where that is said; one device each is no licence.
    with refused("ambiguous", f"{hm}:3"):
        iowatt.run(scenario(files))
    with refused("ambiguous", with_more(hm, 1)) as caught:
        one_each(hm, usr)
    assert "'hm:0'" in caught.value.message and "'usr:0'" in caught.value.message
    over = iowatt.run(scenario(f'{files}, device = "*"'))
    assert over.summary["requests"]["count"] == 3


def one_each(hm: Path, usr: Path) -> None:
    hm.write_text("time_s,device,op,offset,size\n0,0,R,0,4096\n")
    iowatt.run(scenario(f'path = "{hm}", more = ["{usr}"]'))


def test_a_volume_too_small_for_what_is_placed_says_so(hm: Path) -> None:
    with refused("out-of-range", str(hm)) as caught:
        iowatt.run(scenario(f'path = "{hm}", place = {{ 0 = "0B", 1 = "1TB" }}'))
    assert "'disks'" in caught.value.message


def test_the_plan_names_all_files_from_anywhere(hm: Path, usr: Path) -> None:
    checked = load(
        scenario('path = "hm.csv", more = ["usr.parquet"], spread = "1s", clock = "start"'),
        base_dir=hm.parent,
    )
    plan = compile_plan(checked, hm.parent)
    (trace,) = plan["sources"]
    assert (trace["more"], trace["align"], trace["combine"]) == (["usr.parquet"], "start", "merge")
    assert (trace["spread_s"], trace["seed"]) == (1.0, 3)
    (resolved,) = resolve_sources(plan, hm.parent)
    assert (resolved["path"], resolved["more"]) == (str(hm), [str(usr)])


@pytest.mark.parametrize(
    ("keys", "code", "key"),
    [
        ('device = "0", devices = ["1"]', "conflict", "devices"),
        ('start = "2s", end = "1s"', "conflict", "end"),
        ('more = ["gone.csv"]', "not-found", "more.0"),
        ('split = "100"', "out-of-range", "split"),
        ("rate_iops = 0", "out-of-range", "rate_iops"),
        ('format = "regexp"', "not-accepted", "format"),
    ],
)
def test_contradictions_in_a_scenario_are_found_before_it_runs(
    hm: Path, keys: str, code: str, key: str
) -> None:
    with refused(code, re.compile(rf": workload\.all\.trace\.{re.escape(key)}$"), DocumentError):
        load(scenario(f'path = "hm.csv", {keys}'), base_dir=hm.parent, traces_must_exist=True)


def test_a_place_that_is_neither_a_word_nor_a_table(hm: Path) -> None:
    with pytest.raises(DocumentError) as caught:
        load(scenario('path = "hm.csv", place = "somewhere"'), base_dir=hm.parent)
    assert {place for _, place in problems(caught.value)} == {"scenario:5: workload.all.trace.place"}


def test_standard_input_is_not_measured() -> None:
    with refused("read-once", re.compile(r"workload\.all\.trace\.place$"), DocumentError):
        load(scenario('path = "-", place = "end-to-end"'))


def blktrace(time: int, sector: int) -> bytes:
    """A queued read of 4 KiB."""
    return struct.pack(
        "<IIQQIIIIIHH", 0x65617407, 1, time, sector, 4096, 1 | 1 << 16 | 1 << 20, 42, 8 << 20, 0, 0, 0
    )


def test_a_blktrace_recording_is_all_of_its_files(tmp_path: Path) -> None:
    for cpu, stamps in {0: (100, 300), 2: (200,), 10: ()}.items():
        (tmp_path / f"sda.blktrace.{cpu}").write_bytes(b"".join(blktrace(10**9 + t, t) for t in stamps))
    shown = info(spec(tmp_path / "sda"))
    assert (shown.format, shown.requests.count) == ("blktrace", 3)
    assert any(note.text.startswith("3 files") for note in shown.notes)
    base = tmp_path / "s.toml"
    base.write_text(scenario('path = "sda", event = "Q"'))
    run = iowatt.run(base)
    assert run.summary["requests"]["count"] == 3
    named = [Path(given["path"]).name for given in run.summary["provenance"]["inputs"]]
    assert named[1:] == ["sda.blktrace.0", "sda.blktrace.2", "sda.blktrace.10"]
    with refused("not-found", re.compile(r"workload\.all\.trace\.path$"), DocumentError):
        load(scenario('path = "sdb"'), base_dir=tmp_path, traces_must_exist=True)


def test_options_of_other_formats_do_not_apply_to_parquet(usr: Path) -> None:
    for option, value in {"event": "Q", "pattern": ".", "rate_iops": 5.0}.items():
        with refused("not-applicable", str(usr)) as caught:
            list(requests(spec(usr, **{option: value})))
        assert option in caught.value.message


def test_a_device_that_is_in_one_of_the_traces_only(hm: Path, usr: Path, tmp_path: Path) -> None:
    target = tmp_path / "chosen.parquet"
    result = convert(hm, usr, target, "--device", "hm:1", "--device", "usr:0")
    assert result.exit_code == 0, result.output
    assert [row[:2] for row in rows(target)] == [
        (500_000_000, "usr:0"),
        (500_000_000, "usr:0"),
        (1_000_000_000, "hm:1"),
    ]
    assert convert(hm, usr, target, "--force", "--device", "1").exit_code == 0
    assert [row[1] for row in rows(target)] == ["hm:1"]
    failed = convert(hm, usr, target, "--force", "--device", "7")
    check(failed.exception, "unknown-name", with_more(hm, 1))


def test_clones_and_stretch_lay_a_trace_out_several_times(hm: Path, tmp_path: Path) -> None:
    target = tmp_path / "tenants.parquet"
    # Both devices in one address space of 6 MiB; three tenants over two spaces each.
    options = ("--place", "0=@0B", "--place", "1=@5MiB", "--clones", "3", "--stretch", "2", "--span", "36MiB")
    result = convert(hm, target, *options)
    assert result.exit_code == 0, result.output
    made = pl.read_parquet(target)
    spaces = made["offset"] // (6 << 20)
    assert made.height == 9
    assert made["time_ns"].is_sorted()
    for tenant in range(3):
        own = made.filter(spaces // 2 == tenant)
        assert sorted(own["offset"] % (6 << 20)) == [0, 8192, 5 << 20]
    again = convert(hm, target, "--force", *options, "--seed", "1")
    assert again.exit_code == 0
    assert pl.read_parquet(target).equals(made)
    too_small = ("--span", "10MiB", "--clones", "2")
    for wrong in (("--clones", "0"), ("--span", "1MiB", "--clones", "4"), too_small):
        failed = convert(hm, target, "--force", *options[:4], *wrong)
        assert failed.exit_code == 2 or failed.exception is not None
        assert getattr(failed.exception, "code", "out-of-range") == "out-of-range"


def test_a_scenario_scales_its_trace(hm: Path, tmp_path: Path) -> None:
    keys = f'path = "{hm}", device = "0", clones = 4, span = "100MiB"'
    plan = compile_plan(load(scenario(keys), base_dir=tmp_path), tmp_path)
    [source] = plan["sources"]
    assert source["copies"] == {"clones": 4, "stretch": 1, "span_bytes": 100 << 20}
    assert source["seed"] == 3
    assert iowatt.run(scenario(keys)).summary["requests"]["count"] == 8
