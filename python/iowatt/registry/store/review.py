"""Findings: raised by reviewers in the challenge window, answered by the submitter, closed by reviewers."""

from __future__ import annotations

import re
import sqlite3
from typing import Final

from iowatt.base.errors import Argument, InputError
from iowatt.registry.store import records
from iowatt.registry.store.accounts import Account
from iowatt.registry.store.changing import reviewers
from iowatt.registry.store.database import writing
from iowatt.registry.store.outbox import put_mail
from iowatt.registry.store.records import ReviewFinding
from iowatt.registry.store.registry import RegistryStore, identifier, number_of

SEVERITIES: Final = ("invalid", "non-compliant", "warning")
_CODE: Final = re.compile(r"[a-z][a-z0-9-]{1,39}")
_TEXT: Final = 4000


def raise_finding(
    store: RegistryStore, account: Account, number: int, *, code: str, severity: str, text: str
) -> ReviewFinding:
    """Raise a finding against a submission.

    Raises ``InputError``: the account is no reviewer, the submission is its own or is not in its challenge
    window, or code, severity or text are wrong.
    """
    if not _CODE.fullmatch(code):
        hint = "such as meter-uncertain; the findings of `iowatt emerald analyze` have some"
        raise InputError(
            "not-accepted", Argument("code", code[:60]), "a code has lower-case words", hint=hint
        )
    if severity not in SEVERITIES:
        raise InputError("not-accepted", Argument("severity"), f"expected {', '.join(SEVERITIES)}")
    _check_text(text)
    with writing(store.file) as connection:
        row = _submission(connection, number)
        _refuse_all_but_reviewers(account, row)
        over = row["window_ends"] is not None and store.now >= row["window_ends"]
        if row["state"] not in ("submitted", "provisional") or over:
            what = "its challenge window is over" if over else f"it is {row['state']}"
            reason = f"a finding is raised while it is submitted or may be challenged; {what}"
            raise InputError("wrong-state", identifier(number), reason)
        return _raise(store, connection, row, (account.name, account.role), (code, severity, text))


def raise_if_known(store: RegistryStore, connection: sqlite3.Connection, number: int) -> None:
    """Raise a finding where the files of a submission are those of another one that is listed."""
    row = _submission(connection, number)
    other = connection.execute(
        "SELECT number, vendor, product FROM submissions WHERE content_sha256 = ? AND number != ? "
        "AND state IN ('submitted', 'provisional', 'accepted') ORDER BY number LIMIT 1",
        (row["content_sha256"], number),
    ).fetchone()
    if other is not None:
        text = f"its files are those of {identifier(other['number'])} ({other['vendor']} {other['product']})"
        finding = ("known-files", "warning", text)
        _raise(store, connection, row, ("registry", "registry"), finding)


def _raise(
    store: RegistryStore,
    connection: sqlite3.Connection,
    row: sqlite3.Row,
    actor: tuple[str, str],
    finding: tuple[str, str, str],
) -> ReviewFinding:
    """Record a finding (code, severity, text) of an actor (name, role), log it and tell the submitter."""
    code, severity, text = finding
    made = connection.execute(
        "INSERT INTO findings (submission, code, severity, text, by, at, status) "
        "VALUES (?, ?, ?, ?, ?, ?, 'open')",
        (row["number"], code, severity, text, actor[0], store.now),
    )
    found = _found(connection, int(made.lastrowid or 0))
    _note(store, connection, actor, "finding-raised", found)
    _announce(store, connection, row, f"a finding against {found.submission}: {code}", text)
    return found


def answer_finding(store: RegistryStore, account: Account, finding: int, text: str) -> ReviewFinding:
    """Answer an open finding. Raises ``InputError``: it is not open, or not of the account's submission."""
    return _move(store, account, finding, "answered", text)


def close_finding(store: RegistryStore, account: Account, finding: int, text: str) -> ReviewFinding:
    """Close a finding. Raises ``InputError``: the account is no reviewer, or it is closed."""
    return _move(store, account, finding, "closed", text)


