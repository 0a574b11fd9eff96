"""Performance logs of arrays become Runs: figures in the units of a mapping, and nothing made up."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from iowatt.cli.main import app
from iowatt.run.bundle import Run
from iowatt.sources.array_log import ARRAY_LOGS, find_mapping
from iowatt.sources.counters import CountersRequest, observe, read_counters
from refused import problems, refused

ROOT = Path(__file__).parents[2]
LOGS = ROOT / "examples" / "array-logs"
HEAD = "when,lun,r,w,rb,wb,rms,wms\n"
MAPPING = """
schema = "iowatt.array-log/1"
title = "t"
source = ["s"]
object = "lun"
[time]
column = "when"
[figures]
reads = { column = "r", unit = "1/s" }
writes = { column = "w", unit = "1/s" }
read_bytes = { column = "rb", unit = "B/s" }
write_bytes = { column = "wb", unit = "B/s" }
read_wait = { column = "rms", unit = "ms" }
write_wait = { column = "wms", unit = "ms" }
"""


@pytest.fixture
def log(tmp_path):
    (tmp_path / "map.toml").write_text(MAPPING)

    def made(rows, mapping=MAPPING, **options):
        (tmp_path / "map.toml").write_text(mapping)
        (tmp_path / "log.csv").write_text(HEAD + "".join(f"{row}\n" for row in rows))
        return CountersRequest([tmp_path / "log.csv"], str(tmp_path / "map.toml"), **options)

    return made


def row(stamp, lun="a", reads=100, read_ms=1.0):
    return f"2026-03-02T09:{stamp}Z,{lun},{reads},50,{reads * 4096},204800,{read_ms},0.5"


@pytest.mark.parametrize("name", ARRAY_LOGS.names())
def test_each_shipped_mapping_reads_its_own_columns(name, tmp_path):
    """A log of the mapping's own columns: 1 in each of their units, two minutes."""
    mapping = find_mapping(name)
    assert not mapping.tried  # none has met a file of its tool: a reader is told
    time = mapping.time
    cells = {column.names[0]: "1" for column in mapping.figures.values()} | dict.fromkeys(
        mapping.objects, "x"
    )
    if mapping.histogram is not None:
        numbers = range(mapping.histogram.first, mapping.histogram.last + 1)
        for pattern in (mapping.histogram.read, mapping.histogram.write):
            cells |= {pattern.replace("{}", str(number)): "0" for number in numbers}
    stamps = {"unix": 1.0, "unix-ms": 1e3, "unix-us": 1e6}
    with (tmp_path / "log.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, [time.column, *filter(None, [time.interval_column]), *cells])
        writer.writeheader()
        for minute in (1, 2):
            at = 1_800_000_000 + 60 * minute
            stamp = f"{at * stamps[time.format]:.0f}" if time.format else f"2026-03-02T09:0{minute}:00Z"
            length = {"iso8601": "PT1M", "s": "60", "us": "60000000"}[time.interval_unit]
            writer.writerow(
                {
                    time.column: stamp,
                    **({time.interval_column: length} if time.interval_column else {}),
                    **cells,
                }
            )
    found = read_counters(CountersRequest([tmp_path / "log.csv"], name))
    (device,) = found.devices
    assert found.seconds.tolist() == [60.0, 60.0]
    per_s = 1 / 60 if name == "3par-vlun" else 1.0
    assert found.column(device, "reads").tolist() == pytest.approx([per_s] * 2)
    size = {"powermax": 2**20, "hitachi-lds": 2**20, "spectrum-control": 2**20}.get(name, per_s)
    assert found.column(device, "write_bytes").tolist() == pytest.approx([size] * 2)
    wait = {"powermax": 1e-3, "spectrum-control": 1e-3}.get(name, 1e-6)
    assert found.column(device, "read_wait").tolist() == pytest.approx([wait] * 2)


def test_the_buckets_of_3par_give_percentiles():
    found = observe(CountersRequest([LOGS / "before.csv"], "3par-vlun"))
    with (LOGS / "before.csv").open() as file:
        rows = list(csv.DictReader(file))
    reads = sum(int(one["d_rcount"]) for one in rows)
    assert sum(part.read.requests for part in found.intervals) == reads == found.read.total
    assert found.end - found.start == pytest.approx(60 * len(rows))
    ticks = sum(int(one["d_rticks"]) for one in rows)
    means = sum(part.read.requests * part.read.response_mean_s for part in found.intervals)
    assert means == pytest.approx(ticks / 1e6)
    # Bucket 6 ends at 2^(6-7) ms, and bucket n at 2^(n-7).
    counts = np.array([sum(int(one[f"d_rhist{n}"]) for one in rows) for n in range(32)])
    median = int(np.searchsorted(np.cumsum(counts), reads / 2))
    assert found.read.quantile(0.5) == round(2 ** (median - 7) * 1e6)
    assert not found.dated  # System Reporter's `now` is of no certain date
    assert len(found.series) == 2 * len(rows)


def test_a_mapping_of_ones_own_with_decimal_commas():
    found = observe(CountersRequest([LOGS / "own.csv"], str(LOGS / "own.toml")))
    assert [round(part.start) for part in found.intervals] == [0, 60]
    assert not found.dated
    # db 1000.5 and 900.5 reads/s; writes 400 + 200, then 500 + 100; MB are 10^6 bytes.
    assert sum(part.read.requests for part in found.intervals) == 60 * 1901
    assert [part.write.requests for part in found.intervals] == [36_000, 36_000]
    assert sum(part.write.bytes for part in found.intervals) == round(60 * 4.9152e6)
    writes = [part.write.response_mean_s for part in found.intervals]
    assert writes == pytest.approx([(400 * 0.3 + 200 * 0.2) / 600e3, (500 * 0.4 + 100 * 0.2) / 600e3])


def test_objects_sampled_one_after_the_other_share_intervals(log):
    rows = [row(f"0{m}:0{s}", lun) for m in range(4) for s, lun in enumerate("abc")]
    found = observe(log(rows, devices=["a", "c"]))
    assert [(part.end - part.start, part.read.requests) for part in found.intervals] == [(60.0, 12_000)] * 4
    assert found.dated and found.start == pytest.approx(1_772_442_000 - 60)
    part = observe(log(rows, devices=["b"], start_s=60, end_s=180))
    assert [one.read.requests for one in part.intervals] == [6000, 6000]


def test_start_stamps_and_amounts_of_an_interval(log):
    mapping = MAPPING.replace('"when"', '"when"\nstamp = "start"\ninterval = "60s"').replace(
        'column = "r", unit = "1/s"', 'column = "r", unit = "count"'
    )
    found = observe(log([row("00:00"), row("01:00")], mapping))
    assert [part.read.requests for part in found.intervals] == [100, 100]
    assert [part.start for part in found.intervals] == [1_772_442_000, 1_772_442_060]


def test_response_times_that_are_not_known_stay_unknown(log):
    mapping = MAPPING.replace("read_wait =", "queue =").replace(
        'column = "rms", unit = "ms"', 'column = "rms", unit = "1"'
    )
    mapping = "".join(line for line in mapping.splitlines(True) if not line.startswith("write_wait"))
    found = observe(log([row("00:00"), row("01:00")], mapping))
    assert {part.read.response_mean_s for part in found.intervals} == {None}
    assert found.hops == []
    one_in_two = [row("00:00"), row("01:00", read_ms="n/a")]
    found = observe(log(one_in_two))
    assert [part.read.known for part in found.intervals] == [6000, 0]
    assert found.hops == []


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        ([row("00:00"), row("00:00")], "duplicate"),
        ([row(f"0{m}:00", lun) for m in range(3) for lun in "ab"] + [row("03:00")], "missing-figure"),
        (["2026-03-02T09:00:00Z,a,1,2"], "damaged"),
        ([row("00:00").replace("100,", "many,", 1)], "bad-syntax"),
        ([row("00:00").replace("100,", "-1,", 1)], "out-of-range"),
        ([row("00:00")], "missing"),
        ([], "empty"),
    ],
)
def test_a_log_that_contradicts_itself_is_refused(log, rows, code):
    with refused(code, re.compile(r"log\.csv")):
        observe(log(rows))


