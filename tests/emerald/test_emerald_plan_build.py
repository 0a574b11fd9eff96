"""Plans: sequences and times, deviations, calendar, check-list, and what lies in the folder."""

from __future__ import annotations

import html
import json
import re
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import pytest
from emerald_plans import RATES, by_id, plan

from figures import figures
from iowatt.base.errors import Argument, InputError
from iowatt.emerald.plan import PlanRequest, folder, make_plan, rewrite
from iowatt.emerald.plan.build import build, rules_of_plan
from iowatt.emerald.plan.calendar import calendar, span_text
from iowatt.emerald.plan.checklist import items
from iowatt.emerald.plan.model import PlannedInstrument
from iowatt.emerald.plan.page import clock_text
from iowatt.emerald.plan.result import ITEM_STATES
from iowatt.sources.environment import java
from refused import refused

ONLINE_1 = ["MW1", "MW2", "RR", "RW", "SR", "SW"]
ONLINE_4 = ["HB", "RR", "RW", "SR", "SW"]
MISSING, NOT_POSSIBLE, TO_DO, IN_PLACE = ITEM_STATES


@pytest.fixture
def no_load_generators(monkeypatch):
    """Without fio and vdbench on the PATH, whose checks take a second for each plan."""
    monkeypatch.setattr("iowatt.emerald.plan.load.check.shutil.which", lambda name: None)


unchecked = pytest.mark.usefixtures("no_load_generators")


@pytest.mark.parametrize(
    ("rules", "category", "phases"),
    [
        ("emerald-1.0.0", "online", ONLINE_1),
        ("emerald-1.0.0", "near-online", ONLINE_1),
        ("emerald-2.1.1", "online", ONLINE_4),
        ("emerald-3.0.3", "online", ONLINE_4),
        ("emerald-4.0.0", "near-online", ONLINE_4),
        ("energystar-1.1", "online", ONLINE_4),
        ("emerald-4.0.0", "removable-media-library", ["SW", "SR"]),
        ("emerald-1.0.0", "virtual-media-library", ["SW", "SR"]),
    ],
)
def test_phases_are_those_of_version_and_category(tmp_path, rules, category, phases):
    made = plan(tmp_path, rules=rules, category=category, rates={})
    assert [s.phase for s in made.stages if s.role == "measurement"] == phases
    active = [s for s in made.stages if s.role in ("warmup", "measurement")]
    assert [s.id for s in active] == [name for p in phases for name in (f"{p}-warmup", p)]
    assert {s.seconds for s in active if s.role == "warmup"} == {600}
    assert {s.seconds for s in active if s.role == "measurement"} == {1800}
    fill = [] if category == "removable-media-library" else ["prefill"]  # media are not filled
    assert [s.role for s in made.stages if s not in active] == [*fill, "conditioning", "idle"]
    assert made.stages[-1].id == "ready-idle"
    sequential = set(phases) <= {"SR", "SW"}
    assert by_id(made)["conditioning"].workload == ("SW" if sequential else phases[0])
    for stage in active:
        assert stage.closed == (stage.workload in ("SR", "SW"))


def test_times_are_those_of_the_planners_arithmetic(tmp_path):
    """Version 1.0 is 6 x 40 min + 2 h; 2.x on with vdbench 5 x 41 min + 2 h."""
    seconds = calendar(plan(tmp_path, rules="emerald-1.0.0", rates={})).uninterrupted.seconds
    assert seconds == 6 * 3600
    seconds = calendar(plan(tmp_path, source="vdbench")).uninterrupted.seconds
    assert seconds == 5 * 3600 + 25 * 60
    seconds = calendar(plan(tmp_path)).uninterrupted.seconds
    assert seconds == 5 * 2400 + 7200


def test_mw2_has_a_quarter_of_mw1s_rate(tmp_path):
    made = by_id(plan(tmp_path, rules="emerald-1.0.0", rates={"MW1": 4330.0}))
    assert (made["MW1"].rate_iops, made["MW2"].rate_iops, made["MW2-warmup"].rate_iops) == (
        4330,
        1082.5,
        1082.5,
    )
    assert by_id(plan(tmp_path, rules="emerald-1.0.0", rates={}))["MW2"].rate_iops is None


