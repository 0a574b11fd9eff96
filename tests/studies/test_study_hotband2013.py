"""The hotband2013 study from end to end on arrays of a few drives."""

from __future__ import annotations

import tomllib
from dataclasses import replace

import polars as pl
import pytest

from iowatt.evaluate.search import axes
from iowatt.studies.conduct import conduct
from iowatt.studies.hotband2013 import conclusions, systems
from iowatt.studies.hotband2013.published import PRINTED
from iowatt.studies.result import ClaimVerdict
from iowatt.studies.study import find

TINY = systems.ArrayScale(size=0.07, warmup_s=20.0, window_s=10.0, caches=(0.0,))


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return conduct(replace(find("hotband2013"), scale=TINY), tmp_path_factory.mktemp("hotband") / "study")


def test_the_study_is_known_by_name():
    assert find("hotband2013").name == "hotband2013"


def test_every_table_is_there(found):
    figures = {figure.key: figure for figure in found.result.figures}
    assert set(figures) == {"arrays", "per-watt", "calculator", "assist", "density", "read-ahead", "coms"}
    assert len(figures["coms"].rows) == 3
    assert len(figures["per-watt"].rows) == 4, "both readings of the initial row, cache, tiered"


def test_both_readings_of_the_initial_row_are_told_apart(found):
    rows = {row[0].split(":")[0]: row for row in found.result.figures[1].rows}
    first, second = rows["initial, first reading"], rows["initial, second reading"]
    cache = rows["cache"]
    assert first[4] == pytest.approx(1.0)
    assert second[5] == pytest.approx(1.0)
    assert cache[4] == pytest.approx(cache[3] / first[3])
    assert cache[5] == pytest.approx(cache[3] / second[3])
    assert cache[6] == PRINTED.per_watt.cache_over_initial


def test_every_claim_has_its_verdict(found):
    verdicts = found.result.verdicts
    assert {one.key for one in verdicts} == {
        "small-array", "cache-assist", "cache-per-watt", "tiering-rate",
        "tiering-response", "tiering-per-watt", "tiering-over-initial", "tiering-alone", "raid5-rate",
        "compression", "hot-space",
    }  # fmt: skip
    by = {one.key: one for one in verdicts}
    assert by["hot-space"].agrees, by["hot-space"]


def test_the_notes_say_what_is_assembled(found):
    codes = {note.code for note in found.result.notes}
    assert {"reduced", "assembled-arrays", "stand-in-drive", "tiered-array", "random"} <= codes


def test_the_table_has_every_point(found):
    table = pl.read_parquet(found.path / "points.parquet")
    assert table.height == sum(len(axes.all_points(stage.axes)) for stage in systems.stages(TINY))
    assert table["status"].unique().to_list() == ["done"]


def test_published_ratios_are_those_of_the_printed_figures():
    """The slides' ratios follow from their rates and the calculator's BTU/h, not watts."""
    random, hot = PRINTED.cached.random_iops, PRINTED.cached.hot_iops
    assert hot / random == pytest.approx(PRINTED.per_watt.cache_over_initial, rel=2e-3)
    tiered = PRINTED.tiered.hot_iops / PRINTED.per_watt.btu_tiered
    assert tiered / (hot / PRINTED.per_watt.btu_cached) == pytest.approx(
        PRINTED.per_watt.tiered_over_cache, rel=2e-3
    )
    assert tiered / (random / PRINTED.per_watt.btu_cached) == pytest.approx(
        PRINTED.per_watt.tiered_over_initial, rel=2e-3
    )
    assert PRINTED.tiered.hot_iops / random == pytest.approx(PRINTED.per_watt.iops_over_initial, rel=2e-3)
    assert PRINTED.coms["raid10"].gb_per_w == pytest.approx(8.90, abs=0.005)
    assert PRINTED.coms["raid5"].iops_per_w == pytest.approx(9.22, abs=0.005)


def test_the_ceiling_is_that_of_the_scenario():
    for stage in systems.stages(TINY):
        processing = tomllib.loads(stage.text)["array"]["controller"]["processing"]
        assert processing["processors"] / (float(processing["read"].removesuffix("us")) / 1e6) == (
            systems.CEILING_IOPS
        )


@pytest.mark.parametrize(
    ("ours", "capped", "verdict"),
    [
        (1.1, (False, False), "agree"),
        (1.1, (True, False), None),  # ours is a lower bound, which may be anywhere above
        (0.5, (True, False), None),
        (2.0, (True, False), "differ"),  # beyond the published one already
        (0.5, (False, True), "differ"),
        (2.0, (False, True), None),
        (1.1, (True, True), None),
    ],
)
def test_an_assumed_ceiling_that_decides_a_ratio_is_no_agreement(ours, capped, verdict):
    found = conclusions.ratio("small-array", "w", ours, 1.074, cause="a", experiment="b", capped=capped)
    assert (found.verdict if found.tried else None) == verdict
    assert bool(found.ceiling) is (verdict is None)


def test_no_verdict_is_judged_by_an_assumption():
    with pytest.raises(ValueError):
        ClaimVerdict(
            key="k", claim="c", case="w", published="x1", ours="x1", agrees=True, ceiling="80,000 a second"
        )


def test_the_published_hits_are_beside_ours(found):
    table = next(figure for figure in found.result.figures if figure.key == "arrays")
    rows = [row for row in table.rows if row[0] == PRINTED.cached.name and row[1].startswith("hot band")]
    assert len(rows) == 2
    for row in rows:
        ours_read, theirs_read, ours_write, theirs_write = row[8:12]
        assert (theirs_read, theirs_write) == (60.0, 24.0)
        assert 0 <= ours_read <= 100 and 0 <= ours_write <= 100
