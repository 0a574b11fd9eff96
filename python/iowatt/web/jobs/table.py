"""The table of jobs in SQLite, and its transactions.

Every change of a job gives it the next number, by which listeners know what they have not seen. What was
committed as durable has reached the disk (``synchronous=FULL``); progress has not, and needs not.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from iowatt.web.jobs.record import JobRecord, JobStatus

BUSY_S: Final = 30.0
_CREATE: Final = (
    """CREATE TABLE IF NOT EXISTS jobs (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        key TEXT UNIQUE,
        kind TEXT NOT NULL,
        title TEXT NOT NULL,
        request TEXT NOT NULL,
        state TEXT NOT NULL,
        created TEXT NOT NULL,
        started TEXT,
        finished TEXT,
        fraction REAL,
        text TEXT NOT NULL DEFAULT '',
        result TEXT,
        error TEXT,
        worker TEXT,
        change INTEGER NOT NULL UNIQUE
    ) STRICT""",
    "CREATE INDEX IF NOT EXISTS jobs_by_state ON jobs (state, number)",
)
NEXT_CHANGE: Final = "(SELECT coalesce(max(change), 0) + 1 FROM jobs)"
"""SQL for the number of the next change."""
_STATUS: Final = tuple(JobStatus.model_fields)


class JobTable:
    """A connection for writing and one for reading, each shared by the threads of a process."""

    def __init__(self, file: Path) -> None:
        self.file = file
        file.parent.mkdir(parents=True, exist_ok=True)
        self._writer = _connected(file)
        self._reader = _connected(file)
        self._writing = threading.Lock()
        self._reading = threading.Lock()
        with self.writing() as connection:
            for statement in _CREATE:
                connection.execute(statement)

    @contextmanager
    def writing(self, *, durable: bool = True) -> Iterator[sqlite3.Connection]:
        """A transaction that has the table for itself: committed at the end, undone by an error."""
        with self._writing:
            self._writer.execute(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                yield self._writer
                self._writer.execute("COMMIT")
            except BaseException:
                if self._writer.in_transaction:
                    self._writer.execute("ROLLBACK")
                raise

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The table as it was last committed."""
        with self._reading:
            yield self._reader

    def version(self) -> int:
        """A number that changes with the file, as seen by the reading connection. Reads no disk."""
        with self._reading:
            return int(self._reader.execute("PRAGMA data_version").fetchone()[0])

    def close(self) -> None:
        """Close both connections."""
        with self._writing, self._reading:
            self._writer.close()
            self._reader.close()


def _connected(file: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(file, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
    connection.row_factory = sqlite3.Row
    deadline = time.monotonic() + BUSY_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return connection
        except sqlite3.OperationalError:  # switching does not wait while another process recovers the file
            if time.monotonic() > deadline:
                connection.close()
                raise
            time.sleep(0.02)


def now() -> str:
    """The moment, in UTC to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def record_of(row: sqlite3.Row) -> JobRecord:
    """A row as a job."""
    return JobRecord(**_fields(row), request=json.loads(row["request"]))


def status_of_row(row: sqlite3.Row) -> JobStatus:
    """A row as a job without its request."""
    return JobStatus(**_fields(row))


def _fields(row: sqlite3.Row) -> dict[str, Any]:
    error = row["error"]
    return {name: row[name] for name in _STATUS} | {"error": None if error is None else json.loads(error)}