def test_scaled_times_say_what_the_rules_ask_for(tmp_path):
    made = plan(tmp_path, time_scale=0.01)
    hot = by_id(made)["HB"]
    assert (hot.seconds, hot.rule_seconds, hot.interval_s) == (pytest.approx(18), 1800, pytest.approx(0.6))
    assert "dry-run" in {one.code for one in made.deviations}


def test_what_makes_a_result_no_emerald_result(tmp_path, monkeypatch):
    device = "/dev/x"
    monkeypatch.setattr("iowatt.emerald.plan.build._is_device", lambda path: path == device)
    at = {"targets": [device], "rates": {}}

    def of(**asked):
        return [one.code for one in plan(tmp_path, **{**at, **asked}).deviations]

    assert of(rules="emerald-1.0.0") == []
    for rules in ("emerald-2.0.0", "emerald-2.1.1", "emerald-3.0.3", "emerald-4.0.0"):
        assert of(rules=rules) == ["driver-other"]
    assert of(source="vdbench") == ["driver-script"]
    (script,) = plan(tmp_path, **at, source="vdbench").deviations
    assert "2020_04_29" in script.text
    assert of(source="vdbench", rules="emerald-1.0.0") == []
    assert of(rules="emerald-1.0.0", targets=[str(tmp_path / "f")]) == ["file-system"]
    (short,) = plan(tmp_path, **at, rules="emerald-1.0.0", conditioning_s=3600).deviations
    assert short.code == "conditioning-short"
    assert re.findall(r"\d+", short.text) == ["3600", "43200"]
    assert of(rules="emerald-1.0.0", prefill=False) == []  # recommended there
    assert of(prefill=False) == [*of(), "no-prefill"]


def test_a_simulated_array_is_modelled_and_needs_no_fill(tmp_path):
    (tmp_path / "a.toml").write_text(
        'name = "a"\n[[workload]]\nname = "w"\n'
        'profile = { name = "uniform", rate_iops = 10, duration = "1s" }\n'
        '[[array.pool]]\nname = "d"\ndevice = "arrays2002-disk"\ncount = 4\n'
        'raid = { level = 0, stripe_unit = "64KiB" }\n'
    )
    out = tmp_path / "plans" / "one"
    made, _ = build(
        PlanRequest(category="online", class_=4, source="simulation", scenario=tmp_path / "a.toml"), out
    )
    assert made.stages[0].role == "conditioning"
    assert made.target.scenario == "../../a.toml"
    assert made.raw_capacity_bytes % 4 == 0
    assert [one.code for one in made.deviations] == ["modelled"]
    found = make_plan(PlanRequest(category="online", source="simulation", scenario=tmp_path / "a.toml"), out)
    assert found.files == []
    assert (found.checklist[0].topic, found.checklist[0].state) == ("power", "missing")  # no [array.power]


def test_tiering_may_move_data_before_conditioning_from_version_2_on(tmp_path):
    made = plan(tmp_path, migration_s=7200, time_scale=0.5, conditioning_s=36000)
    assert [(s.id, s.role, s.workload, s.seconds, s.rate_iops) for s in made.stages[1:3]] == [
        ("migration", "conditioning", "HB", 3600, 4000),
        ("conditioning", "conditioning", "HB", 18000, 4000),
    ]
    (short,) = [one for one in made.deviations if one.code == "conditioning-short"]
    assert "36000 s" in short.text
    with refused("not-applicable", Argument("migration")):
        plan(tmp_path, rules="emerald-1.0.0", rates={}, migration_s=10)


def test_rules_that_nobody_verified_are_named(tmp_path):
    made = plan(tmp_path)
    assert {
        "phases.order",
        "phases.conditioning.duration_s",
        "response.mean_ms.random",
        "workloads.HB.sizes",
    } <= set(made.rules.unverified)
    assert [r.key for r in rules_of_plan(made).unverified_used] == made.rules.unverified
    sequential = plan(tmp_path, category="removable-media-library", rates={})
    assert "response.mean_ms.random" not in sequential.rules.unverified
    assert "removable-media-library.phases.conditioning.workload" in sequential.rules.unverified


