"""Parameter files of vdbench: a stage, the whole sequence, and the set that finds the rates.

Written to the rules of vdbench's parser (5.04.06, read in its source). They are ours: the official scripts
could not be read, so their choices (``concatenate``, thread counts, names) may differ.

- The hot band is ``hotband=`` itself, with the skews of the profile; ``iorate=max`` keeps them.
- Times are whole seconds, and ``elapsed`` is a multiple of ``interval``, at least two of them. vdbench leaves
  the first interval out of its average, so a measurement has one interval more.
- A rate that has not been found yet is a variable, ``$HB_iops``, given when vdbench is started.
- Each of several targets is a storage definition: hot bands lie on each. ``concatenate=yes`` would make
  one range of them; what the official script does is not known.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from iowatt.base.errors import InputError
from iowatt.emerald.phases import FILL, SEQUENTIAL
from iowatt.emerald.plan.load.workloads import (
    STREAM_BYTES,
    TestedRange,
    comments,
    idle_error,
    outstanding,
    prepared,
    rate_of,
    span,
)
from iowatt.emerald.plan.model import Plan, PlanStage
from iowatt.sources.export import export_vdbench

#: Steps of the search, in percent of the highest rate.
CURVE: Final = (10, 20, 30, 40, 50, 60, 70, 80, 90, 100)
THREADS: Final = (1, 2, 4, 8, 16, 32, 64)  #: Threads that a sequential workload is tried with.
# Threads where no rate is known yet: 20 ms at 25,000 requests per second, and as many again.
_UNKNOWN_THREADS: Final = 1024
# The fill ends when all is written; vdbench needs a time nevertheless.
_LONGEST_S: Final = 3_600_000
# What separates words, ends a line or begins a variable in a parameter file.
_REFUSED: Final = " ,=()$*#\"'!"


def run_name(stage: PlanStage) -> str:
    """The name of a stage's run definition."""
    return stage.id.replace("-", "_")


def variable(stage: PlanStage) -> str:
    """The variable in place of a rate that has not been found yet."""
    return f"{stage.workload}_iops"


def variables(plan: Plan) -> list[str]:
    """The variables of the test sequence, each once."""
    found = [variable(stage) for stage in _running(plan) if stage.rate_iops is None and not _is_closed(stage)]
    return list(dict.fromkeys(found))


def seconds(stage: PlanStage) -> tuple[int, int]:
    """``elapsed`` and ``interval`` of a stage: whole seconds, with the interval that is not counted."""
    interval = max(1, round(stage.interval_s))
    if stage.seconds is None:
        return _LONGEST_S // interval * interval, interval
    intervals = max(1, round(stage.seconds / interval)) + (stage.role == "measurement")
    return max(2, intervals) * interval, interval


def elapsed_s(stage: PlanStage) -> float:
    """How long vdbench runs a stage, in s."""
    return float(seconds(stage)[0])


def stage_text(plan: Plan, stage: PlanStage) -> str:
    """The parameter file of one stage.

    Raises ``InputError``: the stage is idle or has no rate; a name has a character that a parameter file
    cannot hold.
    """
    if stage.workload is None:
        raise idle_error(stage)
    if not _is_closed(stage):
        rate_of(stage)
    tested = span(plan)
    head = _head(plan, f"stage {stage.id}", f"vdbench -f FILE -o OUTPUT  (run {run_name(stage)})")
    return _text(head, _storage(tested), _workloads(plan, [stage], tested), [_run(stage, tested)])


def sequence_text(plan: Plan) -> str:
    """The whole sequence in one parameter file, up to the ready idle, which follows when it has ended."""
    tested, stages = span(plan), _running(plan)
    given = "".join(f" {name}=RATE" for name in variables(plan))
    head = _head(plan, "test sequence", f"vdbench -f FILE -o OUTPUT{given}")
    rests = [stage for stage in plan.stages if stage.workload is None and stage.seconds is not None]
    tail = [f"* then {stage.id}: {stage.seconds:g} s without requests" for stage in rests]
    return _text(
        head, _storage(tested), _workloads(plan, stages, tested), [_run(s, tested) for s in stages], tail
    )


