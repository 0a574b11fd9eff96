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
from refused import check

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


def error_of(run: Run) -> InputError:
    with pytest.raises(InputError) as caught:
        analyse(of_run(run), "made")
    assert caught.value.exit_code == 2
    return caught.value


def test_a_measured_table_is_analysed(tmp_path):
    (front,) = analyse(of_run(bundle(tmp_path / "run", table_of(ROWS))), "made").points
    assert (front.reads, front.writes, front.bytes_read) == (4, 1, 16_384)


def test_without_a_table_the_key_is_named(tmp_path):
    error = error_of(bundle(tmp_path / "run", None))
    assert error.place == str(tmp_path / "run")
    assert "observe.heat = {}" in error.hint


def test_what_is_wrong_with_the_table_is_said(tmp_path):
    good = table_of(ROWS)
    wrong = (
        ("heat.parquet: reads", "", good.drop("reads")),
        ("heat.parquet: extent", "String", good.with_columns(pl.col("extent").cast(pl.String))),
        ("heat.parquet: writes", "", good.with_columns(pl.lit(None, dtype=pl.UInt64).alias("writes"))),
        ("heat.parquet: start_s", "", good.with_columns(pl.lit(float("nan")).alias("start_s"))),
        ("heat.parquet: point", "middle", good.with_columns(pl.lit("middle").alias("point"))),
        ("run.json: window", "1e+18", good.with_columns(pl.lit(1e18).alias("start_s"))),
        ("run.json: heat.spaces", "'other'", good.with_columns(pl.lit("other").alias("space"))),
        ("run.json: heat.spaces.db", "extent 8", good.with_columns(pl.col("extent") + 8)),
    )
    for number, (place, named, table) in enumerate(wrong):
        run = bundle(tmp_path / f"run{number}", table)
        error = error_of(run)
        check(error, "damaged", str(run.path / place))
        assert named in error.message
    unreadable = error_of(bundle(tmp_path / "bytes", b"PAR1 and no more"))
    assert "heat.parquet" in unreadable.place


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
    error = error_of(bundle(tmp_path / "run", table_of(ROWS), spaces=spaces))
    check(error, "too-large", str(tmp_path / "run" / "run.json"))