@pytest.mark.parametrize(
    ("asked", "where", "code", "figures"),
    [
        ({"category": "adjunct"}, Argument("category"), "not-accepted", "adjunct"),
        ({"category": None}, Argument("category"), "missing", "near-online"),
        ({"category": "near-online", "class_": 4}, Argument("class"), "not-accepted", "1, 2, 3, 5, 6"),
        ({"rules": "eu-2019-424"}, Argument("rules"), "not-applicable", "eu-2019-424"),
        ({"block_size": 1024}, Argument("block_size"), "not-accepted", "1024"),
        ({"time_scale": 0.0001}, Argument("time_scale"), "out-of-range", "0.0001"),
        ({"source": "vdbench", "time_scale": 0.01}, Argument("time_scale"), "out-of-range", "0.01"),
        ({"rates": {"SR": 5.0}}, Argument("rate"), "not-accepted", "HB, RR, RW"),
        ({"streams": {"HB": 5}}, Argument("streams"), "not-accepted", "SR, SW"),
        ({"source": "simulation"}, Argument("scenario"), "missing", "`scenario=`"),
        ({"scenario": Path("a.toml")}, Argument("scenario"), "conflict", "`target=`"),
        ({"targets": []}, Argument("target"), "missing", "`target=`"),
        ({"targets": ["/x", "/x"]}, Argument("target"), "duplicate", ""),
        ({"size_bytes": None}, "plan.json: target.size_bytes", "missing", "t.dat"),
        ({"size_bytes": 1000}, "plan.json: target.size_bytes", "out-of-range", "1000"),
        (
            {"instruments": [PlannedInstrument(name="a/b", source="x")]},
            Argument("meter"),
            "bad-syntax",
            "'a/b'",
        ),
        (
            {"instruments": [PlannedInstrument(name="a", source="x")] * 2},
            Argument("meter"),
            "duplicate",
            "'a'",
        ),
        ({"seed": (1 << 40) + 1}, Argument("seed"), "out-of-range", str(1 << 40)),
    ],
)
def test_what_contradicts_the_rules_is_refused(tmp_path, asked, where, code, figures):
    with refused(code, where) as caught:
        plan(tmp_path, **asked)
    assert figures in caught.value.message


def test_a_target_that_is_too_small_is_named(tmp_path):
    (tmp_path / "t.dat").write_bytes(bytes(1 << 20))
    with refused("out-of-range", str(tmp_path / "t.dat")) as caught:
        plan(tmp_path)
    assert "67108864" in caught.value.message
    assert plan(tmp_path, size_bytes=None).target.size_bytes == 1 << 20


def test_a_calendar_has_dates_while_lengths_are_known(tmp_path):
    made = plan(tmp_path)
    start = datetime.fromisoformat("2026-11-23T08:00+01:00")
    unknown = calendar(made, start).stages
    assert (unknown[0].seconds, unknown[0].starts, unknown[0].ends) == (
        None,
        "2026-11-23 08:00:00+01:00",
        None,
    )
    assert {one.since for one in unknown[1:]} == {"prefill"}
    assert {one.starts for one in unknown[1:]} == {None}
    known = calendar(made, start, fill_rate=(64 << 20) / 3600).stages
    assert known[1].starts == "2026-11-23 09:00:00+01:00"
    assert known[2].starts == "2026-11-23 21:00:00+01:00"
    assert known[-1].ends == "2026-11-24 02:20:00+01:00"
    assert known[0].estimated and not known[1].estimated
    for one, after in pairwise(known):
        assert one.end_s == after.start_s


@pytest.mark.parametrize(
    ("seconds", "span", "clock"),
    [(0.6, "0.6 s", "00:00:00.6"), (61, "1 min 1 s", "00:01:01"), (98700, "1 d 3 h 25 min", "1 d 03:25:00")],
)
def test_times_in_words(seconds, span, clock):
    assert (span_text(seconds), clock_text(seconds)) == (span, clock)


