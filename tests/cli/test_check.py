"""``iowatt check``, ``explain``, ``init`` and ``schema`` as typed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

import iowatt
from iowatt.base.errors import Argument, InputError
from iowatt.cli import main
from iowatt.cli.schema import schema_text
from iowatt.model.scenario import check as iowatt_check
from iowatt.model.scenario import compile_plan, explanation, load
from iowatt.model.scenario.describe import describe
from iowatt.model.scenario.result import Explanation
from iowatt.sources.simulation.counts import capacity
from noted import noted
from refused import check, printed_code

EXAMPLES = Path(__file__).parents[2] / "examples"


def invoke(*words: object):
    return CliRunner().invoke(main.app, [str(word) for word in words])


def error_of(*words: object) -> InputError:
    result = invoke(*words)
    assert isinstance(result.exception, InputError), result.output
    assert result.stdout == ""
    return result.exception


def test_check_describes_the_system():
    result = invoke("check", EXAMPLES / "tpcc-raid5.toml")
    assert result.exit_code == 0
    # 32 x 33.6 GB = 1.075 TB, 31 of them usable, 32 x 22.3 W = 713.6 W.
    words = result.stdout.split()
    assert {"32", "1.075", "1.042", "713.6", "arrays2002-disk,", "RAID-5", "oltp:"} <= set(words)
    found = iowatt_check(EXAMPLES / "tpcc-raid5.toml")
    assert (found.drives, found.raw_bytes) == (32, 32 * 33_600_000_000)
    assert found.idle_w == pytest.approx(713.6)
    (pool,) = found.pools
    assert (pool.name, pool.count, pool.device) == ("disks", 32, "arrays2002-disk")
    assert (pool.raid_level, pool.stripe_unit_bytes) == (5, 16 * 1024)
    assert [(workload.name, workload.volume) for workload in found.workloads] == [("oltp", "db")]
    assert found.workloads[0].trace.startswith("traces/")
    assert noted(found.notes)["stand-in"].startswith("arrays2002-disk")
    assert f"note: {found.notes[0].text}" in result.stdout.splitlines()


@pytest.mark.parametrize("example", sorted(EXAMPLES.glob("*.toml")), ids=lambda path: path.stem)
def test_check_and_a_run_agree_on_capacity(example):
    scenario = load(example)
    plan = compile_plan(scenario, example.parent, traces_must_exist=False)
    run = capacity(plan["names"], plan["simulation"])
    found = describe(scenario, example.parent)
    assert (found.raw_bytes, found.usable_bytes) == (run.raw_bytes, run.usable_bytes)
    assert found.effective_bytes == run.effective_bytes


def test_parts_of_virtual_pools_count_as_what_those_offer():
    assert {"2.3", "1.082", "6.49"} <= set(invoke("check", EXAMPLES / "hybrid.toml").stdout.split())
    saved = "array.virtual_pool.saved.compression=2"
    # Mirrored: half of 24 drives; 2 : 1 doubles that.
    found = invoke("check", EXAMPLES / "coms.toml", "--set", saved).stdout
    figures = [float(word) for word in found.splitlines()[1].split() if word[0].isdigit()]
    assert figures[1:4] == [3.524, 1.762, 3.524]


def test_check_as_json():
    result = invoke("check", EXAMPLES / "two-pools.toml", "--json", "--set", "array.pool.large.count=10")
    found = json.loads(result.stdout)
    assert (found["schema"], found["ok"], found["drives"]) == ("iowatt.check/1", True, 26)
    assert found["raw_bytes"] == 16 * 33_600_000_000 + 10 * 5 * 10**12
    assert [pool["device"] for pool in found["pools"]] == ["arrays2002-disk", "toshiba-mg04sca500e"]
    assert [w["volume"] for w in found["workloads"]] == ["db", "replica"]
    assert found["idle_w"] == pytest.approx(16 * 22.3 + 10 * 6.2)


def test_check_says_what_is_wrong(capsys, monkeypatch):
    error = error_of("check", EXAMPLES / "idle.toml", "--set", "array.pool.disks.count=2")
    check(error, "out-of-range", Argument("set", "array.pool.disks.count=2: array.pool.disks.count"))
    assert error.exit_code == 2
    monkeypatch.setattr("sys.argv", ["iowatt", "check", "nowhere.toml"])
    with pytest.raises(SystemExit) as stopped:
        main.main()
    assert stopped.value.code == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert printed_code(said.err) == "not-found"
    assert "nowhere.toml:" in said.err


def test_check_says_what_is_wrong_as_json():
    result = invoke("check", EXAMPLES / "idle.toml", "--json", "--set", "seed=-1", "--set", "sed=1")
    assert result.exit_code == 2
    found = json.loads(result.stdout)
    assert (found["schema"], found["ok"]) == ("iowatt.check/1", False)
    assert [(p["code"], p["where"]) for p in found["problems"]] == [
        ("out-of-range", "--set seed=-1: seed"),
        ("unknown-key", "--set sed=1: sed"),
    ]
    assert "'seed'" in found["problems"][1]["hint"]


@pytest.mark.parametrize("level", [0, 1, 10])
def test_check_shows_other_systems(level):
    sets = f"array.pool.disks.raid.level={level}"
    found = invoke("check", EXAMPLES / "idle.toml", "--set", sets).stdout
    (line,) = (line for line in found.splitlines() if line.startswith("pool "))
    assert re.findall(r"RAID-\d+|\d+ KiB", line) == [f"RAID-{level}", *(["16 KiB"] if level != 1 else [])]
    (pool,) = iowatt_check(EXAMPLES / "idle.toml", [sets]).pools
    assert (pool.raid_level, pool.scheduler, pool.stripe_unit_bytes) == (level, "look", 16 * 1024)
    (replayed,) = iowatt_check(EXAMPLES / "tpcc-raid5.toml").workloads
    assert replayed.replay.startswith("open") and "0.4" in replayed.replay
    (closed,) = iowatt_check(EXAMPLES / "tpcc-closed.toml").workloads
    assert closed.replay.startswith("closed, 32")


def test_explain_a_key():
    lines = invoke("explain", "array.pool.disks.raid.stripe_unit").stdout.splitlines()
    (key,) = explanation("array.pool.raid.stripe_unit").keys
    assert lines[:2] == [key.path, key.description]
    shown = dict(line.split(maxsplit=1) for line in lines[3:])
    assert (shown["accepts"], shown["unit"], shown["default"]) == (key.accepts, "bytes", "64 KiB")
    assert shown["example"] == 'stripe_unit = "16KiB"'


def test_explain_all_keys_and_as_json():
    _, _, *lines = invoke("explain").stdout.splitlines()
    assert len(lines) > 50
    found = json.loads(invoke("explain", "--json").stdout)
    assert Explanation.model_validate(found).as_dict() == found
    assert [line.split()[0] for line in lines] == [key["path"] for key in found["keys"]]
    (one,) = json.loads(invoke("explain", "observe", "--json").stdout)["keys"]
    assert one["keys"] == [
        f"observe.{key}" for key in ("interval", "series", "warmup", "duration", "idle", "heat")
    ]


def test_explain_an_unknown_key():
    error = error_of("explain", "array.pool.raid.level.x")
    check(error, "unknown-key", None)
    assert "array.pool.raid.level?" in (error.hint or "")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("durability.scrub", "durability.scrub_days"),
        ("stripe_unit", "array.pool.raid.stripe_unit"),
        ("stripe_unt", "array.pool.raid.stripe_unit"),
    ],
)
def test_explain_suggests_keys_of_scenarios_and_of_the_book(typed, meant):
    error = error_of("explain", typed)
    check(error, "unknown-key", None)
    assert f"{meant}?" in (error.hint or "")


def test_explain_a_key_of_the_book():
    lines = invoke("explain", "durability.scrub_days").stdout.splitlines()
    assert lines[0] == "durability.scrub_days" and any(line.startswith("unit") for line in lines)
    found = json.loads(invoke("explain", "failures.afr", "--json").stdout)
    assert "failures.afr.hdd" in [key["path"] for key in found["keys"]]


def test_schema(tmp_path):
    assert invoke("schema").stdout == schema_text("scenario")
    target = tmp_path / "s.json"
    result = invoke("schema", "-o", target)
    assert (result.stdout, target.read_text("utf-8")) == ("", schema_text("scenario"))
    check(error_of("schema", "-o", target), "exists", str(target))
    assert invoke("schema", "-o", target, "--force").exit_code == 0
    assert [p.name for p in tmp_path.iterdir()] == ["s.json"]


def test_an_override_that_contradicts_the_file_is_named(tmp_path):
    """The problem is the file's 17 drives, by its line; what was typed is said, too."""
    target = tmp_path / "s.toml"
    assert invoke("init", target).exit_code == 0
    target.write_text(
        target.read_text().replace("count = 16", "count = 17").replace("level = 10", "level = 5")
    )
    error = error_of("check", target, "--set", "array.pool.raid.level=10")
    assert str(error.place).startswith(f"{target}:")
    assert "`set=array.pool.raid.level=10`" in str(error.hint)
    own = error_of("check", target, "--set", "array.pool.count=0")
    check(own, "out-of-range", Argument("set", "array.pool.count=0: array.pool.disks.count"))
    assert "`set=" not in str(own.hint)


