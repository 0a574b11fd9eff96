"""A measured Run from an observation and the logs of instruments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import polars as pl

from iowatt.base.errors import InputError
from iowatt.base.toml_writer import inline, key
from iowatt.lenses.summary import summarise
from iowatt.run import provenance
from iowatt.run.bundle import Run
from iowatt.run.record import (
    Record,
    RequestFlow,
    RunWindow,
    SourceKind,
    StorageBytes,
    Tables,
    VolumeFlow,
    WorkloadFlow,
)
from iowatt.run.summary_parts import LoadGenerator, OperationCounts, Reported, StreamShare
from iowatt.sources.measured import instruments, tables
from iowatt.sources.measured.flow import RunSpan, flow, join_last, load_spans, rest_spans
from iowatt.sources.meters.log import InstrumentLog, refuse_duplicates, sample_interval
from iowatt.sources.observation import Observation, ObservedOperation

MINUTE_S: Final = 60.0


@dataclass(frozen=True)
class MeasuredAbout:
    """What only the user knows of a measured Run."""

    name: str
    target: str = "target"  #: What the requests went to, in the user's words.
    raw_bytes: int | None = None  #: Bytes of storage bought, where the user says it.
    tested_bytes: int | None = None  #: Bytes of the address range that was tested.
    seed: int = 0
    command: str | None = None
    plan: Mapping[str, Any] = field(default_factory=dict)  #: Further facts for ``plan.json``.
    notes: Sequence[str] = ()


def measured_run(
    about: MeasuredAbout,
    observation: Observation | None,
    *,
    power: Sequence[InstrumentLog] = (),
    temperature: Sequence[InstrumentLog] = (),
    missing: Sequence[str] = (),
    start: float | None = None,
    end: float | None = None,
    interval_s: float = MINUTE_S,
    source: SourceKind | None = None,
) -> Run:
    """The Run of one stretch of a measurement.

    Parameters
    ----------
    observation:
        What the load generator saw; None while storage rested.
    power, temperature:
        Logs of instruments, of any length: what lies within the Run is taken. Several meters are summed.
    missing:
        Names of power meters that should have recorded and did not. A part of the meters is not the power:
        it is unknown with any missing, while what the others recorded stays in ``instruments``.
    start, end:
        Unix times of a rest, UTC; an observation brings its own.
    interval_s:
        Length of the rows of ``intervals``. Finer figures of the load generator are joined.
    source:
        In place of the observation's tool; of a rest, the tool of the measurement that it belongs to.

    Raises ``InputError``: the observation's intervals leave gaps, overlap or are too long; a log does not
    touch the Run at all, or two are of one meter, or the observation does not say when it was.
    """
    refuse_duplicates(power)
    if observation is not None and not observation.dated and (power or temperature):
        raise InputError(
            "missing-figure",
            str(observation.files[0]) if observation.files else observation.name,
            "the date of the recording is not known, so no log of an instrument can be aligned with it",
        )
    if observation is None:
        if start is None or end is None or end <= start:
            raise ValueError("a rest needs its start and its end")
        spans = rest_spans(start, end, interval_s)
    else:
        spans = load_spans(observation, interval_s)
    spans, joined = _sampled(spans, power)
    about = replace(about, notes=[*about.notes, *joined])
    meters = [instruments.cut(log, spans, "power") for log in power]
    thermometers = [instruments.cut(log, spans, "temperature") for log in temperature]
    measurement = _Measurement(observation, spans, meters, thermometers, missing)
    record = _record(about, measurement, source or ("fio" if observation is None else observation.tool))
    inputs = [] if observation is None else [(str(path), path) for path in observation.files]
    inputs += [(str(log.path), log.path) for log in (*power, *temperature) if log.path is not None]
    origin = provenance.gather(
        seed=about.seed,
        inputs=_digests(inputs),
        scenario_text=record.scenario_text,
        # A trace that does not say when it was is dated by its import.
        started_at=datetime.fromtimestamp(spans[0].start, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        if observation is None or observation.dated
        else provenance.now(),
        command=about.command,
    )
    return Run.of(record, summarise(record, origin).as_dict())


def _sampled(spans: list[RunSpan], power: Sequence[InstrumentLog]) -> tuple[list[RunSpan], list[str]]:
    """The spans, the last one joined to the one before where it is too short for a meter to sample it.

    A load generator that stops within an interval leaves a part of it, and a meter with a sample each second
    need not have one in 0.3 s: the whole Run must not lose its energy for that. Returned with a note.
    """
    if len(spans) < 2 or spans[-1].seconds >= spans[-2].seconds:
        return spans, []
    last = spans[-1]
    for log in power:
        apart = sample_interval(log.time_s, log.instrument.sample_interval_s)
        there = (log.time_s > last.start) & (log.time_s <= last.end)
        if apart is not None and last.seconds < apart and not there.any():
            return join_last(spans), [
                f"the last {last.seconds:.3g} s are counted with the interval before: "
                f"{log.instrument.name} has one sample each {apart:.4g} s, and none in them"
            ]
    return spans, []


def _digests(inputs: Sequence[tuple[str, Path]]) -> list[Any]:
    digest = provenance.Digest(inputs)
    digest.start()
    return digest.inputs()


@dataclass(frozen=True)
class _Measurement:
    """All that was recorded, cut at the same spans."""

    observation: Observation | None
    spans: Sequence[RunSpan]
    meters: Sequence[instruments.Cut]
    thermometers: Sequence[instruments.Cut]
    missing: Sequence[str]  #: Power meters that recorded nothing of it.


def _record(about: MeasuredAbout, measurement: _Measurement, source: SourceKind) -> Record:
    observation, spans, cuts = measurement.observation, measurement.spans, measurement.meters
    every = [*measurement.meters, *measurement.thermometers]
    seconds = spans[-1].end - spans[0].start
    requests = flow(spans, observation)
    classes = _classes(observation)
    watts = instruments.summed([] if measurement.missing else [cut.watts for cut in cuts], len(spans))
    started = _moment(spans[0].start) if observation is None or observation.dated else None
    about = replace(about, plan={**_said(observation), **about.plan})
    return Record(
        name=about.name,
        source=source,
        seed=about.seed,
        window=RunWindow(0.0, seconds, 0.0, None if not requests.arrived else seconds),
        total=requests,
        workloads=[
            WorkloadFlow(name, about.target, requests if one is observation else _class_flow(one))
            for name, one in classes.items()
        ],
        volumes=[]
        if observation is None
        else [VolumeFlow(about.target, about.target, about.tested_bytes or 0, requests)],
        tables=Tables(
            intervals=tables.intervals(spans, watts),
            latency=pl.concat(
                [
                    tables.latency(name, about.target, {"read": one.read, "write": one.write})
                    for name, one in classes.items()
                ]
                or [tables.latency("load", about.target, {})]
            ),
            energy=tables.energy([] if measurement.missing else cuts, seconds),
            devices=tables.devices(),
            instruments=instruments.table(every, spans),
            series=_series(classes, spans),
            hops=None if observation is None else tables.hops(observation, "load"),
        ),
        idle_w={},
        capacity=StorageBytes(about.raw_bytes, None, None),
        notes=[*about.notes, *_notes(measurement)],
        plan={"measured": {"start": started, "target": about.target, **about.plan}},
        scenario_text=_as_text(about, started),
        driver=_driver(observation, requests.completed / seconds),
        instruments=instruments.described(every, spans) or None,
    )


def _classes(observation: Observation | None) -> Mapping[str, Observation]:
    """What becomes a workload each: the observation as ``load``, or its classes."""
    if observation is None:
        return {}
    return observation.classes or {"load": observation}


def _class_flow(observation: Observation) -> RequestFlow:
    """The requests of one class, over all of its intervals."""
    parts = [part for part in observation.intervals if part.counted]
    return flow([RunSpan(observation.start, observation.end, parts)], observation)


def _series(classes: Mapping[str, Observation], spans: Sequence[RunSpan]) -> pl.DataFrame | None:
    found = [tables.series(one, spans, name) for name, one in classes.items()]
    known = [table for table in found if table is not None]
    return pl.concat(known) if known else None


def _moment(unix_s: float) -> str:
    return datetime.fromtimestamp(unix_s, UTC).isoformat(timespec="milliseconds")


def _said(observation: Observation | None) -> dict[str, Any]:
    """Facts about the load generator, for ``plan.json``."""
    if observation is None:
        return {}
    said = {"outstanding": observation.outstanding, "busy_percent": observation.busy_percent}
    return {name: value for name, value in said.items() if value is not None}


def _driver(observation: Observation | None, achieved_iops: float) -> LoadGenerator | None:
    """The load generator; None where storage rested, and of a trace or counters, which do not say it."""
    if observation is None or observation.tool in ("trace", "counters"):
        return None
    totals = observation.reported
    return LoadGenerator(
        tool=observation.tool,
        version=observation.version,
        asked_iops=observation.asked_iops,
        achieved_iops=achieved_iops,
        shares=[
            StreamShare(
                stream=share.stream,
                asked=share.asked,
                observed=share.observed,
                iops=share.iops,
                response_mean_ms=_ms(share.response_mean_s),
            )
            for share in observation.shares
        ],
        histogram=observation.histogram_note,
        warnings=list(observation.warnings),
        operations=[_counts(one) for one in observation.operations] or None,
        reported=None
        if totals is None
        else Reported(
            iops=totals.iops,
            mib_per_s=totals.mib_per_s,
            response_mean_ms=_ms(totals.response_mean_s),
        ),
    )


def _counts(one: ObservedOperation) -> OperationCounts:
    return OperationCounts(
        operation=one.name,
        kind=one.kind,
        completed=one.completed,
        errors=one.errors,
        substituted=one.substituted,
        bytes=one.bytes,
        mean_ms=_ms(one.mean_s),
        p50_ms=_ms(one.p50_s),
        p95_ms=_ms(one.p95_s),
        p99_ms=_ms(one.p99_s),
        max_ms=_ms(one.max_s),
    )


def _ms(seconds: float | None) -> float | None:
    return None if seconds is None else seconds * 1e3


def _notes(measurement: _Measurement) -> list[str]:
    observation, notes = measurement.observation, list[str]()
    if observation is not None:
        notes += observation.warnings
        if observation.histogram_note is not None:
            notes.append(f"percentiles come from {observation.histogram_note}")
        elif not (observation.read.total or observation.write.total):
            notes.append("no histogram was kept: percentiles are unknown")
        if observation.series and observation.series_note is not None:
            notes.append(observation.series_note)
        if observation.hops and observation.hops_note is not None:
            notes.append(observation.hops_note)
    if not measurement.meters:
        notes.append("no meter was read: power and energy are unknown")
    elif measurement.missing:
        names = ", ".join(measurement.missing)
        notes.append(f"power and energy are unknown: nothing of {names}, a part of the meters")
    for cut in (*measurement.meters, *measurement.thermometers):
        notes += cut.notes
    return notes


def _as_text(about: MeasuredAbout, started: str | None) -> str:
    """``scenario.toml`` of a Run that no scenario made."""
    lines = ["# Measured, not simulated: given by the user or read from the files."]
    when = {} if started is None else {"start": started}
    given = {"name": about.name, "target": about.target, **when, **about.plan}
    return "\n".join([*lines, *(f"{key(name)} = {inline(value)}" for name, value in given.items())]) + "\n"
