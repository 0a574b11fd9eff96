"""Where a measurement goes on, what that does to its result, and what its journal says of it."""

from __future__ import annotations

from pathlib import Path

import conducted
import pytest

from iowatt.emerald.conduct.state import Deviation, decide, state_of
from iowatt.emerald.measurement import Event

NAMES = [stage["id"] for stage in conducted.short()]


@pytest.fixture
def plan(tmp_path):
    return conducted.load(conducted.plan(tmp_path))


class Told:
    """A journal that is told."""

    def __init__(self, plan):
        self.plan = plan
        self.events = []
        self.add("begun", source="fio", version="fio-3.33")

    def add(self, event, **values):
        self.events.append(Event(float(len(self.events)), event, values))
        return self

    def stage(self, name, how="ended", attempt=1):
        self.add("stage-started", stage=name, attempt=attempt, folder=f"stages/{name}", gap_s=None)
        if how == "ended":
            self.add("stage-ended", stage=name, attempt=attempt)
        elif how == "failed":
            self.add("stage-failed", stage=name, attempt=attempt, text="fio was ended by SIGKILL")
        elif how == "interrupted":
            self.add("interrupted", stage=name)
        return self

    def until(self, name, how, attempt=1):
        for each in NAMES[: NAMES.index(name)]:
            self.stage(each, attempt=attempt)
        return self.stage(name, how, attempt)

    @property
    def state(self):
        return state_of(self.plan, self.events)


@pytest.mark.parametrize("how", ["failed", "interrupted", "broken"])
@pytest.mark.parametrize(
    ("at", "restart", "expected"),
    [
        ("fill", False, ("fill", True)),
        ("conditioning", False, ("conditioning", True)),
        ("RR-warmup", False, ("RR-warmup", False)),
        ("RR", False, ("RR-warmup", False)),
        ("RW-warmup", False, ("RW-warmup", False)),
        ("RW", False, ("RW-warmup", False)),
        ("RW", True, ("conditioning", True)),
        ("RR-warmup", True, ("conditioning", True)),
        ("ready-idle", False, ("ready-idle", False)),
        ("ready-idle", True, ("conditioning", True)),
    ],
)
def test_a_broken_stage_goes_on_as_the_rules_allow(plan, how, at, restart, expected):
    state = Told(plan).until(at, how).state
    decision = decide(state, restart_active=restart)
    assert (NAMES[decision.at], decision.compliant) == expected
    assert decision.why


def test_an_active_test_with_nothing_before_it_may_simply_begin_again(plan):
    alone = plan.model_copy(update={"stages": plan.stages[2:]})
    state = Told(alone).stage("RR-warmup", "failed").state
    decision = decide(state, restart_active=False)
    assert (decision.at, decision.compliant) == (0, True)


def test_a_repeated_warm_up_sets_the_finished_one_aside(plan):
    told = Told(plan).until("RR", "interrupted")
    told.add("resumed", stage="RR-warmup", after=60.0, compliant=False, why="broken-off")
    state = told.state
    assert [s.status for s in state.stages[:4]] == ["finished", "finished", "waiting", "waiting"]
    assert state.next == 2
    told.stage("RR-warmup", attempt=2).stage("RR", attempt=2)
    after = told.state
    assert after.stages[2].counted.number == 2
    assert [a.set_aside for a in after.stages[3].attempts] == [True, False]
    assert [a.outcome for a in after.stages[3].attempts] == ["interrupted", "finished"]
    assert [d.text for d in after.deviations] == ["broken-off"]
    assert not after.result(Path("out")).compliant


def test_repeating_the_whole_test_takes_away_what_stood_against_the_broken_one(plan):
    told = Told(plan).until("RW", "failed")
    told.add("resumed", stage="RW-warmup", after=1.0, compliant=False, why="it was broken off")
    told.stage("RW-warmup", "failed", 2)
    told.add("deviation", stage="fill", text="12 s")
    told.add("settings-changed", what="scheduler: a, b")
    told.add("resumed", stage="conditioning", after=1.0, compliant=True, why="all of it is repeated")
    state = told.state
    assert state.next == 1
    assert state.deviations[0] == Deviation(stage="fill", code="deviation", text="12 s")
    assert state.deviations[1].stage is None and "scheduler: a, b" in state.deviations[1].text
    assert len(state.deviations) == 2 and state.changes == ["scheduler: a, b"]


def test_a_journal_that_ends_in_a_stage_says_that_it_was_broken(plan):
    state = Told(plan).until("RR", "broken").state
    (attempt,) = state.stages[3].attempts
    assert (attempt.outcome, attempt.ended, state.stages[3].status) == ("broken", None, "broken")
    assert not state.finished


def test_failures_of_instruments_are_kept_with_their_time(plan):
    told = Told(plan).add("meter-failed", meter="pdu", text="no answer")
    state = told.add("meter-back", meter="pdu", seconds=4.5).state
    assert [(m["event"], m["at"]) for m in state.meters] == [("meter-failed", 1.0), ("meter-back", 2.0)]