def test_init_writes_a_scenario_that_loads(tmp_path):
    target = tmp_path / "my first.toml"
    assert invoke("init", target).exit_code == 0
    scenario = load(target)
    assert scenario.name == "my-first"
    assert (
        tmp_path / scenario.workload[0].trace.path
    ).resolve() == EXAMPLES / "traces" / "pg_tpcc_paced_excerpt.parquet"
    assert invoke("check", target).exit_code == 0
    assert "{{" not in target.read_text("utf-8")
    assert [p.name for p in tmp_path.iterdir()] == [target.name]


def test_init_with_a_trace_of_ones_own(tmp_path, monkeypatch):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / 'a "quoted".csv').write_text("time_ms,op,offset,size\n1,R,0,4096\n")
    monkeypatch.chdir(tmp_path)
    assert invoke("init", "s.toml", "--trace", 'in/a "quoted".csv').exit_code == 0
    trace = load(tmp_path / "s.toml").workload[0].trace
    assert (trace.path, trace.format) == ('in/a "quoted".csv', "csv")
    check(error_of("init", "t.toml", "--trace", "nothing.csv"), "not-found", "nothing.csv")
    assert not (tmp_path / "t.toml").exists()


def test_init_refuses_a_trace_that_would_not_run(tmp_path, monkeypatch):
    """By file and line, and with the options that it takes; nothing is written."""
    monkeypatch.chdir(tmp_path)
    header = "ts,kind,addr,len\n"
    for name, text, needed in (
        ("headers.csv", header + "1,R,0,4096\n", "`columns="),
        ("units.csv", "time,op,offset,size\n1,R,0,4096\n", "time_unit"),
        ("empty.csv", "time_ms,op,offset,size\n", ""),
        ("record.csv", "time_ms,op,offset,size\n1,R,0,4096\n2,R,x,4096\n", ""),
        ("far.csv", "time_ms,op,offset,size\n1,R,9000000000000000000,4096\n", ""),
    ):
        Path(name).write_text(text)
        error = error_of("init", "s.toml", "--trace", name)
        assert error.exit_code == 2
        assert str(error.place).startswith(name)
        assert needed in error.message
        assert not Path("s.toml").exists()
    assert error_of("init", "s.toml", "--time-unit", "ms").exit_code == 2