def test_a_gap_is_no_long_interval(log):
    rows = [row(f"0{m}:00") for m in (0, 1, 2, 6, 7)]
    found = observe(log(rows))
    assert [part.end - part.start for part in found.intervals] == [60.0] * 5
    assert (
        CliRunner()
        .invoke(app, ["import", str(found.files[0]), "--as", str(found.files[0].parent / "map.toml")])
        .exception.code
        == "damaged"
    )


def test_what_is_wrong_with_a_mapping_has_its_line(log):
    wrong = MAPPING.replace('column = "rb", unit = "B/s"', 'column = "rb", unit = "MB"').replace(
        '"1/s"', '"per s"', 1
    )
    with refused("several") as caught:
        read_counters(log([row("00:00")], wrong))
    assert [code for code, _ in problems(caught.value)] == ["not-accepted", "missing"]
    assert [place.rpartition(": ")[2] for _, place in problems(caught.value)] == [
        "figures.reads.unit", "figures.read_bytes.unit",
    ]  # fmt: skip
    with refused("unknown-name", re.compile("^as")):
        read_counters(CountersRequest([LOGS / "own.csv"], "powerstoer"))
    with refused("wrong-format", re.compile(r"own\.csv")):
        read_counters(CountersRequest([LOGS / "own.csv"], "powerstore"))


