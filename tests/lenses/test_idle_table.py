"""Tables of idle periods that somebody else wrote, or damaged: an error with the row, no wrong figure."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from idle_runs import plan, run_of, succession, summary

from iowatt.base.errors import InputError
from iowatt.lenses.idle import analyse
from iowatt.run.bundle import Run
from refused import check

S = 1_000_000_000
GOOD = {
    "drive": [0, 1, 0],
    "start_ns": [S, 2 * S, 5 * S],
    "length_ns": [2 * S, S, S],
    "cut": [False, True, False],
}


def bundle(folder: Path, table: pl.DataFrame | bytes | None) -> Run:
    """A bundle as a measurement could write it: run.json, an empty plan, and the table."""
    folder.mkdir(exist_ok=True)
    (folder / "run.json").write_text(json.dumps(summary(2, (0.0, 100.0))))
    (folder / "plan.json").write_text("{}")
    (folder / "scenario.toml").write_text("")
    file = folder / "idle.parquet"
    if isinstance(table, bytes):
        file.write_bytes(table)
    elif table is not None:
        table.write_parquet(file)
    return Run.open(folder)


def error_of(folder: Path, table: pl.DataFrame | bytes | None) -> InputError:
    with pytest.raises(InputError) as caught:
        analyse(bundle(folder, table))
    assert caught.value.exit_code == 2
    return caught.value


def test_a_measured_table_is_analysed(tmp_path):
    found = analyse(bundle(tmp_path / "run", pl.DataFrame(GOOD)))
    assert (found.periods, found.cut, found.idle_s) == (3, 1, 4.0)
    assert found.policies == [] and found.notes[-1].code == "no-policies"
    other = analyse(bundle(tmp_path / "run", pl.DataFrame(GOOD)), device="arrays2002-disk")
    assert other.policies[0].policy == "oracle-energy"


def test_without_a_table_the_key_is_named(tmp_path):
    error = error_of(tmp_path / "run", None)
    assert error.place == str(tmp_path / "run")
    assert "observe.idle = true" in error.hint


@pytest.mark.parametrize(
    ("change", "row", "column", "named"),
    [
        ({"drive": [0, 2, 0]}, 2, "drive", "2"),
        ({"drive": [0, -1, 0]}, 2, "drive", "negative"),
        ({"length_ns": [2 * S, 0, S]}, 2, "length_ns", "0"),
        ({"length_ns": [2 * S, S, 96 * S]}, 3, "start_ns", "window"),
        ({"length_ns": [2 * S, S, 2**62]}, 3, "length_ns", "large"),
        ({"start_ns": [S, None, 5 * S]}, 2, "start_ns", "missing"),
        ({"cut": [None, True, False]}, 1, "cut", "missing"),
        ({"start_ns": [S, 2 * S, 2 * S]}, 3, "start_ns", "previous"),
        ({"start_ns": [5 * S, 2 * S, S]}, 3, "start_ns", "previous"),
        ({"length_ns": [2.0, 1.0, 1.0]}, None, "length_ns", "Float64"),
        ({"cut": [0, 1, 0]}, None, "cut", "Int64"),
        ({"drive": ["a", "b", "a"]}, None, "drive", "String"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(tmp_path, change, row, column, named):
    error = error_of(tmp_path / "run", pl.DataFrame({**GOOD, **change}))
    place = column if row is None else f"row {row}: {column}"
    check(error, "damaged", f"{tmp_path / 'run' / 'idle.parquet'}: {place}")
    assert named in error.message


def test_missing_columns_are_named(tmp_path):
    error = error_of(tmp_path / "run", pl.DataFrame(GOOD).drop("cut", "drive"))
    check(error, "damaged", str(tmp_path / "run" / "idle.parquet"))
    assert "drive" in error.message and "cut" in error.message


def test_order_is_checked_over_batches(tmp_path, monkeypatch):
    monkeypatch.setattr("iowatt.lenses.idle.periods.BATCH_ROWS", 2)
    error = error_of(tmp_path / "run", pl.DataFrame({**GOOD, "start_ns": [S, 2 * S, 2 * S]}))
    check(error, "damaged", f"{tmp_path / 'run' / 'idle.parquet'}: row 3: start_ns")


def test_other_integer_types_and_more_columns_are_fine(tmp_path):
    table = pl.DataFrame(GOOD).with_columns(pl.col("drive").cast(pl.Int16), seen=pl.lit("by a tool"))
    assert analyse(bundle(tmp_path / "run", table)).periods == 3


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_damaged_bytes_are_an_error_or_the_table(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("damaged")
    pl.DataFrame(GOOD).write_parquet(folder / "good.parquet")
    whole = (folder / "good.parquet").read_bytes()
    at = data.draw(st.integers(0, len(whole) - 1))
    cut = data.draw(st.booleans())
    damaged = (
        whole[:at]
        if cut
        else whole[:at] + bytes([whole[at] ^ data.draw(st.integers(1, 255))]) + whole[at + 1 :]
    )
    try:
        found = analyse(bundle(folder / "run", damaged))
    except InputError as error:
        assert "idle.parquet" in str(error)
    else:
        assert found.periods >= 0


def test_an_in_memory_run_without_periods_says_its_name():
    run = run_of(succession([1.0]), spool=False)
    with pytest.raises(InputError) as caught:
        analyse(run)
    assert caught.value.place == run.name


def test_a_plan_of_another_shape_is_no_plan():
    run = run_of(succession([1.0]))
    run.plan = {**plan(2, None), "names": 3}
    assert analyse(run).policies == []
