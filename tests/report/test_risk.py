"""The risk of losing data is told where a verdict on speed or dollars would hide it."""

from __future__ import annotations

import pytest

from iowatt.lenses.durability import ALLOWED_LOSS_PER_YEAR
from iowatt.pages.risk import often_lost


@pytest.mark.parametrize("loss", [None, 0.0, ALLOWED_LOSS_PER_YEAR])
def test_what_is_allowed_is_not_told(loss):
    assert often_lost([("a", loss)]) == []


def test_each_system_that_exceeds_it_is_named():
    (told,) = often_lost([("safe", 1e-9), ("raid5", 0.095), ("cache", 0.095)])
    assert "raid5 9.5" in told and "cache" in told and "safe" not in told
    (told,) = often_lost([(f"s{number}", 0.5) for number in range(7)])
    assert "3 others" in told


def test_a_probability_at_the_stated_rebuild_rate_is_named_near_the_limit():
    near = [("tiers", ALLOWED_LOSS_PER_YEAR / 2), ("safe", ALLOWED_LOSS_PER_YEAR / 10)]
    assert often_lost(near) == []
    (told,) = often_lost(near, stated=True)
    assert "tiers" in told and "safe" not in told and "durability" in told
