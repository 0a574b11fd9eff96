"""Decoded traces that are shared are the same rows, decoded once; outside of it nothing is kept."""

from __future__ import annotations

import threading

import numpy as np
import polars as pl
import pytest

from iowatt.base.errors import InputError
from iowatt.trace import parquet, shared
from iowatt.trace.parquet import ParquetBatches, batches
from refused import refused

ROWS = 1000


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "SLICE_ROWS", 300)  # several slices of few rows
    path = tmp_path / "t.parquet"
    write(path)
    return path


def write(path, rows=ROWS, bad=None):
    time = np.arange(rows) * 1000
    if bad is not None:
        time[bad] = -1
    pl.DataFrame(
        {
            "time_ns": time,
            "op": ["read", "write"] * (rows // 2),
            "offset": np.arange(rows) * 4096,
            "size": np.full(rows, 4096, dtype=np.int32),
            # A name more in each slice, so that the names so far differ.
            "device": [f"d{i // 300}" for i in range(rows)],
        }
    ).write_parquet(path)


def read(path):
    found = batches(path, rows=128)
    columns, names = [], []
    for batch in found:
        columns.append({k: v for k, v in batch.items() if k not in ("devices", "streams")})
        names.append(list(found.devices))
    joined = {key: np.concatenate([c[key] for c in columns]) for key in columns[0]}
    return joined, names


@pytest.fixture
def decodings(monkeypatch):
    counted = []
    real = ParquetBatches.decode_next
    monkeypatch.setattr(
        ParquetBatches, "decode_next", lambda self: (counted.append(self._next_slice), real(self))[1]
    )
    return counted


def same(first, second):
    assert first[0].keys() == second[0].keys()
    for key, column in first[0].items():
        assert np.array_equal(column, second[0][key])
    assert first[1] == second[1]


def test_a_shared_trace_is_opened_once(file, monkeypatch):
    opened, real = [], parquet._opened

    def counted(*asked):
        opened.append(asked)
        return real(*asked)

    monkeypatch.setattr(parquet, "_opened", counted)
    with shared.sharing(10**9):
        for columns in (None, None, {"time": "time_ns"}):
            batches(file, columns=columns)
    assert [asked[1] for asked in opened] == [None, {"time": "time_ns"}]
    batches(file), batches(file)
    assert len(opened) == 4


def test_shared_rows_are_the_same_and_decoded_once(file, decodings):
    alone = read(file)
    assert len(decodings) == 4
    with shared.sharing(10**9):
        for _ in range(3):
            same(read(file), alone)
    assert len(decodings) == 8
    same(read(file), alone)
    assert len(decodings) == 12


def test_threads_share_too(file, decodings):
    alone, found = read(file), []
    decodings.clear()
    with shared.sharing(10**9):
        threads = [threading.Thread(target=lambda: found.append(read(file))) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(decodings) == 4
    for one in found:
        same(one, alone)


def test_what_does_not_fit_is_read_as_always(file, decodings):
    alone = read(file)
    decodings.clear()
    with shared.sharing(ROWS * shared.ROW_BYTES - 1):
        same(read(file), alone)
        same(read(file), alone)
    assert len(decodings) == 8


def test_a_row_takes_what_is_said(file):
    columns = read(file)[0]
    assert sum(column.nbytes for column in columns.values()) == ROWS * shared.ROW_BYTES


def test_a_file_that_changed_is_another(file, decodings):
    with shared.sharing(10**9):
        assert len(read(file)[0]["time_ns"]) == ROWS
        write(file, rows=600)
        assert len(read(file)[0]["time_ns"]) == 600


def test_nobody_can_change_what_others_read(file):
    with shared.sharing(10**9):
        batch = next(batches(file))
        with pytest.raises(ValueError):
            batch["size"][0] = 1
        assert not batch["size"].flags.writeable


def test_an_error_is_the_same_for_all(file):
    write(file, bad=700)
    said = []
    with shared.sharing(10**9):
        for _ in range(2):
            with refused("out-of-range", f"{file}: row 701") as caught:
                read(file)
            said.append(str(caught.value))
    with pytest.raises(InputError) as caught:
        read(file)
    assert said == [str(caught.value)] * 2
