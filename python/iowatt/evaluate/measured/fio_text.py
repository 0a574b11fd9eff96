"""fio's output for people, as measured cells: of several reports in a file, each is a cell of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from iowatt.base import input_file
from iowatt.base.errors import InputError
from iowatt.evaluate.measured.cell import Cell, Measured
from iowatt.evaluate.measured.fio_json import KINDS, bytes_of
from iowatt.evaluate.measured.jobs import JobTimes, measured

_MOST_BYTES: Final = 64 << 20
_UNITS: Final = {"nsec": 1e-9, "usec": 1e-6, "msec": 1e-3, "sec": 1.0}
#: `name: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) ..., ioengine=libaio, iodepth=32`
HEAD: Final = re.compile(
    r"^(?P<name>.{1,200}): \(g=(?P<group>[0-9]{1,6})\): rw=(?P<rw>\w+), (?P<rest>.{1,1000})$"
)
#: `name: (groupid=0, jobs=4): err= 0: ...`
_JOB: Final = re.compile(
    r"^(?P<name>.{1,200}): \(groupid=(?P<group>[0-9]{1,6}), jobs=(?P<jobs>[0-9]{1,6})\): err="
)
_WAY: Final = re.compile(
    r"^\s{1,8}(?P<way>read|write|trim)\s*: IOPS=.{1,200}/(?P<run>[0-9]{1,15})msec\)", re.IGNORECASE
)
_TIMES: Final = re.compile(
    r"^\s{1,8}clat \((?P<unit>[num]?sec)\): min=.{1,80}?, max=.{1,80}?, "
    r"avg=\s*(?P<mean>[0-9.]{1,20}(?:e[+-]?[0-9]{1,3})?)"
)
_PERCENTILES: Final = re.compile(r"^\s{1,8}(?P<kind>[cs]?lat) percentiles \((?P<unit>[num]?sec)\):")
_PERCENTILE: Final = re.compile(r"([0-9]{1,3}\.[0-9]{1,8})th=\[\s*([0-9]{1,15})\]")
_ISSUED: Final = re.compile(r"^\s{1,8}issued rwts: total=([0-9]{1,18}),([0-9]{1,18})")
_BLOCK: Final = re.compile(r"\([RWT]\) ([0-9.]{1,15})([KMG]?i?)B-([0-9.]{1,15})([KMG]?i?)B")


@dataclass
class _TextJob:
    """A job's lines, as they are read."""

    name: str
    group: int
    processes: int
    line: int
    runs_s: dict[str, float] = field(default_factory=dict)
    means_s: dict[str, float] = field(default_factory=dict)
    percentiles: dict[str, dict[float, float]] = field(default_factory=dict)
    issued: tuple[int, int] | None = None


@dataclass
class _FioReport:
    """One output: what was asked for by job and group, and what came out."""

    asked: dict[tuple[str, int], tuple[int, str, str]] = field(default_factory=dict)
    jobs: list[_TextJob] = field(default_factory=list)


def read(path: Path) -> list[Measured]:
    """The cells of all reports in a file.

    Raises ``InputError`` with the line: a report without its end, a mix of block sizes, jobs that ran beside
    others.
    """
    text = input_file.whole(path, "fio's output", _MOST_BYTES, line=input_file.LOG_LINE_BYTES)
    found = [
        one for report in _reports(text.decode("utf-8", "replace"), path) for one in _cells(report, path)
    ]
    if not found:
        message = "fio's output has no report of a job: fio was killed, or the file was cut"
        raise InputError("damaged", str(path), message)
    return found


def _reports(text: str, path: Path) -> Iterator[_FioReport]:
    report, job, way, unit = _FioReport(), None, "", None
    for number, line in enumerate(text.splitlines(), 1):
        if (head := HEAD.match(line)) is not None:
            if report.jobs:
                yield report
                report, job = _FioReport(), None
            report.asked[head["name"], int(head["group"])] = (number, head["rw"], head["rest"])
        elif (started := _JOB.match(line)) is not None:
            job = _TextJob(started["name"], int(started["group"]), int(started["jobs"]), number)
            report.jobs.append(job)
            unit = None
        elif job is None:
            continue
        elif (way_line := _WAY.match(line)) is not None:
            way, unit = way_line["way"].lower(), None
            job.runs_s[way] = int(way_line["run"]) / 1e3
        elif (times := _TIMES.match(line)) is not None:
            job.means_s[way] = _number(times["mean"], f"{path}:{number}") * _UNITS[times["unit"]]
        elif (of := _PERCENTILES.match(line)) is not None:
            unit = _UNITS[of["unit"]] if of["kind"] == "clat" else None
        elif unit is not None and "th=[" in line:
            shares = job.percentiles.setdefault(way, {})
            shares |= {round(float(p) / 100, 9): int(value) * unit for p, value in _PERCENTILE.findall(line)}
        elif (issued := _ISSUED.match(line)) is not None:
            job.issued = (int(issued[1]), int(issued[2]))
    if report.jobs:
        yield report