def reopen_finding(store: RegistryStore, account: Account, finding: int, text: str) -> ReviewFinding:
    """Open a finding again. Raises ``InputError``: the account is no reviewer, or it is not answered."""
    return _move(store, account, finding, "open", text)


def _move(store: RegistryStore, account: Account, finding: int, status: str, text: str) -> ReviewFinding:
    _check_text(text)
    with writing(store.file) as connection:
        number, before = _of(connection, finding)
        row = _submission(connection, number)
        if status == "answered":
            if row["account"] != account.id:
                raise InputError(
                    "access-denied", identifier(number), "only its own submitter answers a finding"
                )
        else:
            _refuse_all_but_reviewers(account, row)
        allowed = {"answered": ("open",), "closed": ("open", "answered"), "open": ("answered",)}[status]
        if before not in allowed:
            place = f"{identifier(number)}: finding {finding}"
            raise InputError("wrong-state", place, f"it is {before}; {' or '.join(allowed)} was expected")
        column = "answer" if status == "answered" else "closing"
        connection.execute(
            f"UPDATE findings SET status = ?, {column} = ? WHERE number = ?", (status, text, finding)
        )
        found = _found(connection, finding)
        event = {"answered": "finding-answered", "closed": "finding-closed", "open": "finding-reopened"}[
            status
        ]
        _note(store, connection, (account.name, account.role), event, found)
        recipients = f"finding {finding} of {identifier(number)} is {status}"
        _announce(store, connection, row, recipients, text, to_reviewers=status == "answered")
    return found


def _check_text(text: str) -> None:
    if not text.strip() or len(text) > _TEXT:
        raise InputError("not-accepted", Argument("text"), f"expected a text of at most {_TEXT} characters")
    if any(ord(one) < 32 and one not in "\n\t" for one in text):
        raise InputError("not-accepted", Argument("text"), "the text has control characters")


def _refuse_all_but_reviewers(account: Account, row: sqlite3.Row) -> None:
    place = identifier(row["number"])
    if account.role not in ("reviewer", "operator"):
        raise InputError("access-denied", place, f"a {account.role} does not review; reviewers do")
    if account.id == row["account"]:
        raise InputError("access-denied", place, "you cannot review your own submission")


def _submission(connection: sqlite3.Connection, number: int) -> sqlite3.Row:
    row: sqlite3.Row | None = connection.execute(
        "SELECT s.*, a.mail FROM submissions s JOIN accounts a ON a.id = s.account WHERE s.number = ?",
        (number,),
    ).fetchone()
    if row is None:
        raise InputError("not-found", identifier(number), "no such submission")
    return row


def _of(connection: sqlite3.Connection, finding: int) -> tuple[int, str]:
    row = connection.execute(
        "SELECT submission, status FROM findings WHERE number = ?", (finding,)
    ).fetchone()
    if row is None:
        raise InputError("not-found", f"finding {finding}", "no such finding")
    return row["submission"], row["status"]


def _found(connection: sqlite3.Connection, finding: int) -> ReviewFinding:
    number, _ = _of(connection, finding)
    return next(one for one in records.findings(connection, number) if one.number == finding)


def _note(
    store: RegistryStore,
    connection: sqlite3.Connection,
    actor: tuple[str, str],
    event: str,
    found: ReviewFinding,
) -> None:
    store.note(
        connection,
        event,
        actor=actor[0],
        role=actor[1],
        submission=number_of(found.submission),
        finding=found.as_dict(),
    )


def _announce(
    store: RegistryStore,
    connection: sqlite3.Connection,
    row: sqlite3.Row,
    subject: str,
    text: str,
    *,
    to_reviewers: bool = False,
) -> None:
    recipients = reviewers(connection) if to_reviewers else [row["mail"]]
    put_mail(connection, store.now, recipients, subject, f"{subject}\n\n{text}\n")
