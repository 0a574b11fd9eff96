"""A compressed trace, which is decoded on a thread of its own, gives the run that its text gives."""

from __future__ import annotations

import gzip

import pytest
import small_arrays

import iowatt
from iowatt.run.bundle import TABLES
from refused import refused

COUNT = 20_000  # several batches of the thread


@pytest.fixture
def folders(tmp_path):
    """Makes two folders alike: in the second the trace, under the same name, is compressed."""

    def write(lines):
        folders = [tmp_path / "text", tmp_path / "gzip"]
        for folder in folders:
            folder.mkdir()
            small_arrays.one_pool(folder, lines)
        packed = folders[1] / "trace.csv"
        packed.write_bytes(gzip.compress(packed.read_bytes()))
        return folders

    return write


@pytest.mark.parametrize(
    "settings",
    [
        [],
        # Ends in the middle of what has been decoded: what was read is counted as without the thread.
        ['observe.duration="31.7s"'],
        ['workload.oltp.replay.mode="closed"', "workload.oltp.replay.outstanding=8"],
        # Two passes, the first of which is dropped.
        ['observe.warmup="auto"'],
    ],
    ids=["whole", "ends early", "closed", "two passes"],
)
def test_the_same_bytes_come_out(folders, settings):
    outputs, summaries = [], []
    for folder in folders(small_arrays.requests(COUNT)):
        run = iowatt.run(folder / "scenario.toml", output=folder / "out", set=settings)
        outputs.append(folder / "out")
        summaries.append({k: v for k, v in run.summary.items() if k not in ("provenance", "simulation")})
    for file in [f"{name}.parquet" for name in TABLES] + ["scenario.toml"]:
        assert (outputs[0] / file).read_bytes() == (outputs[1] / file).read_bytes()
    assert summaries[0] == summaries[1]
    read = summaries[0]["workloads"][0]["trace"]["records_read"]
    assert read < COUNT / 2 if "observe.duration" in str(settings) else read == COUNT


def test_an_error_is_where_it_is_in_the_text(folders):
    lines = small_arrays.requests(COUNT)
    lines[COUNT // 2] = "0,R,0,4096"  # far behind the line before it
    said = []
    for folder in folders(lines):
        with refused("out-of-order") as error:
            iowatt.run(folder / "scenario.toml")
        said.append((str(error.value).replace(str(folder), ""), error.value.place.replace(str(folder), "")))
    assert said[0] == said[1]
    assert said[0][1].endswith(f"trace.csv:{COUNT // 2 + 2}")


def test_a_run_that_ends_before_an_error_does_not_see_it(folders):
    lines = small_arrays.requests(COUNT)
    lines[2000] = "0,R,0,4096"
    for folder in folders(lines):
        run = iowatt.run(folder / "scenario.toml", set=['observe.duration="5s"'])
        assert 0 < run.summary["requests"]["count"] < 2000