def test_two_logs_are_compared_as_typed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("before", "after"):
        done = CliRunner().invoke(app, ["import", str(LOGS / f"{name}.csv"), "--as", "3par-vlun", "-o", name])
        assert done.exit_code == 0, done.output
    run = Run.open(tmp_path / "before")
    assert (run.summary["source"], "driver" in run.summary) == ("counters", False)
    done = CliRunner().invoke(app, ["compare", "before", "after", "--op", "write", "--json"])
    assert done.exit_code == 0, done.output
    rows = {one["metric"]: one for one in json.loads(done.stdout)["differences"]}
    assert rows["mean"]["verdict"] == "better"
    budget = CliRunner().invoke(app, ["budget", "before", "after", "--json"])
    assert budget.exit_code == 0, budget.output
    assert CliRunner().invoke(app, ["report", "before"]).exit_code == 0
    words = ["import", str(LOGS / "own.csv"), "--as", str(LOGS / "own.toml"), "--format", "csv"]
    assert CliRunner().invoke(app, words).exception.place == "format"


def test_a_log_of_iostat_becomes_a_run_too(tmp_path):
    log = ROOT / "tests" / "data" / "counters" / "iostat-12.6-xt-iso.txt"
    found = observe(CountersRequest([log], "iostat"))
    (read,) = {hop.op for hop in found.hops} - {"write"}
    assert read == "read"
    assert sum(part.read.requests for part in found.intervals) > 0
    with refused("unknown-name", "device"):
        observe(CountersRequest([log], "iostat", devices=["nothere"]))


def test_a_profile_is_made_of_an_arrays_log(tmp_path):
    target = tmp_path / "array.toml"
    words = ["trace", "counters", str(LOGS / "own.csv"), "--as", str(LOGS / "own.toml"), "--device", "db"]
    done = CliRunner().invoke(app, [*words, "--access", "uniform", "-o", str(target), "--json"])
    assert done.exit_code == 0, done.output
    (db,) = [one for one in json.loads(done.stdout)["devices"] if one["device"] == "db"]
    assert db["mean_read_wait"] == pytest.approx((1000.5 * 0.8 + 900.5 * 0.7) / 1901e3)
    assert 'schema = "iowatt.profile/1"' in target.read_text()