def test_the_check_list_says_what_is_missing(tmp_path):
    made = plan(tmp_path, rates={"HB": 10.0})
    found = items(made, rules_of_plan(made))
    missing = {one.topic: one.text for one in found if one.state == MISSING}
    assert {"power", "temperature", "system", "rates"} <= missing.keys()
    assert "--raw-capacity" in missing["system"] and "RR, RW" in missing["rates"]
    (never,) = [one for one in found if one.state == NOT_POSSIBLE]
    assert (never.topic, never.rule) == ("driver", "driver.tool") and "fio" in never.text
    # Neither the version of another driver nor its script is a task.
    assert not [one for one in found if "5.04.05" in one.text or "2020_04_29" in one.text]
    official = plan(tmp_path, source="vdbench")
    by_rule = {one.rule: one for one in items(official, rules_of_plan(official))}
    for rule, value, state in (
        ("driver.tool", "vdbench", IN_PLACE),
        ("driver.versions", "5.04.05", TO_DO),
        ("driver.script", "2020_04_29", TO_DO),
    ):
        assert by_rule[rule].text.endswith(value) and by_rule[rule].state == state
    either = plan(tmp_path, rules="emerald-1.0.0", rates={})
    assert not [one for one in items(either, rules_of_plan(either)) if one.state == NOT_POSSIBLE]
    full = plan(
        tmp_path,
        instruments=[
            PlannedInstrument(name="pdu1", source="csv:p.csv"),
            PlannedInstrument(name="in", source="csv:t.csv", role="temperature"),
        ],
        raw_capacity_bytes=7_300_000_000_000,
    )
    texts = [one.text for one in items(full, rules_of_plan(full)) if one.state != MISSING]
    assert any("pdu1 (csv:p.csv)" in text for text in texts)
    assert any("7,300.000 GB" in text for text in texts)
    by_rule = {one.rule: one for one in items(full, rules_of_plan(full))}
    assert figures(by_rule["instruments.power.sampling_s"].text) == [5]


def asked(tmp_path, **more):
    given = {"size_bytes": 64 << 20, "time_scale": 0.02, "rates": RATES, **more}
    return PlanRequest(category="online", source="fio", targets=[str(tmp_path / "t.dat")], **given)


def test_a_dry_run_is_marked_in_every_file(tmp_path):
    out = tmp_path / "plan"
    found = make_plan(asked(tmp_path), out)
    assert not found.compliant
    (dry,) = [one.text for one in found.plan.deviations if one.code == "dry-run"]
    assert "0.02" in dry
    written = sorted(path for path in out.rglob("*") if path.is_file())
    assert {path.suffix for path in written} == {".json", ".txt", ".html", ".fio", ".parm"}
    for path in written:
        text = path.read_text()
        assert dry in html.unescape(text), path
        if path.suffix in (".fio", ".parm", ".txt"):
            assert "NON-COMPLIANT" in text
    assert {one.path for one in found.files} == {
        str(path.relative_to(out)) for path in written if path.suffix in (".fio", ".parm")
    }


@unchecked
def test_a_plan_reads_back_and_is_written_again_with_its_rates(tmp_path):
    make_plan(asked(tmp_path, rates={}), tmp_path / "plan")
    read = folder.read(tmp_path / "plan")
    assert folder.read(tmp_path / "plan" / "plan.json") == read
    assert (tmp_path / "plan" / "fio" / "HB.fio").read_text().startswith("# RATE NOT FOUND YET")
    stages = [s.model_copy(update={"rate_iops": 300.0}) if s.workload == "HB" else s for s in read.stages]
    found = rewrite(read.model_copy(update={"stages": stages}), tmp_path / "rated")
    again = folder.read(tmp_path / "rated")
    assert (by_id(again)["HB"].rate_iops, again.rules) == (300, read.rules)
    assert "RATE NOT FOUND" not in (tmp_path / "rated" / "fio" / "HB.fio").read_text()
    assert [rule.key for rule in found.rules_used if not rule.verified] == read.rules.unverified


