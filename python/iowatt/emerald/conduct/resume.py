"""Where an interrupted measurement goes on, and whether its result can still comply.

The active test is to be uninterrupted and the ready-idle rest follows it directly (facts of the v1.0
training); conditioning gives it its history. So what is broken before the active test is done again from the
conditioning on and nothing is lost, and what is broken within it cannot be mended by going on: figures of
single phases are kept, and the result says that the sequence was broken, unless all of it is repeated. Which
breaks the text of later versions allows could not be read.
"""

from __future__ import annotations

from dataclasses import dataclass

from iowatt.emerald.conduct.state import State
from iowatt.emerald.plan.model import Stage

_ACTIVE = ("warmup", "measurement")


@dataclass(frozen=True)
class Decision:
    """From where, and what that means."""

    #: Index of the stage.
    at: int
    compliant: bool
    why: str


def decide(state: State, *, restart_active: bool) -> Decision:
    """Where a measurement that has stages left goes on.

    Parameters
    ----------
    restart_active:
        Repeat the conditioning and the whole active test where it was broken, instead of one phase.
    """
    stages = [found.stage for found in state.stages]
    at = state.next
    stage = stages[at]
    if state.plan.source == "simulation":
        return Decision(at, True, f"{stage.id} is simulated; a simulated array notices no break")
    if stage.role == "prefill":
        return Decision(at, True, f"{stage.id} starts again; nothing that counts was lost")
    if stage.role == "com":
        return Decision(at, True, f"{stage.id} starts again; it does not depend on what went before")
    first = _first_of_run(stages, at, ("conditioning", *_ACTIVE, "idle"))
    if restart_active or at == first or stage.role == "conditioning":
        return Decision(first, True, f"the whole sequence from {stages[first].id} on is repeated")
    return _broken(stages, at)


def _broken(stages: list[Stage], at: int) -> Decision:
    """Going on within the active test, or in the rest behind it."""
    stage = stages[at]
    if stage.role == "idle":
        return Decision(at, False, f"{stage.id} did not follow the active test directly: it was broken off")
    begin = _first_of_run(stages, at, _ACTIVE, phase=stage.phase)
    if all(each.role not in _ACTIVE for each in stages[:begin]):
        why = "the active test did not follow the conditioning directly: it was broken off"
    else:
        why = (
            f"the active test was broken off; phase {stage.phase} was repeated with its warm-up, "
            "and not the whole test"
        )
    return Decision(begin, False, why)


def _first_of_run(stages: list[Stage], at: int, roles: tuple[str, ...], phase: str | None = None) -> int:
    """The first of the stages of these roles that stand in a row up to ``at``."""
    while at > 0 and stages[at - 1].role in roles and phase in (None, stages[at - 1].phase):
        at -= 1
    return at
