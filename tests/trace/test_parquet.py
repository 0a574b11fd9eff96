"""The Parquet border: both layouts, units, names across slices, a clear refusal for each thing wrong."""

from __future__ import annotations

import gc
import random
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from iowatt.base.errors import InputError
from iowatt.trace import parquet
from iowatt.trace.parquet import batches, is_parquet
from refused import check, refused

EXCERPT = Path(__file__).parents[2] / "examples/traces/pg_tpcc_paced_excerpt.parquet"
HOSTILE = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def native(**changes: object) -> pl.DataFrame:
    columns: dict[str, object] = {
        "time_ns": [0, 1500, 1500],
        "device": ["a", "b", "a"],
        "op": ["read", "write", "flush"],
        "offset": [0, 8192, 0],
        "size": [512, 4096, 0],
        "response_ns": [None, 7, -1],
        "stream": ["x", None, "y"],
    }
    columns.update(changes)
    return pl.DataFrame({name: values for name, values in columns.items() if values is not ...}, strict=False)


def written(path: Path, frame: pl.DataFrame, **options: object) -> Path:
    frame.write_parquet(path, **options)
    return path


def read(path: Path, **options: object) -> tuple[dict[str, np.ndarray], parquet.ParquetBatches]:
    opened = batches(path, **options)
    parts = list(opened)
    arrays = [name for name, values in parts[0].items() if isinstance(values, np.ndarray)]
    return {name: np.concatenate([part[name] for part in parts]) for name in arrays}, opened


def refusal(path: Path, **options: object) -> InputError:
    with pytest.raises(InputError) as caught:
        list(batches(path, **options))
    assert str(caught.value.place).startswith(str(path))
    return caught.value


def test_native_columns(tmp_path: Path) -> None:
    got, opened = read(written(tmp_path / "t.parquet", native()))
    assert {name: (array.dtype.name, array.tolist()) for name, array in got.items()} == {
        "time_ns": ("int64", [0, 1500, 1500]),
        "device": ("uint32", [0, 1, 0]),
        "op": ("uint8", [0, 1, 3]),
        "offset": ("uint64", [0, 8192, 0]),
        "size": ("uint32", [512, 4096, 0]),
        "response_ns": ("int64", [-1, 7, -1]),
        "stream": ("uint32", [0, 2**32 - 1, 1]),
    }
    assert (opened.devices, opened.streams, opened.progress) == (["a", "b"], ["x", "y"], 1.0)


def test_our_captures_columns(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "time_s": [0.0, 0.027836, 3084.771216],
            "op": ["R", "W", "r"],
            "lba": [21289152, 0, 4757872],
            "size": pl.Series([8192, 12288, 8192], dtype=pl.Int32),
            "stream": ["client0", "client1", "client0"],
            "lat_us": pl.Series([224, -1, 1337], dtype=pl.Int32),
        }
    )
    got, opened = read(written(tmp_path / "t.parquet", frame))
    # 0.027836 s is 27,836 us; 21,289,152 sectors are 21,289,152 x 512 = 10,900,045,824 bytes.
    assert got["time_ns"].tolist() == [0, 27_836_000, 3_084_771_216_000]
    assert got["offset"].tolist() == [10_900_045_824, 0, 2_436_030_464]
    assert got["response_ns"].tolist() == [224_000, -1, 1_337_000]
    assert got["op"].tolist() == [0, 1, 0]
    assert got["device"].tolist() == [0, 0, 0]
    assert (opened.devices, opened.streams) == (["0"], ["client0", "client1"])


def test_the_shipped_excerpt_is_what_its_readme_says() -> None:
    got, opened = read(EXCERPT)
    assert EXCERPT.stat().st_size <= 5_000_000
    assert len(got["time_ns"]) == 655_687
    assert int(got["op"].sum()) == 243_110  # writes, 37.1 % of the requests
    assert int(got["size"].astype(np.int64).sum()) == 6_453_055_488  # beyond the Int32 of the column
    assert got["time_ns"][-1] == 1_799_990_441_000  # 30 minutes
    assert bool((np.diff(got["time_ns"]) >= 0).all())
    assert "checkpointer" in opened.streams


@pytest.mark.parametrize("rows", [1, 2, 3, 7, 100])
def test_batches_are_at_most_as_long_as_asked_and_lose_nothing(
    tmp_path: Path, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "SLICE_ROWS", 5)
    path = written(
        tmp_path / "t.parquet", native(**{k: v * 4 for k, v in native().to_dict(as_series=False).items()})
    )
    opened = batches(path, rows=rows)
    sizes, progress = [], [opened.progress]
    for batch in opened:
        sizes.append(len(batch["op"]))
        progress.append(opened.progress)
    assert sum(sizes) == 12
    assert max(sizes) == min(rows, 5)  # a batch never crosses a slice of 5
    assert progress == sorted(progress)
    assert (progress[0], progress[-1]) == (0.0, 1.0)
    assert list(opened) == []  # an iterator that has ended stays ended


