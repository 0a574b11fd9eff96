"""The worker processes of a server: started warm, replaced when they end, ended with the server."""

from __future__ import annotations

import logging
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from iowatt.base.errors import InputError, IowattError
from iowatt.web.jobs.claims import JobClaims
from iowatt.web.jobs.kinds import discard
from iowatt.web.jobs.limits import JobLimits
from iowatt.web.jobs.queue import JobQueue
from iowatt.web.jobs.worker import WorkerTask

_LOOK_S: Final = 0.05
#: How often jobs of other servers' workers are looked at.
_RECOVER_S: Final = 1.0
#: Between two starts of one worker, so that one that cannot start costs little.
_START_S: Final = 1.0
_GRACE_S: Final = 2.0

_log = logging.getLogger(__name__)


@dataclass
class _Slot:
    """A place for a worker, and the process that has it."""

    short_only: bool
    nice: bool
    name: str = ""
    process: subprocess.Popen[bytes] | None = None
    started: float = field(default=-_START_S)


class Workers:
    """``count`` processes that do the jobs of a queue in a workspace.

    Where there are two or more, the first takes short jobs only, and the others leave the processors to it.
    """

    def __init__(
        self, workspace: Path, queue: JobQueue, count: int, *, limits: JobLimits | None = None
    ) -> None:
        if count < 1:
            raise InputError("out-of-range", None, f"expected at least one worker, not {count}")
        self._workspace = workspace.resolve()
        self._table = queue.table
        self._claims = JobClaims(queue.table)
        self._limits = limits or JobLimits()
        several = count > 1
        self._slots = [_Slot(several and number == 0, several and number > 0) for number in range(count)]
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Queue again what dead workers left, and start the workers."""
        self._recover()
        # The processes end with the thread that started them (PR_SET_PDEATHSIG), so it is this one.
        self._thread = threading.Thread(target=self._keep, name="iowatt-workers", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the workers; what they were doing is queued again. Does nothing where they were not started."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def pids(self) -> list[int]:
        """Process ids of the workers that live."""
        return [slot.process.pid for slot in self._slots if slot.process is not None]

    def _keep(self) -> None:
        seen, recovered = -1, time.monotonic()
        while not self._stopping.is_set():
            try:
                for slot in self._slots:
                    self._look_after(slot)
                version = self._table.version()
                if version != seen:
                    self._end_cancelled()
                    self._call()
                    seen = version
                if time.monotonic() - recovered > _RECOVER_S:
                    self._recover()
                    recovered = time.monotonic()
            except Exception:  # a full disk, a locked file: later it may be well again
                _log.exception("iowatt: the workers cannot be looked after")
                self._stopping.wait(_START_S)
            self._stopping.wait(_LOOK_S)
        self._end_all()

    def _look_after(self, slot: _Slot) -> None:
        """Start a worker in an empty place; clear the place of one that has ended."""
        if slot.process is not None:
            status = slot.process.poll()
            if status is None:
                return
            self._clear(slot, _ended(status))
        if time.monotonic() - slot.started < _START_S:
            return
        slot.name, slot.started = secrets.token_hex(8), time.monotonic()
        task = WorkerTask(
            self._workspace, self._table.file.resolve(), slot.name, slot.short_only, slot.nice, self._limits
        )
        slot.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "iowatt.web.jobs.worker", *task.arguments()],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for the server
        )
        assert slot.process.stdin is not None
        os.set_blocking(slot.process.stdin.fileno(), False)

    def _clear(self, slot: _Slot, error: IowattError | None) -> None:
        process, slot.process = slot.process, None
        assert process is not None and process.stdin is not None
        with suppress(OSError):
            process.stdin.close()
        for job in self._claims.abandon(slot.name, error):
            discard(self._workspace, job)

    def _end_cancelled(self) -> None:
        """Kill workers whose job was cancelled: they may look up too late."""
        names = {slot.name: slot for slot in self._slots if slot.process is not None}
        for name in self._claims.cancelled(names):
            process = names[name].process
            if process is not None:
                process.kill()
                process.wait()
                self._clear(names[name], None)  # it may have taken another job meanwhile
                names[name].started = -_START_S
                self._look_after(names[name])

    def _call(self) -> None:
        """Wake the workers; a pipe that is full says the same."""
        for slot in self._slots:
            if slot.process is not None and slot.process.stdin is not None:
                with suppress(OSError):
                    os.write(slot.process.stdin.fileno(), b"\n")

    def _recover(self) -> None:
        for job in self._claims.recover():
            discard(self._workspace, job)

    def _end_all(self) -> None:
        processes = [slot.process for slot in self._slots if slot.process is not None]
        for process in processes:
            if process.stdin is not None:
                with suppress(OSError):
                    process.stdin.close()
        deadline = time.monotonic() + _GRACE_S
        for process in processes:
            try:
                process.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        for slot in self._slots:
            slot.process = None
        with suppress(Exception):  # the next server does it else
            self._recover()


def _ended(status: int) -> IowattError:
    """What it means for a job that its worker has ended."""
    if status == -signal.SIGXCPU:
        return InputError("too-large", None, "the job exceeds the processor-time limit")
    if status == -signal.SIGABRT:
        return InputError("too-large", None, "the job exceeds the memory limit, or iowatt has a bug")
    if status == -signal.SIGKILL:
        message = "its process was killed, probably by the kernel because memory ran out"
        return InputError("interrupted", None, message)
    return IowattError("internal", None, f"its process ended unexpectedly, with status {status}")
