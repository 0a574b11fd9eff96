"""File access: a plan whose phases make operations on files, run, and judged by unverified rules."""

import json
import time

import pytest
from typer.testing import CliRunner

from iowatt.cli import main
from iowatt.emerald.plan import Plan
from iowatt.emerald.rules import load
from refused import check

WORDS = ["emerald", "plan", "--category", "online", "--driver", "files", "--rules", "emerald-4.0.0-file"]
IDLE_S = 1.0


def plan(target, folder, *more):
    rates = [f"--phase-rate={phase}=200" for phase in ("FDB", "FSB", "FVA")]
    words = [*WORDS, "--target", str(target), "--size", "3MiB", "--time-scale", "0.001", *rates, *more]
    return CliRunner().invoke(main.app, [*words, "--conditioning", "5min", "-o", str(folder)])


@pytest.fixture(scope="module")
def analysed(tmp_path_factory):
    place = tmp_path_factory.mktemp("file-access")
    (place / "nas").mkdir()
    log, now = place / "power.csv", time.time()
    rows = (f"{now - 5 + step * 0.01:.3f},100.0" for step in range(20_000))
    log.write_text("time,watts\n" + "\n".join(rows) + "\n")
    meter = f"pdu=csv:{log}?time=time&watts=watts&time-format=unix"
    made = plan(place / "nas", place / "plan", "--raw-capacity", "1TB", "--meter", meter)
    assert made.exit_code == 0, made.output
    shortened = Plan.model_validate_json((place / "plan" / "plan.json").read_text())
    shortened = shortened.with_stages(lambda stage: stage.role == "idle", seconds=IDLE_S)
    (place / "plan" / "plan.json").write_text(shortened.model_dump_json(by_alias=True))
    ran = CliRunner().invoke(main.app, ["emerald", "run", str(place / "plan"), "-o", str(place / "run")])
    assert ran.exit_code == 0, ran.output
    judged = CliRunner().invoke(main.app, ["emerald", "analyze", str(place / "run"), "--json"])
    return place, shortened, json.loads(judged.stdout)


def test_the_phases_are_those_of_file_access_and_no_rule_of_them_is_verified():
    rules = load("emerald-4.0.0-file")
    assert rules.names("phases.order", "online") == ("FDB", "FSB", "FVA")
    for key in ("phases.order", "phases.active.measurement_s", "metrics.FSB.unit", "workloads.FSB.access"):
        assert not rules.rule(key, "online").verified
    assert rules.rule("driver.tool", "online").value == "SPEC SFS 2014"
    assert rules.rule("metrics.family", "online").value != load("emerald").rule("metrics.family").value


def test_the_metric_is_operations_per_second_over_watts(analysed):
    _place, _plan, found = analysed
    assert [one["phase"] for one in found["phases"]] == ["FDB", "FSB", "FVA"]
    for one in found["phases"]:
        assert one["unit"] == "ops/s/W" and one["power_w"] == pytest.approx(100)
        # 360 operations at 200/s are expected: five standard deviations of a Poisson process.
        assert one["operations_rate"] == pytest.approx(200, abs=5 * 360**0.5 / 1.8)
        minutes = [minute for minute in one["minutes"] if minute["measured"]]
        assert len(minutes) == 30
        # At 100 W; an operation that completes late may leave the last minute without all of its samples.
        whole = [minute for minute in minutes if minute["power_w"] is not None]
        done = sum(minute["operations_rate"] * (minute["end_s"] - minute["start_s"]) for minute in whole)
        assert one["ep"] == pytest.approx(done / one["complete_seconds"] / 100)
    assert found["ready_idle"]["ep"] == pytest.approx(10)  # 1,000 GB over 100 W


def test_it_never_passes_for_a_result_of_the_licensed_program(analysed):
    _place, planned, found = analysed
    assert "driver-other" in {one.code for one in planned.deviations}
    assert not found["compliant"] and found["source"] == "files" and found["family"] == "file-access"
    assert {"phases.order", "metrics.FSB.name"} <= {one["key"] for one in found["rules"]["unverified"]}


def test_files_are_made_in_directories_of_their_own_and_kept(analysed):
    place, _plan, _found = analysed
    names = {path.name for path in (place / "nas").iterdir()}
    assert names == {f"iowatt-emerald-{phase}" for phase in ("FDB", "FSB", "FVA")}


def test_what_does_not_go_together_is_refused(tmp_path):
    (tmp_path / "nas").mkdir()
    (tmp_path / "file").write_text("x")
    for words, code in (
        (["--rules", "emerald-4.0.0"], "conflict"),
        (["--driver", "fio"], "conflict"),
        (["--target", str(tmp_path / "file")], "not-accepted"),  # a second target
        (["--phase-rate", "HB=100"], "not-accepted"),
    ):
        done = plan(tmp_path / "nas", tmp_path / "plan", *words)
        check(done.exception, code)
    done = CliRunner().invoke(
        main.app, [*WORDS, "--target", str(tmp_path / "file"), "--size", "1MiB", "-o", str(tmp_path / "plan")]
    )
    check(done.exception, "wrong-kind", str(tmp_path / "file"))
    assert plan(tmp_path / "nas", tmp_path / "plan").exit_code == 0
    run = ["emerald", "run", str(tmp_path / "plan"), "-o", str(tmp_path / "run")]
    check(CliRunner().invoke(main.app, [*run, "--erase", str(tmp_path / "nas")]).exception, "not-applicable")
    again = ["emerald", "calibrate", str(tmp_path / "plan"), "-o", str(tmp_path / "calibrated")]
    check(CliRunner().invoke(main.app, again).exception, "unsupported")
    assert list((tmp_path / "nas").iterdir()) == []