@pytest.mark.parametrize("dtype", [pl.String, pl.Categorical, pl.Enum(["p", "q", "r", "s"])])
def test_names_keep_their_number_although_polars_forgets_its_own(
    tmp_path: Path, dtype: pl.DataType, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Polars numbers categories anew once nothing refers to them: slice 2 would start at 0 again.
    monkeypatch.setattr(parquet, "SLICE_ROWS", 2)
    names = ["p", "q", "r", "q", "s", "p"]
    frame = pl.DataFrame(
        {"time_ns": range(6), "op": ["R"] * 6, "offset": [0] * 6, "size": [1] * 6, "stream": names}
    ).with_columns(pl.col("stream").cast(dtype))
    path = written(tmp_path / "t.parquet", frame)
    del frame
    gc.collect()
    got, opened = read(path)
    assert opened.streams == ["p", "q", "r", "s"]
    assert [batch["streams"] for batch in batches(path)] == [
        ["p", "q"],
        ["p", "q", "r"],
        ["p", "q", "r", "s"],
    ]
    assert [opened.streams[code] for code in got["stream"]] == names


@pytest.mark.parametrize(
    ("op", "codes"),
    [
        (["R", "W", "F"], [0, 1, 3]),
        (["Read", "WRITE", " trim "], [0, 1, 2]),
        (["discard", "unmap", "D"], [2, 2, 2]),
    ],
)
def test_operations_in_words_and_letters(tmp_path: Path, op: list[object], codes: list[int]) -> None:
    got, _ = read(written(tmp_path / "t.parquet", native(op=op)))
    assert got["op"].tolist() == codes


@pytest.mark.parametrize(("unit", "factor"), [("ns", 1), ("us", 10**3), ("ms", 10**6), ("s", 10**9)])
def test_the_unit_of_the_time_is_in_the_columns_name(tmp_path: Path, unit: str, factor: int) -> None:
    frame = native(time_ns=...).with_columns(pl.Series(f"time_{unit}", [0, 1, 2]))
    got, _ = read(written(tmp_path / "t.parquet", frame))
    assert got["time_ns"].tolist() == [0, factor, 2 * factor]


def test_a_column_of_another_name_is_told_by_hand(tmp_path: Path) -> None:
    frame = native().rename({"time_ns": "ts", "offset": "block", "response_ns": "took"})
    path = written(tmp_path / "t.parquet", frame)
    told = {"time": "ts", "lba": "block", "sectors": "size", "response": "took"}
    got, _ = read(path, columns=told, time_unit="us", sector_bytes=4096)
    assert got["time_ns"].tolist() == [0, 1_500_000, 1_500_000]
    assert got["offset"].tolist() == [0, 8192 * 4096, 0]
    assert got["size"].tolist() == [512 * 4096, 4096 * 4096, 0]
    assert got["response_ns"].tolist() == [-1, 7000, -1]  # no unit in its name: that of the times


@pytest.mark.parametrize(
    ("options", "code", "named"),
    [
        ({}, "missing", "ts"),
        ({"columns": {"time": "ts"}}, "missing", "'ts'"),
        ({"columns": {"time": "tz"}}, "unknown-name", "'tz'"),
        ({"columns": {"when": "ts"}}, "unknown-key", "'when'"),
        ({"columns": {"time": "ts"}, "time_unit": "h"}, "not-accepted", "'h'"),
        ({"columns": {"time": "ts"}, "time_unit": "s", "sector_bytes": 512}, "not-applicable", "sector"),
    ],
)
def test_what_is_told_must_fit_the_file(
    tmp_path: Path, options: dict[str, object], code: str, named: str
) -> None:
    path = written(tmp_path / "t.parquet", native().rename({"time_ns": "ts"}))
    error = refusal(path, **options)
    check(error, code, str(path))
    assert named in error.message


def test_a_unit_in_the_name_holds_against_an_option(tmp_path: Path) -> None:
    path = written(tmp_path / "t.parquet", native().rename({"time_ns": "ts_ms"}))
    got, _ = read(path, columns={"time": "ts_ms"})
    assert got["time_ns"].tolist() == [0, 1_500_000_000, 1_500_000_000]
    check(refusal(path, columns={"time": "ts_ms"}, time_unit="s"), "conflict", str(path))


@pytest.mark.parametrize("missing", ["time_ns", "op", "offset", "size"])
def test_a_missing_column_lists_what_is_accepted(tmp_path: Path, missing: str) -> None:
    path = written(tmp_path / "t.parquet", native().drop(missing))
    error = refusal(path)
    check(error, "missing", str(path))
    assert f" {missing.removesuffix('_ns')} among" in error.message
    assert "lba" in error.message


def test_optional_columns_may_be_missing(tmp_path: Path) -> None:
    got, opened = read(written(tmp_path / "t.parquet", native().drop("device", "response_ns", "stream")))
    assert got["response_ns"].tolist() == [-1] * 3
    assert got["stream"].tolist() == [2**32 - 1] * 3
    assert (opened.devices, opened.streams) == (["0"], [])


def test_two_columns_for_one_field_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "t.parquet", native().with_columns(lba=pl.lit(1)))
    error = refusal(path)
    check(error, "ambiguous", str(path))
    assert {"offset", "lba"} <= set(error.message.split())
    assert read(path, columns={"lba": "lba"})[0]["offset"].tolist() == [512] * 3
    assert read(path, columns={"offset": "lba"})[0]["offset"].tolist() == [512] * 3  # the name says sectors
    assert read(path, columns={"offset": "offset"})[0]["offset"].tolist() == [0, 8192, 0]
    check(refusal(path, columns={"size": "size", "sectors": "size"}), "duplicate", str(path))


