"""The latency2015 study from end to end on short runs of two members."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from iowatt.evaluate.search import axes
from iowatt.studies.conduct import conduct
from iowatt.studies.latency2015 import points, systems
from iowatt.studies.latency2015.published import PRINTED
from iowatt.studies.study import find

TINY = systems.LatencyScale(
    steady_s=3,
    alone_s=6,
    twice_s=1,
    checkpoint_s=3,
    services_s=1,
    base_s=0.3,
    warmup_s=0.7,
    members=("reads-30", "best-62"),
    base_visits_us=(14, 57, 226),
)


@pytest.fixture(scope="module")
def conducted(tmp_path_factory):
    return conduct(replace(find("latency2015"), scale=TINY), tmp_path_factory.mktemp("latency") / "study")


@pytest.fixture(scope="module")
def found(conducted):
    return points.read(conducted.results)


def test_the_study_is_known_by_name():
    assert find("latency2015").name == "latency2015"


def test_every_point_ran(conducted):
    table = pl.read_parquet(conducted.path / "points.parquet")
    assert table.height == sum(len(axes.all_points(stage.axes)) for stage in systems.stages(TINY))
    assert table["status"].unique().to_list() == ["done"]


def test_the_four_figures_and_the_family_are_there(conducted):
    figures = {figure.key for figure in conducted.result.figures}
    assert figures == {
        "over-time-steady", "over-time-checkpoint", "installed-base", "bandwidth", "path", "printed",
        "family", "telling", "member-histograms", "services",
    }  # fmt: skip


def test_both_members_have_the_published_means(found):
    """Three seconds only: the study itself is held to 5 %."""
    for member in TINY.members:
        before, after = found.pair("steady", member)
        assert before.write_ms == pytest.approx(PRINTED.before_ms, rel=0.15), member
        assert after.write_ms == pytest.approx(PRINTED.after_ms, rel=0.12), member
        assert (before.express_share, after.express_share) == (0, 1)


def test_the_series_and_the_histogram_are_of_the_same_writes(found):
    for one in found.of("steady"):
        writes = sum(second.writes for second in one.seconds)
        assert len(one.seconds) == 3
        assert one.writes.total == writes
        mean = sum(second.mean_ms * second.writes for second in one.seconds) / writes
        assert mean == pytest.approx(one.write_ms, rel=1e-6)


def test_the_places_of_the_path_add_up_to_the_response_at_the_host(found):
    for one in found.of("steady"):
        assert sum(hop.us for hop in one.write_hops) == pytest.approx(1e3 * one.host_write_ms, rel=1e-6)
        assert sum(hop.us for hop in one.read_hops) == pytest.approx(1e3 * one.host_read_ms, rel=1e-6)
        assert one.write_ms < one.host_write_ms


def test_a_visit_is_what_the_feature_takes_away(found):
    before, after = found.pair("alone", "reads-30")
    visit_ms = 1e-3 * before.visit_us
    assert before.write_ms - after.write_ms == pytest.approx(visit_ms, rel=0.1)


def test_every_claim_has_its_verdict(conducted):
    verdicts = conducted.result.verdicts
    assert {one.key for one in verdicts} == {
        "mean-before", "mean-after", "read-bandwidth", "write-bandwidth", "spikes", "checkpoint", "best-case",
        "below-200", "installed-before", "installed-after", "storeserv-10400", "switch",
    }  # fmt: skip


def test_the_notes_say_what_is_open_and_what_is_wrong_with_the_source(conducted):
    codes = [note.code for note in conducted.result.notes]
    assert codes[0] == "reduced"
    assert {"halved-mean", "assumed-load", "express-writes", "defects-of-the-source"} <= set(codes)
