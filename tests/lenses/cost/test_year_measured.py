"""Duty cycles of what was measured: logs of counters by the clock, Runs by their intervals."""

import re
from datetime import date, datetime, timedelta
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iowatt.base.errors import InputError
from iowatt.counters.clock import Stamp
from iowatt.counters.read import read
from iowatt.lenses.cost.year import find_cycle
from iowatt.lenses.cost.year.measured import Stretches, of_run, week_of
from refused import refused

LOGS = Path(__file__).resolve().parents[2] / "data" / "counters"
SATURDAY = date(2026, 11, 21)


def sadf(days, *, first=datetime(2026, 11, 20), minutes=30, load=lambda at: at.hour + 1.0, size=8.0, zone=""):
    """A log as ``sadf -d -t`` writes it: rates in each interval that ends at its time stamp."""
    step = timedelta(minutes=minutes)
    lines = ["# hostname;interval;timestamp;DEV;tps;rkB/s;wkB/s;dkB/s;areq-sz;aqu-sz;await;%util"]
    for number in range(round(days * 24 * 60 / minutes)):
        begin = first + number * step
        tps = load(begin)
        lines.append(
            f"host;{minutes * 60};{begin + step:%Y-%m-%d %H:%M:%S}{zone};sda;"
            f"{tps:.4f};{tps * size:.4f};0.00;0.00;{size:.2f};0.10;0.10;1.00"
        )
    return "\n".join(lines) + "\n"


def log(folder, text, name="disk.csv"):
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def test_the_tools_own_logs_say_when_their_intervals_ended():
    for name in (
        "sar-12.6-d.txt",
        "sar-12.6-bd-zh.txt",
        "sadf-12.6-d.csv",
        "sadf-12.6.json",
        "iostat-12.6.json",
    ):
        found = read([LOGS / name])
        assert len(found.ends) == len(found.seconds)
        assert all(SATURDAY.toordinal() in end.days for end in found.ends), name
        assert found.utc == name.startswith("sadf")
    assert read([LOGS / "sar-12.6-d.txt"]).ends[0].seconds == 14 * 3600 + 58 * 60 + 6
    assert read([LOGS / "iostat-12.6-x.txt"]).ends[0] is None
    ended = read([LOGS / "perfmon-comma.csv"]).ends  # over midnight
    assert ended[-1].seconds < 1 and ended[0].seconds > 86_390


def test_sars_days_go_on_at_midnight(tmp_path):
    head = "Linux 6.1.0 (host) \t11/21/26 \t_x86_64_\t(2 CPU)\n\n"
    columns = "DEV tps rkB/s wkB/s dkB/s areq-sz aqu-sz await %util"
    rows = [f"23:30:00 {columns}"] + [
        f"{time} sda 5.00 40.00 0 0 8 0 0 0" for time in ("23:50:00", "00:10:00", "00:30:00")
    ]
    ends = read([log(tmp_path, head + "\n".join(rows) + "\n", "sar.txt")]).ends
    assert [end.days[0] - SATURDAY.toordinal() for end in ends] == [0, 1, 1]


def test_sars_files_of_two_days_may_stand_in_one(tmp_path):
    """sar writes a file a day; each begins with its own first line, and at midnight again."""
    columns = "DEV tps rkB/s wkB/s dkB/s areq-sz aqu-sz await %util"
    text = ""
    for day, rate in ((20, 3.0), (21, 9.0)):  # a Friday, whose kernel looks like a date, and a Saturday
        rows = [f"{hour:02}:{minute:02}:00 sda {rate} 24 0 0 8 0 0 0"
                for hour in range(24) for minute in (10, 40)]  # fmt: skip
        text += f"Linux 5.10.11 (host) \t11/{day}/26 \t_x86_64_\t(2 CPU)\n\n00:00:00 {columns}\n"
        text += "\n".join(rows) + f"\nAverage: sda {rate} 24 0 0 8 0 0 0\n\n"
    cycle = find_cycle(str(log(tmp_path, text, "sar.txt")))
    assert cycle.date == "2026-11-20"
    assert cycle.week[:5] == pytest.approx(np.full((5, 24), 3.0))
    assert cycle.week[5:] == pytest.approx(np.full((2, 24), 9.0))


def test_seconds_since_1970_are_read(tmp_path):
    text = sadf(1, minutes=60).splitlines()
    at = int((datetime(2026, 11, 20, 1) - datetime(1970, 1, 1)).total_seconds())
    row = text[1].replace("2026-11-20 01:00:00", str(at))
    found = read([log(tmp_path, f"{text[0]}\n{row}\n")])
    assert found.ends == [Stamp(3600.0, (date(2026, 11, 20).toordinal(),))]
    assert found.utc


