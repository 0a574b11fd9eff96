"""The states of a submission, exhaustively: every state, action, role and fact against a table of its own."""

from __future__ import annotations

from itertools import product

import pytest

from iowatt.base.errors import InputError
from iowatt.registry.store import ACTIONS, ROLES, STATES, Facts, transition

#: What is allowed, each with the condition that must hold.
ALLOWED = {
    ("draft", "submit", "registry"): ("submitted", lambda f: f.reproduced),
    ("submitted", "publish", "registry"): ("provisional", lambda f: not f.owner),
    ("submitted", "publish", "reviewer"): ("provisional", lambda f: not f.owner),
    ("submitted", "publish", "operator"): ("provisional", lambda f: not f.owner),
    **{
        ("provisional", "accept", role): (
            "accepted",
            lambda f: not f.owner and f.window_over and not f.open_findings,
        )
        for role in ("reviewer", "operator")
    },
    **{
        (state, "withdraw", "submitter"): ("withdrawn", lambda f: f.owner)
        for state in ("draft", "submitted", "provisional", "accepted")
    },
    **{
        (state, "withdraw", "operator"): ("withdrawn", lambda f: True)
        for state in ("draft", "submitted", "provisional", "accepted")
    },
    **{
        (state, "supersede", "submitter"): (
            "superseded",
            lambda f: f.owner and f.successor in ("provisional", "accepted"),
        )
        for state in ("provisional", "accepted")
    },
    **{
        (state, "supersede", "operator"): (
            "superseded",
            lambda f: f.successor in ("provisional", "accepted"),
        )
        for state in ("provisional", "accepted")
    },
}
FACTS = [
    Facts(*values) for values in product((False, True), (False, True), (False, True), (0, 1), (None, *STATES))
]


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("action", ACTIONS)
def test_every_role_with_every_fact(state, action):
    for role, facts in product(ROLES, FACTS):
        after, holds = ALLOWED.get((state, action, role), (None, lambda _: False))
        if holds(facts):
            assert transition(state, action, role, facts) == after
        else:
            with pytest.raises(InputError) as caught:
                transition(state, action, role, facts)
            assert caught.value.code in ("access-denied", "wrong-state")


def test_nothing_leaves_the_last_states():
    for state in ("withdrawn", "superseded"):
        assert not any(before == state for before, _, _ in ALLOWED)
