"""From the sweeps to tables, figures and verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iowatt.studies.emerald2012 import charts, conclusions, knee, systems, tables
from iowatt.studies.emerald2012.points import Points
from iowatt.studies.study import Findings, Section

if TYPE_CHECKING:
    from iowatt.studies.results import Results


def evaluate(results: Results, scale: systems.Scale) -> Findings:
    """Everything that the study finds at a scale."""
    points = Points(results)
    peaks = [tables.peaks(points)]
    if knee.seeds(points):
        peaks.append(tables.again(points))
    sections = [
        Section("beside", "Published beside ours", [tables.figures(points), tables.errors(points)]),
        Section("peaks", "Peaks", peaks),
        Section(
            "curves",
            "Curves",
            [
                charts.random(points, "raid-5"),
                charts.single(points),
                charts.random(points, "raid-10"),
                charts.sequential(points),
                tables.levels(points),
            ],
        ),
        Section("idle", "Ready idle", [tables.idle(points)]),
        Section("three", "Baseline, predicted, measured", [tables.three(points)]),
        Section("constants", "What it rests on", [tables.constants(), tables.defects(points)]),
    ]
    return Findings(conclusions.all_of(points), sections, notes(scale), results.table())


def notes(scale: systems.Scale) -> list[str]:
    """What every figure here rests on."""
    of = systems.family()
    said = [
        "One set of constants for all points: seven, of which two are two idle points' and five are fitted "
        "to the seven RAID-5 figures of the 15k drives and to their peaks; three of these each act on one "
        "metric alone. RAID-10, the mixes 60/40 and 80/20, the other idle points, the submission and "
        "the baseline are predictions.",
        "The submission is judged at the response times that were measured; ours at the estimate's 20 ms is "
        "a second row.",
        "Every configuration is that of iowatt emerald bff examples/emerald/online3.toml. Drives are the "
        "library's, which stand for the classes that the training names; their mechanics are recalled from "
        "data sheets (iowatt devices show emerald2012-*).",
        f"Random profiles are closed loops whose mean response time is 20 ms: about {scale.requests:,} "
        f"requests ({scale.fine_requests:,} by single drives) after so many as write the cache "
        f"{scale.fills:g} times over. Where the back end is the limit, mixed ones are then up to 1.5 % above "
        f"their steady state. Sequential ones keep {of.file.test.sequential_read.outstanding} requests "
        "outstanding whatever the number of drives.",
        "The published run of the baseline's sequential writes never became stable; ours are steady states.",
        *of.file.notes,
    ]
    if scale is not systems.FULL:
        said.insert(
            0,
            "Reduced: few configurations and short runs, too short for the cache to settle. No figures "
            "to quote; a metric within 5 % here may be far off in the whole study. A peak at the edge of "
            "what was tried is said to be not tried.",
        )
    return said
