"""The queue of jobs as the server uses it: submit, look, cancel.

    queued -> running -> done | failed | cancelled
    queued -> cancelled

Safe from threads and processes: every method is one transaction. What :meth:`JobQueue.submit` returned is on
the disk.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from iowatt.base.errors import InputError
from iowatt.web.jobs.record import MOST_CHANGES, JobKind, JobRecord, JobStatus
from iowatt.web.jobs.table import NEXT_CHANGE, JobTable, now, record_of, status_of_row

#: Finished jobs are forgotten after so many younger ones.
_KEPT: Final = 10_000
_CHANGES: Final = 500
_STATUS: Final = (
    "number, id, kind, title, state, created, started, finished, fraction, text, result, error, change"
)


class JobQueue:
    """The jobs in a file, which is made where there is none.

    Parameters
    ----------
    file:
        The SQLite database; other tables may lie in it.
    queued:
        Jobs that may wait.
    """

    def __init__(self, file: Path, *, queued: int = 200) -> None:
        self.table = JobTable(file)
        self._most = queued

    def submit(
        self, kind: JobKind, title: str, request: Mapping[str, Any], *, key: str | None = None
    ) -> JobRecord:
        """Queue a job, or return the one that was submitted with the same key and has not failed.

        Raises ``InputError``: ``too-many`` where too many wait already, ``in-use`` where the key is that of
        another request.
        """
        with self.table.writing() as connection:
            known = connection.execute("SELECT * FROM jobs WHERE key = ?", [key]).fetchone()
            if known is not None:
                found = record_of(known)
                if found.state not in ("failed", "cancelled"):
                    if (found.kind, found.request) != (kind, json.loads(json.dumps(request))):
                        message = f"the key belongs to job {found.id}, which has a different request"
                        raise InputError("in-use", "key", message, hint="omit the key, or use another")
                    return found
                connection.execute("UPDATE jobs SET key = NULL WHERE id = ?", [found.id])
            self._refuse_more(self._waiting(connection))
            identity = secrets.token_hex(8)
            number = connection.execute(
                "INSERT INTO jobs (id, key, kind, title, request, state, created, change) "
                f"VALUES (?, ?, ?, ?, ?, 'queued', ?, {NEXT_CHANGE})",
                [identity, key, kind, title, json.dumps(request), now()],
            ).lastrowid
            connection.execute(
                "DELETE FROM jobs WHERE number <= ? AND finished IS NOT NULL AND worker IS NULL",
                [(number or 0) - _KEPT],
            )
            return record_of(connection.execute("SELECT * FROM jobs WHERE id = ?", [identity]).fetchone())

    def refuse_when_full(self) -> None:
        """Raise ``InputError`` (``too-many``) where a job could not be submitted now."""
        with self.table.reading() as connection:
            self._refuse_more(self._waiting(connection))

    def job(self, identity: str) -> JobRecord:
        """The job. Raises ``InputError`` (``not-found``)."""
        with self.table.reading() as connection:
            row = connection.execute("SELECT * FROM jobs WHERE id = ?", [identity]).fetchone()
        if row is None:
            raise _no_job(identity)
        return record_of(row)

    def listed(self, limit: int = 100) -> list[JobStatus]:
        """The jobs, youngest first."""
        with self.table.reading() as connection:
            rows = connection.execute(
                f"SELECT {_STATUS} FROM jobs ORDER BY number DESC LIMIT ?", [limit]
            ).fetchall()
        return [status_of_row(row) for row in rows]

    def cancel(self, identity: str) -> JobRecord:
        """Cancel a job that waits or runs; one that has finished stays as it is.

        Raises ``InputError`` (``not-found``).
        """
        with self.table.writing() as connection:
            connection.execute(
                f"UPDATE jobs SET state = 'cancelled', finished = ?, change = {NEXT_CHANGE} "
                "WHERE id = ? AND state IN ('queued', 'running')",
                [now(), identity],
            )
            row = connection.execute("SELECT * FROM jobs WHERE id = ?", [identity]).fetchone()
        if row is None:
            raise _no_job(identity)
        return record_of(row)

    def changes(self, after: int, limit: int = _CHANGES) -> list[JobStatus]:
        """Jobs that changed after the change of that number, in the order of their last changes."""
        with self.table.reading() as connection:
            rows = connection.execute(
                f"SELECT {_STATUS} FROM jobs WHERE change > ? ORDER BY change LIMIT ?",
                [min(max(after, 0), MOST_CHANGES), limit],
            ).fetchall()
        return [status_of_row(row) for row in rows]

    def last_change(self) -> int:
        """Number of the last change; 0 where there was none."""
        with self.table.reading() as connection:
            return int(connection.execute("SELECT coalesce(max(change), 0) FROM jobs").fetchone()[0])

    def close(self) -> None:
        """Close the file."""
        self.table.close()

    def _waiting(self, connection: Any) -> int:
        return int(connection.execute("SELECT count(*) FROM jobs WHERE state = 'queued'").fetchone()[0])

    def _refuse_more(self, waiting: int) -> None:
        if waiting >= self._most:
            message = f"{waiting} jobs are queued already, the maximum"
            raise InputError("too-many", None, message, hint="wait for them, or cancel some")


def _no_job(identity: str) -> InputError:
    return InputError("not-found", None, f"there is no job {identity!r}")
