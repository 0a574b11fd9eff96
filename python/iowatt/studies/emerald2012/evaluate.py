"""From the sweeps to tables, figures and verdicts."""

from __future__ import annotations

from iowatt.base.results import Note
from iowatt.render.document import Section
from iowatt.studies.emerald2012 import charts, conclusions, experiments, knee, points, systems, tables
from iowatt.studies.emerald2012.systems import FULL, QUICK, Scale
from iowatt.studies.stages import Results, Stage
from iowatt.studies.study import Findings
from iowatt.studies.study import notes as coded

__all__ = ["FULL", "QUICK", "findings", "stages"]


def stages(scale: Scale) -> list[Stage]:
    """The sweeps at a scale: the family, and the experiments on the causes of differences."""
    return [*systems.stages(scale), *(experiments.stages(scale) if scale.experiments else [])]


def findings(results: Results, scale: Scale) -> Findings:
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
    sections = [
        Section("beside", "Published beside ours", beside),
        Section("peaks", "Peaks", peaks),
        Section("curves", "Curves", curves),
        Section("idle", "Ready idle", [tables.idle(found)]),
        Section("three", "Baseline, predicted, measured", [tables.three(found)]),
        Section("constants", "What it rests on", [tables.constants(), tables.defects(found)]),
    ]
    verdicts = conclusions.all_of(found)
    return Findings(verdicts, sections, notes(scale), results.table(), chart="curves-raid-5")


def notes(scale: Scale) -> list[Note]:
    """What every figure here rests on."""
    of = systems.family()
    sentences = {
        "one-set-of-constants": "One set of constants for all points: seven, of which two are two idle "
        "points' and five are fitted to the seven RAID-5 figures of the 15k drives and to their peaks; three "
        "of these each act on one metric alone. RAID-10, the mixes 60/40 and 80/20, the other idle points, "
        "the submission and the baseline are predictions.",
        "submission": "The submission is judged at the response times that were measured; ours at the "
        "estimate's 20 ms is a second row.",
        "stand-in-drives": "Every configuration is that of iowatt emerald bff examples/emerald/online3.toml. "
        "Drives are the library's, which stand for the classes that the training names; their mechanics are "
        "recalled from data sheets (iowatt devices show emerald2012-*).",
        "closed-loops": "Random profiles are closed loops whose mean response time is 20 ms: about "
        f"{scale.requests:,} requests ({scale.fine_requests:,} by single drives) after so many as write the "
        f"cache {scale.fills:g} times over. Where the back end is the limit, mixed ones are then up to 1.5 % "
        f"above their steady state. Sequential ones keep {of.file.test.sequential_read.outstanding} requests "
        "outstanding whatever the number of drives.",
        "unstable-baseline": "The published run of the baseline's sequential writes never became stable; "
        "ours are steady states.",
    }
    if scale is not FULL:
        sentences["reduced-peaks"] = (
            "A metric within 5 % here may be far off in the whole study. A peak at the edge of what was "
            "tried counts as not tried."
        )
    reduced = "few configurations and short runs, too short for the cache to settle"
    own = [Note(code="family", text=text) for text in of.file.notes]
    return [*coded(sentences, reduced="" if scale is FULL else reduced), *own]
