"""What is there in part: some of the meters, a rest without times, stamps without a zone, half a result."""

from __future__ import annotations

import io
import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

import emerald_runs
from iowatt.base.errors import InputError
from iowatt.cli.main import app
from iowatt.emerald.analyze import judge, page, read
from iowatt.emerald.analyze.read import observe
from iowatt.emerald.analyze.stages import IdlePeriod, Logs, stage_run
from iowatt.emerald.rules import load
from iowatt.render import terminal
from iowatt.run.bundle import Run
from iowatt.sources.meters.log.instrument import Instrument, InstrumentLog
from refused import refused

SAMPLE = Path(__file__).parents[1] / "data" / "vdbench"
BEGIN = emerald_runs.BEGIN
RULES = load("emerald-4.0.0")


def idle(**more):
    plan = emerald_runs.plan(source="fio", **more)
    return plan, plan.stages[-1].model_copy(update={"seconds": 600.0})


def meter(name, watts, begin=BEGIN):
    time_s = begin + np.arange(1.0, 601.0)
    about = Instrument(name, "ptdaemon", "emerald", "an analyser", sample_interval_s=1.0)
    return InstrumentLog(about, time_s, {"watts": np.full(len(time_s), watts)})


def rested(logs):
    plan, stage = idle()
    one = stage_run(plan, stage, IdlePeriod(BEGIN, BEGIN + 600), logs)
    return one, judge(emerald_runs.MeasuredStages(plan, [one]), RULES).ready_idle


def against(part):
    return {one.code: one.text for one in part.findings if one.weight == "invalid"}


def test_the_power_of_two_meters_is_their_sum():
    one, found = rested(Logs([meter("pdu1", 300.0), meter("pdu2", 400.0)]))
    assert found.power_w == one.run.summary["power_w"]["wall_mean"] == pytest.approx(700.0)
    assert "power-in-part" not in against(found)


@pytest.mark.parametrize(
    "logs",
    [
        Logs([meter("pdu1", 300.0), meter("pdu2", 400.0, begin=BEGIN + 86_400)]),
        Logs([meter("pdu1", 300.0)], missing=["pdu2"]),
    ],
    ids=["of another time", "no log"],
)
def test_the_power_of_one_of_two_meters_is_no_power(logs, tmp_path):
    one, found = rested(logs)
    assert found.power_w is found.ep is found.ep_shown is None
    assert {"power-in-part", "power-missing"} <= set(against(found))
    (part,) = [one for one in found.findings if one.code == "power-in-part"]
    assert part.values == {"missing": ["pdu2"]} and "pdu1" in part.text
    one.run.save(tmp_path / "rest")
    saved = Run.open(tmp_path / "rest")
    assert saved.table("intervals")["wall_w"].null_count() == 10
    assert saved.summary["power_w"]["wall_mean"] is None
    assert [row.name for row in found.instruments] == ["pdu1"]


def test_a_plan_s_meter_that_left_no_log_is_missing_in_every_stage(tmp_path):
    rows = "".join(f"{BEGIN + at:.1f},300\n" for at in range(1, 601))
    (tmp_path / "one.csv").write_text("time,watts\n" + rows)
    one = f"csv:{tmp_path}/one.csv?utc-offset=Z"
    given = [
        {"name": "pdu1", "source": one, "role": "power"},
        {"name": "pdu2", "source": f"csv:{tmp_path}/two.csv?utc-offset=Z", "role": "power"},
    ]
    plan, _ = idle(instruments=given)
    logs, findings = read._logs(tmp_path, plan)
    assert logs.missing == ["pdu2"]
    assert [finding.code for finding in findings] == ["log-unreadable"]
    (tmp_path / "plan.json").write_text(plan.model_dump_json(by_alias=True))
    measured = read.files(tmp_path / "plan.json", tmp_path, [one], [])
    assert measured.plan.instruments[1].name == "pdu2"
    assert read._not_given(plan, logs.power) == ["pdu2"]
    assert read._not_given(plan, [*logs.power, meter("other", 1.0)]) == []


INF, NAN = float("inf"), float("nan")
TIMES = [
    (0.0, 1e15),
    (2.0, 1.0),
    (NAN, 1.0),
    (0.0, INF),
    (-INF, INF),
    (5.0, 5.0),
    (1e15, 1e15 + 60),
    (-60.0, 0.0),
]


@pytest.mark.parametrize(("start", "end"), TIMES)
def test_a_rest_that_cannot_have_been_is_named(start, end):
    plan, stage = idle()
    one = stage_run(plan, stage, IdlePeriod(start, end), Logs())
    assert one.run is None
    assert [finding.code for finding in one.findings] == ["rest-impossible"]


