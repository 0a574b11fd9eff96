"""The queue of jobs as workers use it: take one, say how far it is, end it.

A job belongs to the process that holds the lock of its lock file (flock(2)). The kernel lets go of the lock
with the process, however that ends, so that a running job whose lock is free was left by a dead worker and is
queued again; never while its worker lives. Locks are taken and files removed inside of transactions only,
which exclude one another.
"""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path

from iowatt.base.errors import IowattError
from iowatt.web.jobs.record import JobKind, JobRecord
from iowatt.web.jobs.table import NEXT_CHANGE, JobTable, now, record_of

_QUEUED_AGAIN = "state = 'queued', started = NULL, fraction = NULL, text = ''"
_DETAIL = ("code", "place", "message", "hint")
#: Longest part of an error that is kept.
_CHARS = 20_000


class JobClaims:
    """What the worker named ``worker`` does with the jobs of a table, or a server in the name of workers."""

    def __init__(self, table: JobTable, worker: str = "") -> None:
        self._table = table
        self._worker = worker
        self._folder = table.file.parent / "jobs"
        self._folder.mkdir(exist_ok=True)
        self._held: dict[str, int] = {}

    def claim(self, kinds: Sequence[JobKind], last: Sequence[JobKind] = ()) -> JobRecord | None:
        """Take the oldest job that waits, of ``last`` only where there is none of ``kinds``."""
        with self._table.reading() as connection:
            if self._oldest(connection, [*kinds, *last]) is None:
                return None
        handle = None
        try:
            with self._table.writing() as connection:
                found = self._oldest(connection, kinds) or self._oldest(connection, last)
                if found is None or (handle := self._lock(found)) is None:
                    return None
                connection.execute(
                    "UPDATE jobs SET state = 'running', worker = ?, started = ?, fraction = NULL, text = '', "
                    f"change = {NEXT_CHANGE} WHERE id = ?",
                    [self._worker, now(), found],
                )
                row = connection.execute("SELECT * FROM jobs WHERE id = ?", [found]).fetchone()
        except BaseException:
            if handle is not None:
                os.close(handle)
            raise
        self._held[found] = handle
        return record_of(row)

    def progress(self, identity: str, fraction: float | None, text: str) -> bool:
        """Say how far the job is; false where it is no longer this worker's: it was cancelled."""
        with self._table.writing(durable=False) as connection:
            return self._update(connection, identity, "fraction = ?, text = ?", [fraction, text])

    def finish(self, identity: str, result: str) -> bool:
        """End the job with its result, a path in the workspace; false where it was cancelled meanwhile."""
        return self._end(identity, "state = 'done', fraction = 1.0, text = '', result = ?", [result])

    def fail(self, identity: str, error: IowattError) -> bool:
        """End the job with an error; false where it was cancelled meanwhile."""
        return self._end(identity, "state = 'failed', error = ?", [error_json(error)])

    def drop(self, identity: str) -> None:
        """Let go of a job that was cancelled."""
        with self._table.writing() as connection:
            self._release(connection, identity)
        os.close(self._held.pop(identity))

    def _end(self, identity: str, change: str, values: list[str]) -> bool:
        with self._table.writing() as connection:
            ended = self._update(connection, identity, f"{change}, finished = ?", [*values, now()])
            self._release(connection, identity)
        os.close(self._held.pop(identity))
        return ended

    def _release(self, connection: sqlite3.Connection, identity: str) -> None:
        connection.execute(
            "UPDATE jobs SET worker = NULL WHERE id = ? AND worker = ?", [identity, self._worker]
        )
        self._lock_file(identity).unlink(missing_ok=True)

    def cancelled(self, workers: Collection[str]) -> dict[str, str]:
        """Jobs that were cancelled under these workers, which have not noticed: job by worker."""
        with self._table.reading() as connection:
            rows = connection.execute(
                "SELECT id, worker FROM jobs WHERE state = 'cancelled' AND worker IS NOT NULL"
            ).fetchall()
        return {row["worker"]: row["id"] for row in rows if row["worker"] in workers}

    def abandon(self, worker: str, error: IowattError | None) -> list[JobRecord]:
        """End what a worker that has ended was doing, with ``error``, or queue it again without one.

        Returns the jobs that failed by it, or were cancelled under it: what they wrote may be removed.
        """
        change, values = _QUEUED_AGAIN, list[str]()
        if error is not None:
            change, values = "state = 'failed', error = ?, finished = ?", [error_json(error), now()]
        with self._table.writing() as connection:
            connection.execute(
                f"UPDATE jobs SET {change}, change = {NEXT_CHANGE} WHERE worker = ? AND state = 'running'",
                [*values, worker],
            )
            return self._forget(connection, "worker = ?", worker)

    def recover(self) -> list[JobRecord]:
        """Queue again what dead workers, of whichever server, left running.

        Returns the jobs that were cancelled under such workers: what they wrote may be removed.
        """
        with self._table.reading() as connection:
            if connection.execute("SELECT 1 FROM jobs WHERE worker IS NOT NULL").fetchone() is None:
                return []
        gone: list[JobRecord] = []
        with self._table.writing() as connection:
            for row in connection.execute("SELECT id FROM jobs WHERE worker IS NOT NULL").fetchall():
                handle = None if row["id"] in self._held else self._lock(row["id"])
                if handle is None:
                    continue
                try:
                    connection.execute(
                        f"UPDATE jobs SET {_QUEUED_AGAIN}, change = {NEXT_CHANGE} "
                        "WHERE id = ? AND state = 'running'",
                        [row["id"]],
                    )
                    gone += self._forget(connection, "id = ?", row["id"])
                finally:
                    os.close(handle)
        return gone

    def _forget(self, connection: sqlite3.Connection, where: str, value: str) -> list[JobRecord]:
        """Take jobs from their worker, which has ended; those that will not be done again."""
        rows = connection.execute(f"SELECT * FROM jobs WHERE {where}", [value]).fetchall()
        connection.execute(f"UPDATE jobs SET worker = NULL WHERE {where}", [value])
        for row in rows:
            self._lock_file(row["id"]).unlink(missing_ok=True)
        return [record_of(row) for row in rows if row["state"] in ("cancelled", "failed")]

    def _oldest(self, connection: sqlite3.Connection, kinds: Sequence[JobKind]) -> str | None:
        row = connection.execute(
            f"SELECT id FROM jobs WHERE state = 'queued' AND kind IN ({', '.join('?' * len(kinds))}) "
            "ORDER BY number LIMIT 1",
            kinds,
        ).fetchone()
        return None if row is None else str(row["id"])

    def _update(
        self, connection: sqlite3.Connection, identity: str, change: str, values: Sequence[object]
    ) -> bool:
        cursor = connection.execute(
            f"UPDATE jobs SET {change}, change = {NEXT_CHANGE} "
            "WHERE id = ? AND worker = ? AND state = 'running'",
            [*values, identity, self._worker],
        )
        return cursor.rowcount == 1

    def _lock_file(self, identity: str) -> Path:
        return self._folder / f"{identity}.lock"

    def _lock(self, identity: str) -> int | None:
        """A handle that holds the lock of a job; None where another process holds it."""
        handle = os.open(self._lock_file(identity), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        with suppress(BlockingIOError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return handle
        os.close(handle)
        return None


def error_json(error: IowattError) -> str:
    """An error as the table keeps it."""
    detail = {name: getattr(error, name) for name in _DETAIL}
    return json.dumps(
        {name: None if value is None else str(value)[:_CHARS] for name, value in detail.items()}
    )