def rate_finding_text(plan: Plan, limit_ms: float | None) -> str:
    """The set that finds the rates: curves up to the limit for random phases, threads for sequential ones.

    ``limit_ms``: where a curve stops, the limit of the mean response time; ``None``: at the highest rate.
    """
    tested = span(plan)
    stages = _to_find(plan)
    runs = []
    for stage in stages:
        elapsed, interval = seconds(stage)
        name, times = f"find_{stage.phase}", f"elapsed={elapsed},interval={interval}"
        who = f"rd={name},wd={_selected(stage)}"
        if stage.workload in SEQUENTIAL:
            tried = [n for n in THREADS if n >= stage.streams] or [stage.streams]
            runs.append(f"{who},iorate=max,{times},forthreads=({','.join(map(str, tried))})")
        else:
            stop = "" if limit_ms is None else f",stopcurve={limit_ms:g}"
            points = ",".join(map(str, CURVE))
            threads = _threads(_outstanding(stage), tested)
            runs.append(f"{who},iorate=curve,curve=({points}){stop},{times},threads={threads}")
    head = _head(
        plan, "rate finding", "vdbench -f FILE -o OUTPUT, on a system that is filled and conditioned"
    )
    head += [
        f"* random phases: the highest rate with a mean response time of {limit_ms:g} ms at most"
        if limit_ms is not None
        else "* no limit of the response time is known for this category: read the curves",
        "* sequential phases: the number of threads with the highest throughput",
        "* a rate counts only while threads x targets exceed rate x response time",
    ]
    return _text(head, _storage(tested), _workloads(plan, stages, tested), runs)


def _text(*parts: Iterable[str]) -> str:
    return "\n".join(line for part in parts for line in (*part, "")).rstrip("\n") + "\n"


def _head(plan: Plan, what: str, command: str) -> list[str]:
    return comments(
        "*",
        plan,
        f"{plan.name}: {what}; rules {plan.rules.profile}",
        f"THIS WRITES to {plan.target.path}.",
        f"Run: {command}",
    )


def _storage(tested: TestedRange) -> list[str]:
    for path in tested.paths:
        wrong = next((c for c in path if c in _REFUSED or ord(c) < 32 or ord(c) == 127), None)
        if wrong is not None:
            text = f"{path!r} has {wrong!r}, which a name in a parameter file of vdbench cannot have"
            raise InputError("unsupported", "target", text)
    return [
        "sd=default,openflags=o_direct",
        *(f"sd=sd{n},lun={path},size={tested.bytes_each}" for n, path in enumerate(tested.paths, 1)),
    ]


def _workloads(plan: Plan, stages: Iterable[PlanStage], tested: TestedRange) -> list[str]:
    lines = ["wd=default,sd=sd*"]
    for stage in {stage.workload: stage for stage in stages}.values():
        if stage.workload in SEQUENTIAL:
            percent = 100 if stage.workload == "SR" else 0
            streams = f",streams={stage.streams}" if stage.streams > 1 else ""
            lines.append(f"wd={stage.workload},rdpct={percent},seekpct=0,xfersize={STREAM_BYTES}{streams}")
            continue
        # Skews are all that is taken from the export, so any rate will do.
        rated = stage.model_copy(update={"rate_iops": stage.rate_iops or 100.0, "closed": False})
        ready = prepared(plan, rated, seed=plan.seed, target=tested.paths[0], bytes_each=tested.bytes_each)
        ready = replace(ready, sections=ready.sections[:1])
        for line in export_vdbench(ready).text.splitlines():
            if line.startswith("wd=w_"):
                lines.append(f"wd={stage.workload}_{line.removeprefix('wd=w_')}")
    return lines


def _run(stage: PlanStage, tested: TestedRange) -> str:
    elapsed, interval = seconds(stage)
    if _is_closed(stage):
        rate, threads = "max", max(stage.outstanding, stage.streams)
    else:
        rate = f"${variable(stage)}" if stage.rate_iops is None else f"{stage.rate_iops:.10g}"
        threads = _outstanding(stage)
    once = ",maxdata=1" if stage.workload == FILL else ""
    return (
        f"rd={run_name(stage)},wd={_selected(stage)},iorate={rate},elapsed={elapsed},interval={interval}"
        f"{once},threads={_threads(threads, tested)}"
    )


def _outstanding(stage: PlanStage) -> int:
    """Requests outstanding at most at a rate, known or not."""
    return outstanding(stage) if stage.rate_iops is not None else max(_UNKNOWN_THREADS, stage.outstanding)


def _selected(stage: PlanStage) -> str:
    return str(stage.workload) if stage.workload in SEQUENTIAL else f"{stage.workload}_*"


def _threads(outstanding: int, tested: TestedRange) -> int:
    """Threads are those of each storage definition."""
    return max(1, -(-outstanding // len(tested.paths)))


def _is_closed(stage: PlanStage) -> bool:
    return stage.closed or stage.workload == FILL


def _running(plan: Plan) -> list[PlanStage]:
    return [stage for stage in plan.stages if stage.workload is not None]


def _to_find(plan: Plan) -> list[PlanStage]:
    """A stage of each phase whose rate, or number of threads, is to be found: as long as a warm-up."""
    found: dict[str, PlanStage] = {}
    for stage in plan.stages:
        # MW2 is a quarter of MW1.
        if stage.role == "warmup" and stage.workload != "MW2":
            found.setdefault(stage.phase, stage)
    return list(found.values())
