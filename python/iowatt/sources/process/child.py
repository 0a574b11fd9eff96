"""Runs a load generator under its guard, and finds processes that an earlier command left running."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from iowatt.sources.process import guard

#: Marks the processes of a measurement in their environment, so that they are found again.
MARK: Final = "IOWATT_MEASUREMENT"
#: How long a load generator may take to write its results after it is asked to stop, in s.
GRACE_S: Final = 20.0
#: How often a request to stop is looked for, in s; an end is seen at once.
_LOOK_S: Final = 0.1
_SIGNALLED: Final = 128


@dataclass(frozen=True)
class ProcessEnd:
    """How a program ended."""

    status: int  #: Its exit status; 128 + n where signal n ended it.
    stopped: bool  #: Whether it was asked to, because ``stop`` was set.
    overdue: bool  #: Whether it had to be ended because its time was long over.

    @property
    def words(self) -> str:
        """What happened, for a journal."""
        if self.overdue:
            return "did not end when its time was over"
        if self.status == guard.NOT_STARTED:
            return "could not be started"
        if self.status > _SIGNALLED:
            with contextlib.suppress(ValueError):
                return f"was ended by {signal.Signals(self.status - _SIGNALLED).name}"
        return f"ended with code {self.status}"


def run(
    command: Sequence[str],
    *,
    folder: Path,
    stop: threading.Event,
    limit_s: float | None = None,
    mark: str = "",
    grace_s: float = GRACE_S,
    environment: Mapping[str, str] | None = None,
) -> ProcessEnd:
    """Run ``command`` in ``folder`` to its end, with ``stdout.txt`` and ``stderr.txt`` there.

    Parameters
    ----------
    stop:
        Ends it early once set.
    limit_s:
        When it is ended as overdue; left out, never.
    mark:
        Name of the measurement, by which :func:`left_over` finds it.
    grace_s:
        How long it may take to end after it is asked to.
    environment:
        Variables that it gets beside those of this process.
    """
    below = [sys.executable, "-I", "-S", guard.__file__, str(grace_s), *command]
    with (folder / "stdout.txt").open("wb") as said, (folder / "stderr.txt").open("wb") as complained:
        process = subprocess.Popen(
            below,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=said,
            stderr=complained,
            env={**os.environ, **(environment or {}), MARK: mark},
            start_new_session=True,
        )
    assert process.stdin is not None
    stopped = overdue = False
    due = None if limit_s is None else time.monotonic() + limit_s
    handle = os.pidfd_open(process.pid)
    try:
        while not select.select([handle], [], [], _LOOK_S)[0]:
            stopped = stop.is_set()
            overdue = due is not None and time.monotonic() > due
            if stopped or overdue:
                break
        with contextlib.suppress(OSError):
            process.stdin.close()  # so the guard ends the program, if that has not ended
        status = _wait(process, grace_s, mark)
    except BaseException:  # a second Ctrl-C: end at once, without results
        end([process.pid, *left_over(mark)], 0.0)
        process.kill()
        process.wait()
        raise
    finally:
        with contextlib.suppress(OSError):
            process.stdin.close()
        os.close(handle)
    return ProcessEnd(status, stopped, overdue)


def _wait(process: subprocess.Popen[bytes], grace_s: float, mark: str) -> int:
    try:
        status = process.wait(grace_s + 5)
    except subprocess.TimeoutExpired:  # a process that waits for a dead disk cannot be killed
        process.kill()
        status = -signal.SIGKILL
    if status < 0:  # the guard itself was killed
        end(left_over(mark))
        return _SIGNALLED - status
    return status


def left_over(mark: str) -> list[int]:
    """Processes of the measurement ``mark`` that are running, whichever command started them."""
    if not mark:
        return []
    wanted = f"{MARK}={mark}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            with contextlib.suppress(OSError):
                if wanted in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
    return found


def end(pids: Sequence[int], grace_s: float = GRACE_S) -> None:
    """End processes: SIGTERM, and SIGKILL for those that have not heeded it after ``grace_s``."""
    guard.send(signal.SIGTERM, list(pids))
    deadline = time.monotonic() + grace_s
    while any(_runs(pid) for pid in pids):
        if time.monotonic() > deadline:
            guard.send(signal.SIGKILL, list(pids))
            deadline = time.monotonic() + 1.0
            if not any(_runs(pid) for pid in pids):
                return
            break
        time.sleep(0.02)


def _runs(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return False
    return stat.rpartition(b")")[2].split()[:1] != [b"Z"]
