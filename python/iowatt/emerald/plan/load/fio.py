"""A stage as a job file of fio, to be run with ``fio --output-format=json+ FILE``.

The mixes are those of :mod:`iowatt.sources.export.fio`: the hot band is 18 jobs, one for each sequential
stream and one for each direction of the uniform and the hot streams, each with ``rate_iops`` and Poisson
arrivals. Around them this file puts what a measurement needs:

- a log of requests, bytes and latencies for every job, with Unix time (fio 3.33: ``log_unix_epoch``
  gives absolute ms, a row is one direction of one window), and bins of whole response times in the JSON;
- never ``group_reporting``: shares are checked job by job;
- ``refill_buffers``: data that cannot be reduced; ``allow_file_create=0``: a mistyped name makes no file;
- another seed for each stage, so that a measurement does not repeat the addresses of its warm-up.

Where several targets are named, fio goes round them, request by request, and a range of the workload is that
range of each of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from iowatt.base.errors import InputError
from iowatt.emerald.phases import FILL, RANDOM, SEQUENTIAL
from iowatt.emerald.plan.load.workloads import (
    STREAM_BYTES,
    TestedRange,
    comments,
    idle_error,
    outstanding,
    prepared,
    profile_name,
    rate_of,
    span,
)
from iowatt.emerald.plan.model import Plan, PlanStage
from iowatt.model.profile import load
from iowatt.sources.export import apportion, describe_omissions, export_fio, poisson_rate
from iowatt.sources.observation import ObservedShare
from iowatt.sources.target import takes_direct

# Logs with a row for each request count exactly on a busy machine too, and have the longest response. They
# are chosen where rows are not too many (fio keeps them in memory until it ends); of a closed loop the rate
# of a fast device is assumed.
_MOST_ROWS: Final = 2e6
_CLOSED_IOPS: Final = 500_000.0
# Otherwise windows in an interval of a minute: half seconds where minutes count, as fio cuts rates to whole
# requests per second, and only windows under a second tell two such rates apart.
_WINDOWS: Final = {"prefill": 6, "conditioning": 6}
_WINDOWS_COUNTED: Final = 120
# fio on a busy machine does not keep to shorter windows (of rehearsals).
_LEAST_WINDOW_MS: Final = 50
# fio ends a value at ; and #, expands $, and separates files by colons; the plan separates them by commas.
_REFUSED: Final = "#;$,"

Job = tuple[str, list[str]]


def job_text(
    plan: Plan,
    stage: PlanStage,
    *,
    folder: Path = Path(),
    direct: bool | None = None,
    part: tuple[int, int] = (0, 1),
) -> str:
    """The job file of a stage; its logs go to ``folder`` (default: where fio is started).

    ``direct``: whether to go past the page cache; default: unless a target that exists cannot.
    ``part``: which of so many hosts it is for that share the range: sequential requests keep to its part.
    Raises ``InputError``: the stage is idle, needs a rate that the plan does not have, or a load that fio
    cannot make; a name has a character that a job file cannot hold.
    """
    if stage.workload is None:
        raise idle_error(stage)
    tested = span(plan)
    for name in (*tested.paths, str(folder)):
        _checked(name)
    if direct is None:
        direct = all(takes_direct(Path(p)) for p in tested.paths if Path(p).exists())
    seed = _seed(plan, stage)
    if stage.workload in SEQUENTIAL:
        jobs, notes = _sequential(stage, tested, part), _sequential_notes(stage)
    else:
        jobs, notes = _random(plan, stage, tested, seed)
    lines = [*_head(plan, stage, tested, notes), "", *_global(plan, stage, tested, seed, direct=direct)]
    for name, options in jobs:
        lines += ["", f"[{name}]", *options, *_logs(stage, folder, name)]
    return "\n".join(lines) + "\n"


def shares_of_streams(stage: PlanStage, observed: Sequence[ObservedShare]) -> list[ObservedShare]:
    """Shares of the workload's streams from those of the jobs that ``job_text`` makes of them.

    A stream's share is the profile's; each of its jobs has a part, in whole requests per second.
    Sequential stages have one stream, and their jobs stay as they are.
    """
    if stage.workload not in RANDOM:
        return list(observed)
    found = []
    for stream in load(profile_name(stage.workload)).profile.stream:
        names = {stream.name, f"{stream.name}-read", f"{stream.name}-write"}
        seen = math.fsum(share.observed for share in observed if share.stream in names)
        found.append(ObservedShare(stream.name, stream.share or 0.0, seen))
    return found


def _head(plan: Plan, stage: PlanStage, tested: TestedRange, notes: list[str]) -> list[str]:
    length = "until the whole range is written" if stage.seconds is None else f"{stage.seconds:g} s"
    does = "Reads" if stage.workload in ("RR", "SR") else "THIS WRITES to"
    return comments(
        "#",
        plan,
        f"{plan.name}: stage {stage.id}, {stage.workload}, {length}; rules {plan.rules.profile}",
        f"{does} the first {tested.bytes_each} bytes of {', '.join(tested.paths)}",
        "Run: fio --output-format=json+ --output=fio.json FILE",
        *(f"not expressed: {line}" for line in notes),
    )


def _global(plan: Plan, stage: PlanStage, tested: TestedRange, seed: int, *, direct: bool) -> list[str]:
    names = ":".join(path.replace("\\", "\\\\").replace(":", "\\:") for path in tested.paths)
    times = [] if stage.seconds is None else [f"runtime={_time(stage.seconds)}"]
    if stage.workload != FILL:
        times.append("time_based=1")
    return [
        "[global]",
        f"filename={names}",
        "allow_file_create=0",
        "ioengine=libaio",
        f"direct={int(direct)}",
        "thread=1",
        *times,
        "norandommap=1",
        "random_generator=tausworthe64",
        f"randseed={seed}",
        "refill_buffers=1",
        "disable_slat=1",
        "lat_percentiles=1",
        "clat_percentiles=0",
        "log_unix_epoch=1",
        *_windows(stage),
    ]


def _windows(stage: PlanStage) -> list[str]:
    """The length of the logs' windows; none where each request has a row."""
    rate = _CLOSED_IOPS if stage.closed else stage.rate_iops or 0.0
    few = stage.seconds is not None and rate * stage.seconds <= _MOST_ROWS
    if few:
        return []
    window = round(stage.interval_s * 1000 / _WINDOWS.get(stage.role, _WINDOWS_COUNTED))
    return [f"log_avg_msec={max(window, _LEAST_WINDOW_MS)}"]


