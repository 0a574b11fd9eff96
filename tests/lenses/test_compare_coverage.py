"""Seeded trials: intervals cover the truth as often as they say, and like Runs are seldom called different.

``benches/compare.py`` does a thousand of each and prints shares. Here the bounds are those that a true share
of 95 % (5 %) leaves with a chance of about 1 in 10,000, either way.
"""

from __future__ import annotations

import pytest

from compare_trials import Case, Tally
from known_series import ar1_lognormal, independent, mm1

TRIALS = 120
LEAST, MOST = 103, 120
"""Of 120 at 95 %: 114 +- 2.4 on average; fewer than 103 in 1 of 10,000, and all 120 in 1 of 470."""

MOST_DIFFERENT = 16
"""Of 120 at 5 %: more than 16 in 1 of 10,000."""


@pytest.mark.parametrize(
    "case",
    [
        Case("queue", mm1(0.5), mm1(0.5), 1.2, 30_000, blocks=256),
        Case("memory", ar1_lognormal(0.9, 0.8), ar1_lognormal(0.9, 0.8), 1.2, 20_000, blocks=256),
        Case("heavy", independent(1.5), independent(1.5), 1.2, 10_000, blocks=128),
    ],
    ids=lambda case: case.name,
)
def test_intervals_cover_the_truth(case):
    tally = Tally.of(case, range(TRIALS), resamples=1000)
    for at, name in enumerate(tally.names[:5]):
        assert tally.given[at] >= 0.9 * TRIALS, name
        missed = tally.given[at] - tally.covered[at]
        assert missed <= TRIALS - LEAST, name


def test_intervals_are_not_wider_than_they_need_be():
    """Intervals half as wide again would cover 99.7 %: 598 of 600."""
    case = Case("width", independent(1.0), independent(1.0), 1.2, 8_000, blocks=96)
    tally = Tally.of(case, range(200), resamples=500)
    # Mean, p50 and p99 hardly know of one another: 570 +- 5 of 600 are covered; 592 would be 4 standard
    # deviations more.
    assert sum(tally.covered[at] for at in (0, 1, 4)) < 592


def test_like_runs_are_seldom_called_different():
    case = Case("alike", mm1(0.5), mm1(0.5), 1.0, 20_000, blocks=256, amounts=True)
    assert Tally.of(case, range(TRIALS), resamples=1000).any_different <= MOST_DIFFERENT


def test_like_groups_of_runs_that_vary_are_seldom_called_different():
    case = Case("groups", mm1(0.5), mm1(0.5), 1.0, 4_000, blocks=48, runs=(2, 2), apart=0.1)
    assert Tally.of(case, range(TRIALS), resamples=500).any_different <= MOST_DIFFERENT
