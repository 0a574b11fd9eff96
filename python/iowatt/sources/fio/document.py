"""fio's JSON: version, end, jobs. What cannot be trusted is refused, with the reason."""

from __future__ import annotations

import json
import math
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from iowatt.base import input_file
from iowatt.base.errors import InputError
from iowatt.run.histogram import Histogram
from iowatt.sources.fio.histograms import json_histogram

DIRECTIONS: Final = ("read", "write")
_MOST_BYTES: Final = 1 << 28
_MOST: Final = 1 << 62
_SYNCHRONOUS: Final = frozenset(("sync", "psync", "vsync", "pvsync", "pvsync2", "mmap", "sg", "splice"))
#: A single job is not busy for longer than it runs; a sum over jobs is.
_JOINED: Final = 1.5
_TIME: Final = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,9})?)\s*(us|usec|ms|msec|s|sec|m|min|h|hour|d|day)?s?")
_SECONDS: Final = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_SIZE: Final = re.compile(r"([0-9]{1,15})(?:([kmgtp])(?:i?b)?|b)?")
_MOST_PERCENTILES: Final = 100
#: fio's output for people, and the one with fields between semicolons: as their first lines have it.
_NORMAL: Final = re.compile(r": \(g=[0-9]+\): (?:rw|re)|\(groupid=[0-9]+, jobs=[0-9]+\): err=")
_TERSE: Final = re.compile(r"^[2-9];fio-[0-9]", re.MULTILINE)
_JSON: Final = "fio --output-format=json+ --output=FILE"


@dataclass(frozen=True)
class JobCounts:
    """What a job did in one direction."""

    requests: int
    bytes: int
    runtime_s: float
    timed: int  #: Response times: how many were taken, and their moments in s.
    mean_s: float
    std_s: float
    max_s: float
    histogram: Histogram
    #: Of the part from the submission to the completion (fio's clat); 0 where fio kept none.
    completions: int = 0
    completion_mean_s: float = 0.0
    completion_max_s: float = 0.0
    #: The bins of that part, where there are any.
    completion_histogram: Histogram = field(default_factory=lambda: Histogram.of([], [], []))
    #: Completion times in s by share (0 to 1) of the requests, as fio prints them.
    completion_percentiles: Mapping[float, float] = field(default_factory=dict)


@dataclass(frozen=True)
class FioJob:
    """A job: one process or thread of fio."""

    name: str
    number: int  #: Its place in the document, from 1: the number in the names of its logs.
    options: Mapping[str, str]  #: Global options and its own.
    read: JobCounts
    write: JobCounts
    trims: int
    elapsed_s: float
    start: float | None  #: Unix time of its first request, where this fio says it (since 3.36).
    error: int
    errors: int
    #: Its group: jobs of one group run together, groups mostly one after another (``stonewall``).
    group: int = 0
    #: Share of its run time that it kept a processor busy; None where this fio does not say it.
    busy: float | None = None

    def of(self, direction: str) -> JobCounts:
        """``read`` or ``write``."""
        return self.read if direction == "read" else self.write

    @property
    def runtime_s(self) -> float:
        """How long it made requests."""
        return max(self.read.runtime_s, self.write.runtime_s)

    @property
    def ramp_s(self) -> float:
        """How long it made requests before those that are counted, s."""
        return seconds(self.options.get("ramp_time", "")) or 0.0

    @property
    def asked_s(self) -> float | None:
        """How long it was to make requests, s; None where only their amount is asked for."""
        return seconds(self.options.get("runtime", self.options.get("timeout", ""))) or None

    @property
    def asked_bytes(self) -> int | None:
        """How much it was to read and write in ``size`` or ``io_size``; None where these are no number."""
        found = _SIZE.fullmatch(self.options.get("io_size", self.options.get("size", "")).strip().lower())
        if found is None or "number_ios" in self.options:
            return None
        power = "kmgtp".find(found[2]) + 1 if found[2] else 0
        kilo = self.options.get("kb_base", "1024")
        return int(found[1]) * int((1000 if kilo == "1000" else 1024) ** power)

    @property
    def outstanding(self) -> int | None:
        """Requests that it keeps outstanding at most; None where its options do not say it in a number."""
        depth = self.options.get("iodepth", "1")
        if not (depth.isascii() and depth.isdecimal() and len(depth) < 9):
            return None
        # Engines whose call returns when the request is done hold one, whatever the depth.
        return 1 if self.options.get("ioengine", "psync") in _SYNCHRONOUS else int(depth)

    def asked_iops(self) -> float | None:
        """Requests per second that ``rate_iops`` asks for, of the directions that the job works in."""
        text = self.options.get("rate_iops")
        if text is None:
            return None
        parts = [_rate(part) for part in text.split(",")[:2]]
        rates = parts * 2 if len(parts) == 1 else parts
        if any(rate is None for rate in rates):
            return None
        kind = self.options.get("rw", self.options.get("readwrite", "read"))
        directions = {"read": (True, False), "randread": (True, False)}.get(kind)
        if directions is None:
            directions = (False, True) if kind in ("write", "randwrite") else (True, True)
        return math.fsum(rate or 0.0 for rate, works in zip(rates, directions, strict=True) if works)