@pytest.mark.parametrize(
    ("changes", "row", "code", "named"),
    [
        ({"time_ns": [0, None, 1]}, 2, "missing", "time_ns"),
        ({"time_ns": [0, 1, -5]}, 3, "out-of-range", "-5"),
        ({"time_ns": ..., "time_s": [0.0, float("nan"), 1.0]}, 2, "out-of-range", "nan"),
        ({"time_ns": ..., "time_s": [float("inf"), 0.0, 1.0]}, 1, "out-of-range", "inf"),
        ({"time_ns": ..., "time_s": [0.0, -0.5, 1.0]}, 2, "out-of-range", "-0.5"),
        ({"time_ns": ..., "time_s": [0.0, 1e10, 1.0]}, 2, "out-of-range", "292 years"),  # 1e10 s x 1e9 > 2^63
        ({"time_ns": ..., "time_s": [0, 2**40, 1]}, 2, "out-of-range", str(2**40)),
        ({"op": ["R", "W", "X"]}, 3, "not-accepted", "'X'"),
        ({"op": ["R", None, "W"]}, 2, "missing", "op"),
        ({"offset": [0, -1, 0]}, 2, "out-of-range", "-1"),
        (
            {"offset": ..., "lba": [0, 0, 2**55]},
            3,
            "out-of-range",
            str(2**55),
        ),  # 2^55 sectors x 512 = 2^64 bytes
        ({"size": [-512, 1, 1]}, 1, "out-of-range", "-512"),
        ({"size": [1, 2**32, 1]}, 2, "out-of-range", "4294967295"),
        ({"size": [1, None, 1]}, 2, "missing", "size"),
        ({"device": ["a", None, "b"]}, 2, "missing", "device"),
        ({"response_ns": [1, 2, -2]}, 3, "out-of-range", "-2"),
    ],
)
def test_a_bad_value_is_refused_with_its_row(
    tmp_path: Path, changes: dict[str, object], row: int, code: str, named: str
) -> None:
    path = written(tmp_path / "t.parquet", native(**changes))
    error = refusal(path)
    check(error, code, f"{path}: row {row}")
    assert named in error.message


def test_the_row_is_counted_from_the_start_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "SLICE_ROWS", 4)
    frame = native(**{k: v * 4 for k, v in native().to_dict(as_series=False).items()})
    bad = frame.with_columns(size=pl.Series([512] * 10 + [-1, 512], dtype=pl.Int32))
    path = written(tmp_path / "t.parquet", bad)
    check(refusal(path), "out-of-range", f"{path}: row 11")


@pytest.mark.parametrize(
    ("changes", "kind", "accepted"),
    [
        ({"time_ns": ["0", "1", "2"]}, "String", ("integers", "floats")),
        ({"offset": [0.0, 1.0, 2.0]}, "Float64", ("integers",)),
        ({"size": [[1], [2], [3]]}, "List(Int64)", ("integers",)),
        ({"op": [True, False, True]}, "Boolean", ("words",)),
        ({"op": [0, 1, 1]}, "Int64", ("words",)),
        ({"stream": [1.5, 2.5, 3.5]}, "Float64", ()),
        ({"response_ns": ["a", "b", "c"]}, "String", ()),
    ],
)
def test_a_column_of_the_wrong_type_is_refused(
    tmp_path: Path, changes: dict[str, object], kind: str, accepted: tuple[str, ...]
) -> None:
    path = written(tmp_path / "t.parquet", native(**changes))
    error = refusal(path)
    check(error, "wrong-type", str(path))
    assert all(part in error.message for part in (*changes, kind, *accepted))


