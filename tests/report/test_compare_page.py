"""The page and the text of a comparison: every chart has its table, names are only text, words are right."""

from __future__ import annotations

import numpy as np
import pytest

import compared_runs as made
from iowatt.lenses.compare.analyse import analyse
from iowatt.lenses.compare.asked import Asked
from iowatt.pages.compare import differences, loops, over_time, page, spread, text, words
from iowatt.render import numbers

HOSTILE = "<img src=x onerror=alert(1)>"


def draws(seed, scale):
    return scale * np.random.default_rng(seed).exponential(1.0, 4000)


@pytest.fixture(scope="module")
def found():
    writes = np.arange(4000) % 3 == 0
    before = made.build(draws(1, 2.0), writes=writes, name=HOSTILE, replay=made.closed(4))
    after = made.build(draws(2, 1.0), writes=writes, raid="10", seed=2, replay=made.closed(4))
    return analyse(Asked([before], [after], threshold_s=2e-3))


def figures(found):
    return [figure for _, _, drawn in page._sections(found) for figure in drawn]


def test_every_chart_has_its_table_and_keys_are_single(found):
    drawn = figures(found)
    keys = [figure.key for figure in drawn]
    assert len(set(keys)) == len(keys)
    assert not set(keys) & {key for key, _, _ in page._sections(found)}
    assert {
        "differences", "intervals", "histogram-array", "distribution", "tail", "percentiles",
        "over-time-before", "over-time-after", "threshold", "spikes", "omission", "changed", "runs",
    } <= set(keys)  # fmt: skip
    assert all(figure.table.rows for figure in drawn)


@pytest.mark.parametrize("series", [True, False])
def test_the_chart_of_intervals_says_what_its_table_says(found, series):
    if not series:
        runs = [made.build(draws(seed, scale), series=False) for seed, scale in ((1, 2.0), (2, 1.0))]
        found = analyse(Asked(runs[:1], runs[1:]))
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
    assert len(marks["x"]) == found["spikes"]["before"]["mean"]["blocks_over"]
    assert min(marks["y"]) > 2.0


def test_corrected_percentiles_are_called_modelled_beside_the_observed(found):
    figure = loops.corrected(found)
    assert [column.title for column in figure.table.columns[1:]] == [
        "Before, observed", "Before, modelled", "After, observed", "After, modelled",
    ]  # fmt: skip
    assert figure.table.column("Before, observed")[0] == found["response_time_ms"]["before"]["p50"]


def test_names_are_text_and_nothing_else(found):
    shown = page.render(found)
    assert HOSTILE not in shown and "&lt;img src=x" in shown


def test_the_text_has_flags_and_notes_last(found):
    shown = list(text.parts(found))
    assert str(shown[0]).startswith(HOSTILE)
    assert any(isinstance(part, str) and "spikes over 2.00\u00a0ms by means" in part for part in shown)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"interval": None, "unit": "ms"}, "–"),
        ({"interval": [-0.5, -0.25], "unit": "ms"}, "−0.500 to −0.250\u00a0ms"),
        ({"interval": [-0.01, 0.02], "unit": "ms"}, "−10.0 to +20.0\u00a0µs"),
        ({"interval": [-2.5, -0.5], "unit": "%"}, "−2.50 to −0.500\u00a0points"),
        ({"interval": [-12.5, 3.0], "unit": "IOPS"}, "−12.5 to +3.00\u00a0IOPS"),
    ],
)
def test_an_interval_has_one_unit(row, said):
    assert words.interval(row) == said


@pytest.mark.parametrize(
    ("fraction", "said"),
    [
        (None, ""), (0.0004, "same"), (0.12, "+12\u00a0%"), (-0.5, "−50\u00a0%"), (2.5, "3.50\u00a0×"),
    ],
)  # fmt: skip
def test_a_change_is_said_one_way_here_and_in_reports(fraction, said):
    assert numbers.change(fraction) == said


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"over_ms": 0.0, "to_ms": 0.125}, "up to 0.125\u00a0ms"),
        ({"over_ms": 0.25, "to_ms": 0.5}, "0.25\u00a0ms to 0.5\u00a0ms"),
        ({"over_ms": 8192.0, "to_ms": None}, "over 8.192\u00a0s"),
        ({"over_ms": 0.002, "to_ms": 0.004}, "2\u00a0µs to 4\u00a0µs"),
    ],
)
def test_bins_have_short_names(row, said):
    assert words.bin_name(row) == said