@dataclass(frozen=True)
class FioDocument:
    """One run of fio, or jobs of it that ran together."""

    path: Path
    version: str
    written: float  #: Unix time at which fio wrote it, which is after the last request.
    end: float  #: The same, less what groups behind these jobs took.
    jobs: Sequence[FioJob]
    every: Sequence[FioJob]  #: Jobs of all groups: they have logs in the same folder.
    bins_of: str | None  #: In what the bins hold: "lat_ns" or "clat_ns"; None where there are none.
    warnings: Sequence[str]


def read(path: Path, *, joined: bool = False) -> FioDocument:
    """Read fio's JSON output; ``joined``: jobs may be several in one, as group reporting makes them.

    Raises ``InputError``: it cannot be read, is no such output, is damaged, was made by fio 2, by its client
    and server, or, unless ``joined``, with group reporting.
    """
    where = str(path)
    tree, warnings = _parsed(path)
    if "client_stats" in tree:
        message = "the output is that of fio's client, which joins the results of its servers"
        hint = "run fio on each load generator separately, and import each output"
        raise InputError("unsupported", where, message, hint=hint)
    version = tree.get("fio version")
    if not isinstance(version, str) or not isinstance(tree.get("jobs"), list):
        raise InputError("wrong-format", where, 'not fio\'s JSON: "fio version" or "jobs" is missing')
    if version.startswith(("fio-1.", "fio-2.")):
        raise InputError(
            "unsupported", where, f"{version} wrote it, with times in other units; fio 3 or later is needed"
        )
    common = _options(tree.get("global options", {}), "global options", where)
    found = tree["jobs"]
    if not found:
        raise InputError("empty", where, "there is no job: fio did not run any")
    kinds = sum((_kinds(job) for job in found if isinstance(job, dict)), Counter[str]())
    # One kind of all jobs, because two kinds of times do not add up: that of most requests; rather lat,
    # which is all of it.
    bins_of = max(("lat_ns", "clat_ns"), key=lambda kind: kinds[kind]) if kinds else None
    longest = _longest(found, where)
    jobs = [
        _job(job, number, common, bins_of, longest_ns=longest, where=where)
        for number, job in enumerate(found, 1)
    ]
    if not joined:
        _refuse_groups(found, jobs, common, where)
    end = _number(tree.get("timestamp_ms"), "timestamp_ms", where) / 1000.0
    return FioDocument(path, version, end, end, jobs, jobs, bins_of, warnings)


