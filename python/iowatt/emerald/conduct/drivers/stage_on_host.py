"""One stage on one load host: begun at a common time, waited for, fetched and recorded."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from iowatt.emerald.conduct.drivers.program import ProgramDriver
from iowatt.emerald.hosts import ClockCheck, HostRecord, usage
from iowatt.sources import process
from iowatt.sources.hosts import HostConnection, HostLost, HostSample

_CLOCK_CHECKS: Final = 5


class StageOnHost:
    """What one host does of a stage; ``connection`` is None where it is not there."""

    def __init__(
        self,
        name: str,
        address: str,
        connection: HostConnection | None,
        about: Mapping[str, Any],
        folder: Path,
        *,
        command: Sequence[str],
        files: Mapping[str, str],
        environment: Mapping[str, str],
        mark: str,
        lost: str | None,
    ) -> None:
        self.name, self.connection, self.lost = name, connection, lost
        self._address, self._about, self._folder = address, about, folder
        self._command, self._files, self._environment = command, files, environment
        self._mark = mark
        self._first = 0 if connection is None else len(connection.samples)
        self._start: HostSample | None = None
        self._end: HostSample | None = None
        self._begun: float | None = None  # when all began, by this clock
        self._started: float | None = None
        self._stopped = self._overdue = False

    @property
    def status(self) -> int | None:
        """The exit status of its load generator; None before its end, and of a lost host."""
        ended = None if self.connection is None or self._started is None else self.connection.ended
        return None if ended is None else ended[0]

    @property
    def working(self) -> bool:
        """Whether its end is still to be waited for."""
        if self.connection is None or self.lost is not None or self._started is None:
            return False
        if self.connection.ended is not None:
            return False
        if self.connection.lost is not None:
            self.lost = self.connection.lost
        return self.lost is None

    @property
    def round_trip_s(self) -> float:
        """How long its answers take at least."""
        return 0.0 if self._start is None else self._start.round_trip_s

    def ready(self) -> None:
        """Compare its clock."""

        def compare(connection: HostConnection) -> None:
            self._start = connection.clock(_CLOCK_CHECKS)

        self._try(compare)

    def begin(self, at: float) -> None:
        """Start the load generator at a time of this clock."""
        self._begun = at
        start = self._start
        if start is None:
            return

        def start_it(connection: HostConnection) -> None:
            self._started = connection.begin(
                self._command, self._files, self._environment, mark=self._mark, grace_s=process.GRACE_S,
                at=at + start.offset_s,
            )  # fmt: skip

        self._try(start_it)

    def stop(self, *, overdue: bool = False) -> None:
        """Ask the load generator to end."""
        self._stopped, self._overdue = not overdue, overdue
        self._try(lambda connection: connection.ask("stop"))

    def give_up(self) -> None:
        """Wait no longer."""
        if self.working:
            self.lost = "its load generator did not end when it was asked to"

    def finish(self) -> None:
        """Compare its clock again, and fetch what its load generator left."""
        if self._started is None:
            return

        def take(connection: HostConnection) -> None:
            self._end = connection.clock(_CLOCK_CHECKS)
            self._folder.mkdir(parents=True, exist_ok=True)
            connection.fetch(self._folder)

        self._try(take)

    def _try(self, work: Callable[[HostConnection], object]) -> None:
        """Do something by its connection; a loss is kept, and nothing is done after one."""
        if self.connection is None or self.lost is not None:
            return
        try:
            work(self.connection)
        except HostLost as error:
            self.lost = self.lost or error.message

    def failure(self, program: ProgramDriver) -> str | None:
        """Why its load generator failed; None where it did not, or the host was lost."""
        status = self.status
        if self.lost is not None or status is None:
            return None
        # Stopped because another host failed: its own end is no failure.
        ended = process.ProcessEnd(status, self._stopped, self._overdue)
        return None if ended.stopped else program.failure(self._folder, ended)

    def samples(self) -> tuple[list[HostSample], dict[str, int]]:
        """Its samples from the start of the stage on, and the speeds of its links."""
        own = [] if self.connection is None else self.connection.samples[self._first :]
        return sorted(own, key=lambda sample: sample.at), dict(self._about.get("speeds") or {})

    def record(self) -> HostRecord:
        """What is known of it."""
        own, speeds = self.samples()
        connection = self.connection
        lost_after = None
        if self.lost is not None and self._started is not None and self._begun is not None:
            at = connection.lost_at if connection is not None and connection.lost_at else time.time()
            lost_after = max(0.0, at - self._begun)
        found = usage(own, speeds)
        best = found.get("clock_best")
        shift = 0.0 if best is None else -best.offset_s
        ended = None if connection is None or self._started is None else connection.ended
        return HostRecord(
            self.name,
            self._address,
            lost=self.lost,
            lost_after_s=lost_after,
            started=None if self._started is None else self._started + shift,
            ended=None if ended is None else ended[1] + shift,
            processors=self._about.get("processors"),
            clock_start=None if self._start is None else ClockCheck.of(self._start),
            clock_end=None if self._end is None else ClockCheck.of(self._end),
            **found,
        )
