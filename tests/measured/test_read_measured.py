"""Files of measurements: what each reader makes of them, and what it refuses, with the place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from iowatt.evaluate.measured import host_seconds, read_measured, shipped_measured
from iowatt.model.library import shipped_cells
from refused import refused

DATA = Path(__file__).parents[1] / "data"
SAMPLE = DATA / "fio" / "json_plus_3.33_sample.json"

ACT = """Aerospike act
read-reqs-per-sec: 2000
record-bytes: 1500
large-block-op-kbytes: 128
microsecond-histograms: yes

After 10 sec:
requests queued: 3
LARGE BLOCK READS  (10 total)
 (09: 0000000006) (11: 0000000004)
LARGE BLOCK WRITES (20 total)
 (09: 0000000020)
RAW READS          (100 total)
 (07: 0000000090) (08: 0000000009) (12: 0000000001)
READS              (100 total)
 (08: 0000000100)

"""

TABLE = """op,size,depth,processes,iops,mean_us,p99_us,watts
randread,4k,1,1,10000,97,150,5.5
randread,4k,32,2,250000,250,600,
"""


def written(folder, name, text):
    path = folder / name
    path.write_text(text)
    return path


def changed(folder, change):
    document = json.loads(SAMPLE.read_text())
    change(document)
    return written(folder, "out.json", json.dumps(document))


def job_of(document):
    return document["jobs"][0]


def test_json_plus_gives_the_work_and_the_times_of_submission_to_completion():
    (found,) = read_measured([SAMPLE])
    cell = found.cell
    assert (cell.op, cell.read_share, cell.pattern, cell.size_bytes) == ("mixed", 0.5, "random", 8192)
    assert (cell.depth, cell.processes, cell.rate_per_s, cell.span_bytes) == (1, 1, 1000.0, 1 << 30)
    # 1,500 reads and 1,500 writes in 3.001 s each.
    assert found.iops == pytest.approx(3000 / 3.001)
    assert found.read_mean_s == pytest.approx(1522.388667e-9)
    # fio says 1,304 ns, the middle of the bin from 1,296 to 1,311.
    assert found.reads[0.99] == pytest.approx(1.311e-6)
    assert found.samples == 3000


def test_percentiles_without_bins_are_fio_s_own(tmp_path):
    def drop(document):
        for way in ("read", "write"):
            for kind in ("lat_ns", "clat_ns"):
                job_of(document)[way][kind].pop("bins", None)

    (found,) = read_measured([changed(tmp_path, drop)])
    assert found.reads[0.99] == pytest.approx(1.304e-6)
    assert found.read_histogram is None


def test_jobs_joined_by_group_reporting_are_the_processes_of_one_cell(tmp_path):
    def join(document):
        job_of(document)["job options"] |= {"numjobs": "4", "group_reporting": "1"}

    (found,) = read_measured([changed(tmp_path, join)])
    assert found.cell.processes == 4
    assert found.cell.span_bytes == 4 << 30


def test_equal_jobs_are_one_cell_whose_rates_add_up(tmp_path):
    def repeat(document):
        document["jobs"] = [job_of(document)] * 3

    (found,) = read_measured([changed(tmp_path, repeat)])
    assert found.cell.processes == 3
    assert found.iops == pytest.approx(3 * 3000 / 3.001)
    assert found.read_mean_s == pytest.approx(1522.388667e-9)


def test_normal_output_of_fio():
    (found,) = read_measured([DATA / "fio-runs" / "normal.txt"])
    assert (found.cell.op, found.cell.pattern, found.cell.size_bytes, found.cell.depth) == (
        "read", "random", 4096, 1,
    )  # fmt: skip
    assert found.iops == pytest.approx(200 / 1.001)
    assert found.mean_s == pytest.approx(993.49e-9)
    assert found.reads[0.99] == pytest.approx(1880e-9)


def test_a_log_of_completion_times_has_its_depth_by_little_s_law(tmp_path):
    # Four outstanding: a request of 8 ms completes every 2 ms.
    rows = "".join(f"{2 * n}, 8000000, 0, 4096, 0\n" for n in range(1, 2001))
    (found,) = read_measured([written(tmp_path, "x_clat.1.log", rows)])
    assert (found.cell.depth, found.cell.processes, found.cell.op) == (4, 1, "read")
    assert found.iops == pytest.approx(500, rel=0.01)
    assert found.reads[0.99] == pytest.approx(8e-3, rel=0.002)


def test_logs_of_one_run_are_its_processes(tmp_path):
    rows = "".join(f"{2 * n}, 2000000, 0, 4096, 0\n" for n in range(1, 2001))
    paths = [written(tmp_path, f"x_clat.{number}.log", rows) for number in (1, 2)]
    (found,) = read_measured(paths)
    assert (found.cell.name, found.cell.processes, found.cell.depth) == ("x", 2, 1)
    assert found.iops == pytest.approx(1000, rel=0.01)


def test_act_has_open_reads_beside_large_blocks(tmp_path):
    (found,) = read_measured([written(tmp_path, "act.txt", ACT)])
    # 1,500 bytes are three sectors.
    assert (found.cell.size_bytes, found.cell.rate_per_s, found.cell.duration_s) == (1536, 2000.0, 10.0)
    large_reads, large_writes = found.cell.beside
    assert (large_reads.op, large_reads.size_bytes, large_reads.rate_per_s) == ("read", 131072, 1.0)
    assert (large_writes.op, large_writes.rate_per_s) == ("write", 2.0)
    assert found.binned
    assert found.samples == 100
    # Bucket 7 is from 64 to 128 us, with 90 of 100; half of all are 5/9 into it, on a logarithmic scale.
    assert found.reads[0.5] == pytest.approx(64e-6 * 2 ** (50 / 90))
    assert found.reads[0.999] > 2048e-6


def test_a_report_of_act_that_was_cut_gives_way_to_the_one_before_it(tmp_path):
    cut = ACT + "After 11 sec:\nRAW READS          (110 total)\n (07: 0000000090)"
    (found,) = read_measured([written(tmp_path, "act.txt", cut)])
    assert found.cell.duration_s == 10.0


def test_a_table_of_cells(tmp_path):
    one, other = read_measured([written(tmp_path, "cells.csv", TABLE)])
    assert (one.mean_s, one.reads, one.watts) == (pytest.approx(97e-6), {0.99: pytest.approx(150e-6)}, 5.5)
    assert (other.cell.depth, other.cell.processes, other.watts) == (32, 2, None)


@pytest.mark.parametrize("device", shipped_cells())
def test_shipped_cells_are_read(device):
    assert all(one.iops > 0 and one.mean_s and one.reads for one in shipped_measured(device))


def test_the_generator_s_time_follows_from_depth_one(tmp_path):
    # 1/10,000 s a request, 97 us of it at the drive.
    cells = read_measured([written(tmp_path, "cells.csv", TABLE)])
    assert host_seconds(cells) == pytest.approx(3e-6)
    # A process that made 500,000 requests a second cannot have spent more than 2 us on each.
    fast = TABLE + "randread,4k,32,1,500000,60,90,\n"
    assert host_seconds(read_measured([written(tmp_path, "fast.csv", fast)])) == pytest.approx(2e-6)


WATTS = "time,watts\n" + "".join(f"{1795189521.9 + 0.5 * n:.1f},{10 + n}\n" for n in range(12))


def test_watts_are_those_while_the_cell_ran(tmp_path):
    # It ran from ...521.8 to ...524.8: samples 0 to 5, of 10 to 15 W.
    (found,) = read_measured([SAMPLE, written(tmp_path, "power.csv", WATTS)])
    assert found.watts == pytest.approx(12.5)


def test_watts_of_another_time_go_by_name_or_nowhere(tmp_path):
    late = WATTS.replace("17951895", "17961895")
    cells = written(tmp_path, "run.csv", TABLE)
    found = read_measured([cells, written(tmp_path, "run-power.csv", late)])
    assert [one.watts for one in found] == [15.5, 15.5]
    other = written(tmp_path, "power.csv", late)
    with refused("not-comparable", str(other)):
        read_measured([cells, other])


def _alter(old, new):
    return lambda text: text.replace(old, new)


@pytest.mark.parametrize(
    ("change", "code", "place"),
    [
        (_alter("processes", "jobs"), "wrong-format", ":1"),
        (_alter("watts", "weight"), "unknown-key", ":1: weight"),
        (_alter("150,5.5", "150"), "damaged", ":2"),
        (_alter("97", "9_7"), "bad-syntax", ":2: mean_us"),
        (_alter("97", "nan"), "bad-syntax", ":2: mean_us"),
        (_alter("97", "1e300"), "out-of-range", ":2: mean_us"),
        (_alter("10000", "0"), "bad-syntax", ":2"),
        (_alter("randread,4k,1", "randrw,4k,1"), "unsupported", ":2: op"),
        (_alter("randread,4k,1", "erase,4k,1"), "not-accepted", ":2: op"),
        (_alter("4k,1,", "4x,1,"), "bad-syntax", ":2: size"),
        (lambda text: text.partition("\n")[0] + "\n", "empty", ""),
    ],
)
def test_tables_that_are_refused(tmp_path, change, code, place):
    path = written(tmp_path, "cells.csv", change(TABLE))
    with refused(code, f"{path}{place}"):
        read_measured([path])


@pytest.mark.parametrize(
    ("change", "code", "place"),
    [
        (_alter("record-bytes: 1500\n", ""), "missing", ": record-bytes"),
        (_alter("record-bytes: 1500", "record-bytes: many"), "bad-syntax", ": record-bytes"),
        (_alter("(07: 0000000090) ", ""), "damaged", ":13"),
        (_alter("RAW READS ", "RAW LEADS "), "damaged", ":7"),
        (_alter("After 10 sec", "After 0 sec"), "out-of-range", ": After 0 sec"),
        (lambda text: text.partition("After")[0], "empty", ""),
    ],
)
def test_output_of_act_that_is_refused(tmp_path, change, code, place):
    path = written(tmp_path, "act.txt", change(ACT))
    with refused(code, f"{path}{place}"):
        read_measured([path])


@pytest.mark.parametrize(
    ("options", "code", "place"),
    [
        ({"rw": "trim"}, "unsupported", ": job 'a', rw"),
        ({"bs": "4k-64k"}, "unsupported", ": job 'a', bs"),
        ({"bssplit": "4k/50:8k/50"}, "unsupported", ": job 'a'"),
        ({"ioengine": "libaio", "iodepth": "deep"}, "bad-syntax", ": job 'a', iodepth"),
    ],
)
def test_jobs_that_are_no_cell(tmp_path, options, code, place):
    def change(document):
        job_of(document)["job options"] |= options

    path = changed(tmp_path, change)
    with refused(code, f"{path}{place}"):
        read_measured([path])


def test_jobs_beside_one_another_are_refused():
    path = DATA / "fio-hist" / "out.json"
    with refused("unsupported"):
        read_measured([path])


@pytest.mark.parametrize("percentile", [{"99": "fast"}, {"ninety": 5}, {"99": -1}, [1, 2]])
def test_hostile_percentiles(tmp_path, percentile):
    def change(document):
        job_of(document)["read"]["clat_ns"]["percentile"] = percentile

    path = changed(tmp_path, change)
    with pytest.raises(Exception, match=r"percentile") as caught:
        read_measured([path])
    assert caught.value.code in ("wrong-type", "bad-syntax", "out-of-range")


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
@pytest.mark.parametrize(
    "source",
    [SAMPLE, DATA / "fio-runs" / "normal.txt", DATA / "fio-hist" / "x_clat.1.log"],
    ids=lambda path: path.name,
)
def test_truncated_files_are_read_to_a_sensible_point_or_refused(tmp_path, source, share):
    data = source.read_bytes()
    path = tmp_path / source.name
    path.write_bytes(data[: int(share * len(data))])
    try:
        found = read_measured([path])
    except Exception as error:
        assert getattr(error, "code", None) in ("damaged", "empty", "wrong-format"), repr(error)
        assert str(path) in str(error)
    else:
        assert all(one.iops > 0 for one in found)


def test_other_files(tmp_path):
    with refused("wrong-format"):
        read_measured([written(tmp_path, "notes.md", "# A title\n")])
    with refused("wrong-format"):
        read_measured([DATA / "fio-runs" / "terse.txt"])
    with refused("not-found"):
        read_measured([tmp_path / "none.json"])
    with refused("wrong-kind"):
        read_measured([tmp_path])
    with refused("empty"):
        read_measured([written(tmp_path, "power.csv", WATTS)])
    with refused("unsupported"):  # means of windows
        read_measured([DATA / "fio" / "x_clat.1.log"])
