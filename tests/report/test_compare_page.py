"""The page and the text of a comparison: every chart has its table, names are only text, words are right."""

from __future__ import annotations

import numpy as np
import pytest

import compared_runs as made
from iowatt.lenses.compare.analysis import analyse
from iowatt.lenses.compare.request import CompareRequest
from iowatt.pages.compare import differences, over_time, spread, words
from iowatt.pages.compare.page import corrected, document, loop_sentences
from iowatt.render import numbers, terminal, write

HOSTILE = "<img/src=x/onerror=alert(1)>"


def draws(seed, scale):
    return scale * np.random.default_rng(seed).exponential(1.0, 4000)


@pytest.fixture(scope="module")
def found():
    writes = np.arange(4000) % 3 == 0
    before = made.build(draws(1, 2.0), writes=writes, name=HOSTILE, replay=made.closed(4))
    after = made.build(draws(2, 1.0), writes=writes, raid="10", seed=2, replay=made.closed(4))
    return analyse(CompareRequest([before], [after], threshold_s=2e-3))


def figures(found):
    return list(document(found).figures())


def test_every_chart_has_its_table_and_keys_are_single(found):
    drawn = figures(found)
    keys = [figure.key for figure in drawn]
    assert len(set(keys)) == len(keys)
    assert not set(keys) & {section.key for section in document(found).sections}
    assert {
        "differences", "intervals", "histogram-array", "distribution", "tail", "percentiles",
        "over-time-before", "over-time-after", "threshold", "spikes", "omission", "changed", "runs",
    } <= set(keys)  # fmt: skip
    assert all(figure.table.rows for figure in drawn)


@pytest.mark.parametrize("series", [True, False])
def test_the_chart_of_intervals_says_what_its_table_says(found, series):
    if not series:
        runs = [made.build(draws(seed, scale), series=False) for seed, scale in ((1, 2.0), (2, 1.0))]
        found = analyse(CompareRequest(runs[:1], runs[1:]))
    figure = differences.intervals(found)
    rows = {row[0]: row for row in figure.table.rows}
    for trace in figure.spec["data"]:
        for name, x, more, less in zip(
            trace["y"], trace["x"], trace["error_x"]["array"], trace["error_x"]["arrayminus"], strict=True
        ):
            assert trace["name"].lower() == rows[name][1]
            assert [x, x - less, x + more] == pytest.approx(rows.pop(name)[2:])
    assert not rows


def test_bars_are_shares_of_each_side(found):
    for figure in spread.histograms(found):
        for trace in figure.spec["data"]:
            assert sum(trace["y"]) == pytest.approx(100)


def test_both_courses_have_the_same_axes(found):
    before, after = over_time.courses(found)
    assert before.spec["layout"]["yaxis"]["range"] == after.spec["layout"]["yaxis"]["range"]
    assert before.spec["layout"]["xaxis"]["range"] == after.spec["layout"]["xaxis"]["range"]
    marks = next(trace for trace in before.spec["data"] if trace["mode"] == "markers")
    assert len(marks["x"]) == found.spikes.before.mean.blocks_over
    assert min(marks["y"]) > 2.0


def test_corrected_percentiles_are_called_modelled_beside_the_observed(found):
    figure = corrected(found)
    titles = [column.title for column in figure.table.columns[1:]]
    assert [title.rpartition(" ")[2] for title in titles] == ["observed", "modelled"] * 2
    assert [title.partition(",")[0] for title in titles] == ["Before", "Before", "After", "After"]
    assert figure.table.column(titles[0])[0] == found.response_time_ms.before.p50


def test_names_are_text_and_nothing_else(found):
    shown = write.page([document(found)])
    assert HOSTILE not in shown and "&lt;img/src=x" in shown


def test_the_terminal_has_figures_and_then_spikes_and_loops(found):
    shown = list(terminal.parts(document(found)))
    assert str(shown[0]).startswith(HOSTILE)
    texts = [part for part in shown if isinstance(part, str)]
    for sentence in (*over_time.sentences(found), *loop_sentences(found)):
        assert any(sentence in part for part in texts)
    assert f"{found.over_threshold.before.requests:,}" in over_time.sentences(found)[0]
    assert f"{found.omission.after.modelled.added:,}" in loop_sentences(found)[1]


