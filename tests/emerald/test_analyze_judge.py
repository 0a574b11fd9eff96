"""What is judged of a measurement: one that is in order, and each way in which it is not, by its name."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from emerald_runs import METER, THERMOMETER, Knobs, Made, made, measured, plan, rerun, with_stage
from iowatt.base.errors import Argument
from iowatt.emerald.analyze import figures, judge, page
from iowatt.emerald.analyze.checks import validity
from iowatt.emerald.analyze.result import name_of
from iowatt.emerald.measurement import Event
from iowatt.emerald.rules import load
from iowatt.run.bundle import Run
from iowatt.sources.meters.log.instrument import Instrument, InstrumentLog
from refused import refused

RULES = load("emerald-4.0.0")
V1 = "emerald-1.0.0"


def result(whole, rules=RULES, **options):
    found = judge(whole, rules, **options)
    json.dumps(found.as_dict(), allow_nan=False)
    return found


def phase(found, name):
    return next(one for one in found.phases if one.phase == name)


def codes(part, weight=None):
    return {one.code for one in part.findings if weight in (None, one.weight)}


def text_of(part, code):
    return next(one.text for one in part.findings if one.code == code)


def values_of(part, code):
    return next(one.values for one in part.findings if one.code == code)


def steady(count=30, iops=1000.0, watts=800.0, ms=8.0):
    return Made([iops] * count, [watts] * count, [ms] * count)


def with_instruments(whole, stage, meter=None, **columns):
    """One stage with another description of its meter and other columns of its table."""
    one = next(one for one in whole.stages if one.stage.id == stage)
    summary = one.run.summary | {"instruments": [METER | (meter or {}), THERMOMETER]}
    table = one.run.table("instruments")
    power = pl.col("quantity") == "watts"
    for name, value in columns.items():
        table = table.with_columns(pl.when(power).then(value).otherwise(pl.col(name)).alias(name))
    tables = {"intervals": one.run.table("intervals"), "instruments": table}
    return with_stage(
        whole, stage, run=Run(summary=summary, plan=one.run.plan, scenario_text="", tables=tables)
    )


def test_a_measurement_in_order_is_valid_and_says_by_which_rules():
    found = result(measured())
    assert found.status == "valid"
    assert {one.status for one in found.phases} == {"valid"}
    assert codes(found) == {"driver-script"}  # our files are no official script
    assert not found.compliant
    assert found.ready_idle.ep == pytest.approx(7300 / 592.692)
    assert found.ready_idle.ep_shown == "12.3"
    count = len(found.rules.unverified)
    assert count > 0
    assert re.findall(r"\d+", found.judged) == [str(count)]
    keys = {one.key for one in found.rules.unverified}
    assert {"response.mean_ms.random", "stability.tolerance_percent", "stability.weights.B"} <= keys
    assert "stability.weights.A" not in keys


def test_version_1_has_its_own_phases_and_family():
    found = result(measured(plan(V1)), load(V1))
    assert found.status == "valid"
    assert found.compliant
    assert [one.phase for one in found.phases] == ["MW1", "MW2", "RR", "RW", "SR", "SW"]
    assert found.family != result(measured()).family
    assert re.findall(r"\d+", found.judged) == [str(len(found.rules.unverified))]


def test_minutes_are_numbered_from_the_measurement_with_their_history():
    one = phase(result(measured()), "HB")
    assert [row.minute for row in one.minutes] == list(range(-9, 31))
    assert [row.measured for row in one.minutes].count(True) == 30
    assert all(row.ea is not None for row in one.minutes[9:])
    last = one.minutes[-10:]
    weights = RULES.value("stability.weights.B")
    assert last[-1].ea == pytest.approx(
        sum(w * row.pe for w, row in zip(weights, reversed(last), strict=True))
    )


def test_weights_and_reading_may_be_chosen_and_are_recorded():
    found = result(measured(), weights="A", reading="c")
    assert found.stability.weights == "A"
    assert found.stability.reading == "c"
    assert "stability.weights_set" not in {one.key for one in found.rules.unverified}
    with refused("unknown-name", Argument("reading")):
        result(measured(), reading="d")
    with refused("unknown-name", Argument("weights")) as caught:
        result(measured(), weights="C")
    assert "A or B" in caught.value.message


def test_4330_iops_at_32_8_ms_is_invalid():
    found = result(measured(knobs=Knobs(iops={"HB": 4330.0}, response_ms={"HB": 32.8})))
    one = phase(found, "HB")
    assert one.status == found.status == "invalid"
    assert codes(one, "invalid") >= {"response-mean"}
    assert one.ep_shown is None
    assert one.ep == pytest.approx(4330 / 800, rel=1e-3)


def test_sequential_phases_have_no_limit_of_response_time():
    found = result(measured(knobs=Knobs(response_ms={"SR": 90.0, "SW": 90.0})))
    assert found.status == "valid"


def test_one_slow_minute_is_invalid():
    values = steady()
    values = replace(values, response_ms=[8.0] * 10 + [95.0] + [8.0] * 19)
    one = phase(result(rerun(measured(), "RR", values)), "RR")
    assert codes(one, "invalid") == {"response-minute"}
    assert "minute 11" in text_of(one, "response-minute")


def never_settling(seed=3):
    """A sequential write that wanders like the untuned baseline."""
    random = np.random.default_rng(seed)
    return Made(list(1000 * np.exp(np.cumsum(0.08 * random.standard_normal(30)))), [800.0] * 30, [9.0] * 30)


@pytest.mark.parametrize("reading", ["a", "b", "c"])
@pytest.mark.parametrize("seed", [3, 4, 5])
def test_a_sequential_write_that_never_settles_is_refused_under_every_reading(reading, seed):
    one = phase(result(rerun(measured(), "SW", never_settling(seed)), reading=reading), "SW")
    assert one.status == "invalid"
    assert one.ep_shown is None
    assert codes(one, "invalid") & {"not-stable", "drifting"}
    assert one.stability.verdict in ("noisy", "drifting")


def test_a_slow_drift_that_reading_b_lets_pass_is_refused():
    values = Made(list(np.linspace(900.0, 1100.0, 30)), [800.0] * 30, [8.0] * 30)
    one = phase(result(rerun(measured(), "RW", values), reading="b"), "RW")
    assert one.stability.readings["b"].holds
    assert one.stability.verdict == "drifting"
    assert codes(one, "invalid") == {"drifting"}


def test_a_small_drift_is_said_and_not_refused():
    values = Made(list(np.linspace(965.0, 1035.0, 30)), [800.0] * 30, [8.0] * 30)
    one = phase(result(rerun(measured(), "RW", values)), "RW")
    assert one.status == "valid"
    assert codes(one, "warning") == {"drifting"}


def test_missing_power_minutes_are_named_and_never_filled():
    values = steady()
    values = replace(values, watts=[None if at in (4, 5) else 800.0 for at in range(30)])
    one = phase(result(rerun(measured(), "RR", values)), "RR")
    assert "minutes 5, 6" in text_of(one, "power-missing")
    assert codes(one, "invalid") >= {"power-missing", "stability-unknown"}
    assert [row.minute for row in one.minutes if row.measured and row.pe is None] == [5, 6]


def test_missing_minutes_at_the_end_are_named():
    one = phase(result(rerun(measured(), "RR", steady(27))), "RR")
    assert values_of(one, "too-short") == {"seconds": 27 * 60, "planned_s": 30 * 60}
    assert "3 of 30" in text_of(one, "too-short")


def test_a_hole_between_minutes_is_named():
    whole = measured()
    single = next(one for one in whole.stages if one.stage.id == "RR")
    table = single.run.table("intervals").filter(pl.col("start_s") != 600.0)
    tables = {"intervals": table, "instruments": single.run.table("instruments")}
    run = Run(summary=single.run.summary, plan=single.run.plan, scenario_text="", tables=tables)
    one = phase(result(with_stage(whole, "RR", run=run)), "RR")
    assert values_of(one, "minutes-missing") == {"after_minutes": [10], "seconds": [60.0]}


def test_a_broken_warm_up_gives_no_history():
    one = phase(result(with_stage(measured(), "RR-warmup", run=None)), "RR")
    assert codes(one, "invalid") >= {"warmup-missing", "stability-unknown"}


def test_negative_power_is_named():
    values = replace(steady(), watts=[-1.0] + [800.0] * 29)
    one = phase(result(rerun(measured(), "RR", values)), "RR")
    assert values_of(one, "power-not-positive") == {"minutes": [1]}


PROBLEMS = {
    "not-available": ("meter-not-available", "non-compliant"),
    "out-of-range": ("meter-out-of-range", "invalid"),
    "clipped": ("meter-clipped", "invalid"),
    "uncertain": ("meter-uncertain", "non-compliant"),
    "clock": ("clock-apart", "invalid"),
    "gap": ("meter-gap", "warning"),
    "failure": ("meter-failure", "warning"),
}


@pytest.mark.parametrize("kind", PROBLEMS)
def test_every_problem_of_a_meter_is_named(kind):
    problem = {"kind": kind, "at_s": 60.0, "seconds": 3.0, "text": "line-7"}
    one = phase(result(with_instruments(measured(), "HB", {"problems": [problem]})), "HB")
    code, weight = PROBLEMS[kind]
    assert code in codes(one, weight)
    assert "line-7" in text_of(one, code)


def test_a_clock_set_by_nobody_knows_how_much_is_no_emerald_result():
    problem = {"kind": "clock", "at_s": 60.0, "seconds": 0.0, "text": "set"}
    one = phase(result(with_instruments(measured(), "HB", {"problems": [problem]})), "HB")
    assert codes(one, "non-compliant") >= {"clock-step-unknown"}
    assert "clock-apart" not in codes(one)


def test_mw2_s_power_is_set_beside_mw1_s_as_published():
    """EP 10.501 and 3.486 at a quarter of the rate, as submitted for one array: 0.753 of the power."""
    knobs = Knobs(
        noise=0.0, iops={"MW1": 1000.0, "MW2": 250.0}, watts={"MW1": 1000 / 10.501, "MW2": 250 / 3.486}
    )
    found = result(measured(plan(V1), knobs), load(V1))
    ratio = phase(found, "MW2").power_ratio
    assert ratio.to == "MW1"
    assert (ratio.rates, ratio.power) == (pytest.approx(0.25), pytest.approx(0.753, abs=5e-4))
    assert phase(found, "MW1").power_ratio is None
    (said,) = next(part.sentences for part in page.document(found).sections if part.key == "metrics")
    assert [float(one) for one in re.findall(r"0\.\d+", said)] == [0.753, 0.25]
    refused = result(rerun(measured(plan(V1), knobs), "MW1", steady(ms=50.0)), load(V1))
    assert phase(refused, "MW2").power_ratio is None


def test_clocks_that_differ_by_less_than_the_limit_pass():
    problem = {"kind": "clock", "at_s": 60.0, "seconds": 0.5, "text": "set by 0.5 s"}
    assert "clock-apart" not in codes(
        phase(result(with_instruments(measured(), "HB", {"problems": [problem]})), "HB")
    )


@pytest.mark.parametrize(
    ("column", "code"), [("not_available", "meter-not-available"), ("out_of_range", "meter-out-of-range")]
)
def test_samples_that_are_no_values_are_named_without_words_from_the_log(column, code):
    one = phase(result(with_instruments(measured(), "HB", **{column: 2})), "HB")
    assert "60 samples" in text_of(one, code)


def test_too_few_samples_in_a_minute():
    one = phase(result(with_instruments(measured(), "HB", samples=53)), "HB")
    assert "samples-too-few" in codes(one, "invalid")
    assert "samples-too-few" not in codes(phase(result(with_instruments(measured(), "HB", samples=54)), "HB"))


def test_samples_more_than_five_seconds_apart():
    slow = {"sample_interval_s": 6.0}
    one = phase(result(with_instruments(measured(), "HB", slow, samples=10, expected=10.0)), "HB")
    told = values_of(one, "sampling-too-slow")
    assert (told["sample_interval_s"], told["most_s"]) == (6.0, 5.0)
    assert re.findall(r"(\d+) s", text_of(one, "sampling-too-slow")) == ["6", "5"]
    # What counts is what was sampled, not only what the meter says of itself.
    sparse = with_instruments(measured(), "HB", {"sample_interval_s": None}, samples=9, expected=9.0)
    assert "sampling-too-slow" in codes(phase(result(sparse), "HB"), "invalid")
    five = with_instruments(measured(), "HB", {"sample_interval_s": 5.0}, samples=12, expected=12.0)
    assert phase(result(five), "HB").status == "valid"


def test_a_long_gap_between_samples():
    one = phase(result(with_instruments(measured(), "HB", longest_gap_s=5.6)), "HB")
    assert values_of(one, "sampling-gap")["longest_gap_s"] == 5.6


def test_accuracy_is_judged_by_one_percent_and_the_table_only_reported():
    one = phase(result(with_instruments(measured(), "HB", {"uncertainty_percent": 1.2})), "HB")
    assert one.status == "valid"
    assert "accuracy" in codes(one, "non-compliant")
    meter = next(row for row in one.instruments if row.role == "power")
    assert meter.resolution_asked_w == 1.0
    unknown = phase(result(with_instruments(measured(), "HB", {"uncertainty_percent": None})), "HB")
    assert "accuracy-unknown" in codes(unknown, "non-compliant")


def test_an_indicative_meter_is_no_emerald_meter():
    meter = {"grade": "indicative", "why": "BMC-sensor"}
    one = phase(result(with_instruments(measured(), "HB", meter)), "HB")
    assert "BMC-sensor" in text_of(one, "meter-indicative")
    assert not one.compliant


def electrical(whole, quantity, low, high):
    """One stage whose meter says another quantity besides."""
    one = next(one for one in whole.stages if one.stage.id == "HB")
    table = one.run.table("instruments")
    more = table.filter(pl.col("quantity") == "watts").with_columns(
        quantity=pl.lit(quantity), minimum=pl.lit(low), mean=pl.lit((low + high) / 2), maximum=pl.lit(high)
    )
    tables = {"intervals": one.run.table("intervals"), "instruments": pl.concat([table, more])}
    return with_stage(
        whole, "HB", run=Run(summary=one.run.summary, plan=one.run.plan, scenario_text="", tables=tables)
    )


@pytest.mark.parametrize(
    ("quantity", "low", "high", "wrong"),
    [
        ("volts", 228.0, 232.0, False),
        ("volts", 198.5, 201.0, False),  # 1 % off 200 V
        ("volts", 150.0, 152.0, True),
        ("volts", 118.0, 202.0, True),
        ("hertz", 49.9, 50.1, False),
        ("hertz", 46.0, 50.0, True),
        ("thd_percent", 0.5, 1.8, False),
        ("thd_percent", 0.5, 2.2, True),
    ],
)
def test_the_supply_of_the_array_is_within_the_rules(quantity, low, high, wrong):
    one = phase(result(electrical(measured(), quantity, low, high)), "HB")
    found = {code for code in codes(one, "non-compliant") if code.endswith("out-of-range")}
    assert found == ({f"{quantity.replace('_', '-')}-out-of-range"} if wrong else set())
    assert one.status == "valid"


def test_rules_without_a_test_procedure_are_refused():
    with refused("not-applicable", "eu-2019-424"):
        judge(measured(), load("eu-2019-424"))


def test_no_thermometer_and_no_meter():
    found = result(measured(instruments=(METER,)))
    assert all("temperature-missing" in codes(one, "non-compliant") for one in found.phases)
    assert "temperature-missing" in codes(found.ready_idle)
    found = result(measured(instruments=(THERMOMETER,)))
    assert all("no-meter" in codes(one, "invalid") for one in found.phases)


def test_a_log_of_another_run_lies_at_another_time():
    whole = measured()
    other = [
        replace(one, began=one.began + 86_400, ended=one.ended + 86_400) if one.stage.id == "SR" else one
        for one in whole.stages
    ]
    found = result(replace(whole, stages=other))
    assert "other-run" in codes(found, "invalid")


def test_a_log_of_another_run_has_another_rate_workload_or_size():
    other = phase(result(rerun(measured(), "RR", driver={"asked_iops": 1500.0})), "RR")
    assert "other-rate" in codes(other, "invalid")
    assert "other-workload" in codes(phase(result(rerun(measured(), "RR", read_percent=70)), "RR"), "invalid")
    assert "other-size" in codes(phase(result(rerun(measured(), "SR", size=131072)), "SR"), "invalid")


def test_clocks_of_load_generator_and_host_apart():
    whole = measured()
    one = next(one for one in whole.stages if one.stage.id == "HB")
    shifted = with_stage(whole, "HB", began=one.began + 2.0)
    assert "1.8 s beyond" in text_of(result(shifted), "clock-apart")


@pytest.mark.parametrize(("lag", "weight"), [(0.0, None), (5.0, "non-compliant"), (-90.0, "invalid")])
def test_a_log_with_a_clock_of_its_own_is_compared_by_its_steps(lag, weight):
    """The power of a log steps where stages begin; stamped by another clock it steps elsewhere."""
    whole = measured()
    time_s, watts = [], []
    for number, one in enumerate(whole.stages):
        each = np.arange(one.start, one.start + one.seconds, 1.0)
        time_s.append(each)
        level = 600.0 + 7 * ((number * 3) % 8)
        watts.append(level + np.random.default_rng(number).normal(0, 1.0, len(each)))
    instrument = Instrument("wt310", "yokogawa-csv", "emerald", "an analyser", sample_interval_s=1.0)
    log = InstrumentLog(instrument, np.concatenate(time_s) + lag, {"watts": np.concatenate(watts)})
    found = result(replace(whole, foreign=[log]))
    assert not codes(found, "warning")
    assert ("clock-apart" in codes(found)) is (weight is not None)
    if weight:
        assert "clock-apart" in codes(found, weight)
        assert f"{abs(lag):g}" in text_of(found, "clock-apart")


def test_phases_out_of_order_and_at_once():
    whole = measured()
    by_id = {one.stage.id: one for one in whole.stages}
    swapped = [
        replace(one, run=by_id[other].run, began=by_id[other].began, ended=by_id[other].ended)
        if (other := {"RR": "RW", "RW": "RR"}.get(one.stage.id))
        else one
        for one in whole.stages
    ]
    assert "out-of-order" in codes(result(replace(whole, stages=swapped)), "invalid")
    twice = [
        replace(one, run=by_id["RR"].run, began=by_id["RR"].began, ended=by_id["RR"].ended)
        if one.stage.id == "RW-warmup"
        else one
        for one in whole.stages
    ]
    assert "overlap" in codes(result(replace(whole, stages=twice)), "invalid")


def test_a_plan_that_swaps_or_leaves_out_phases_does_not_comply():
    given = plan()
    order = [stage for stage in given.stages if not stage.id.startswith("RW")]
    found = result(measured(given.model_copy(update={"stages": order})))
    assert "RW" in text_of(found, "phases-missing")
    swapped = [*given.stages[2:4], *given.stages[:2], *given.stages[4:]]
    found = result(measured(given.model_copy(update={"stages": swapped})))
    assert "out-of-order" in codes(found, "non-compliant")


def test_a_configuration_that_changed_is_invalid():
    whole = measured()
    found = result(replace(whole, settings_after={"scheduler": "mq-deadline", "kernel": "6.1"}))
    assert values_of(found, "configuration-changed")["changed"]["scheduler"] == ["none", "mq-deadline"]
    noted = [*whole.events[:3], Event(0.0, "settings-changed", {"what": "scheduler"}), *whole.events[3:]]
    assert "configuration-changed" in codes(result(replace(whole, events=noted)), "invalid")
    other = rerun(whole, "SW", driver={"version": "vdbench 5.04.06"})
    assert "SW" in text_of(result(other), "configuration-changed")
    assert "settings-unknown" in codes(result(replace(whole, settings_before=None)), "non-compliant")


def test_an_interrupted_active_test_does_not_comply():
    whole = measured()
    why = "the active test was broken off"
    resumed = {"stage": "RR-warmup", "after": 900.0, "compliant": False, "why": why}
    events = [*whole.events[:5], Event(0.0, "resumed", resumed), *whole.events[5:]]
    found = result(replace(whole, events=events))
    assert "interrupted" in codes(found, "non-compliant")
    assert not found.compliant


def test_a_break_between_stages_does_not_comply():
    whole = measured()
    at = next(number for number, one in enumerate(whole.stages) if one.stage.id == "SR-warmup")
    late = [
        replace(one, began=one.began + 600, ended=one.ended + 600, run=None) if number >= at else one
        for number, one in enumerate(whole.stages)
    ]
    told = values_of(result(replace(whole, stages=late)), "interrupted")
    assert told["stages"] == ["RW", "SR-warmup"]
    assert told["seconds"] == pytest.approx(601)


def test_an_unfinished_measurement_and_missing_stages():
    whole = measured()
    found = result(replace(with_stage(whole, "SW", run=None), events=whole.events[:-1]))
    assert "unfinished" in codes(found, "non-compliant")
    assert "stage-missing" in codes(phase(found, "SW"), "invalid")
    assert phase(found, "SW").ep is None


def test_a_rate_that_was_not_reached():
    one = phase(result(rerun(measured(), "HB", steady(iops=980.0), driver={"asked_iops": 1000.0})), "HB")
    assert "98 %" in text_of(one, "rate-not-reached")
    one = phase(result(rerun(measured(), "HB", steady(iops=992.0), driver={"asked_iops": 1000.0})), "HB")
    assert "rate-not-reached" not in codes(one)


@pytest.mark.parametrize(("iops", "wrong"), [(250.0, False), (252.0, False), (260.0, True), (240.0, True)])
def test_mw2_is_a_quarter_of_mw1(iops, wrong):
    given = plan(V1)
    whole = measured(given, Knobs(iops={"MW2": iops}), driver={"asked_iops": None})
    whole = replace(
        whole,
        stages=[replace(one, stage=one.stage.model_copy(update={"rate_iops": None})) for one in whole.stages],
    )
    found = result(whole, load(V1))
    assert ("intensity" in codes(found, "invalid")) is wrong
    if wrong:
        assert "25 %" in text_of(found, "intensity")


def test_a_hot_band_whose_skew_is_off():
    whole = measured()
    one = next(one for one in whole.stages if one.stage.id == "HB")
    shares = [dict(share) for share in one.run.summary["driver"]["shares"]]
    shares[9]["observed"] -= 1.3
    found = phase(result(rerun(whole, "HB", driver={"shares": shares})), "HB")
    assert "hot1 made 26.72 %" in text_of(found, "skew")
    shares[9]["observed"] += 0.5
    assert "skew" not in codes(phase(result(rerun(whole, "HB", driver={"shares": shares})), "HB"))
    asked = [share | {"asked": share["asked"] + 1} for share in shares]
    assert "skew-asked" in codes(phase(result(rerun(whole, "HB", driver={"shares": asked})), "HB"))
    assert "skew-unknown" in codes(phase(result(rerun(whole, "HB", driver={"shares": []})), "HB"))


def test_errors_and_warnings_of_the_load_generator():
    whole = rerun(measured(), "HB", driver={"warnings": ["host CPU 93 %"]})
    run = next(one.run for one in whole.stages if one.stage.id == "HB")
    run.summary["requests"]["errors"] = 3
    one = phase(result(whole), "HB")
    assert values_of(one, "errors") == {"errors": 3}
    assert "host CPU 93 %" in text_of(one, "driver-warning")


def test_a_disturbed_rest_and_an_unknown_capacity():
    whole = measured(plan(raw_capacity_bytes=None))
    rest = result(rerun(whole, "ready-idle", Made([5.0] * 120, [600.0] * 120, [1.0] * 120))).ready_idle
    assert codes(rest, "invalid") == {"rest-disturbed", "capacity-unknown"}
    assert rest.ep is None


def test_fio_is_emerald_like_and_a_rehearsal_is_no_measurement():
    found = result(measured(plan(source="fio")))
    assert found.status == "valid"
    assert not found.compliant
    assert values_of(found, "driver-other") == {"driver": "fio", "asked": "vdbench"}
    found = result(measured(plan(time_scale=0.5)))
    assert "time-scaled" in codes(found, "non-compliant")
    found = result(measured(plan(deviations=["fill-left-out"])))
    assert text_of(found, "plan-deviation") == "fill-left-out"


def test_other_versions_of_vdbench_do_not_comply():
    found = result(measured(driver={"version": "vdbench 5.04.06"}))
    assert "5.04.05" in text_of(found, "driver-version")


def test_a_simulation_is_labelled_and_needs_no_instruments():
    found = result(measured(plan(source="simulation")))
    assert found.kind == "modelled"
    assert {one.kind for one in found.phases} == {"modelled"}
    assert "modelled" in codes(found, "non-compliant")
    assert found.status == "valid"
    assert not any(
        code.startswith(("meter", "temperature", "no-meter")) for code in codes(phase(found, "HB"))
    )


def test_near_online_has_no_known_limit_and_says_so():
    one = phase(result(measured(plan(category="near-online"), Knobs(response_ms={"RR": 50.0}))), "RR")
    assert one.status == "valid"
    assert "limit-unknown" in codes(one, "warning")


def test_the_same_measurement_gives_the_same_result():
    assert result(measured()) == result(measured())


def test_made_minutes_are_what_they_are_said_to_be():
    """The tests' own maker: rates and powers as asked for."""
    given = plan()
    values = made(given.stages[1], Knobs(), np.random.default_rng(1))
    assert np.mean(values.iops) == pytest.approx(1000.0)
    assert len(values.iops) == 30


