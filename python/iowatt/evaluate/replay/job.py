"""A trace as jobs of fio that keep its times.

fio replays a log (``read_iolog``), and three of its ways decide the shape of what is written here (fio 3.33):

- A log of version 3 waits from request to request, so what each wait oversleeps adds up; the ``wait`` of
  version 2 is until a moment on the clock that all jobs share, in ms, and nothing adds up.
- With an asynchronous engine fio looks for completions only when its queue is full, so that response times
  are those of the queue's filling, and the last requests are never counted. With a synchronous one each
  request is timed by itself.
- So requests go round many synchronous jobs in turn, each with its part of the trace: as many can be
  outstanding as there are jobs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np

from iowatt.evaluate.replay.trace import ReplayTrace

TARGET: Final = "target"
OUTPUT: Final = "fio.json"
JOB: Final = "job.fio"
#: Time that fio gets to start its jobs and read their logs: for all, and for each request of a job.
_LEAD_MS: Final = 1000
_LEAD_US_EACH: Final = 20


def write(trace: ReplayTrace, folder: Path, *, depth: int, direct: bool) -> int:
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
