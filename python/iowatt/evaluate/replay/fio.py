"""A trace replayed by fio while meters read power, and how well fio kept the trace's times.

fio replays a log (``read_iolog``); three of its properties decide the shape of what is written here (fio
3.33):

- A log of version 3 waits from request to request, so oversleeping adds up; the ``wait`` of version 2 lasts
  until a moment on the clock that all jobs share, in ms, and nothing adds up.
- With an asynchronous engine fio looks for completions only when its queue is full, so response times are
  those of filling the queue, and the last requests are never counted. A synchronous engine times each
  request.
- So requests are dealt to many synchronous jobs in turn: as many can be outstanding as there are jobs."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from iowatt.base.errors import InputError, IowattError
from iowatt.evaluate.replay.trace import ReplayTrace
from iowatt.sources import process
from iowatt.sources.fio import read_replay_log
from iowatt.sources.lateness import Lateness, lateness
from iowatt.sources.meters import split_name
from iowatt.sources.meters.recording import InstrumentRequest, Recorders

if TYPE_CHECKING:
    from iowatt.evaluate.replay.target import ReplayTarget

TARGET: Final = "target"
OUTPUT: Final = "fio.json"
JOB: Final = "job.fio"
#: Time that fio gets to start its jobs and read their logs: for all, and for each request of a job.
_LEAD_MS: Final = 1000
_LEAD_US_EACH: Final = 20


def write_job(trace: ReplayTrace, folder: Path, *, depth: int, direct: bool) -> int:
    """Write the job file and its logs into ``folder``, where the target is ``target``; gives the lead in ms.

    ``depth``: most requests outstanding.
    """
    count = trace.time_ns.size
    jobs = min(depth, count)
    lead = _LEAD_MS + count // jobs * _LEAD_US_EACH // 1000
    stamps = lead + np.rint(trace.time_ns / 1e6).astype(np.int64)
    lines = [
        "# A trace of iowatt's, dealt out to jobs in turn.",
        "[global]",
        "ioengine=psync",
        "thread=1",
        f"direct={int(direct)}",
        f"filename={TARGET}",
        "log_unix_epoch=1",
        # One kind of response time is enough: from the call to its return.
        "disable_clat=1",
        "disable_slat=1",
        "clat_percentiles=0",
        "lat_percentiles=1",
    ]
    for number in range(jobs):
        own = slice(number, None, jobs)
        text = _log(stamps[own], trace.write[own], trace.offset[own], trace.size[own])
        (folder / f"part{number}.iolog").write_text(text, "ascii")
        lines += [f"[part{number}]", f"read_iolog=part{number}.iolog", "write_lat_log=replay"]
    (folder / JOB).write_text("\n".join(lines) + "\n", "ascii")
    return lead


def _log(
    stamps: np.ndarray[tuple[int], np.dtype[np.int64]],
    write: np.ndarray[tuple[int], np.dtype[np.bool_]],
    offset: np.ndarray[tuple[int], np.dtype[np.uint64]],
    size: np.ndarray[tuple[int], np.dtype[np.uint32]],
) -> str:
    lines = ["fio version 2 iolog", f"{TARGET} add", f"{TARGET} open"]
    for stamp, writes, at, length in zip(
        stamps.tolist(), write.tolist(), offset.tolist(), size.tolist(), strict=True
    ):
        lines.append(f"{TARGET} wait {stamp} 0")
        lines.append(f"{TARGET} {'write' if writes else 'read'} {at} {length}")
    return "\n".join([*lines, f"{TARGET} close"]) + "\n"


#: How much longer than the trace fio may take, as a factor and in s, before it hangs.
_ALLOWANCE: Final = (3.0, 120.0)


def recorders(addresses: Sequence[str], folder: Path, interval_s: float) -> Recorders:
    """Recorders of the instruments at addresses (``pdu=snmp://...``). Raises ``InputError``."""
    return Recorders([InstrumentRequest(*split_name(text), interval_s) for text in addresses], folder)


def run_fio(
    trace: ReplayTrace, target: ReplayTarget, folder: Path, *, depth: int, stop: threading.Event, mark: str
) -> None:
    """Replay the trace by fio, whose files are left in ``folder``.

    Raises ``InputError`` where fio is not there or refuses, ``IowattError`` where it dies.
    """
    program = shutil.which("fio")
    if program is None:
        raise InputError("tool-missing", None, "fio is not on the PATH", hint="Debian: apt install fio")
    lead_ms = write_job(trace, folder, depth=depth, direct=target.direct)
    link = folder / TARGET
    link.symlink_to(Path(target.name).absolute())
    words = [program, "--output-format=json+", f"--output={OUTPUT}"]
    # A trace that only reads: fio must not write in any case.
    words += [] if trace.write.any() else ["--readonly"]
    factor, seconds = _ALLOWANCE
    try:
        ended = process.run(
            [*words, JOB],
            folder=folder,
            stop=stop,
            limit_s=lead_ms / 1e3 + factor * trace.seconds + seconds,
            mark=mark,
        )
    finally:
        link.unlink(missing_ok=True)
        for part in folder.glob("part*.iolog"):
            part.unlink()
    if ended.status or ended.overdue or not (folder / OUTPUT).exists():
        raise IowattError("tool-failed", target.name, f"fio {ended.words}{_said(folder)}")


def _said(folder: Path) -> str:
    for name in ("stderr.txt", "stdout.txt"):
        path = folder / name
        lines = path.read_text("utf-8", "replace").split("\n") if path.exists() else []
        told = [line.strip() for line in lines if line.strip()]
        if told:
            return f": {told[0][:300]}"
    return ""


#: Lateness due to rounding: stamps of waits and of logs are whole milliseconds.
RESOLUTION_MS: Final = 2.0


def lateness_of(trace: ReplayTrace, folder: Path) -> Lateness:
    """From the logs in ``folder``. The k-th request made is compared with the k-th of the trace."""
    found = [read_replay_log(path) for path in sorted(folder.glob("replay_lat.*.log"))]
    made = np.sort(np.concatenate([rows.time_ms - rows.value / 1e6 for rows in found]))
    asked = trace.time_ns / 1e6
    behind = made[: asked.size] - asked[: made.size]
    # When fio began is not known to the ms: the requests that were most in time say it.
    behind = np.maximum(behind - np.quantile(behind, 0.01), 0.0)
    return lateness(behind, RESOLUTION_MS)
