"""What versions of vdbench do differently: columns, padding, warm-up, curves, zones, missing figures."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
import vdbench_output
from vdbench_output import Minute, Ran, flat, write

from iowatt.base.errors import Argument
from iowatt.sources.vdbench import read
from refused import refused

VERSIONS = ["5.02", "5.04.06", "5.04.07"]


def a_run(name="HB_final", minutes=4, **more):
    return Ran(name, [Minute(60 * (100 + k), 60 * 60 + k, 1.5 + k / 8, 2.5) for k in range(minutes)], **more)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("warmup", [1, 2])
def test_every_version_gives_the_numbers_that_went_in(tmp_path, version, warmup):
    ran = a_run(warmup=warmup, rate=101.0)
    (found,) = read(write(tmp_path, version, [ran]))
    assert found.asked_iops == 101.0
    assert [p.read.requests + p.write.requests for p in found.intervals] == [m.requests for m in ran.minutes]
    assert [p.read.requests for p in found.intervals] == [m.reads for m in ran.minutes]
    assert [p.counted for p in found.intervals] == [k >= warmup for k in range(4)]
    assert [p.end - p.start for p in found.intervals] == 4 * [pytest.approx(60)]
    assert found.start == pytest.approx(ran.begin.timestamp())
    expected = vdbench_output.average(ran)
    assert found.total.requests == expected.requests
    assert found.total.bytes == expected.requests * 8192
    assert found.total.response_mean_s * 1e3 == pytest.approx(expected.mean(), abs=1e-4)
    assert [p.both.response_mean_s * 1e3 for p in found.intervals] == [
        pytest.approx(m.mean(), abs=1e-4) for m in ran.minutes
    ]
    means = [p.read.response_mean_s for p in found.intervals]
    if version == "5.02":
        assert means == [None] * 4  # not said by direction
    else:
        assert [mean * 1e3 for mean in means] == [pytest.approx(m.read_ms, abs=1e-4) for m in ran.minutes]
    assert not [said for said in found.warnings if "average" in said]


def test_maxima_by_direction_are_taken_where_there_are_any(tmp_path):
    (new,) = read(write(tmp_path / "new", "5.04.07", [a_run()]))
    (old,) = read(write(tmp_path / "old", "5.04.06", [a_run()]))
    assert new.intervals[0].write.response_max_s == pytest.approx(0.0045)
    assert new.totals[0].response_std_s == pytest.approx(0.00025)
    assert old.intervals[0].write.response_max_s is None
    assert old.intervals[0].both.response_max_s == pytest.approx(0.009)


def test_only_writes_have_the_times_of_all(tmp_path):
    (found,) = read(write(tmp_path, "5.02", [Ran("SW", [Minute(600, 0, 0, 3.0)] * 3, size=262144)]))
    assert found.totals[1].response_mean_s == pytest.approx(0.003)
    assert found.totals[0].requests == 0
    assert found.total.bytes == 1200 * 262144


@pytest.mark.parametrize("version", VERSIONS)
def test_the_points_of_a_curve_are_runs_of_their_own(tmp_path, version):
    begin = datetime(2026, 3, 1, 23, 57, 0, 5000, tzinfo=UTC)
    names = ["rd1_(uncontrolled max)", "rd1_(50%)", "rd1_(100%)"]
    rates = [9999977.0, 50.0, 100.0]
    runs = [
        a_run(name, 3, rate=rate, begin=begin + timedelta(minutes=4 * k), controlled=k > 0)
        for k, (name, rate) in enumerate(zip(names, rates, strict=True))
    ]
    found = read(write(tmp_path, version, runs))
    assert [run.name for run in found] == [run.name for run in runs]
    assert [run.asked_iops for run in found] == [None, 50.0, 100.0]
    # Over midnight, in the flat file and in the summary that has dates in its headers only.
    assert [run.start for run in found] == [pytest.approx(run.begin.timestamp()) for run in runs]
    (tmp_path / "flatfile.html").unlink()
    assert [run.start for run in read(tmp_path)] == [pytest.approx(run.begin.timestamp()) for run in runs]


def test_runs_of_one_name_are_told_apart_by_their_loops(tmp_path):
    begin = datetime(2026, 3, 1, 10, 0, 0, 5000, tzinfo=UTC)
    runs = [
        a_run("rd1", 2, loops=f"threads={threads}", begin=begin + timedelta(minutes=3 * k))
        for k, threads in enumerate((8, 16))
    ]
    assert [run.name for run in read(write(tmp_path, "5.04.06", runs))] == ["rd1 threads=8", "rd1 threads=16"]


def test_missing_minutes_are_named_and_not_filled(tmp_path):
    ran = a_run(minutes=5, missing=(3,))
    (found,) = read(write(tmp_path, "5.04.06", [ran]))
    assert len(found.intervals) == 4
    assert any("intervals 3:" in said for said in found.warnings)
    assert found.intervals[2].start - found.intervals[1].end == pytest.approx(60)


def test_a_run_without_its_average_did_not_end(tmp_path):
    (whole,) = read(write(tmp_path, "5.04.06", [a_run()]))
    (found,) = read(write(tmp_path, "5.04.06", [a_run(average=False)]))
    assert found.totals is None
    assert len(found.warnings) == len(whole.warnings) + 1


@pytest.mark.parametrize(
    ("zone", "named", "hours"),
    [("CET", None, -1), ("GMT-05:00", None, 5), ("CST", "Asia/Shanghai", -8), ("XYZ", "+02:00", -2)],
)
def test_local_times_become_utc(tmp_path, zone, named, hours):
    ran = a_run()
    (found,) = read(write(tmp_path, "5.04.06", [ran], zone), time_zone=named)
    assert found.start == pytest.approx(ran.begin.timestamp() + 3600 * hours)


@pytest.mark.parametrize(
    ("zone", "code", "named"),
    [("CST", "ambiguous", ("America/Chicago", "Asia/Shanghai")), ("XYZ", "unknown-name", ("'XYZ'",))],
)
def test_a_zone_that_is_not_clear_is_asked_for(tmp_path, zone, code, named):
    with refused(code, re.compile(r"flatfile\.html:\d+$")) as caught:
        read(write(tmp_path, "5.04.06", [a_run()], zone))
    assert all(name in caught.value.message for name in named)
    assert "`time_zone=" in caught.value.hint


def test_a_time_zone_that_does_not_exist_is_refused(tmp_path):
    with refused("unknown-name", Argument("time_zone", "Europe/Nowhere")):
        read(write(tmp_path, "5.04.06", [a_run()]), time_zone="Europe/Nowhere")


def test_file_system_workloads_are_refused(tmp_path):
    text = flat("5.04.06", [a_run()]).replace("read%", "Read_rate")
    (tmp_path / "flatfile.html").write_text(text)
    with refused("unsupported", re.compile(r"flatfile\.html:\d+$")):
        read(tmp_path)


def test_large_minutes_keep_every_request(tmp_path):
    ran = Ran("big", [Minute(60 * 412_345 + 7, 60 * 300_000)] * 3)
    (found,) = read(write(tmp_path, "5.04.06", [ran]))
    assert {p.read.requests + p.write.requests for p in found.intervals} == {60 * 412_345 + 7}
    assert abs(found.intervals[0].read.requests - 60 * 300_000) <= 13  # 4 decimals of a percentage


def test_a_busy_load_generator_is_named(tmp_path):
    folder = write(tmp_path, "5.04.06", [a_run()])
    text = (folder / "flatfile.html").read_text().replace(" 10.0000     5.0000", " 80.0000     5.0000")
    (folder / "flatfile.html").write_text(text)
    (found,) = read(folder)
    assert any("85 % busy" in said for said in found.warnings)


def test_a_format_without_an_interval_is_a_run_without_requests(tmp_path):
    """vdbench 5.04.07 makes its files in a run of its own, which may end before its first interval."""
    ran = Ran("SD_format", [], begin=datetime(2026, 3, 1, 10, 0, 2, 2000, tzinfo=UTC))
    text = flat("5.04.07", [a_run()]).splitlines()
    zeros = " ".join(["SD_format", "avg_2-1", "9999988", *["0"] * 14, *["n/a"] * 15])
    columns = len(vdbench_output.FLAT["5.04.07"])
    row = "10:00:03.042 03/01/2026-10:00:03-UTC " + " ".join(zeros.split()[:columns])
    head = next(at for at, line in enumerate(text) if line.startswith(" "))
    text.insert(head + 1, row)
    (tmp_path / "flatfile.html").write_text("\n".join(text) + "\n")
    page = vdbench_output.summary("5.04.07", [a_run()])
    first = page.index('<a name="_1">')
    (tmp_path / "summary.html").write_text(page[:first] + vdbench_output.starting(ran) + page[first:])
    made, final = read(tmp_path)
    assert (made.name, made.intervals[0].read.requests, made.intervals[0].write.requests) == (
        "SD_format",
        0,
        0,
    )
    assert final.total.requests == sum(m.requests for m in a_run().minutes[1:])


@pytest.mark.parametrize("version", VERSIONS)
def test_the_summary_alone_has_the_same_counts_up_to_its_decimals(tmp_path, version):
    ran = a_run(warmup=2)
    write(tmp_path, version, [ran])
    (tmp_path / "flatfile.html").unlink()
    (found,) = read(tmp_path)
    assert [p.counted for p in found.intervals] == [False, False, True, True]
    for part, minute in zip(found.intervals, ran.minutes, strict=True):
        assert abs(part.read.requests + part.write.requests - minute.requests) <= 3
        assert abs(part.read.requests - minute.reads) <= 4