@unchecked
def test_a_plan_of_an_earlier_version_has_deviations_without_codes(tmp_path):
    make_plan(asked(tmp_path), tmp_path / "plan")
    file = tmp_path / "plan" / "plan.json"
    written = json.loads(file.read_text())
    texts = [one["text"] for one in written["deviations"]]
    file.write_text(json.dumps(written | {"deviations": texts}))
    read = folder.read(file)
    assert [(one.code, one.text) for one in read.deviations] == [("stated", text) for text in texts]
    assert texts


@unchecked
def test_a_folder_is_never_overwritten_unasked(tmp_path):
    out = tmp_path / "plan"
    make_plan(asked(tmp_path), out)
    with refused("exists", str(out)):
        make_plan(asked(tmp_path), out)
    make_plan(asked(tmp_path, seed=2), out, force=True)
    assert folder.read(out).seed == 2
    other = tmp_path / "other"
    other.mkdir()
    (other / "precious").write_text("x")
    with refused("unsafe-target", str(other)):
        make_plan(asked(tmp_path), other, force=True)
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".iowatt-partial")]


@pytest.mark.parametrize(
    ("content", "key"),
    [("{", ""), ("[]", ""), ('{"schema": "iowatt.emerald-plan/2"}', ": schema"), ("\x00", "")],
)
def test_what_is_no_plan_is_named(tmp_path, content, key):
    (tmp_path / "plan.json").write_text(content)
    with refused("wrong-format", f"{tmp_path / 'plan.json'}{key}"):
        folder.read(tmp_path)


@unchecked
def test_a_product_gives_category_and_class(tmp_path):
    product = tmp_path / "p.toml"
    product.write_text(
        'schema = "iowatt.product/1"\nvendor = "V"\nname = "N <b>"\naccess = "random"\n'
        'time_to_first_data = "20ms"\nconnectivity = "network"\nintegrated_controller = true\n'
        "storage_protection = true\nmaximum_configuration = 24\n"
    )
    found = make_plan(
        PlanRequest(source="fio", targets=[str(tmp_path / "t")], size_bytes=64 << 20, product=product),
        tmp_path / "plan",
    )
    made = found.plan
    assert (made.category, made.class_, made.name) == ("online", 3, "V N <b>")
    assert made.product["classified"] == "online-3"
    assert "<b>" not in (tmp_path / "plan" / "plan.html").read_text().split("</style>")[1].split("<script")[0]
    other = make_plan(
        PlanRequest(
            source="fio",
            category="online",
            class_=2,
            targets=[str(tmp_path / "t")],
            size_bytes=64 << 20,
            product=product,
        ),
        tmp_path / "two",
    )
    of = other.plan.deviations[0]
    assert of.code == "class-other"
    assert "online-3" in of.text and "online-2" in of.text
    assert "class-other" not in {one.code for one in made.deviations}
    lines = (tmp_path / "two" / "plan.txt").read_text().splitlines()
    assert next(line for line in lines if line.startswith("NON-COMPLIANT")).endswith(of.text)
    whole = plan(tmp_path, product=product, category="online")  # of no class: no contradiction
    assert "class-other" not in {one.code for one in whole.deviations}
    near = plan(tmp_path, product=product, category="near-online")
    assert re.findall(r"[a-z-]*online[-\d]*", near.deviations[0].text) == ["online-3", "near-online"]


@unchecked
def test_json_of_the_result_is_the_file(tmp_path):
    found = make_plan(asked(tmp_path), tmp_path / "plan")
    assert json.loads((tmp_path / "plan" / "planned.json").read_text()) == found.as_dict()
    assert found.schema_id == "iowatt.emerald-planned/1"


@pytest.mark.parametrize(
    ("said", "taken"),
    [
        ('openjdk version "17.0.15" 2025-04-15', False),
        ('java version "1.8.0_392"', True),
        ('openjdk version "9.0.4"', True),
        ('openjdk version "10.0.2"', False),
        ('openjdk version "21.0.2" 2024-01-16', True),
        (None, False),
    ],
)
def test_the_javas_that_vdbench_refuses_are_known(monkeypatch, said, taken):
    """As tried with vdbench 5.04.06: 1.7, 1.8, 9, 20, 21, 25 pass, 10 to 19 do not."""
    monkeypatch.setattr("iowatt.sources.environment.output_of", lambda words: said)
    assert java()[0] is taken