def _parsed(path: Path) -> tuple[dict[str, Any], list[str]]:
    """The last document in the file: with ``--status-interval`` fio writes one each time."""
    where = str(path)
    text = input_file.whole(path, "fio's JSON", _MOST_BYTES).decode("utf-8", "replace")
    if not text.strip():
        raise InputError("empty", where, "the file is empty: fio did not finish")
    found, before, failed = _documents(text)
    if failed:
        message = f"the JSON is not complete ({failed}): fio was killed, or the file was cut"
        hint = "fio writes its JSON when it ends; what it did before can only be in its logs"
        raise InputError("damaged", where, message, hint=hint)
    if not found:
        refuse_other_formats(text, path)
        raise InputError("wrong-format", where, "not JSON of fio", hint=_JSON)
    warnings = []
    said = [line.strip() for line in before.splitlines() if line.strip()]
    if said:
        warnings.append(
            f"lines in front of the JSON are skipped, {len(said)} in all, the first: {said[0][:100]}"
        )
    if len(found) > 1:
        warnings.append(
            f"{path.name} holds {len(found)} outputs (fio's --status-interval): the last one is read"
        )
    return found[-1], warnings


def _documents(text: str) -> tuple[list[dict[str, Any]], str, str]:
    """fio's documents, what stands before the first of them, and why one of them is not whole.

    fio's messages may stand around a document, and in front of its first brace: each begins with the last
    brace before its version.
    """
    decoder = json.JSONDecoder()
    found: list[dict[str, Any]] = []
    before, at = text, 0
    while (version := text.find('"fio version"', at)) >= 0:
        begin = text.rfind("{", at, version)
        if begin < 0 or text[begin + 1 : version].strip():
            at = version + 1
            continue
        try:
            value, at = decoder.raw_decode(text, begin)
        except json.JSONDecodeError as error:
            return found, before, f"line {text.count(chr(10), 0, error.pos) + 1}: {error.msg}"
        except (RecursionError, ValueError):
            return found, before, "it is nested too deeply, or has invalid numbers"
        before = before if found else text[:begin]
        found.append(value)
    if not found and text.lstrip().startswith("{"):
        try:
            value, _ = decoder.raw_decode(text.lstrip())
        except json.JSONDecodeError as error:
            return found, before, f"line {text.count(chr(10), 0, error.pos) + 1}: {error.msg}"
        except (RecursionError, ValueError):
            return found, before, "it is nested too deeply, or has invalid numbers"
        # fio's, with its version elsewhere or without one: read() says what is missing.
        found = [value] if "jobs" in value else []
    return found, before, ""


def refuse_other_formats(text: str, path: Path) -> None:
    """Raise ``InputError`` where a text is fio's normal or terse output."""
    for form, shape in (("normal", _NORMAL), ("terse", _TERSE)):
        if shape.search(text):
            raise InputError(
                "wrong-format", str(path), f"fio's output in the format {form}, not JSON", hint=_JSON
            )


def _kinds(job: Mapping[str, Any]) -> Counter[str]:
    """How many bins of a job hold something, for each kind of response times."""
    found: Counter[str] = Counter()
    for direction in DIRECTIONS:
        done = job.get(direction)
        for kind in ("lat_ns", "clat_ns"):
            times = done.get(kind) if isinstance(done, dict) else None
            if isinstance(times, dict) and isinstance(times.get("bins"), dict):
                found[kind] += len(times["bins"])
    return +found


def _longest(found: Sequence[Any], where: str) -> int:
    """The longest time of all jobs in ns: the last bin, which has no end, ends there for all of them."""
    most = 0.0
    for job in found:
        for direction in DIRECTIONS:
            done = job.get(direction) if isinstance(job, dict) else None
            for kind in ("lat_ns", "clat_ns"):
                times = done.get(kind) if isinstance(done, dict) else None
                if isinstance(times, dict):
                    most = max(most, _number(times.get("max", 0), f"{direction}, {kind}.max", where))
    return int(most)