def test_files_that_are_no_parquet(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    check(refusal(path), "not-found", str(path))
    path.write_bytes(b"")
    check(refusal(path), "empty", str(path))
    path.write_bytes(b"0.5,0,R,0,8\n" * 100)
    check(refusal(path), "wrong-format", str(path))
    path.write_bytes(b"PAR1" + b"\xff" * 64 + b"\x20\x00\x00\x00PAR1")
    check(refusal(path), "damaged", str(path))
    whole = written(path, native()).read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    check(refusal(path), "damaged", str(path))
    check(refusal(tmp_path), "wrong-kind", str(tmp_path))
    with refused("unsupported", "-"):
        batches("-")


def test_a_trace_without_rows_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "t.parquet", native().clear())
    check(refusal(path), "empty", str(path))


def test_what_is_taken_for_parquet(tmp_path: Path) -> None:
    hidden = written(tmp_path / "trace.dat", native())
    text = tmp_path / "trace.csv"
    text.write_text("time_ns,op,offset,size\n0,R,0,512\n")
    assert is_parquet(hidden)
    assert is_parquet(tmp_path / "missing.parquet")
    assert not is_parquet(text)
    assert not is_parquet(tmp_path / "missing.csv")


def test_a_file_name_with_brackets_is_a_file_name(tmp_path: Path) -> None:
    assert len(read(written(tmp_path / "trace[1].parquet", native()))[0]["op"]) == 3


@HOSTILE
@given(st.binary(max_size=400))
def test_any_bytes_are_refused_in_words(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "t.parquet"
    path.write_bytes(content)
    refusal(path)
    path.write_bytes(b"PAR1" + content + b"PAR1")
    refusal(path)


@pytest.mark.parametrize("seed", range(60))
def test_a_damaged_file_is_read_or_refused_and_nothing_else(tmp_path: Path, seed: int) -> None:
    # Fixed seeds: about one random damage in a thousand (of a file this small) makes Polars allocate exabytes
    # and abort, which no caller can prevent.
    chance = random.Random(seed)
    path = written(tmp_path / "t.parquet", native())
    content = bytearray(path.read_bytes())
    for _ in range(chance.randint(1, 4)):
        content[chance.randrange(len(content))] = chance.randrange(256)
    path.write_bytes(content)
    try:
        rows = sum(len(batch["op"]) for batch in batches(path))
    except InputError as error:
        assert str(path) in str(error)
    else:
        assert rows > 0


REQUESTS = st.lists(
    st.tuples(
        st.integers(0, 2**62),
        st.sampled_from(["alpha", "beta", "γ", "a,b", ""]),
        st.sampled_from(["read", "write", "trim", "flush"]),
        st.integers(0, 2**64 - 1),
        st.integers(0, 2**32 - 1),
        st.none() | st.integers(0, 2**62),
        st.none() | st.text(max_size=4),
    ),
    min_size=1,
    max_size=60,
)
SCHEMA = {
    "time_ns": pl.Int64,
    "device": pl.String,
    "op": pl.String,
    "offset": pl.UInt64,
    "size": pl.UInt32,
    "response_ns": pl.Int64,
    "stream": pl.String,
}


@HOSTILE
@given(rows=REQUESTS, group=st.integers(1, 70), batch=st.integers(1, 70))
def test_every_request_arrives_as_it_was_written(
    tmp_path: Path, rows: list[tuple[object, ...]], group: int, batch: int
) -> None:
    path = written(
        tmp_path / "t.parquet", pl.DataFrame(rows, schema=SCHEMA, orient="row"), row_group_size=group
    )
    got, opened = read(path, rows=batch)
    words = ["read", "write", "trim", "flush"]
    names = {2**32 - 1: None, **dict(enumerate(opened.streams))}
    arrived = [
        (
            time,
            opened.devices[device],
            words[op],
            offset,
            size,
            None if response == -1 else response,
            names[stream],
        )
        for time, device, op, offset, size, response, stream in zip(
            *(got[name].tolist() for name in SCHEMA), strict=True
        )
    ]
    assert arrived == rows


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 4 * 10**12))
def test_microseconds_written_as_seconds_in_a_float_come_back_exactly(microseconds: int) -> None:
    # 4e12 us are 46 days; half a unit in the last place of a float there is 0.23 ns: the nearest ns is right.
    from iowatt.trace.decode import times

    column = pl.Series("time_s", [microseconds / 1e6])
    assert times(column, 10**9, "t", 1).tolist() == [microseconds * 1000]