def _number(text: str, where: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError("bad-syntax", where, f"{text[:40]!r} is not a number") from None


def _cells(report: _FioReport, path: Path) -> Iterator[Measured]:
    groups: dict[tuple[int, str], list[_TextJob]] = {}
    for job in report.jobs:
        groups.setdefault((job.group, job.name), []).append(job)
    for (group, name), jobs in groups.items():
        place = f"{path}:{jobs[0].line}: job {name!r}"
        beside = [other for at, other in groups if at == group and other != name]
        if beside:
            message = f"it ran beside job {beside[0]!r}: what each did alone cannot be told"
            raise InputError("unsupported", place, message, hint="`stonewall` runs jobs one after another")
        for job in jobs:
            if job.issued is None:
                message = "the report has no line `issued rwts`: it was cut, or fio is older than 3.0"
                raise InputError("damaged", f"{path}:{job.line}: job {name!r}", message)
        yield measured(_cell(jobs, report.asked, place), _times(jobs))


def _times(jobs: Sequence[_TextJob]) -> dict[str, list[JobTimes]]:
    return {
        way: [
            JobTimes(
                (job.issued or (0, 0))[at],
                job.runs_s.get(way, 0.0),
                job.means_s.get(way, 0.0),
                job.percentiles.get(way, {}),
            )
            for job in jobs
        ]
        for at, way in enumerate(("read", "write"))
    }


def _cell(
    jobs: Sequence[_TextJob], asked: Mapping[tuple[str, int], tuple[int, str, str]], place: str
) -> Cell:
    job = jobs[0]
    # With group reporting a group has the name of its first job.
    found = asked.get((job.name, job.group))
    if found is None:
        raise InputError("damaged", place, "the line with its rw, bs and iodepth is not there")
    _, kind, rest = found
    if kind not in KINDS:
        accepted = ", ".join(KINDS)
        raise InputError("unsupported", f"{place}, rw", f"{kind[:40]!r} is not one of {accepted}")
    op, pattern = KINDS[kind]
    reads, writes = (sum((one.issued or (0, 0))[at] for one in jobs) for at in (0, 1))
    depth = re.search(r"iodepth=([0-9]{1,7})\b", rest)
    engine = re.search(r"ioengine=(\w{1,40})", rest)
    synchronous = engine is not None and engine[1] in SYNCHRONOUS
    return Cell(
        name=job.name,
        op=op,
        read_share={"read": 1.0, "write": 0.0}.get(op, reads / max(1, reads + writes)),
        pattern=pattern,
        size_bytes=_size(rest, place),
        depth=1 if synchronous or depth is None else max(1, int(depth[1])),
        processes=sum(one.processes for one in jobs),
        duration_s=max(max(one.runs_s.values(), default=0.0) for one in jobs) or None,
        source=place,
    )


SYNCHRONOUS: Final = frozenset(("sync", "psync", "vsync", "pvsync", "pvsync2", "mmap", "sg", "splice"))


def _size(rest: str, place: str) -> int:
    sizes = {
        bytes_of(f"{value}{unit.rstrip('iB').lower()}") if "." not in value else _exact(value, unit)
        for low, low_unit, high, high_unit in _BLOCK.findall(rest)[:2]
        for value, unit in ((low, low_unit), (high, high_unit))
    }
    if len(sizes) != 1 or None in sizes:
        raise InputError("unsupported", f"{place}, bs", "it mixes block sizes, or names none; a cell has one")
    return next(iter(sizes)) or 0


def _exact(value: str, unit: str) -> int | None:
    size = float(value) * 1024 ** (" KMG".index(unit[0]) if unit else 0)
    return int(size) if size == int(size) else None