def _job(
    found: Any, number: int, common: Mapping[str, str], bins_of: str | None, *, longest_ns: int, where: str
) -> FioJob:
    if not isinstance(found, dict) or not isinstance(found.get("jobname"), str):
        raise InputError("damaged", f"{where}: job {number}", "the job has no name")
    name = found["jobname"]
    own = _options(found.get("job options", {}), f"job {name!r}", where)
    done = {
        direction: _counted(found.get(direction), bins_of, longest_ns, f"job {name!r}, {direction}", where)
        for direction in DIRECTIONS
    }
    trim = found.get("trim")
    start = found.get("job_start")
    return FioJob(
        name=name,
        number=number,
        options={**common, **own},
        read=done["read"],
        write=done["write"],
        trims=_whole(trim.get("total_ios", 0), "trim.total_ios", where) if isinstance(trim, dict) else 0,
        elapsed_s=_number(found.get("elapsed", 0), f"job {name!r}, elapsed", where),
        start=_number(start, f"job {name!r}, job_start", where) / 1000.0 if start is not None else None,
        error=_whole(found.get("error", 0), f"job {name!r}, error", where),
        errors=_whole(found.get("total_err", 0), f"job {name!r}, total_err", where),
        busy=_busy(found, name, where),
        group=_whole(found.get("groupid", 0), f"job {name!r}, groupid", where),
    )


def _busy(found: Mapping[str, Any], name: str, where: str) -> float | None:
    if "usr_cpu" not in found or "sys_cpu" not in found:
        return None
    return math.fsum(_number(found[of], f"job {name!r}, {of}", where) for of in ("usr_cpu", "sys_cpu")) / 100


def _options(found: Any, what: str, where: str) -> dict[str, str]:
    if not isinstance(found, dict):
        raise InputError("wrong-type", f"{where}: {what}", "the options are not a table")
    return {str(key): str(value) for key, value in found.items()}


def _counted(found: Any, bins_of: str | None, longest_ns: int, what: str, where: str) -> JobCounts:
    if not isinstance(found, dict):
        raise InputError("missing", f"{where}: {what}", "the table is not there")
    requests = _whole(found.get("total_ios"), f"{what}, total_ios", where)
    times = found.get("lat_ns")
    if not isinstance(times, dict):
        raise InputError("missing", f"{where}: {what}, lat_ns", "the table is not there")

    def moment(key: str) -> float:
        return _number(times.get(key, 0), f"{what}, lat_ns.{key}", where) / 1e9

    timed = _whole(times.get("N", requests), f"{what}, lat_ns.N", where)
    completion = found.get("clat_ns")
    completion = completion if isinstance(completion, dict) else {}

    def part(key: str) -> float:
        return _number(completion.get(key, 0), f"{what}, clat_ns.{key}", where)

    by_kind = {"lat_ns": times, "clat_ns": completion}
    histograms = {
        kind: json_histogram(of.get("bins"), f"{what}, {kind}.bins", where, longest_ns)
        for kind, of in by_kind.items()
    }
    return JobCounts(
        requests=requests,
        bytes=_whole(found.get("io_bytes"), f"{what}, io_bytes", where),
        runtime_s=_number(found.get("runtime"), f"{what}, runtime", where) / 1000.0,
        timed=timed,
        mean_s=moment("mean"),
        std_s=moment("stddev"),
        max_s=moment("max"),
        histogram=histograms[bins_of or "lat_ns"],
        completions=int(part("N")),
        completion_mean_s=part("mean") / 1e9,
        completion_max_s=part("max") / 1e9,
        completion_histogram=histograms["clat_ns"],
        completion_percentiles=_percentiles(completion.get("percentile"), f"{what}, clat_ns", where),
    )


