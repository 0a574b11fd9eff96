"""Changes of jobs for those who listen: one thread looks at the file, whoever many listen.

The latest state of each job that changed is kept in memory, so that a listener that falls behind skips what
is past, costs no memory and reads no disk.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Final

from iowatt.base.errors import InputError
from iowatt.web.jobs.queue import JobQueue
from iowatt.web.jobs.record import JobStatus

_KEPT: Final = 512
_LOOK_S: Final = 0.1

_log = logging.getLogger(__name__)


class JobEvents:
    """What changes in a queue, for at most ``listeners`` listeners at once."""

    def __init__(self, queue: JobQueue, *, listeners: int = 100) -> None:
        self._queue = queue
        self._most = listeners
        self._lock = threading.Lock()
        #: Jobs by id in the order of their last changes: all that changed after ``_floor``.
        self._recent: dict[str, JobStatus] = {}
        self._floor = self._last = 0
        self._listeners: dict[asyncio.Event, asyncio.AbstractEventLoop] = {}
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def listening(self) -> int:
        """Listeners at the moment."""
        return len(self._listeners)

    def start(self) -> None:
        """Begin to look."""
        self._floor = self._last = self._queue.last_change()
        self._thread = threading.Thread(target=self._watch, name="iowatt-job-events", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop looking; listeners come to their end. Does nothing where it was not started."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        self._wake()

    def listen(self, after: int, *, every_s: float = 15.0) -> AsyncIterator[JobStatus | None]:
        """Jobs that change after the change numbered ``after``, and None each ``every_s`` s without any.

        To be called and iterated on an event loop. Raises ``InputError`` (``too-many``).
        """
        if len(self._listeners) >= self._most:
            raise InputError("too-many", None, f"{self._most} listeners are connected already, the maximum")
        woken = asyncio.Event()
        self._listeners[woken] = asyncio.get_running_loop()
        return self._heard(after, every_s, woken)

    async def _heard(
        self, after: int, every_s: float, woken: asyncio.Event
    ) -> AsyncIterator[JobStatus | None]:
        try:
            yield None  # so that the answer begins
            while not self._stopping.is_set():
                woken.clear()
                for job in self._since(after) or await self._from_file(after):
                    after = job.change
                    woken.set()
                    yield job
                if woken.is_set():
                    continue
                try:
                    await asyncio.wait_for(woken.wait(), every_s)
                except TimeoutError:
                    yield None
        finally:
            self._listeners.pop(woken, None)

    def _since(self, after: int) -> list[JobStatus]:
        with self._lock:
            return [job for job in self._recent.values() if job.change > after >= self._floor]

    async def _from_file(self, after: int) -> list[JobStatus]:
        """Of a listener that is farther behind than what is kept."""
        if after >= self._floor:
            return []
        return await asyncio.to_thread(self._queue.changes, after)

    def _watch(self) -> None:
        seen = -1
        while not self._stopping.wait(_LOOK_S):
            try:
                version = self._queue.table.version()
                if version != seen:
                    while changed := self._queue.changes(self._last):
                        self._keep(changed)
                    seen = version
            except Exception:
                _log.exception("iowatt: changes of jobs cannot be read")

    def _keep(self, changed: list[JobStatus]) -> None:
        with self._lock:
            for job in changed:
                self._recent.pop(job.id, None)
                self._recent[job.id] = job
            self._last = changed[-1].change
            while len(self._recent) > _KEPT:
                self._floor = self._recent.pop(next(iter(self._recent))).change
        self._wake()

    def _wake(self) -> None:
        for event, loop in list(self._listeners.items()):
            with suppress(RuntimeError):  # a loop that is closed
                loop.call_soon_threadsafe(event.set)
