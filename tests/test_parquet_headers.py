"""Parquet files whose headers are wrong: refused before Polars reads them, which some of them would abort."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from iowatt.base import parquet
from iowatt.base.errors import InputError
from iowatt.run.bundle import Run
from iowatt.trace.parquet import batches

ROWS = {"time_ns": [1, 2, 3], "op": ["R", "W", "R"], "offset": [0, 4096, 8192], "size": [512, 512, 512]}
#: Opens every file that differs from the first in one byte; prints how many are refused.
EVERY_BYTE = """
import sys
from pathlib import Path
from iowatt.base import parquet
good, damaged, refused = Path(sys.argv[1]).read_bytes(), Path(sys.argv[2]), 0
for at in range(len(good)):
    for flipped in (3, 15):
        damaged.write_bytes(good[:at] + bytes([good[at] ^ flipped]) + good[at + 1 :])
        try:
            parquet.scan(damaged).collect()
        except parquet.ERRORS:
            refused += 1
print(refused)
"""


def negative_count(file: Path) -> None:
    """Make the first data page one of -6 values: Polars 2.1 asks for 2**61 bytes then, and aborts."""
    data = bytearray(file.read_bytes())
    page = data.index(b"\x15\x00\x15")  # its field 1, the type, is 0: a data page
    count = data.index(b"\x2c\x15", page) + 2  # field 5, a structure, whose field 1 is the count
    assert data[count] == 2 * 3  # zigzag
    data[count] = 2 * 6 - 1
    file.write_bytes(data)


def test_no_damaged_byte_takes_the_process_down(tmp_path):
    pl.DataFrame({"a": [1, 2, 3]}).write_parquet(tmp_path / "good.parquet", compression="uncompressed")
    done = subprocess.run(
        [sys.executable, "-c", EVERY_BYTE, tmp_path / "good.parquet", tmp_path / "damaged.parquet"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-500:]
    assert int(done.stdout) > 100


def test_every_reader_names_the_file(run, tmp_path):
    pl.DataFrame(ROWS).write_parquet(tmp_path / "trace.parquet")
    folder = run.save(tmp_path / "out").path
    pl.DataFrame({"drive": [0, 0, 0]}).write_parquet(folder / "idle.parquet")
    pl.DataFrame({"start_s": [0.0, 1.0, 2.0]}).write_parquet(folder / "intervals.parquet")
    readers = {
        tmp_path / "trace.parquet": lambda: batches(tmp_path / "trace.parquet"),
        folder / "idle.parquet": lambda: Run.open(folder).table("idle"),
        folder / "intervals.parquet": lambda: Run.open(folder).table("intervals"),
    }
    for file, read in readers.items():
        negative_count(file)
        with pytest.raises(InputError) as caught:
            read()
        assert (caught.value.place, caught.value.exit_code) == (str(file), 2)


@pytest.mark.parametrize(
    "change",
    [
        lambda data: b"",
        lambda data: data[:-20],
        lambda data: data[:4] + data[-8:],
        lambda data: data[:-8] + b"\xff\xff\xff\x7f" + data[-4:],
        lambda data: data[:-8] + (1).to_bytes(4, "little") + data[-4:],
        lambda data: data[:4] + bytes(len(data) // 2) + data[4 + len(data) // 2 :],
    ],
    ids=["empty", "cut", "no-footer", "long-footer", "short-footer", "zeros"],
)
def test_a_file_that_contradicts_itself_is_refused(tmp_path, change):
    file = tmp_path / "t.parquet"
    pl.DataFrame(ROWS).write_parquet(file)
    file.write_bytes(change(file.read_bytes()))
    with pytest.raises(parquet.DamagedError):
        parquet.scan(file)


def test_a_device_is_no_parquet_file():
    with pytest.raises(parquet.ERRORS):
        parquet.scan(Path("/dev/zero"))


@pytest.mark.parametrize("compression", ["uncompressed", "snappy", "gzip", "lz4", "zstd"])
def test_sound_files_are_read(tmp_path, compression):
    chance = random.Random(7)
    frame = pl.DataFrame(
        {
            "number": [chance.choice([None, i]) for i in range(3000)],
            "fraction": [chance.random() for _ in range(3000)],
            "truth": [i % 3 == 0 for i in range(3000)],
            "text": [f"text {i}" for i in range(3000)],
            "few": [f"text {i % 5}" for i in range(3000)],
            "lists": [[i] * (i % 3) for i in range(3000)],
            "parts": [{"x": i, "y": [str(i)]} for i in range(3000)],
            "nothing": [None] * 3000,
        }
    )
    folder = tmp_path / "set[1]" / "device=1"
    folder.mkdir(parents=True)
    for name, rows in {"many": frame, "none": frame.head(0)}.items():
        file = folder / f"{name}.parquet"
        rows.write_parquet(file, compression=compression, row_group_size=1000, data_page_size=2000)
        assert parquet.scan(file).collect().equals(rows)


def test_a_bundle_in_a_folder_with_brackets_is_read(run, tmp_path):
    assert run.save(tmp_path / "out[1]").table("devices").equals(run.table("devices"))