def _logs(stage: PlanStage, folder: Path, job: str) -> list[str]:
    """Requests, bytes and latencies by window; a log of every request is one of latencies alone."""
    logs = ("write_iops_log", "write_bw_log", "write_lat_log") if _windows(stage) else ("write_lat_log",)
    return [f"{log}={folder / job}" for log in logs]


def _random(plan: Plan, stage: PlanStage, tested: TestedRange, seed: int) -> tuple[list[Job], list[str]]:
    """Jobs of the exported profile, without the options that ``[global]`` sets here."""
    if stage.closed and stage.workload == "HB":
        text = (
            "fio cannot run the hot band as fast as possible: its jobs run independently, so their shares "
            "would follow from their response times"
        )
        hint = "give a rate; `iowatt emerald calibrate` finds the highest one"
        raise InputError("unsupported", f"stage {stage.id}", text, hint=hint)
    ready = prepared(plan, stage, seed=seed, target=tested.paths[0], bytes_each=tested.bytes_each)
    exported = export_fio(ready)
    jobs: list[Job] = []
    for line in exported.text.splitlines():
        if line.startswith("[") and line != "[global]":
            jobs.append((line.strip("[]"), []))
        elif line and jobs and not line.startswith("runtime="):
            jobs[-1][1].append(_for_targets(line, len(tested.paths)))
    if not jobs:
        text = f"{stage.rate_iops:g} IOPS are less than 1 IOPS for every job"
        hint = "fio's rates are whole numbers"
        raise InputError("out-of-range", f"stage {stage.id}: rate_iops", text, hint=hint)
    return jobs, describe_omissions(exported.omissions)


def _for_targets(option: str, targets: int) -> str:
    """An option for several targets: fio's ``size`` is that of all of them, ``offset`` that of each."""
    key, _, value = option.partition("=")
    return f"size={int(value) * targets}" if key == "size" else option


def _sequential(stage: PlanStage, tested: TestedRange, of_range: tuple[int, int]) -> list[Job]:
    """A job for each cursor, each in a separate part."""
    whole, (host, hosts) = tested.bytes_each // STREAM_BYTES, of_range
    first = whole * host // hosts
    blocks = whole * (host + 1) // hosts - first
    if stage.streams > blocks:
        text = f"{stage.streams} streams need 256KiB each, and there are {blocks * STREAM_BYTES} bytes"
        raise InputError("out-of-range", f"stage {stage.id}: streams", text)
    allowed = outstanding(stage)
    if allowed < stage.streams:
        text = f"{allowed} outstanding requests are too few for {stage.streams} streams"
        raise InputError("out-of-range", f"stage {stage.id}: outstanding", text)
    name = "fill" if stage.workload == FILL else str(stage.workload).lower()
    even = [1.0] * stage.streams
    parts, depths = apportion(even, blocks), apportion(even, allowed)
    rates: list[int | None] = [None] * stage.streams
    if not stage.closed and stage.workload != FILL:
        rates = [*apportion(even, max(stage.streams, round(rate_of(stage))))]
    jobs, at = [], first
    for number, (part, depth, rate) in enumerate(zip(parts, depths, rates, strict=True), 1):
        options = [
            "rw=read" if stage.workload == "SR" else "rw=write",
            f"bs={STREAM_BYTES}",
            f"offset={at * STREAM_BYTES}",
            f"size={part * STREAM_BYTES * len(tested.paths)}",
            f"iodepth={depth}",
        ]
        if rate is not None:
            options += [f"rate_iops={poisson_rate(rate)}", "rate_process=poisson"]
        jobs.append((name if stage.streams == 1 else f"{name}{number}", options))
        at += part
    return jobs


def _sequential_notes(stage: PlanStage) -> list[str]:
    if stage.streams == 1 or stage.workload == FILL:
        return []
    return [f"{stage.streams} streams over the whole range; each walks a separate part, as fio's jobs do"]


def _seed(plan: Plan, stage: PlanStage) -> int:
    """The plan's seed, another one for each stage."""
    names = [planned.id for planned in plan.stages]
    place = names.index(stage.id) if stage.id in names else len(names)
    return plan.seed * 1000 + place


def _checked(name: str) -> None:
    wrong = next((c for c in name if c in _REFUSED or ord(c) < 32 or ord(c) == 127), None)
    if wrong is not None or name != name.strip():
        reason = repr(wrong) if wrong is not None else "a blank at its end"
        text = f"{name!r} has {reason}, which a name in a job file of fio cannot have"
        raise InputError("unsupported", "target", text)


def _time(seconds: float) -> str:
    return str(round(seconds)) if seconds == round(seconds) else f"{round(seconds * 1e6)}us"
