"""Each kind of log, with its own quirks: zones, units, channels, sentinels, messages, torn lines."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import numpy as np
import pytest

from figures import figures
from iowatt.sources.meters import source
from refused import refused


def at(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


@pytest.fixture
def read(tmp_path):
    def of(kind, text, options="", defaults=None):
        path = tmp_path / "log.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return source.logs(f"{kind}:{path}" + (f"?{options}" if options else ""), defaults)

    return of


def kinds(log):
    return [problem.kind for problem in log.problems]


# Generic tables.


def test_a_table_by_the_names_of_its_columns(read):
    (log,) = read(
        "csv",
        "Timestamp,Power (kW),Voltage [mV]\n"
        "2026-11-21T10:00:00Z,0.344,230100\n2026-11-21T10:00:01Z,0.345,230200\n",
    )
    assert log.time_s.tolist() == [at("2026-11-21T10:00:00"), at("2026-11-21T10:00:01")]
    assert log.quantities["watts"] == pytest.approx([344, 345])
    assert log.quantities["volts"] == pytest.approx([230.1, 230.2])
    assert log.instrument.grade == "indicative"


def test_a_stamp_without_a_zone_is_refused_until_the_zone_is_said(read):
    table = "time,watts\n2026-07-01 10:00:00,344\n"
    with refused("no-time-zone", re.compile(r"log\.csv:2$")) as caught:
        read("csv", table)
    assert "`utc_offset=" in caught.value.hint
    assert read("csv", table, "utc-offset=+02:00")[0].time_s[0] == at("2026-07-01T08:00:00")
    assert read("csv", table, defaults={"utc-offset": "-08:00"})[0].time_s[0] == at("2026-07-01T18:00:00")
    # What the address says goes before what the command says of all logs.
    assert read("csv", table, "utc-offset=Z", {"utc-offset": "-08:00"})[0].time_s[0] == at(
        "2026-07-01T10:00:00"
    )


def test_a_stamp_with_a_zone_keeps_it(read):
    (log,) = read("csv", "time,watts\n2026-07-01 10:00:00.25 +0530,344\n", "utc-offset=Z")
    assert log.time_s[0] == at("2026-07-01T04:30:00.25")


@pytest.mark.parametrize("stamp", ["1790000000", "1790000000.0", "1790000000000", "1790000000000000"])
def test_numbers_since_1970_are_told_by_their_size(read, stamp):
    assert read("csv", f"time,watts\n{stamp},344\n")[0].time_s.tolist() == [1790000000.0]


def test_a_date_of_which_day_and_month_cannot_be_told_is_refused(read):
    with refused("ambiguous", re.compile(r"log\.csv:2$")) as caught:
        read("csv", "time,watts\n03/04/2026 10:00:00,344\n", "utc-offset=Z")
    assert "time-format=%d/%m/%Y" in caught.value.hint
    (log,) = read(
        "csv", "time,watts\n03/04/2026 10:00:00,344\n", "utc-offset=Z&time-format=%d/%m/%Y %H:%M:%S"
    )
    assert log.time_s[0] == at("2026-04-03T10:00:00")


def test_times_of_day_pass_midnight(read):
    (log,) = read("csv", "time,watts\n23:59:59,1\n00:00:00.5,2\n", "utc-offset=Z&date=2026-11-21")
    assert log.time_s.tolist() == [at("2026-11-21T23:59:59"), at("2026-11-22T00:00:00.5")]


def test_columns_by_number_units_and_rows_without_stamps(read):
    (log,) = read(
        "csv",
        "1;0,344;20,5\n2;0,345;21,5\n",
        "watts=#2&watts-unit=kW&celsius=#3&start=2026-11-21T10:00:00Z&interval=5",
    )
    assert log.quantities["watts"] == pytest.approx([344, 345])
    assert log.quantities["celsius"].tolist() == [20.5, 21.5]
    assert np.diff(log.time_s).tolist() == [5]
    with refused("missing", re.compile(r"log\.csv$")):
        read("csv", "1;0,344\n", "watts=#2")


def test_fahrenheit_and_kelvin(read):
    assert read("csv", "time,temp (F)\n1790000000,68\n")[0].quantities["celsius"] == pytest.approx([20])
    assert read("csv", "time,T\n1790000000,293.15\n", "celsius=T&celsius-unit=K")[0].quantities[
        "celsius"
    ] == pytest.approx([20])


def test_milliwatts_are_not_megawatts(read):
    assert read("csv", "time,power (mW)\n1790000000,5000\n")[0].quantities["watts"] == pytest.approx([5])
    assert read("csv", "time,power (MW)\n1790000000,0.005\n")[0].quantities["watts"] == pytest.approx([5000])


@pytest.mark.parametrize(
    ("table", "options", "problem"),
    [
        ("time,power\n1790000000,344\n", "", ("missing", r"log\.csv:1$", "'power'")),
        ("time,watts\n1790000000,lots\n", "", ("bad-syntax", r"log\.csv:2$", "'lots'")),
        ("time,watts\n1790000000\n1790000001,1\n", "", ("damaged", r"log\.csv:2$", "1 cells")),
        ("time,watts\n", "", ("empty", r"log\.csv$", "")),
        ("time,watts\nyesterday,344\n", "", ("bad-syntax", r"log\.csv:2$", "'yesterday'")),
        ("time,x\n1790000000,344\n", "watts=P", ("unknown-name", r"log\.csv:1$", "'P'")),
        ("time,x,x\n1790000000,344,1\n", "watts=x", ("ambiguous", r"log\.csv:1$", "'x'")),
        ("time,x\n1790000000,344\n", "watts=x&watts-unit=hp", ("not-accepted", r"log\.csv:1$", "'hp'")),
        ("time,watts\n1790000000,344\n", "utc-offset=CET", ("bad-syntax", r"^utc_offset: CET$", "Z")),
        ("time,watts\n1790000000,344\n", "time-format=german",
         ("not-accepted", r"log\.csv: time-format$", "'german'")),
        ("time,watts\n1790000000,344\n", "date=today", ("bad-syntax", r"log\.csv: date$", "'today'")),
        ("time,watts\n1790000000,344\n", "delimiter=ab", ("bad-syntax", r"log\.csv: delimiter$", "'ab'")),
        ("time,watts\n1790000000,344\n", "range=0", ("out-of-range", r"log\.csv: range$", "'0'")),
        ("time,watts\n1790000000,344\n", "uncertainty=none",
         ("out-of-range", "=none$", "uncertainty='none'")),
        ("time,watts\n1790000000,344\n", "grade=emerald", ("missing", "grade=emerald$", "model=")),
        ("time,watts\n1790000000,344\n", "grade=emerald&model=X&uncertainty=2",
         ("missing", "uncertainty=2$", "uncertainty=")),
        ("time,watts\n1790000000,344\n", "calibrated=yesterday",
         ("bad-syntax", "=yesterday$", "'yesterday'")),
        ("time,watts\n1790000000,344\n", "wats=x", ("unknown-key", "wats=x$", "'wats'")),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(read, table, options, problem):
    code, place, named = problem
    with refused(code, re.compile(place)) as caught:
        read("csv", table, options)
    assert named in caught.value.message


def test_a_last_line_that_was_cut_short_is_left_out_and_named(read):
    (log,) = read("csv", "time,watts\n1790000000,344\n1790000001")
    assert len(log.time_s) == 1
    assert [(one.kind, figures(one.text)) for one in log.problems] == [("failure", [3])]


def test_a_declared_instrument_is_emerald_grade(read):
    (log,) = read(
        "csv",
        "time,watts\n1790000000,344\n",
        "grade=emerald&model=Hioki PW3335&uncertainty=0.2&serial=7&calibrated=2026-01-31",
    )
    assert (log.instrument.grade, log.instrument.model, log.instrument.serial) == (
        "emerald",
        "Hioki PW3335",
        "7",
    )
    assert "Hioki PW3335" in log.instrument.why and figures(log.instrument.why) == [0.2]
    with refused("not-applicable", re.compile("^watts-up:")):
        read("watts-up", "Time,Watts,Volts,Amps\n", "grade=emerald&model=X&uncertainty=0.1")


def test_a_range_that_is_known_clips(read):
    (log,) = read("csv", "time,watts\n1790000000,499\n1790000001,500\n1790000002,480\n", "range=500")
    assert kinds(log) == ["clipped"] and np.isnan(log.quantities["watts"]).tolist() == [False, True, False]


def test_words_of_instruments_for_no_value_and_overflow(read):
    rows = "".join(
        f"{1790000000 + k},{word}\n"
        for k, word in enumerate(["1", "n/a", "-----", "", "O.F", "-oL-", "inf", "NaN"])
    )
    (log,) = read("csv", "time,watts\n" + rows)
    assert np.isfinite(log.quantities["watts"]).tolist() == [True] + [False] * 7
    assert kinds(log) == ["not-available", "out-of-range", "not-available"]


# Watts up?


def test_a_watts_up_counts_power_factors_in_percent_and_is_too_uncertain(read):
    (log,) = read(
        "watts-up",
        "Time\tWatts\tVolts\tAmps\tPF\n2014-06-03 16:05:00\t344.3\t119.8\t2.96\t97\n",
        "utc-offset=-05:00",
    )
    assert log.quantities["power_factor"] == pytest.approx([0.97])
    assert log.time_s[0] == at("2014-06-03T21:05:00")
    assert (log.instrument.grade, kinds(log)) == ("indicative", ["uncertain"])


def test_no_value_has_no_unit(read):
    head = "Time,Watts,Volts,Amps,PF\n2014-06-03 16:05:00Z,344.3,119.8,2.96,97\n"
    (log,) = read("watts-up", head + "2014-06-03 16:05:01Z,-1,-1,-1,-1\n")
    assert all(np.isnan(values[1]) for values in log.quantities.values())
    assert np.isnan(read("csv", "time,kW\n1790000000,-1\n")[0].quantities["watts"][0])
    assert read("csv", "time,temp (F)\n1790000000,-1\n")[0].quantities["celsius"] == pytest.approx(
        [-18.333], abs=1e-3
    )


# Yokogawa

WT = (
    '"Model","WT332E"\n"Serial No.","C2PH13047V"\n\n'
    "Store No.,Date,Time,Millisecond,U-E1,I-E1,P-E1,U-E2,I-E2,P-E2,P-SIGMA,LAMBDA-SIGMA\n"
    ",,,ms,V,A,W,V,A,W,kW,\n"
    "1,2026/11/21,16:00:00,125,230.1,1.52,344.5,230.2,1.5,340.25,0.68475,0.98\n"
    "2,2026/11/21,16:00:00,625,230.1,1.52,344.5,230.2,1.5,340.25,0.68475,0.98\n"
)


def test_an_analyser_s_sum_is_its_log_and_elements_only_where_asked(read):
    (log,) = read("yokogawa", WT, "utc-offset=+09:00")
    assert log.quantities["watts"] == pytest.approx([684.75, 684.75])
    assert log.time_s.tolist() == [at("2026-11-21T07:00:00.125"), at("2026-11-21T07:00:00.625")]
    assert (log.instrument.model, log.instrument.serial, log.instrument.grade) == (
        "Yokogawa WT332E",
        "C2PH13047V",
        "emerald",
    )
    one, two = read("yokogawa", WT, "utc-offset=+09:00&channel=all")
    assert one.quantities["watts"][0] + two.quantities["watts"][0] == pytest.approx(684.75)
    assert [one.instrument.name, two.instrument.name] == ["element 1", "element 2"]
    (one,) = read("yokogawa", WT, "utc-offset=+09:00&channel=2")
    assert one.quantities["watts"][0] == 340.25 and one.quantities["volts"][0] == 230.2
    with refused("unknown-name") as caught:
        read("yokogawa", WT, "utc-offset=+09:00&channel=3")
    assert "'3'" in caught.value.message and "1, 2, sum" in caught.value.message


def test_a_viewer_s_greek_sum_in_a_western_code_page_or_utf_16(read):
    text = "Date,Time,Urms-1(V),Irms-1(A),P-1(W),P-ΣA(W)\n2026-11-21,16:00:00.5,230,1.5,344,344\n"
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        (log,) = read("yokogawa", text.encode(encoding), "utc-offset=Z")
        assert log.quantities["watts"].tolist() == [344]
        assert log.instrument.details["channel"] == "sum"


def test_two_elements_without_a_sum_are_two_logs(read):
    text = "Date,Time,U-E1,I-E1,P-E1,U-E2,I-E2,P-E2\n2026-11-21,16:00:00,230,1.5,344,230,1.5,340\n"
    assert [log.quantities["watts"][0] for log in read("yokogawa", text, "utc-offset=Z")] == [344, 340]


# PTDaemon

ZONE = "utc-offset=-08:00"


def test_ptdaemon_says_no_zone_so_somebody_must(read):
    with refused("no-time-zone"):
        read(
            "ptdaemon-log", "Time,01-22-2021 15:05:14.313,Watts,22.97,Volts,227.37,Amps,0.2,PF,0.49,Mark,x\n"
        )


def test_ptdaemon_s_samples_identity_and_messages(read):
    (log,) = read(
        "ptdaemon-log",
        "Time,01-22-2021 15:04:06.145,NOTICE,Analyzer identity response of 32 bytes: "
        "YOKOGAWA,WT310,C2PH13047V,F1.03\n"
        "01-22-2021 15:04:07.000: Uncertainty checking for WT310 is activated\n"
        "Time,01-22-2021 15:05:14.313,Watts,22.97,Volts,227.37,Amps,0.20434,PF,0.4944,Mark,HB\n"
        "Time,01-22-2021 15:05:15.313,Watts,25.65,Volts,227.37,Amps,0.22541,PF,0.5006,Mark,HB\n"
        "Time,01-22-2021 15:05:16.000,ERROR,Bad volts reading nan from WT310\n"
        "Buffer was 1.000E+00;1;300.0E+00;1\n"
        "Time,01-22-2021 15:05:16.313,Watts,-1.0,Volts,-1.0,Amps,-1.0,PF,-1.0,Mark,HB\n"
        "Time,01-22-2021 15:05:17.313,Watts,-10.0,Volts,249.93,Amps,0.0,PF,-1.0,Mark,HB\n"
        "Time,01-22-2021 15:05:17.400,WARNING,Uncertainty 1.03%, which is above 1.00% limit for the last "
        "sample!\n"
        "Time,01-22-2021 15:05:17.500,ERROR,Current appears to be too high for set range\n"
        "01-22-2021 15:05:18.000: WARNING: Missed 1 samples\n"
        "01-22-2021 15:05:18.313,Watts,24.0,Volts,227.37,Amps,0.21,PF,0.5,Mark,idle\n",
        ZONE,
    )  # fmt: skip
    assert log.time_s[0] == at("2021-01-22T23:05:14.313")
    assert np.isfinite(log.quantities["watts"]).tolist() == [True, True, False, False, True]
    assert (log.instrument.model, log.instrument.serial) == ("Yokogawa WT310", "C2PH13047V")
    assert log.instrument.details["uncertainty_checking"] == "activated"
    assert log.instrument.grade == "emerald"
    texts = {problem.kind: problem.text for problem in log.problems}
    assert set(texts) == {"not-available", "out-of-range", "uncertain", "gap"}
    assert "1.03%" in texts["uncertain"]


def test_ptdaemon_s_channels_are_summed_in_front(read):
    line = (
        "Time,11-13-2020 22:38:59.240,Watts,272.93,Volts,-1.000000,Amps,-1.000000,PF,-1.000000,Mark,notset,"
        "Ch1,Watts,91.06,Volts,120.95,Amps,0.8321,PF,0.9389,Ch2,Watts,90.97,Volts,120.83,Amps,0.802,PF,0.9388,"
        "Ch3,Watts,90.9,Volts,120.75,Amps,0.802,PF,0.9387\n"
    )
    (log,) = read("ptdaemon-log", line, ZONE)
    assert log.quantities["watts"].tolist() == [272.93] and not log.problems
    channels = read("ptdaemon-log", line, f"{ZONE}&channel=all")
    assert sum(one.quantities["watts"][0] for one in channels) == pytest.approx(272.93)
    assert read("ptdaemon-log", line, f"{ZONE}&channel=2")[0].quantities["amperes"].tolist() == [0.802]


def test_ptdaemon_s_temperature_and_a_line_torn_by_two_writers(read):
    (log,) = read(
        "ptdaemon-log",
        "Selected temperature meter 'PCsensor USB9097+DS18B20' from ibuttonlink.cpp\n"
        "09-23-2020 14:40:28.965,Temp,29.687500,Humidity,0.000000,Mark,notset\n"
        "09-23-2020 14:40:34.59909-23-2020 14:40:33.964,Temp,29.75,Humidity,0.000000,Mark,notset\n"
        ": Response to client sent: Temperature,29.687500,Humidity,0.000000\n"
        "09-23-2020 14:40:38.964,Temp,29.6875,Humid\n"
        "09-23-2020 14:40:44.383,Temp,-2.000000,Humidity,-2.000000,Mark,notset\n",
        ZONE,
    )
    assert log.quantities["celsius"][:2].tolist() == [29.6875, 29.75]
    assert np.isnan(log.quantities["celsius"][2])
    assert log.instrument.model == "PCsensor USB9097+DS18B20"
    assert figures(log.problems[0].text) == [1, 5]


def test_ptdaemon_s_dummy_is_no_instrument(read):
    (log,) = read(
        "ptdaemon-log",
        "Selected power meter 'Dummy (testing only)' from dummy.cpp\n"
        "08-14-2020 12:52:54.153,Watts,23.31,Volts,120.0,Amps,0.19425,PF,1.0,Mark,_002_cal_rc_\n",
        ZONE,
    )
    assert log.instrument.grade == "indicative"
    assert "dummy" in log.instrument.why


def test_ptdaemon_by_mark(read):
    text = "".join(
        f"Time,01-22-2021 15:05:1{k}.0,Watts,{k},Volts,227,Amps,0.2,PF,0.4,Mark,{mark}\n"
        for k, mark in enumerate(["HB", "HB", "idle"])
    )
    assert len(read("ptdaemon-log", text, f"{ZONE}&mark=HB")[0].time_s) == 2
    with refused("wrong-format", re.compile("log$|csv$")):
        read("ptdaemon-log", text, f"{ZONE}&mark=RR")


def test_a_day_first_stamp_of_another_program_is_refused(read):
    with refused("bad-syntax", re.compile(":1$")):
        read(
            "ptdaemon-log",
            "Time,28-12-2020 15:20:14.682,Watts,22.95,Volts,228.57,Amps,0.2,PF,0.48,Mark,x\n",
            ZONE,
        )


@pytest.mark.parametrize("end", ["344.1", "34", "3"])
def test_a_last_cell_that_was_cut_is_no_sample(tmp_path, end):
    path = tmp_path / "power.csv"
    path.write_text(
        f"time,watts\n2026-11-21T10:00:00Z,344.1\n2026-11-21T10:00:01Z,344.1\n2026-11-21T10:00:02Z,{end}"
    )
    (log,) = source.logs(f"csv:{path}")
    assert log.quantities["watts"].tolist() == [344.1, 344.1]
    assert [(one.kind, figures(one.text)) for one in log.problems] == [("failure", [4])]