@pytest.mark.parametrize(
    "name", ["sar-12.6-d.txt", "sadf-12.6-d.csv", "perfmon-comma.csv:0 C:", "iostat-12.6-xtd.txt"]
)
def test_a_log_of_seconds_is_no_day(name):
    with refused("missing-figure", re.compile(re.escape(str(LOGS)))):
        find_cycle(str(LOGS / name))


def test_a_log_without_times_or_of_several_devices_says_what_is_missing(tmp_path):
    with refused("missing", str(LOGS / "iostat-12.6-x.txt")):
        find_cycle(str(LOGS / "iostat-12.6-x.txt"))
    two = sadf(1) + sadf(1).replace(";sda;", ";sdb;").split("\n", 1)[1]
    path = log(tmp_path, two)
    with refused("ambiguous", str(path)) as caught:
        find_cycle(str(path))
    names = ("sda", "sdb")
    assert all(name in caught.value.message for name in names)
    assert f"{path}:{','.join(names)}" in caught.value.hint
    one, both = find_cycle(f"{path}:sda"), find_cycle(f"{path}:sda,sdb")
    assert both.week == pytest.approx(2 * one.week)
    assert both.where == f"{path}:{','.join(names)}"
    with refused("unknown-name", f"{path}: sdc") as caught:
        find_cycle(f"{path}:sdc")
    assert all(name in caught.value.message for name in names)


def test_the_rows_of_a_real_log_over_a_day_become_its_hours(tmp_path):
    # The eight rows that sadf wrote, at three hours each in steps of half an hour.
    head, *rows = (LOGS / "sadf-12.6-d.csv").read_text("utf-8").splitlines()
    assert len(rows) == 8
    lines, rates = [head], []
    for row in rows:
        cells = row.split(";")
        rates.append(float(cells[4]))
        for _ in range(6):
            end = datetime(2026, 11, 21) + timedelta(minutes=30) * len(lines)
            lines.append(";".join([cells[0], "1800", f"{end:%Y-%m-%d %H:%M:%S} UTC", *cells[3:]]))
    cycle = find_cycle(str(log(tmp_path, "\n".join(lines) + "\n")))
    assert cycle.measure == "iops"
    assert cycle.quality == "measured" and cycle.date == "2026-11-21"
    assert cycle.week == pytest.approx(np.tile(np.repeat(rates, 3), (7, 1)))
    assert {note.code for note in cycle.notes} == {"recorded-hours", "one-shape", "utc-as-local"}


def test_weekdays_and_weekends_are_means_apart(tmp_path):
    def load(at):
        return (10.0 if at.weekday() < 5 else 1.0) * (at.hour + 1) + (5.0 if at.day == 20 else 0.0)

    # Friday 20 November to Tuesday 24th: three weekdays, of which the first has 5 more.
    cycle = find_cycle(str(log(tmp_path, sadf(5, load=load))))
    hour = np.arange(24)
    assert cycle.week[:5] == pytest.approx(np.tile(10.0 * (hour + 1) + 5.0 / 3, (5, 1)), abs=1e-3)
    assert cycle.week[5:] == pytest.approx(np.tile(hour + 1.0, (2, 1)), abs=1e-3)
    assert [note.code for note in cycle.notes] == ["recorded-hours"] * 2
    assert ["3 h" in cycle.notes[0].text, "2 h" in cycle.notes[1].text] == [True, True]


def test_large_requests_are_counted_in_bytes(tmp_path):
    cycle = find_cycle(str(log(tmp_path, sadf(1, size=512.0))))
    assert cycle.measure == "mib_per_s"
    assert cycle.week[0] == pytest.approx((np.arange(24) + 1) * 0.5)


def test_a_file_can_shift_a_log_and_take_its_shape(tmp_path):
    log(tmp_path, sadf(2, zone=" UTC"))
    head = 'schema = "iowatt.duty-cycle/1"\nname = "x"\ntitle = "X"\n'
    body = 'holidays = ["05-01"]\n[measured]\npath = "disk.csv"\nshift_hours = -5\nhighest = 0.6\n'
    (tmp_path / "x.toml").write_text(head + body, "utf-8")
    cycle = find_cycle(str(tmp_path / "x.toml"))
    # What UTC calls the first hour is the 19th here, a day earlier.
    assert cycle.week[0] == pytest.approx(np.roll(np.arange(24) + 1.0, -5) / 24 * 0.6)
    assert (cycle.measure, cycle.highest) == ("share", pytest.approx(0.6))
    assert "utc-as-local" not in {note.code for note in cycle.notes}
    assert cycle.holiday == pytest.approx(cycle.week[6])