def _percentiles(found: Any, what: str, where: str) -> dict[float, float]:
    """fio's table of percentiles: seconds by share; nothing where it has none."""
    if found is None:
        return {}
    if not isinstance(found, dict) or len(found) > _MOST_PERCENTILES:
        raise InputError("wrong-type", f"{where}: {what}.percentile", "not a table of percentiles")
    shares = {}
    for key, value in found.items():
        percent = _rate(str(key))
        if percent is None or percent > 100:
            raise InputError(
                "bad-syntax", f"{where}: {what}.percentile", f"{str(key)[:40]!r} is not a percentage"
            )
        shares[round(percent / 100, 9)] = _number(value, f"{what}.percentile, {key}", where) / 1e9
    return shares


def _refuse_groups(
    found: Sequence[Mapping[str, Any]], jobs: Sequence[FioJob], common: Mapping[str, str], where: str
) -> None:
    """Refuse group reporting: it gives several jobs one name, one set of options and one rate.

    fio does not always say that it was on, so its traces are looked for as well: fewer jobs than ``numjobs``
    asks for, and a job that was busy for longer than it ran.
    """
    said = [job.name for job in jobs if "group_reporting" in job.options]
    reason = None
    if said or "group_reporting" in common:
        reason = "its options have group_reporting"
    names = Counter(job.name for job in jobs)
    for job, values in zip(jobs, found, strict=True):
        asked = _rate(job.options.get("numjobs", "1")) or 1.0
        if reason is None and asked > names[job.name]:
            there = names[job.name]
            reason = f"job {job.name!r} was to run {asked:.0f} times (numjobs), and is there {there} times"
        busy = values.get("job_runtime")
        if (
            reason is None
            and isinstance(busy, int | float)
            and "ramp_time" not in job.options
            and job.runtime_s >= 0.1
            and busy / 1000.0 > _JOINED * job.runtime_s
        ):
            reason = (
                f"job {job.name!r} was busy for {busy / 1000.0:g} s within {job.runtime_s:g} s: it is "
                "several jobs in one"
            )
    if reason:
        message = (
            f"fio ran with group reporting ({reason}): it then joins jobs under the name, options and rate "
            "of one of them, and their shares cannot be separated"
        )
        hint = "run fio again without group_reporting; iowatt adds jobs up itself"
        raise InputError("unsupported", where, message, hint=hint)


def seconds(text: str) -> float | None:
    """A time of fio's options in s: 60, 90s, 1m, 500ms; None where it is none."""
    found = _TIME.fullmatch(text.strip().lower())
    if found is None:
        return None
    unit = found[2] or "s"
    return float(found[1]) * (_SECONDS[unit[:2]] if unit[:2] in _SECONDS else _SECONDS[unit[0]])


def error_text(number: int) -> str:
    """An error of a job with the system's words for it."""
    return f"{number} ({os.strerror(number)})"


def _rate(text: str) -> float | None:
    """A number of fio: 500, 4k."""
    text = text.strip().lower()
    factor = {"k": 1e3, "m": 1e6}.get(text[-1:], 1.0)
    try:
        value = float(text[:-1] if factor > 1 else text or "0")
    except ValueError:
        return None
    return value * factor if math.isfinite(value) and 0 <= value < 1e15 else None


def _number(value: Any, what: str, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError("wrong-type", f"{where}: {what}", f"{_short(value)} is not a number")
    if isinstance(value, float) and not math.isfinite(value):
        raise InputError("out-of-range", f"{where}: {what}", f"{value} is not finite")
    if not 0 <= value <= _MOST:
        raise InputError("out-of-range", f"{where}: {what}", f"{_short(value)} is outside 0..2^62")
    return float(value)


def _whole(value: Any, what: str, where: str) -> int:
    number = _number(value, what, where)
    return value if isinstance(value, int) else int(number)


def _short(value: Any) -> str:
    if value is None:
        return "nothing"
    text = repr(value) if not isinstance(value, int) or value.bit_length() < 200 else "a very long number"
    return text if len(text) <= 40 else text[:37] + "..."
