"""Iometer's result files: figures, time stamps, ranges of response times, and what is refused."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iowatt.base.errors import InputError
from iowatt.sources import iometer
from refused import refused

_EDGES = (0, 50, 100, 200, 500)
COLUMNS = (
    "Target Type,Target Name,Access Specification Name,# Managers,# Workers,# Disks,"
    "IOps,Read IOps,Write IOps,"
    "Average Response Time,Average Read Response Time,Average Write Response Time,Maximum Response Time,"
    "Maximum Read Response Time,Maximum Write Response Time,"
    "Errors,Bytes Read,Bytes Written,Read I/Os,Write I/Os,Queue Depth,% CPU Utilization,"
    + ",".join(f"{low} to {high} uS" for low, high in pairwise(_EDGES))
    + ",0.5 to 1 mS, >= 10 s"
)
HEAD = "'Test Type,Test Description\n0,made by hand\n'Version\n1.1.0 \n'Time Stamp\n2013-10-22 12:00:00:000\n"
SPECS = (
    "'Access specifications\n'Access specification name,default assignment\nread 4K,0\n"
    "'size,% of size,% reads,% random,delay,burst,align,reply\n4096,100,100,100,0,1,4096,0\n"
    "'End access specifications\n"
)
READS = (
    "'Results\n'" + COLUMNS + "\n"
    "ALL,All,read 4K,1,2,2,100,100,0,0.15,0.15,0,0.4,0.4,0,3,12288000,0,3000,0,,7.5,0,1000,1500,500,0,0\n"
    "MANAGER,HOST,read 4K,,2,2,100,100,0,0.15,0.15,0,0.4,0.4,0,3,12288000,0,3000,0,,7.5,,,,,,\n"
    "WORKER,Worker 1,read 4K,,,1,50,50,0,0.15,0.15,0,0.4,0.4,0,0,6144000,0,1500,0,16,,,,,,,\n"
    "WORKER,Worker 2,read 4K,,,1,50,50,0,0.15,0.15,0,0.4,0.4,0,3,6144000,0,1500,0,16,,,,,,,\n"
)
IDLE = READS.replace(",100,100,0,0.15", ",0,0,0,0", 1).replace(",3000,0,", ",0,0,", 1)
MIXED = (
    "'Results\n'" + COLUMNS + "\nALL,All,mixed,1,1,1,10,7,3,1,0.5,2,9,4,9,0,28672,12288,7,3,,1,0,0,10,0,0,0\n"
)
STAMP = "'Time Stamp\n2013-10-22 12:00:40:500\n"


def written(tmp_path, text):
    path = tmp_path / "results.csv"
    path.write_text(text)
    return path


def test_the_figures_of_a_test(tmp_path):
    (found,) = iometer.read(written(tmp_path, HEAD + SPECS + READS + STAMP), time_zone="+02:00")
    assert (found.name, found.version) == ("read 4K", "iometer-1.1.0")
    end = datetime(2013, 10, 22, 10, 0, 40, 500_000, tzinfo=UTC).timestamp()
    assert (found.start, found.end) == (pytest.approx(end - 30), end), "3,000 requests at 100 a second"
    (interval,) = found.intervals
    assert (interval.read.requests, interval.read.bytes, interval.write.requests) == (3000, 12_288_000, 0)
    assert interval.read.response_mean_s == pytest.approx(0.15e-3)
    assert interval.write.response_mean_s is None
    assert (found.errors, found.outstanding, found.busy_percent) == (3, 32, 7.5)
    assert found.read.total == 3000
    assert found.read.quantile(0.5) == 199_999
    assert found.read.quantile(0.99) == 400_000, "the end of its range is no longer than the longest"
    assert found.write.total == 0


def test_ranges_of_reads_and_writes_together_stay_unknown(tmp_path):
    (found,) = iometer.read(written(tmp_path, HEAD + SPECS + MIXED + STAMP), time_zone="UTC")
    assert found.read.total == found.write.total == 0
    assert found.total is not None and found.total.response_mean_s == pytest.approx(1e-3)
    assert found.intervals[0].write.response_max_s == pytest.approx(9e-3)


def test_without_a_time_zone_it_counts_from_zero(tmp_path):
    first, second = iometer.read(written(tmp_path, HEAD + SPECS + READS + STAMP + READS + STAMP))
    assert [one.name for one in (first, second)] == ["read 4K", "read 4K #2"]
    assert (first.dated, first.start, first.end) == (False, 0.0, 30.0)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (HEAD + SPECS, "empty"),
        (
            HEAD + SPECS + READS.replace(",100,100,0,0.15", ",0,0,0,0", 1).replace(",3000,0,", ",0,0,", 1),
            "empty",
        ),
        (HEAD + SPECS + READS.replace("0.15", "fast"), "bad-syntax"),
        (HEAD + SPECS + READS + STAMP.replace("-22", "-32"), "bad-syntax"),
        (HEAD + SPECS + READS.replace("\nMANAGER", ",1,2,3,4,5,6\nMANAGER"), "bad-syntax"),
    ],
)
def test_what_is_refused(tmp_path, text, code):
    with refused(code):
        iometer.read(written(tmp_path, text))


@given(
    st.lists(st.sampled_from([HEAD, SPECS, READS, MIXED, STAMP, "'Results\n", "1,2\n", '\0,"\n']), max_size=8)
)
def test_hostile_files_are_read_or_refused(tmp_path_factory, parts):
    path = tmp_path_factory.mktemp("iometer") / "results.csv"
    path.write_text("".join(parts))
    try:
        iometer.read(path)
    except InputError as error:
        assert error.place
