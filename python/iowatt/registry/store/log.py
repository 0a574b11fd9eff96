"""The log: every change, chained by hashes and signed by the registry, only ever added to.

An entry is canonical JSON with the SHA-256 of the entry before it; the registry signs it. So a change that
nobody signed, an entry that was altered, taken out or put in, and one out of order are all found.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from iowatt.base.errors import InputError
from iowatt.registry.bundle import SigningKey, canonical, verify

LOG_SCHEMA: Final = "iowatt.registry-log/1"
FIRST: Final = "0" * 64
"""What the first entry has in place of the hash of the one before."""


@dataclass(frozen=True)
class LogEntry:
    """A change of the registry."""

    number: int
    at: str
    actor: str  #: Name of the account; ``registry`` is the registry itself.
    role: str
    event: str
    submission: int | None
    values: Mapping[str, Any]
    sha256: str


def append(
    connection: sqlite3.Connection,
    key: SigningKey,
    *,
    at: str,
    actor: str,
    role: str,
    event: str,
    submission: int | None,
    values: Mapping[str, Any],
) -> None:
    """Add an entry, in the transaction of the change that it is of."""
    last = connection.execute("SELECT number, sha256 FROM log ORDER BY number DESC LIMIT 1").fetchone()
    number, before = (last["number"] + 1, last["sha256"]) if last else (1, FIRST)
    entry = {
        "schema": LOG_SCHEMA, "number": number, "before": before, "at": at, "actor": actor, "role": role,
        "event": event, "submission": submission, "values": values,
    }  # fmt: skip
    text = canonical(entry)
    connection.execute(
        "INSERT INTO log (number, entry, sha256, signature) VALUES (?, ?, ?, ?)",
        (number, text.decode(), hashlib.sha256(text).hexdigest(), key.sign(signed_entry(text))),
    )


def signed_entry(entry: bytes) -> bytes:
    """What is signed of an entry: no signature of something else is one of it."""
    return LOG_SCHEMA.encode() + b"\n" + entry


def entries(connection: sqlite3.Connection, *, after: int = 0, most: int = -1) -> Iterator[sqlite3.Row]:
    """Rows of the log, oldest first."""
    yield from connection.execute(
        "SELECT number, entry, sha256, signature FROM log WHERE number > ? ORDER BY number LIMIT ?",
        (after, most),
    )


def checked(rows: Iterator[sqlite3.Row], public_key: str) -> Iterator[LogEntry]:
    """The entries of a whole log.

    Raises ``InputError`` at the first that is not the one that was signed, or does not follow the one before.
    """
    before, expected = FIRST, 1
    for row in rows:
        place = f"log: {expected}"
        text = str(row["entry"]).encode()
        if hashlib.sha256(text).hexdigest() != row["sha256"]:
            raise InputError("damaged", place, "the entry is not the one that its hash is of")
        verify(public_key, str(row["signature"]), signed_entry(text), place)
        value = json.loads(text)
        if (row["number"], value["number"], value["before"]) != (expected, expected, before):
            raise InputError("damaged", place, "the entry does not follow the one before it")
        yield LogEntry(
            expected, value["at"], value["actor"], value["role"], value["event"], value["submission"],
            value["values"], str(row["sha256"]),
        )  # fmt: skip
        before, expected = str(row["sha256"]), expected + 1
