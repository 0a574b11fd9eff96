"""Changes of a submission's state: decided, recorded, logged and announced in one transaction."""

from __future__ import annotations

import sqlite3
from datetime import timedelta

from iowatt.base.errors import Argument, InputError
from iowatt.registry.store import records
from iowatt.registry.store.accounts import Account
from iowatt.registry.store.database import writing
from iowatt.registry.store.outbox import put_mail
from iowatt.registry.store.records import SubmissionRecord
from iowatt.registry.store.registry import RegistryStore, identifier, written
from iowatt.registry.store.states import Action, Facts, Role, State, transition

#: The state that each action leads to.
ACTION_OF: dict[str, Action] = {
    "provisional": "publish", "accepted": "accept", "withdrawn": "withdraw", "superseded": "supersede",
}  # fmt: skip
_REASON_LENGTH = 2000


def change(
    store: RegistryStore,
    account: Account,
    number: int,
    action: Action,
    *,
    reason: str = "",
    by: int | None = None,
) -> SubmissionRecord:
    """Change the state of a submission for an account; ``by`` is what supersedes it.

    Raises ``InputError``: there is no such submission, the account may not, or the state has no such change.
    """
    if len(reason) > _REASON_LENGTH:
        text = f"a reason has at most {_REASON_LENGTH} characters"
        raise InputError("too-large", Argument("reason"), text)
    with writing(store.file) as connection:
        apply(store, connection, number, action, account.role, account=account, reason=reason, by=by)
        return records.one(connection, number)


def apply(
    store: RegistryStore,
    connection: sqlite3.Connection,
    number: int,
    action: Action,
    role: Role,
    *,
    account: Account | None = None,
    reason: str = "",
    by: int | None = None,
) -> State:
    """The same within a transaction; without an account it is the registry that acts."""
    row = connection.execute(
        "SELECT s.*, a.mail FROM submissions s JOIN accounts a ON a.id = s.account WHERE s.number = ?",
        (number,),
    ).fetchone()
    if row is None:
        raise InputError("not-found", identifier(number), "no such submission")
    before: State = row["state"]
    try:
        after = transition(before, action, role, _facts(store, connection, row, account, by))
    except InputError as error:
        raise InputError(
            error.code, f"{identifier(number)}: {error.place}", error.message, hint=error.hint
        ) from None
    values: dict[str, object] = {"state": after}
    if after == "provisional":
        ends = store.moment + timedelta(seconds=store.settings.challenge)
        values |= {"published": store.now, "window_ends": written(ends)}
    if after == "superseded":
        values["superseded_by"] = by
    names = ", ".join(f"{name} = ?" for name in values)
    connection.execute(f"UPDATE submissions SET {names} WHERE number = ?", (*values.values(), number))
    logged = {"window_ends": values.get("window_ends"), "by": by, "reason": reason or None}
    store.note(
        connection,
        action,
        actor="registry" if account is None else account.name,
        role=role,
        submission=number,
        before=before,
        after=after,
        **{name: value for name, value in logged.items() if value is not None},
    )
    _announce(store, connection, row, after, reason)
    return after


def _facts(
    store: RegistryStore,
    connection: sqlite3.Connection,
    row: sqlite3.Row,
    account: Account | None,
    by: int | None,
) -> Facts:
    waiting = connection.execute(
        "SELECT count(*) FROM findings WHERE submission = ? AND status != 'closed'", (row["number"],)
    ).fetchone()[0]
    successor = None
    if by is not None and by != row["number"]:
        other = connection.execute(
            "SELECT state, account FROM submissions WHERE number = ?", (by,)
        ).fetchone()
        if other is not None and other["account"] == row["account"]:
            successor = other["state"]
    return Facts(
        owner=account is not None and account.id == row["account"],
        reproduced=row["analysis"] == "reproduced",
        window_over=row["window_ends"] is not None and store.now >= row["window_ends"],
        open_findings=waiting,
        successor=successor,
    )


def _announce(
    store: RegistryStore, connection: sqlite3.Connection, row: sqlite3.Row, after: State, reason: str
) -> None:
    """Mail to the submitter; of what reviewers look at to them as well."""
    if after == "submitted" and store.settings.publish == "registry":
        return  # it is provisional at once
    name = identifier(row["number"])
    recipients = [row["mail"]]
    if after in ("provisional", "submitted"):
        recipients += reviewers(connection)
    address = f"\n{store.settings.url.rstrip('/')}/results/{name}\n" if store.settings.url else ""
    why = f"\n{reason}\n" if reason else ""
    body = f"{name}, {row['title']} ({row['vendor']} {row['product']}), is {after}.\n{why}{address}"
    put_mail(connection, store.now, recipients, f"{name} is {after}", body)


def reviewers(connection: sqlite3.Connection) -> list[str | None]:
    """Addresses of all reviewers."""
    rows = connection.execute("SELECT mail FROM accounts WHERE role = 'reviewer' AND active = 1 ORDER BY id")
    return [row["mail"] for row in rows]