def test_init_writes_how_a_trace_is_read_and_the_scenario_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    #: Sectors; two devices, of which the larger alone is more than the usual 16 drives hold.
    far = 100 * 10**12 // 512
    Path("mine.csv").write_text(f"ts,kind,addr,len,disk\n1,R,{far},8,a\n2,W,8,8,b\n3,R,0,16,a\n")
    columns = "time=ts,op=kind,lba=addr,sectors=len,device=disk"
    given = ["init", "s.toml", "--trace", "mine.csv", "--columns", columns, "--time-unit", "ms"]
    assert invoke(*given).exit_code == 0
    scenario = load(tmp_path / "s.toml")
    trace = scenario.workload[0].trace
    assert (trace.format, trace.time_unit, trace.place) == ("csv", "ms", "end-to-end")
    assert trace.columns["lba"] == "addr"
    assert scenario.array.pool[0].count > 16
    run = iowatt.run("s.toml")
    assert run.summary["requests"]["count"] == 3
    assert run.summary["requests"]["bytes_read"] == 24 * 512


def test_init_overwrites_nothing(tmp_path):
    target = tmp_path / "s.toml"
    target.write_text("mine")
    check(error_of("init", target), "exists", str(target))
    assert target.read_text() == "mine"
    assert invoke("init", target, "--force").exit_code == 0
    check(error_of("init", tmp_path / "no" / "s.toml"), "unwritable", str(tmp_path / "no" / "s.toml"))


def test_init_leaves_the_interval_to_the_length_of_the_run(tmp_path):
    """A trace of a minute has more than the 12 intervals that a verdict on power needs, and both lenses."""
    target, trace = tmp_path / "s.toml", tmp_path / "t.csv"
    rows = [f"{0.05 * at:.2f},{'RW'[at % 2]},{4096 * (at * 7919 % 50_000)},4096" for at in range(1_340)]
    trace.write_text("time_s,op,offset,size\n" + "\n".join(rows) + "\n")
    assert invoke("init", target, "--trace", trace).exit_code == 0
    run = iowatt.run(target, set=['workload.trace.trace.time_unit="s"'], output=tmp_path / "run")
    assert 60 <= run.table("intervals").height <= 70
    for lens in ("idle", "heat"):
        assert invoke(lens, tmp_path / "run").exit_code == 0