@pytest.mark.parametrize(
    "text",
    [
        *(json.dumps({"start": start, "end": end}) for start, end in TIMES),
        "[" * 100_000,
        '{"start": 1' + "0" * 400 + ', "end": 2}',
        '{"start": 1' + "0" * 5000 + ', "end": 2}',
        '{"start": null, "end": 2}',
        "[]",
        "\xff",
    ],
    ids=str,
)
def test_a_record_of_a_rest_that_says_nothing_leaves_the_journal_s_times(text, tmp_path):
    file = tmp_path / "rest.json"
    file.write_text(text, "latin-1")
    rest, findings = read._idle_period(file, BEGIN, BEGIN + 60, 60.0)
    assert rest == IdlePeriod(BEGIN, BEGIN + 60)
    assert [(one.code, one.weight) for one in findings] == [("rest-by-journal", "warning")]
    rest, findings = read._idle_period(file, BEGIN, None, 60.0)
    assert rest is None
    assert [one.weight for one in findings] == ["invalid"]


def test_a_manifest_of_brackets_is_refused(tmp_path):
    (tmp_path / "measurement.json").write_text("[" * 100_000)
    with refused("too-large", str(tmp_path / "measurement.json")):
        read.measurement(tmp_path)


def in_zone(folder, zone):
    shutil.copytree(SAMPLE, folder)
    for file in folder.iterdir():
        file.write_text(file.read_text().replace("UTC", zone))
    return folder


def hband(plan):
    return plan.stages[1].model_copy(update={"id": "hband"})


@pytest.mark.parametrize(
    ("zone", "named", "hours"),
    [
        ("CST", "America/Chicago", 6),
        ("CST", "Asia/Shanghai", -8),
        ("IST", "Asia/Kolkata", -5.5),
        ("BST", "Asia/Dhaka", -6),
        ("AST", "America/Halifax", 4),
    ],
)
def test_vdbench_s_stamps_in_a_zone_of_several_meanings_are_read_where_it_is_named(
    tmp_path, zone, named, hours
):
    plan = emerald_runs.plan(source="vdbench")
    utc = observe(plan, hband(plan), SAMPLE)
    local = in_zone(tmp_path / "out", zone)
    with pytest.raises(InputError) as caught:
        observe(plan, hband(plan), local)
    assert zone in caught.value.message and "time" in caught.value.hint
    found = observe(plan, hband(plan), local, time_zone=named)
    assert found.start - utc.start == pytest.approx(hours * 3600)


def test_the_verb_takes_the_zone_that_the_hint_names(tmp_path):
    in_zone(tmp_path / "out", "CST")
    plan = emerald_runs.plan(source="vdbench")
    plan = plan.model_copy(update={"stages": [hband(plan)]})
    (tmp_path / "plan.json").write_text(plan.model_dump_json(by_alias=True))
    call = ["emerald", "analyze", "--json", "--plan", str(tmp_path / "plan.json")]
    call += ["--driver-output", str(tmp_path / "out")]

    def codes(*more):
        done = CliRunner().invoke(app, [*call, *more])
        assert done.exit_code == 1, done.output
        return {one["code"] for one in json.loads(done.stdout)["phases"][0]["findings"]}

    assert "unreadable" in codes()
    assert "unreadable" not in codes("--time-zone", "America/Chicago")


def test_output_that_changed_is_read_again(tmp_path):
    folder = in_zone(tmp_path / "out", "UTC")
    plan = emerald_runs.plan(source="vdbench")
    before = observe(plan, hband(plan), folder)
    assert observe(plan, hband(plan), folder) is before
    for file in folder.iterdir():
        file.write_text(file.read_text().replace("UTC", "CET"))
        os.utime(file, (1, 1))
    assert observe(plan, hband(plan), folder).start == before.start - 3600


def test_runs_of_an_earlier_result_are_not_overwritten(tmp_path):
    (tmp_path / "runs" / "HB").mkdir(parents=True)
    with refused("exists", str(tmp_path / "runs" / "HB")) as caught:
        page.check_target(tmp_path, force=False)
    assert "`force=True`" in caught.value.hint
    page.check_target(tmp_path, force=True)
    (tmp_path / "runs" / "HB").rmdir()
    page.check_target(tmp_path, force=False)


def test_the_output_of_a_simulation_is_not_made_elsewhere(tmp_path):
    plan = emerald_runs.plan(source="simulation")
    (tmp_path / "plan.json").write_text(plan.model_dump_json(by_alias=True))
    with refused("not-applicable", str(tmp_path / "plan.json")):
        read.files(tmp_path / "plan.json", tmp_path, [], [])
    rest = stage_run(plan, plan.stages[-1], IdlePeriod(BEGIN, BEGIN + 600), Logs())
    assert rest.run.summary["source"] == "simulation"


def test_the_metrics_are_whole_where_there_is_no_terminal():
    found = judge(emerald_runs.measured(), RULES)
    said = io.StringIO()
    terminal.show(page.document(found), console=Console(file=said, width=terminal.WIDTH, soft_wrap=True))
    lines = said.getvalue().splitlines()
    assert "…" not in said.getvalue()
    for part in found.parts:
        line = next(line for line in lines if line.startswith(part.metric))
        assert part.ep_shown in line.split() and part.status in line.split()
