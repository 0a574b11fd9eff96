"""The page of ``iowatt emerald run``: each stage with what became of it."""

from __future__ import annotations

from collections.abc import Iterator

from iowatt.emerald.conduct.result import MeasurementResult, StageResult
from iowatt.render import numbers
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Cell, Column, Figure, Table, text_columns


def document(found: MeasurementResult) -> Document:
    """The document of a measurement."""
    rows = [_row(stage) for stage in found.stages]
    columns = [
        *text_columns("Stage", "Status"), Column("Took", text=True), Column("Attempt", rank=1),
        Column("What went wrong", text=True),
    ]  # fmt: skip
    return Document(
        key="emerald-run",
        kind="Emerald measurement",
        title=found.name,
        meta=f"{found.source} · rules {found.rules} · {found.path}",
        verdict=list(_verdict(found)),
        sections=[
            Section("stages", "Stages", [Figure("stages", "Stages", "", Table(columns, rows), brief=True)])
        ],
        caveats=[Caveat(f"instrument {text}", True) for text in _meters(found)],
    )


def _verdict(found: MeasurementResult) -> Iterator[str]:
    done = sum(stage.status == "finished" for stage in found.stages)
    stages = f"{done} of {numbers.counted(len(found.stages), 'stage')} finished"
    state = "The measurement is complete" if found.finished else "The measurement is not finished"
    took = "" if found.begun is None or found.last is None else f" in {duration(found.last - found.begun)}"
    deviations = numbers.counted(len(found.deviations), "deviation") if found.deviations else "no deviation"
    yield f"{state}: {stages}{took}, {deviations}."
    for one in found.deviations:
        yield f"NON-COMPLIANT: {one.text}"


def _row(stage: StageResult) -> list[Cell]:
    counted = next((one for one in stage.attempts if one.number == stage.counted), None)
    attempt = counted or (stage.attempts[-1] if stage.attempts else None)
    if attempt is None:
        return [stage.stage, stage.status, None, None, None]
    took = None if attempt.ended is None else duration(attempt.ended - attempt.started)
    return [stage.stage, stage.status, took, attempt.number, None if counted else attempt.text]


def _meters(found: MeasurementResult) -> Iterator[str]:
    for one in found.meter_failures:
        if "seconds" in one:
            yield f"{one['meter']} was back after {one['seconds']:.1f} s"
        else:
            yield f"{one['meter']} failed: {one['text']}"


def duration(seconds: float) -> str:
    """1:02:03, or 4.5 s where it is short."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"
