"""What ``iowatt meter`` shows: kinds of instruments, readings, and what a log holds."""

from __future__ import annotations

from collections import Counter
from typing import Final

from iowatt.render import numbers
from iowatt.render.document import Document, Section
from iowatt.render.figure import Cell, Column, Exact, Figure, Table, text_columns
from iowatt.sources.meters.log import Instrument
from iowatt.sources.meters.result import (
    InstrumentOptions,
    LogSummary,
    MeterList,
    MeterReadings,
    ReadInstrument,
    ReadLog,
)

UNITS: Final = {
    "watts": "W", "volts": "V", "amperes": "A", "power_factor": "", "hertz": "Hz", "thd_percent": "%",
    "celsius": "°C", "joules": "J",
}  # fmt: skip


def listing(found: MeterList) -> Document:
    """The document of ``iowatt meter list``."""
    columns = [
        *text_columns("Scheme"), Column("Read", text=True, rank=1), Column("Grade", text=True, rank=1),
        *text_columns("Instrument"), Column("Example", text=True, rank=2),
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [kind.scheme, "live" if kind.live else "log", kind.grade, kind.what, kind.example]
        for kind in found.kinds
    ]
    figures = [Figure("kinds", "Kinds of instruments", "By scheme.", Table(columns, rows), brief=True)]
    sentences = []
    for kind in found.kinds:
        if isinstance(kind, InstrumentOptions):
            options: list[list[Cell]] = [[name, text] for name, text in kind.options.items()]
            table = Table(text_columns("Option", "Meaning"), options)
            figures.append(Figure("options", "Options", f"Of {kind.scheme}: addresses.", table, brief=True))
            sentences.append(f"example: {kind.example}")
    if not sentences:
        sensors = ", ".join(sensor.address for sensor in found.here) or "none"
        sentences.append(f"sensors of this machine: {sensors}")
    title = numbers.counted(len(found.kinds), "scheme")
    sections = [Section("kinds", "Kinds of instruments", figures, sentences)]
    return Document("meters", "instruments", title, sections=sections)


def readings(found: MeterReadings) -> list[Document]:
    """A document for each instrument or log that was read."""
    return [_log(one.log) if isinstance(one, ReadLog) else _live(one) for one in found.instruments]


def recordings(found: list[LogSummary]) -> list[Document]:
    """A document for each recording that was made."""
    return [_log(log) for log in found]


def _live(found: ReadInstrument) -> Document:
    names = list(dict.fromkeys(name for reading in found.readings for name in reading.__pydantic_extra__))
    columns = [Column("Time (UTC)", text=True), *(Exact(name, UNITS[name], digits=5) for name in names)]
    rows: list[list[Cell]] = [
        [reading.time, *(reading.__pydantic_extra__.get(name) for name in names)]
        for reading in found.readings
    ]
    figure = Figure("readings", "Readings", "At the time of the answer.", Table(columns, rows), brief=True)
    return _document(found.instrument, [], [figure])


def _log(found: LogSummary) -> Document:
    columns = [
        Column("Quantity", text=True), Column("Samples"), Column("Expected"), Exact("Mean", digits=5),
        Exact("Lowest", rank=1, digits=5), Exact("Highest", rank=1, digits=5),
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [
            f"{name} ({UNITS[name]})" if UNITS[name] else name,
            of.samples, of.expected, of.mean, of.minimum, of.maximum,
        ]
        for name, of in found.quantities.items()
    ]  # fmt: skip
    figures = [Figure("quantities", "Quantities", "Valid samples only.", Table(columns, rows), brief=True)]
    interval = found.sample_interval_s
    each = "" if interval is None else f", one each {interval:.4g} s"
    verdict = [f"{numbers.counted(found.rows, 'row')}, {found.start} to {found.end}{each}."]
    if found.problems:
        kinds = Counter(problem.kind for problem in found.problems)
        verdict.append(f"Problems: {', '.join(f'{count} {kind}' for kind, count in kinds.most_common())}.")
        problems: list[list[Cell]] = [
            [problem.at or "whole log", problem.kind, problem.text] for problem in found.problems
        ]
        table = Table(text_columns("At (UTC)", "Kind", "Problem"), problems)
        figures.append(Figure("problems", "Problems", "In order of time.", table, brief=True))
    else:
        verdict.append("The log has no problems.")
    return _document(found.instrument, verdict, figures, found.path or "")


def _document(instrument: Instrument, verdict: list[str], figures: list[Figure], path: str = "") -> Document:
    known = (
        instrument.model,
        f"serial {instrument.serial}" if instrument.serial else None,
        f"calibrated {instrument.calibrated}" if instrument.calibrated else None,
        f"uncertainty {instrument.uncertainty_percent:g} %" if instrument.uncertainty_percent else None,
    )
    identity = ", ".join(filter(None, known)) or instrument.kind
    return Document(
        key="meter",
        kind="instrument",
        title=instrument.name,
        meta=", ".join(filter(None, [identity, instrument.grade, path])),
        verdict=[*verdict, f"Grade {instrument.grade}: {instrument.why}."],
        sections=[Section("readings", "Readings", figures)],
    )