@pytest.mark.parametrize(("asked", "wrong"), [(250.0, False), (250.4, False), (260.0, True)])
def test_mw2_is_asked_for_exactly_and_achieved_as_chance_allows(asked, wrong):
    rate, base = validity.Rate(253.5, asked, 250.0 * 60), validity.Rate(997.0, 1000.0, 60_000)
    said = list(validity.intensity(rate, base, percent=25, within_percent=1, phase="MW2", of_phase="MW1"))
    assert bool(said) is wrong


def test_a_phase_that_the_rules_do_not_know_has_no_metric_and_theirs_are_missing():
    found = result(measured(), load(V1))
    one = phase(found, "HB")
    assert codes(one, "invalid") == {"metric-unknown"}
    assert (one.ep, one.ep_shown) == (None, None)
    assert "MW1, MW2" in text_of(found, "phases-missing")
    assert "phases-missing" in codes(found, "invalid")


def test_what_all_phases_share_is_printed_once_and_unverified_rules_mark_stability():
    whole = measured()
    for stage in ("HB", "RR", "RW", "SR", "SW", "ready-idle"):
        whole = with_instruments(whole, stage, {"grade": "indicative", "why": "a PDU"})
    found = result(whole)
    places = dict(found.by_place())
    ((place, about),) = [
        (name, found_there)
        for name, found_there in places.items()
        if "meter-indicative" in [one.code for one in found_there]
    ]
    assert [one.code for one in about].count("meter-indicative") == 1
    assert place not in map(name_of, found.parts)
    drawn = page.document(found)
    assert sum("a PDU" in caveat.text for caveat in drawn.caveats) == 1
    assert found.unverified_stability
    (table,) = [figure.table for figure in drawn.figures() if figure.key == "stability"]
    assert all(str(cell).endswith("*") for name in "bc" for cell in table.column(f"Reading {name}"))
    assert figures.verdict(found.phases[0].stability, found) != found.phases[0].stability.verdict


def test_ready_idle_of_a_device_is_in_tb_per_watt_and_of_a_family_of_its_own():
    """7.3 TB at 592.692 W; systems have GB/W."""
    whole = measured(plan("emerald-device-1.0", category="device", **{"class": None}))
    found = judge(whole, load("emerald-device-1.0"))
    assert (found.ready_idle.unit, found.family) == ("TB/W", "device")
    assert found.ready_idle.ep == pytest.approx(7.3 / 592.692)
    assert [one.phase for one in found.phases] == ["SW", "RW", "RR", "SR"]
    assert {"phases.order", "metrics.RI.unit"} & {rule.key for rule in found.rules.unverified}
