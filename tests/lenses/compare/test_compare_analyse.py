"""The whole of a comparison on Runs whose difference is known."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import compared_runs as made
import iowatt
from iowatt.base.errors import Argument
from iowatt.lenses.compare.analysis import analyse
from iowatt.lenses.compare.request import CompareRequest, open_runs
from iowatt.lenses.compare.result import INDISTINGUISHABLE, NO_VERDICT, BeforeAfter
from iowatt.pages.compare import words
from iowatt.pages.compare.page import document as shown_as
from iowatt.pages.run.headlines import headlines
from iowatt.render import write
from refused import refused

SIZE = 20_000


def draws(seed, scale=1.0, size=SIZE):
    return scale * np.random.default_rng(seed).exponential(1.0, size)


@pytest.fixture(scope="module")
def found():
    return analyse(
        CompareRequest([made.build(draws(1, 2.0))], [made.build(draws(2), seed=2, raid="10", watts=90.0)])
    )


def row(document, metric):
    return next(one for one in document.differences if one.metric == metric)


def test_the_document_is_plain_json(found):
    plain = found.as_dict()
    assert plain["schema"] == "iowatt.compare/1"
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert BeforeAfter.model_validate(plain) == found


def test_the_reference_names_every_key(found):
    text = (Path(__file__).parents[3] / "docs" / "reference" / "verbs" / "compare.md").read_text("utf-8")
    section = text.partition("**`iowatt compare`**")[2].partition("\n**`")[0]
    plain = found.as_dict()
    keys = {
        *plain,
        *plain["differences"][0],
        *plain["spikes"]["before"]["mean"],
        *plain["omission"]["before"],
    }
    missing = {key for key in keys if f"`{key}`" not in section}
    assert missing <= {"schema", "title", "unit", "better", "said", "metric"}


@pytest.mark.parametrize(
    ("metric", "truth"),
    [("mean", -1.0), ("p50", -np.log(2)), ("p90", -np.log(10)), ("p95", -np.log(20)), ("p99", -np.log(100))],
)
def test_a_known_change_is_found_and_called_better(found, metric, truth):
    one = row(found, metric)
    assert one.verdict == "better" and one.interval[0] <= one.difference <= one.interval[1]
    # Within twice its half-width: one seed is no trial of coverage (benches/compare.py has those).
    half = (one.interval[1] - one.interval[0]) / 2
    assert abs(one.difference - truth) < 2 * half


def test_the_other_way_round_it_is_worse(found):
    back = analyse(
        CompareRequest([made.build(draws(2), seed=2, raid="10", watts=90.0)], [made.build(draws(1, 2.0))])
    )
    assert row(back, "mean").verdict == row(back, "p99").verdict == "worse"
    assert row(back, "mean").difference == -row(found, "mean").difference
    assert row(found, "power_w").verdict == "better" and row(back, "power_w").verdict == "worse"


def test_far_percentiles_say_what_they_rest_on(found):
    one = row(found, "p99.99")
    assert one.verdict == NO_VERDICT and one.beyond.as_dict() == {"before": 2, "after": 2}
    assert any("2 requests" in remark for remark in one.remarks)


def test_one_system_with_two_seeds_is_not_told_apart():
    document = analyse(CompareRequest([made.build(draws(5))], [made.build(draws(6), seed=2)]))
    assert {one.verdict for one in document.differences} <= {INDISTINGUISHABLE, NO_VERDICT}


def test_figures_are_those_of_the_runs_own_reports():
    before, after = made.build(draws(1, 2.0)), made.build(draws(2), raid="10", watts=80.0)
    document = analyse(CompareRequest([before], [after]))
    first, second = ({one.key: one.value for one in headlines(run.summary)} for run in (before, after))
    for mine, theirs in (
        ("mean", "mean"), ("p95", "p95"), ("p99", "p99"), ("iops", "iops"), ("power_w", "power"),
        ("joules_per_request", "per_request"),
    ):  # fmt: skip
        assert row(document, mine).change == pytest.approx(second[theirs] / first[theirs] - 1, rel=1e-12)


def test_without_a_series_means_are_judged_by_intervals_and_percentiles_are_not():
    before, after = made.build(draws(1, 2.0), series=False), made.build(draws(2), raid="10", series=False)
    document = analyse(CompareRequest([before], [after]))
    assert row(document, "mean").verdict == "better"
    one = row(document, "p99")
    assert one.verdict == NO_VERDICT
    assert one.basis.method == "requests" and one.remarks
    assert one.before == before.summary["response_time_ms"]["all"]["p99"]
    assert document.over_time.before[0].basis == "intervals"


def test_one_histogram_alone_gives_figures_and_no_verdict():
    before, after = (
        made.build(draws(seed, scale), series=False, interval_s=100.0) for seed, scale in ((1, 2.0), (2, 1.0))
    )
    document = analyse(CompareRequest([before], [after]))
    assert document.over_time.width_s is None
    assert document.spikes.as_dict() == {"before": None, "after": None}
    assert {one.verdict for one in document.differences} == {NO_VERDICT}
    assert row(document, "p50").difference == pytest.approx(-np.log(2), abs=0.05)


def test_a_load_that_was_asked_for_is_no_merit_of_storage():
    document = analyse(CompareRequest([made.build(draws(1))], [made.build(draws(2, size=2 * SIZE))]))
    one = row(document, "iops")
    assert one.verdict == "better" and len(one.remarks) == 1
    assert [flag.key for flag in document.flags] == ["rate"]


def test_groups_are_merged():
    before = [made.build(draws(seed, 2.0, 5000), seed=seed) for seed in (1, 2, 3)]
    after = [made.build(draws(seed, 1.0, 5000), seed=seed, raid="10") for seed in (4, 5, 6)]
    document = analyse(CompareRequest(before, after))
    assert (document.before.requests, len(document.before.runs)) == (15_000, 3)
    assert row(document, "mean").before == pytest.approx(
        np.mean([run.summary["response_time_ms"]["all"]["mean"] for run in before])
    )
    assert row(document, "mean").basis.runs == (3, 3)
    assert len(document.over_time.after) == 3


@pytest.mark.parametrize(
    ("asked", "code", "place"),
    [
        ({"op": "erase"}, "not-accepted", Argument("op")),
        ({"point": "moon"}, "not-accepted", Argument("point")),
        ({"point": "array"}, "unknown-name", re.compile(": point$")),
        ({"workload": "web"}, "unknown-name", re.compile(": workload$")),
        ({"op": "write"}, "empty", "oltp"),
        ({"threshold_s": 0.0}, "out-of-range", Argument("spike")),
        ({"every_s": -1.0}, "out-of-range", Argument("every")),
        ({"expected_interval_s": 0.0}, "out-of-range", Argument("expected_interval")),
        ({"confidence": 1.0}, "out-of-range", Argument("confidence")),
    ],
)
def test_what_cannot_be_compared_is_refused(asked, code, place):
    run = made.build(draws(1, size=100))
    with refused(code, place):
        analyse(CompareRequest([run], [run], **asked))


def test_a_side_without_runs_is_refused():
    with refused("missing", Argument("after")):
        CompareRequest([made.build(draws(1, size=10))], [])


def test_a_folder_of_runs_stands_for_all_of_them(tmp_path):
    for seed in (1, 2):
        made.build(draws(seed, size=50), seed=seed).save(tmp_path / "off" / f"s{seed}")
    (tmp_path / "off" / "notes").mkdir()
    assert [run.path.name for run in open_runs([tmp_path / "off"])] == ["s1", "s2"]
    with refused("duplicate", str((tmp_path / "off" / "s1").resolve())):
        open_runs([tmp_path / "off", tmp_path / "off" / "s1"])
    with refused("wrong-format", str(tmp_path)):
        open_runs([tmp_path])


def test_the_api_takes_runs_paths_and_times(tmp_path):
    before = made.build(draws(1, 2.0, 2000))
    before.save(tmp_path / "before")
    page = tmp_path / "page.html"
    document = iowatt.compare(
        tmp_path / "before",
        [made.build(draws(2, 1.0, 2000), raid="10")],
        spike="3ms",
        every="5s",
        output=page,
    )
    assert document.asked.spike_ms == 3.0 and document.over_time.width_s == 5.0
    assert page.is_file()
    with refused("exists", str(page)):
        iowatt.compare(tmp_path / "before", before, output=page)
    with refused("bad-syntax", Argument("spike")):
        iowatt.compare(tmp_path / "before", before, spike="fast")


def test_one_side_alone_may_have_a_course_over_time():
    before, after = made.build(draws(1), interval_s=100.0, series=False), made.build(draws(2), raid="10")
    document = analyse(CompareRequest([before], [after], threshold_s=1e-3))
    assert document.spikes.before is None and document.spikes.after.mean.blocks == 100
    shown = shown_as(document)
    assert "compare-over-time-after" in shown.ids() and "compare-over-time-before" not in shown.ids()
    threshold = shown.ids()["compare-threshold"].table
    assert threshold.column("Spikes") == [None, *dict(words.VIEWS).values()]


def without_histogram(run):
    run._tables["latency"] = run.table("latency").clear()
    for times in run.summary["response_time_ms"].values():
        times.update(dict.fromkeys(("p50", "p90", "p95", "p99", "p999", "p9999")))
    return run


@pytest.mark.parametrize("both", [True, False])
def test_a_run_without_a_histogram_has_a_mean_and_no_percentiles(both):
    before = without_histogram(made.build(draws(1, 2.0), series=False))
    after = made.build(draws(2), raid="10", series=False)
    document = analyse(CompareRequest([before], [without_histogram(after) if both else after]))
    assert row(document, "mean").verdict == "better"
    assert document.response_time_ms.before.p99 is None
    assert "no-histogram" in {note.code for note in document.notes}
    if both:
        assert "p99" not in {one.metric for one in document.differences} and not document.histograms
    else:
        assert row(document, "p99").difference is None and len(row(document, "p99").remarks) == 1
    assert write.page([shown_as(document)])


@pytest.mark.parametrize("damage", ["column", "list"])
def test_a_damaged_series_is_refused(damage):
    run = made.build(draws(1, size=100))
    series = run._tables["series"]
    run._tables["series"] = (
        series.drop("max_ns") if damage == "column" else series.with_columns(pl.col("low_ns").list.head(0))
    )
    with refused("damaged", re.compile(": series$" if damage == "column" else ": series: bin_count$")):
        analyse(CompareRequest([run], [run]))


def test_simulations_that_differ_in_their_seed_alone_are_one_long_run():
    """Few repetitions of a measurement say little of how much it varies; a simulation's seeds say it all."""
    after = [made.build(draws(seed), seed=seed) for seed in (2, 3)]
    simulated = analyse(CompareRequest([made.build(draws(1, 1.3))], after))
    assert row(simulated, "mean").verdict == row(simulated, "p99").verdict == "better"
    assert row(simulated, "mean").basis.method == "blocks"
