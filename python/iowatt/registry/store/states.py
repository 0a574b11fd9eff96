"""States of a submission, and who may change them: one pure function.

    draft -> submitted -> provisional -> accepted
    draft, submitted, provisional, accepted -> withdrawn
    provisional, accepted -> superseded

A submission that was received is a draft; it is submitted once a new analysis has reproduced it, and stays a
draft where it does not. It is provisional for the challenge window, in which reviewers raise findings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

from iowatt.base.errors import InputError

State = Literal["draft", "submitted", "provisional", "accepted", "withdrawn", "superseded"]
Action = Literal["submit", "publish", "accept", "withdraw", "supersede"]
#: ``registry`` is the registry itself: it submits what it could reproduce, and publishes it.
Role = Literal["submitter", "reviewer", "operator", "registry"]

STATES: Final[tuple[State, ...]] = get_args(State)
ACTIONS: Final[tuple[Action, ...]] = get_args(Action)
ROLES: Final[tuple[Role, ...]] = get_args(Role)
PUBLIC: Final = ("provisional", "accepted", "withdrawn", "superseded")
"""States that anybody sees; of a withdrawn one its page says so."""
LISTED: Final = ("provisional", "accepted")
"""States whose figures a search lists."""

_CHANGES: Final[dict[tuple[State, Action], State]] = {
    ("draft", "submit"): "submitted",
    ("submitted", "publish"): "provisional",
    ("provisional", "accept"): "accepted",
    ("draft", "withdraw"): "withdrawn",
    ("submitted", "withdraw"): "withdrawn",
    ("provisional", "withdraw"): "withdrawn",
    ("accepted", "withdraw"): "withdrawn",
    ("provisional", "supersede"): "superseded",
    ("accepted", "supersede"): "superseded",
}
_MAY: Final[dict[Action, tuple[Role, ...]]] = {
    "submit": ("registry",),
    "publish": ("registry", "reviewer", "operator"),
    "accept": ("reviewer", "operator"),
    "withdraw": ("submitter", "operator"),
    "supersede": ("submitter", "operator"),
}


@dataclass(frozen=True)
class Facts:
    """What a change of state depends on besides the state and who asks."""

    owner: bool = False  #: Whether the submission is of the account that asks.
    reproduced: bool = False
    window_over: bool = False
    open_findings: int = 0
    successor: State | None = None  #: State of the submission that is to take its place, of the same owner.


def transition(state: State, action: Action, role: Role, facts: Facts) -> State:
    """The state after an action.

    Raises ``InputError`` where the role may not act (``access-denied``), the state has no such action, or a
    condition does not hold (``wrong-state``).
    """
    if role not in _MAY[action]:
        text = f"a {role} may not {action}; {' or '.join(_MAY[action])} may"
        raise InputError("access-denied", "role", text)
    if role == "submitter" and not facts.owner:
        raise InputError("access-denied", "role", f"only its own submitter may {action} a submission")
    if action in ("accept", "publish") and facts.owner:
        raise InputError("access-denied", "role", f"you cannot {action} your own submission")
    after = _CHANGES.get((state, action))
    if after is None:
        froms = [before for before, one in _CHANGES if one == action]
        text = f"a {state} submission cannot be changed by {action}; {' or '.join(froms)} can"
        raise InputError("wrong-state", "state", text)
    reason = _hindrance(action, facts)
    if reason is not None:
        raise InputError("wrong-state", *reason)
    return after


def _hindrance(action: Action, facts: Facts) -> tuple[str, str] | None:
    """Place and reason of what keeps an action from being taken."""
    if action == "submit" and not facts.reproduced:
        return "reanalysis", "the new analysis did not reproduce it"
    if action == "accept" and not facts.window_over:
        return "window", "the challenge window is still open"
    if action == "accept" and facts.open_findings:
        return "findings", f"{facts.open_findings} of its findings are not closed"
    if action == "supersede" and facts.successor not in LISTED:
        there = "is unknown or of another submitter" if facts.successor is None else f"is {facts.successor}"
        return "by", f"what takes its place must be provisional or accepted; it {there}"
    return None
