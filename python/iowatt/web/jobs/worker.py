"""A process that does jobs, one after the other: a server starts ``python -P -m iowatt.web.jobs.worker``.

Its standard input comes from the server. A byte means that a job may wait; the end of it, which the kernel
brings about however the server ends, ends the worker on the spot. What it was writing has no name yet, and
what it was doing is queued again by whichever server comes next.
"""

from __future__ import annotations

import ctypes
import logging
import os
import resource
import signal
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from iowatt.base.errors import InputError, IowattError
from iowatt.web.jobs.claims import JobClaims
from iowatt.web.jobs.kinds import JobContext, discard, perform
from iowatt.web.jobs.limits import JobLimits
from iowatt.web.jobs.progress import JobGoneError, JobProgress
from iowatt.web.jobs.record import LONG, SHORT, JobRecord
from iowatt.web.jobs.table import JobTable

_PR_SET_PDEATHSIG: Final = 1
#: Without being told, a worker looks so often.
_LOOK_S: Final = 5.0
#: A worker that has been so large makes room for a fresh one.
_LARGE_KIB: Final = 2 << 20
#: A long job leaves the processors to short ones.
_NICE: Final = 5

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class WorkerTask:
    """What a server tells a worker on its command line."""

    workspace: Path
    file: Path
    name: str
    short_only: bool
    nice: bool
    limits: JobLimits

    def arguments(self) -> list[str]:
        """The command line."""
        flags = f"{int(self.short_only)}{int(self.nice)}"
        return [str(self.workspace), str(self.file), self.name, flags, self.limits.as_json()]

    @classmethod
    def parsed(cls, arguments: list[str]) -> WorkerTask:
        """The task of :meth:`arguments`."""
        workspace, file, name, flags, limits = arguments
        return cls(
            Path(workspace), Path(file), name, flags[0] == "1", flags[1] == "1", JobLimits.of_json(limits)
        )


def main() -> None:
    """Do jobs until the server ends, or this process has grown too large."""
    task = WorkerTask.parsed(sys.argv[1:])
    called = threading.Event()
    _die_with_the_server(called)
    os.chdir(task.workspace)
    if task.nice:
        os.nice(_NICE)
    logging.basicConfig(format="%(message)s")
    _warm_up()
    table = JobTable(task.file)
    claims = JobClaims(table, task.name)
    context = JobContext(task.workspace, task.limits)
    while peak_kib() < _LARGE_KIB:
        called.clear()
        job = claims.claim(SHORT, () if task.short_only else LONG)
        if job is None:
            called.wait(_LOOK_S)
        else:
            work(context, claims, job)


def peak_kib() -> int:
    """The most memory that this program has had, KiB; ru_maxrss begins with the peak of its parent."""
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text("ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def work(context: JobContext, claims: JobClaims, job: JobRecord) -> None:
    """Do a claimed job to its end, whatever that is."""
    try:
        result = perform(context, job, JobProgress(claims, job.id))
    except JobGoneError:
        error: IowattError | None = None
    except IowattError as raised:
        error = raised
    except MemoryError:
        error = InputError("too-large", None, "the job exceeds the memory limit")
    except Exception as raised:
        _log.exception("iowatt: a fault of ours in job %s", job.id)
        error = IowattError("internal", None, f"internal error: {type(raised).__name__}: {raised}")
    else:
        if not claims.finish(job.id, result):
            discard(context.workspace, job)
        return
    if error is None or not claims.fail(job.id, error):
        discard(context.workspace, job)
    if error is None:
        claims.drop(job.id)


def _die_with_the_server(called: threading.Event) -> None:
    """End this process with the server; ``called`` is set when the server sends a byte."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    source = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)  # no document reads what the server sends
    os.dup2(nothing, 1)
    os.close(nothing)

    def listen() -> None:
        while os.read(source, 4096):
            called.set()
        os._exit(0)

    threading.Thread(target=listen, name="iowatt-server", daemon=True).start()


def _warm_up() -> None:
    """Import what jobs need, so that none waits for it."""
    import polars  # noqa: F401

    import iowatt.core
    import iowatt.evaluate.evaluation
    import iowatt.pages.choose
    import iowatt.sources.outputs
    import iowatt.trace.measure  # noqa: F401
    from iowatt.evaluate.choose import run_choose  # noqa: F401
    from iowatt.sources.measured import measured_run  # noqa: F401
    from iowatt.sources.simulation import build_record  # noqa: F401


if __name__ == "__main__":
    main()
