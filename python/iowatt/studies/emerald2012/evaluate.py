"""From the sweeps to tables, figures and verdicts."""

from __future__ import annotations

from iowatt.base.results import Note
from iowatt.render.document import Section
from iowatt.studies.emerald2012 import (
    charts,
    conclusions,
    experiments,
    knee,
    points,
    product,
    systems,
    tables,
)
from iowatt.studies.emerald2012.published import TEXT
from iowatt.studies.emerald2012.systems import FULL, QUICK, FamilyScale
from iowatt.studies.stages import Results, StudyStage
from iowatt.studies.study import Findings

__all__ = ["FULL", "QUICK", "findings", "stages"]


def stages(scale: FamilyScale) -> list[StudyStage]:
    """The sweeps at a scale: the family, and the experiments on the causes of differences."""
    return [*systems.stages(scale), *(experiments.stages(scale) if scale.experiments else [])]


def findings(results: Results, scale: FamilyScale) -> Findings:
    """Everything that the study finds at a scale."""
    found = points.read(results)
    beside = [tables.figures(found), tables.errors(found)]
    peaks = [tables.peaks(found), *([tables.again(found)] if knee.seeds(found) else [])]
    curves = [
        charts.random(found, "raid-5"),
        charts.single(found),
        charts.random(found, "raid-10"),
        charts.sequential(found),
        tables.levels(found),
    ]
    three = [tables.three(found), *([product.table(found)] if scale.experiments else [])]
    sections = [
        Section("beside", "Published beside ours", beside),
        Section("peaks", "Peaks", peaks),
        Section("curves", "Curves", curves),
        Section("idle", "Ready idle", [tables.idle(found)]),
        Section("three", "Baseline, predicted, measured", three),
        Section("constants", "What it rests on", [tables.constants(), tables.defects(found)]),
    ]
    verdicts = conclusions.all_of(found)
    return Findings(verdicts, sections, notes(scale), results.table(), chart="curves-raid-5")


def notes(scale: FamilyScale) -> list[Note]:
    """What every figure here rests on."""
    family = systems.family().file
    own = TEXT.noted(
        reduced=scale is not FULL, left_out=["reduced-peaks"] if scale is FULL else [],
        requests=scale.requests, fine_requests=scale.fine_requests, fills=scale.fills,
        outstanding=family.test.sequential_read.outstanding,
    )  # fmt: skip
    return [*own, *(Note(code="family", text=text) for text in family.notes)]
