"""fio's JSON (normal or plus) as measured cells: one for each group of equal jobs.

Jobs of one name and group are the processes of a cell; jobs of another name that ran beside them make them no
cell of their own, and are refused.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from iowatt.base.errors import InputError
from iowatt.evaluate.measured.cell import Cell, Measured, Op, Pattern
from iowatt.evaluate.measured.jobs import JobTimes, measured
from iowatt.sources import fio

_SIZE: Final = re.compile(r"([0-9]{1,15})\s*([kmgtp]?)(?:i?b)?", re.ASCII)
KINDS: Final[dict[str, tuple[Op, Pattern]]] = {
    "read": ("read", "sequential"), "write": ("write", "sequential"), "rw": ("mixed", "sequential"),
    "readwrite": ("mixed", "sequential"), "randread": ("read", "random"), "randwrite": ("write", "random"),
    "randrw": ("mixed", "random"),
}  # fmt: skip


def read(path: Path) -> list[Measured]:
    """The cells of one output. Raises ``InputError`` with the file and the job."""
    document = fio.read_document(path, joined=True)
    groups: dict[tuple[int, str], list[fio.FioJob]] = {}
    for job in document.jobs:
        groups.setdefault((job.group, job.name), []).append(job)
    together: dict[int, list[str]] = {}
    for group, name in groups:
        together.setdefault(group, []).append(name)
    found = []
    for (group, name), jobs in groups.items():
        place = f"{path}: job {name!r}"
        others = [other for other in together[group] if other != name]
        if others:
            message = f"it ran beside job {others[0]!r}: what each did alone cannot be told"
            raise InputError("unsupported", place, message, hint="`stonewall` runs jobs one after another")
        found.append(replace(_measured(jobs, place), time=_time(document, jobs, single=len(groups) == 1)))
    return found


def _time(
    document: fio.FioDocument, jobs: Sequence[fio.FioJob], *, single: bool
) -> tuple[float, float] | None:
    """When jobs made the requests that are counted; of older versions of fio only where they are all."""
    starts = [job.start for job in jobs if job.start is not None]
    if starts:
        begin = min(starts) + jobs[0].ramp_s
        return begin, begin + max(job.runtime_s for job in jobs)
    return (document.end - max(job.runtime_s for job in jobs), document.end) if single else None


def _measured(jobs: Sequence[fio.FioJob], place: str) -> Measured:
    cell = _cell(jobs, place)
    parts = {way: [job.of(way) for job in jobs] for way in ("read", "write")}
    return measured(
        cell,
        {
            way: [
                JobTimes(
                    part.requests,
                    part.runtime_s,
                    part.completion_mean_s,
                    part.completion_percentiles,
                    part.completion_histogram,
                )
                for part in listed
            ]
            for way, listed in parts.items()
        },
    )


def _cell(jobs: Sequence[fio.FioJob], place: str) -> Cell:
    job = jobs[0]
    kind = job.options.get("rw", job.options.get("readwrite", "read"))
    if kind not in KINDS:
        accepted = ", ".join(KINDS)
        raise InputError("unsupported", f"{place}, rw", f"{kind[:40]!r} is not one of {accepted}")
    if any(part.trims for part in jobs):
        raise InputError("unsupported", place, "it trims; only reads and writes are compared")
    op, pattern = KINDS[kind]
    size = _size(job, place)
    if job.outstanding is None:
        raise InputError("bad-syntax", f"{place}, iodepth", "expected a whole number")
    named = job.options.get("numjobs", "1")
    processes = max(len(jobs), int(named) if named.isascii() and named.isdecimal() and len(named) < 6 else 1)
    reads, writes = (sum(part.of(way).requests for part in jobs) for way in ("read", "write"))
    rates = [part.asked_iops() for part in jobs]
    rate = None
    if all(rates) and job.outstanding == 1:
        rate = math.fsum(one or 0.0 for one in rates) * (processes / len(jobs))
    own = bytes_of(job.options.get("size", ""))
    runtime = max(part.runtime_s for part in jobs)
    return Cell(
        name=job.name,
        op=op,
        read_share={"read": 1.0, "write": 0.0}.get(op, reads / max(1, reads + writes)),
        pattern=pattern,
        size_bytes=size,
        depth=job.outstanding,
        processes=processes,
        rate_per_s=rate,
        duration_s=runtime or None,
        span_bytes=None if own is None else _span(job.options, own, processes),
        source=place,
    )


def _span(options: Mapping[str, str], own: int, processes: int) -> int:
    """Bytes that all processes address: one file of each, unless they share one that is named."""
    return own if "filename" in options else own * processes


def _size(job: fio.FioJob, place: str) -> int:
    text = job.options.get("bs", job.options.get("blocksize", "4k"))
    size = bytes_of(text.split(",")[0])
    if size is None or size <= 0:
        hint = "a cell has one block size: no ranges, no bssplit"
        raise InputError("unsupported", f"{place}, bs", f"{text[:40]!r} is not one size", hint=hint)
    if "bssplit" in job.options or "bsrange" in job.options:
        raise InputError("unsupported", place, "it mixes block sizes; a cell has one")
    return size


def bytes_of(text: str) -> int | None:
    """A size of fio's options, in bytes: 4k, 128KiB, 1g; None where it is none."""
    found = _SIZE.fullmatch(text.strip().lower())
    if found is None:
        return None
    return int(found[1]) << 10 * (" kmgtp".index(found[2]) if found[2] else 0)
