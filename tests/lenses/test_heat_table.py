"""Tables of heat that somebody else wrote, or damaged: an error with its place, no wrong figure."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from heat_runs import MIB, summary, table_of

from iowatt.base.errors import InputError
from iowatt.lenses.heat import analyse, of_run
from iowatt.run.bundle import Run

ROWS = [("front", "db", 0, 0.0, 3, 1), ("front", "db", 7, 10.0, 1, 0)]
SPACES = {("front", "db"): 8 * MIB}


def bundle(folder: Path, table: pl.DataFrame | bytes | None, **heat: object) -> Run:
    """A bundle as a measurement could write it: run.json, an empty plan, and the table."""
    folder.mkdir(exist_ok=True)
    told = summary(table_of(ROWS), SPACES, MIB, 10.0, 100.0)
    told["heat"] |= heat
    (folder / "run.json").write_text(json.dumps(told))
    (folder / "plan.json").write_text("{}")
    (folder / "scenario.toml").write_text("")
    if isinstance(table, bytes):
        (folder / "heat.parquet").write_bytes(table)
    elif table is not None:
        table.write_parquet(folder / "heat.parquet")
    return Run.open(folder)


def refused(run: Run) -> str:
    with pytest.raises(InputError) as caught:
        analyse(of_run(run), "made")
    assert caught.value.exit_code == 2
    return str(caught.value)


def test_a_measured_table_is_analysed(tmp_path):
    (front,) = analyse(of_run(bundle(tmp_path / "run", table_of(ROWS))), "made")["points"]
    assert (front["reads"], front["writes"], front["bytes_read"]) == (4, 1, 16_384)


def test_without_a_table_the_key_is_named(tmp_path):
    said = refused(bundle(tmp_path / "run", None))
    assert "no table 'heat'" in said
    assert "observe.heat = {}" in said


def test_what_is_wrong_with_the_table_is_said(tmp_path):
    good = table_of(ROWS)
    wrong = {
        "cannot be read": b"PAR1 and no more",
        "'reads' is not there": good.drop("reads"),
        "'extent' is String": good.with_columns(pl.col("extent").cast(pl.String)),
        "'writes' has rows without": good.with_columns(pl.lit(None, dtype=pl.UInt64).alias("writes")),
        "'start_s' has rows without": good.with_columns(pl.lit(float("nan")).alias("start_s")),
        "point 'middle' is neither": good.with_columns(pl.lit("middle").alias("point")),
        "begins a period: 1e+18 s": good.with_columns(pl.lit(1e18).alias("start_s")),
        "does not name 'other'": good.with_columns(pl.lit("other").alias("space")),
        "8 extents, of which its table of heat names number 8": good.with_columns(pl.col("extent") + 8),
    }
    for number, (said, table) in enumerate(wrong.items()):
        assert said in refused(bundle(tmp_path / f"run{number}", table)), said


@pytest.mark.parametrize(
    "heat",
    [
        {"extent_bytes": 0},
        {"extent_bytes": -5},
        {"extent_bytes": "many"},
        {"period_s": 0.0},
        {"spaces": "none"},
        {"spaces": []},
        {"spaces": [{"point": "front"}]},
    ],
)
def test_what_is_wrong_with_the_summary_is_said(tmp_path, heat):
    with pytest.raises(InputError) as caught:  # some are found when it is opened
        analyse(of_run(bundle(tmp_path / "run", table_of(ROWS), **heat)), "made")
    assert "run.json" in caught.value.place


def test_an_address_space_without_end_is_refused(tmp_path):
    spaces = [{"point": "front", "name": "db", "capacity_bytes": 2**62, "reads": 0, "writes": 0}]
    spaces[0] |= {"bytes_read": 0, "bytes_written": 0}
    assert "too many extents" in refused(bundle(tmp_path / "run", table_of(ROWS), spaces=spaces))