@pytest.mark.parametrize(
    "kept", ["measurement.json", "journal.jsonl", "stages/RR/fio.json", "out/journal.jsonl"]
)
@unchecked
def test_force_never_deletes_a_measurement(tmp_path, kept):
    out = tmp_path / "plan"
    make_plan(asked(tmp_path), out)
    (out / kept).parent.mkdir(parents=True, exist_ok=True)
    (out / kept).write_text("measured")
    with refused("unsafe-target", str(out / "stages")):
        make_plan(asked(tmp_path, seed=2), out, force=True)
    with refused("unsafe-target", str(out / "stages")):
        rewrite(folder.read(out), out, force=True)
    assert (out / kept).read_text() == "measured"


@unchecked
def test_no_password_of_an_instrument_is_printed(tmp_path):
    plan = folder.read(_made(tmp_path)).model_copy(
        update={
            "instruments": [
                PlannedInstrument(name="pdu", role="power", source="snmp://pdu1/1?community=s3cret"),
                PlannedInstrument(name="inlet", role="temperature", source="redfish://me:s3cret@bmc/1"),
            ]
        }
    )
    found = rewrite(plan, tmp_path / "again")
    assert "s3cret" not in json.dumps(found.as_dict())
    for name in ("planned.json", "plan.txt", "plan.html"):
        text = (tmp_path / "again" / name).read_text("utf-8")
        assert "s3cret" not in text and "pdu1/1" in text
    assert folder.read(tmp_path / "again").instruments == plan.instruments, "who runs it needs them"


def _made(tmp_path):
    make_plan(asked(tmp_path), tmp_path / "plan")
    return tmp_path / "plan"


def device(tmp_path, **asked):
    """A plan of a single drive."""
    given = {"category": None, "rules": "emerald-device-1.0", "rates": {}, **asked}
    return plan(tmp_path, **given)


def test_a_device_has_a_plan_of_five_rounds_without_the_unknown_workload(tmp_path):
    """Four phases of a round of warm-up and five of 30 minutes; all of it unverified."""
    made = device(tmp_path)
    assert made.category == "device"
    measured = [stage for stage in made.stages if stage.role == "measurement"]
    assert [stage.phase for stage in measured] == ["SW", "RW", "RR", "SR"]
    assert {stage.seconds for stage in measured} == {9000}
    assert {stage.seconds for stage in made.stages if stage.role == "warmup"} == {1800}
    assert made.stages[-1].role == "idle"
    assert {"rules-unread", "phase-missing"} <= {one.code for one in made.deviations}
    used = {
        "phases.order",
        "phases.active.measurement_s",
        "phases.conditioning.duration_s",
        "workloads.complex.streams",
    }
    assert used <= set(made.rules.unverified)
    assert not [
        rule.key for rule in rules_of_plan(made).used if rule.verified and rule.key != "metrics.family"
    ]


def test_random_phases_of_a_device_may_have_a_number_outstanding(tmp_path):
    made = device(tmp_path, outstanding={"RR": 32}, rates={"RW": 500.0})
    stages = by_id(made)
    assert (stages["RR"].closed, stages["RR"].outstanding) == (True, 32)
    assert (stages["RW"].closed, stages["RW"].rate_iops) == (False, 500.0)
    assert next(one.text for one in made.deviations if one.code == "outstanding-given").count("RR") == 1


@pytest.mark.parametrize(
    ("asked", "code", "place"),
    [
        ({"category": "online"}, "conflict", "category"),
        ({"rules": "emerald", "category": "device"}, "conflict", "category"),
        ({"targets": ["/tmp/a", "/tmp/b"]}, "not-accepted", "target"),
    ],
)
def test_devices_and_systems_are_not_mixed(tmp_path, asked, code, place):
    with refused(code, Argument(place), InputError):
        device(tmp_path, **asked)