def test_the_verdict_names_every_figure_that_is_better_or_worse(found):
    first = document(found).verdict[0].lower()
    for row in found.differences:
        assert (words.short_title(row) + " " in first) == (row.verdict in ("better", "worse"))


def told(ms, other, **how):
    """The verdict of two Runs, and the verdicts of its rows by figure."""
    found = analyse(CompareRequest([made.build(ms, **how)], [made.build(other, seed=2, **how)]))
    return list(words.verdict(found)), {row.metric: row.verdict for row in found.differences}


def test_figures_that_cannot_be_tested_are_never_called_alike():
    # Six blocks and intervals: too few for any verdict, whatever the difference.
    said, verdicts = told(draws(1, 1.0), draws(2, 1.3), seconds=6.0)
    assert set(verdicts.values()) == {"no verdict"}
    assert said[0].startswith("Not testable") and "p95 +" in said[0] and "longer" in said[0]
    assert not any("chance" in one for one in said)
    # Without an order in time as well, but what helps is another.
    said, verdicts = told(draws(1, 1.0), draws(2, 1.3), series=False, interval_s=50.0)
    assert set(verdicts.values()) == {"no verdict"} and "observe.series" in said[0]


@pytest.mark.parametrize(("scale", "way"), [(1.6, "worse"), (0.5, "better"), (1.3, None)])
def test_a_great_change_is_told_though_it_could_not_be_tested(scale, way):
    said, verdicts = told(draws(1, 1.0), draws(2, scale), seconds=6.0)
    assert set(verdicts.values()) == {"no verdict"}
    great = [one for one in said if one.startswith("Much ")]
    assert [one.split(",")[0] for one in great] == ([] if way is None else [f"Much {way}"])
    assert all("p95" in one and "p99.9 " not in one and "one Run" in one for one in great)


def test_what_could_be_tested_is_told_from_what_could_not():
    # A hundred blocks of response times, and two intervals of power.
    said, verdicts = told(draws(1, 1.0), draws(2, 1.0), interval_s=50.0)
    assert {verdicts["mean"], verdicts["p95"]} == {"not distinguishable"}
    assert verdicts["power_w"] == "no verdict"
    assert any("no significant difference" in one and "p95" in one for one in said)
    assert not any("No figure" in one for one in said)


@pytest.mark.parametrize(
    ("limits", "unit", "ends", "shown_unit"),
    [
        ((-0.5, -0.25), "ms", ("−0.500", "−0.250"), "ms"),
        ((-0.01, 0.02), "ms", ("−10.0", "+20.0"), "µs"),
        ((-2.5, -0.5), "%", ("−2.50", "−0.500"), "points"),
        ((-12.5, 3.0), "IOPS", ("−12.5", "+3.00"), "IOPS"),
    ],
)
def test_an_interval_has_one_unit(limits, unit, ends, shown_unit):
    low, _, high, last = words.interval(limits, unit).split()
    assert ((low, high), last) == (ends, shown_unit)
    assert words.interval(None, unit) == "–"


@pytest.mark.parametrize(
    ("fraction", "said"),
    [
        (None, ""), (0.0004, "same"), (0.12, "+12\u00a0%"), (-0.5, "−50\u00a0%"), (2.5, "3.50\u00a0×"),
    ],
)  # fmt: skip
def test_a_change_is_said_one_way_here_and_in_reports(fraction, said):
    assert numbers.change(fraction) == said


@pytest.mark.parametrize(
    ("over_ms", "to_ms", "shown"),
    [
        (0.0, 0.125, ["up", "to", "0.125", "ms"]),
        (0.25, 0.5, ["0.25", "ms", "to", "0.5", "ms"]),
        (8192.0, None, ["over", "8.192", "s"]),
        (0.002, 0.004, ["2", "µs", "to", "4", "µs"]),
    ],
)
def test_bins_have_short_names(over_ms, to_ms, shown):
    assert words.bin_name(over_ms, to_ms).split() == shown