def test_dates_that_may_mean_two_days_are_read_as_days_that_follow(tmp_path):
    """03/04 to 05/04, day first: only so do the days follow one another; one alone leaves it open."""
    names = ("Disk Reads/sec", "Disk Writes/sec", "Disk Read Bytes/sec", "Disk Write Bytes/sec")
    counters = [rf"\\HOST\PhysicalDisk(0 C:)\{name}" for name in names]
    head = ",".join(f'"{cell}"' for cell in ["(PDH-CSV 4.0) (GMT)(0)", *counters])

    def rows(first, days):
        for half in range(days * 48 + 1):
            at = first + half * timedelta(minutes=30)
            rate = 7.0 if at - timedelta(minutes=30) >= datetime(2026, 4, 4) else 1.0
            yield f'"{at:%d/%m/%Y %H:%M:%S}.000","{rate}","0.0","{rate * 4096}","0.0"'

    # Friday 3 April, then the weekend; the first row only begins the first interval.
    text = [head, *rows(datetime(2026, 4, 3), 3)]
    cycle = find_cycle(str(log(tmp_path, "\n".join(text) + "\n", "perf.csv")))
    assert cycle.date == "2026-04-03"
    assert cycle.week[0, 5] == pytest.approx(1.0) and cycle.week[6, 5] == pytest.approx(7.0)


class OfIntervals:
    """What ``of_run`` asks of a Run."""

    path = None
    name = "long"
    summary = {"source": "simulation"}  # noqa: RUF012

    def __init__(self, counts, seconds=1800.0, size=4096):
        start = np.arange(len(counts)) * seconds
        self._table = pl.DataFrame(
            {
                "start_s": start, "end_s": start + seconds, "completions": counts,
                "bytes_read": np.array(counts) * size, "bytes_written": [0] * len(counts),
            }
        )  # fmt: skip

    def table(self, name):
        assert name == "intervals"
        return self._table


def test_a_run_is_its_completions_by_the_hour():
    counts = [1800 * (half // 2 % 24 + 1) for half in range(48)]
    cycle = of_run(OfIntervals(counts))
    assert cycle.week == pytest.approx(np.tile(np.arange(24) + 1.0, (7, 1)))
    assert any("midnight" in note.text for note in cycle.notes if note.code == "start-of-run")
    later = of_run(OfIntervals(counts), datetime(2026, 11, 20, 6))  # Friday, 6 o'clock, until Saturday
    assert later.week[0] == pytest.approx(np.roll(np.arange(24) + 1.0, 6))
    assert "one-shape" in {note.code for note in later.notes}
    assert not any("midnight" in note.text for note in later.notes)
    week = of_run(OfIntervals([3600 if half < 5 * 48 else 1800 for half in range(7 * 48)]))
    assert week.week == pytest.approx(np.repeat([2.0] * 5 + [1.0] * 2, 24).reshape(7, 24))


@pytest.mark.parametrize(
    ("counts", "seconds", "code", "named"),
    [
        ([5] * 10, 1800.0, "missing-figure", "5 to 23"),
        ([5] * 10, 7200.0, "out-of-range", "7200 s"),
        ([0] * 48, 1800.0, "empty", ""),
    ],
)
def test_runs_that_are_no_day_are_refused(counts, seconds, code, named):
    with refused(code) as caught:
        of_run(OfIntervals(counts, seconds))
    assert named in caught.value.message


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(-86_400.0, 86_400.0))
def test_the_mean_of_a_whole_week_keeps_all_requests(seed, offset):
    """Stretches of any length over just one week: what each hour has adds up to what there was."""
    made = np.random.default_rng(seed)
    seconds = made.uniform(0.5, 1.0, size=made.integers(340, 2000))
    seconds = seconds * (604_800.0 / seconds.sum())
    amount = made.uniform(0.0, 1e6, size=len(seconds))
    begin = offset + np.concatenate([[0.0], np.cumsum(seconds)[:-1]])
    week, _ = week_of(Stretches(begin, seconds, amount, 0, "made"))
    assert week.sum() * 3600.0 == pytest.approx(amount.sum(), rel=1e-6)


@settings(max_examples=60, deadline=None)
@given(
    st.binary(max_size=400),
    st.sampled_from(["sadf-12.6-d.csv", "sar-12.6-d.txt", "iostat-12.6-xtd.txt"]),
    st.integers(0, 3000),
)
def test_damaged_logs_raise_nothing_but_errors_of_input(tmp_path_factory, junk, name, at):
    whole = (LOGS / name).read_bytes()
    path = tmp_path_factory.getbasetemp() / "damaged.log"
    path.write_bytes(whole[:at] + junk + whole[at:])
    with pytest.raises(InputError):
        find_cycle(str(path))
