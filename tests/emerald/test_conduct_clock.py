"""A clock that is set during a measurement: the conductor and the judgement go by one limit, the rules'."""

from __future__ import annotations

import time

import conducted
import pytest

from iowatt.emerald.conduct import sequence
from iowatt.emerald.conduct.folder import MeasurementFolder


class Setting:
    """Runs nothing; the clock is set during the first stage."""

    kind = "simulation"

    def __init__(self, shift, by):
        self.shift, self.by = shift, by

    def version(self):
        return "none"

    def check(self, plan):
        pass

    def run(self, plan, stage, folder, stop):
        self.shift[0] = self.by

    def observe(self, plan, stage, folder):
        raise AssertionError


class Rules:
    """A profile with another limit."""

    def number(self, key, category):
        assert key == "instruments.clock.apart_s"
        return 0.1


@pytest.mark.parametrize(
    ("by", "other", "said"),
    [(0.7, False, False), (-0.7, True, True), (0.9, False, True), (-0.9, False, True)],
)
def test_a_clock_set_by_more_than_the_rules_allow_is_a_deviation(tmp_path, monkeypatch, by, other, said):
    plan = conducted.load(conducted.plan(tmp_path)).model_copy(update={"source": "simulation"})
    real, shift = time.time, [0.0]
    monkeypatch.setattr(time, "time", lambda: real() + shift[0])
    if other:
        monkeypatch.setattr(sequence, "load", lambda profile: Rules())
    folder = MeasurementFolder(tmp_path / "out", plan)
    try:
        state = sequence.conduct(plan, Setting(shift, by), folder)
    finally:
        folder.close()
    told = [(one.stage, one.text) for one in state.deviations if f"{by:+.1f} s" in one.text]
    assert [stage for stage, _ in told] == (["fill"] if said else [])
    assert said or not [one for one in state.deviations if "clock" in one.text]
