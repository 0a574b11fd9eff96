"""The study's tables: published beside ours, peaks, idle points, three columns of one array, constants,
defects."""

from __future__ import annotations

from collections.abc import Sequence

from iowatt.render.figure import Cell, Figure
from iowatt.studies.emerald2012 import compare, knee, published
from iowatt.studies.emerald2012.compare import FamilyFigure
from iowatt.studies.emerald2012.points import FamilyPoints
from iowatt.studies.emerald2012.published import PRINTED, TEXT
from iowatt.studies.emerald2012.systems import CLASS, SEQUENTIAL, family

_GROUPS = {
    "curves": "peaks and curves",
    "idle": "idle points",
    "submission": "the submission, at the measured response times",
    "baseline": "the baseline",
}


def figures(points: FamilyPoints) -> Figure:
    """Every published figure beside ours."""
    rows: list[list[Cell]] = [
        [
            one.title + (" (in braces)" if one.braces else ""), one.unit, one.published, one.ours,
            100 * one.error, "fitted" if one.fitted else "predicted",
        ]
        for one in [*compare.all_figures(points), *compare.estimate(points)]
    ]  # fmt: skip
    return TEXT.figure("figures", rows)


def errors(points: FamilyPoints) -> Figure:
    """The size of the differences, by what was fitted and by group."""
    every = compare.all_figures(points)
    fitted = [one for one in every if one.fitted]
    predicted = [one for one in every if not one.fitted]
    rows = [_errors("all", every), _errors("fitted", fitted), _errors("predicted", predicted)]
    for group, title in _GROUPS.items():
        rows.append(_errors(f"predicted: {title}", [one for one in predicted if one.group == group]))
    rows.append(
        _errors(
            "not counted above: the submission, at the estimate's 20 ms or load", compare.estimate(points)
        )
    )
    return TEXT.figure("errors", rows)


def _errors(title: str, compared: Sequence[FamilyFigure]) -> list[Cell]:
    worst = max(compared, key=lambda one: abs(one.error), default=None)
    mean = compare.mean_error(compared)
    return [
        title, len(compared), None if mean is None else 100 * mean,
        None if worst is None else 100 * worst.error, "" if worst is None else worst.title,
    ]  # fmt: skip


def peaks(points: FamilyPoints) -> Figure:
    """Drives at the peaks."""
    rows: list[list[Cell]] = []
    for one in compare.peaks(points):
        ours, figure = one.ours, one.figure
        rows.append(
            [
                published.metric_name(figure.metric), published.level_name(figure.raid),
                "single drives" if figure.peak == "drive" else "whole shelves", figure.drives, ours.drives,
                f"{one.tried[0]} to {one.tried[1]}" + ("" if one.inside else ": no peak inside"), ours.value,
                figure.value, None if one.below is None else 100 * (one.below.value / ours.value - 1),
                None if one.above is None else 100 * (one.above.value / ours.value - 1), 100 * ours.busy,
                None if ours.back_end is None else 100 * ours.back_end,
            ]
        )  # fmt: skip
    return TEXT.figure("peaks", rows)


def again(points: FamilyPoints) -> Figure:
    """The counts around the peak by single drives over seeds."""
    tops = knee.tops(points)
    rows: list[list[Cell]] = []
    for drives in knee.counts(points):
        values = [one.value for one in points.of(knee.SEEDS, drives=drives)]
        gap = knee.gap(points, drives, knee.top(points)) if drives != knee.top(points) else None
        rows.append(
            [
                drives, knee.mean(points, drives), min(values), max(values),
                None if gap is None else 100 * gap.mean, None if gap is None else 100 * gap.half,
                tops.count(drives),
            ]
        )  # fmt: skip
    return TEXT.figure("again", rows)


def levels(points: FamilyPoints) -> Figure:
    """RAID-5 and RAID-10 side by side."""
    printed = {(one.metric, one.raid): one for one in PRINTED.figures if one.peak == "shelf"}
    rows: list[list[Cell]] = []
    for metric in ("MW1", "RR", "RW", "SR", "SW"):
        first, second = printed[metric, "raid-5"], printed[metric, "raid-10"]
        if not all(points.find(metric, raid, first.drives) for raid in ("raid-5", "raid-10")):
            continue
        ours = [points.at(metric, raid, first.drives).value for raid in ("raid-5", "raid-10")]
        rows.append(
            [
                published.metric_name(metric), first.drives, ours[0], ours[1], ours[0] / ours[1],
                first.value / second.value,
            ]
        )  # fmt: skip
    return TEXT.figure("levels", rows)


def idle(points: FamilyPoints) -> Figure:
    """Ready idle."""
    rows: list[list[Cell]] = []
    for one in PRINTED.idle:
        ours = points.one(f"idle-{one.configuration}")
        rows.append(
            [
                one.title, ours.raw_gb, ours.idle_w, one.watts or ours.raw_gb / one.gb_per_w, ours.value,
                one.gb_per_w, 100 * (ours.value / one.gb_per_w - 1), "fitted" if one.fitted else "predicted",
            ]
        )  # fmt: skip
    return TEXT.figure("idle", rows)


def three(points: FamilyPoints) -> Figure:
    """Baseline, predicted, measured."""
    measured = {one.metric: one for one in PRINTED.submission}
    estimated = {one.metric: one.value for one in PRINTED.figures if (one.raid, one.drives) == ("raid-5", 50)}
    rows: list[list[Cell]] = []
    for metric in ("MW1", "MW2", "RR", "RW", "SR", "SW"):
        untuned = points.of(f"baseline-{metric.lower()}")
        ours = compare.predicted(points, metric)
        there = compare.at_measured_response(points, measured[metric])
        rows.append(
            [
                published.metric_name(metric), published.unit(metric), PRINTED.baseline.get(metric),
                untuned[0].value if untuned else None, estimated.get(metric), ours, measured[metric].value,
                measured[metric].ms, there, 100 * (there / measured[metric].value - 1),
                100 * (ours / measured[metric].value - 1),
            ]
        )  # fmt: skip
    return TEXT.figure("three", rows)


def constants() -> Figure:
    """The family's constants and their sources."""
    file, own = family().file, family().controller(CLASS)
    work = own.work
    assert work is not None and work.cache is not None and work.back_end is not None
    store, reading = work.cache, file.test.sequential_read
    assert store.mirror is not None
    return TEXT.figure(
        "constants", fitted=sum(one.fitted for one in PRINTED.figures),
        peaks=sum(one.fitted and one.peak != "none" for one in PRINTED.figures),
        pair=own.part[0].model, active_w=own.part[0].active, shelf=file.shelf[0].part[0].model,
        command_us=1e6 * work.back_end.command, destages=store.destage_outstanding,
        cache_mib=(store.size or 0) / 2**20, copy_mb_s=store.mirror.bandwidth / 1e6,
        streams=reading.streams, outstanding=reading.outstanding,
    )  # fmt: skip


def defects(points: FamilyPoints) -> Figure:
    """Known defects of the training, and their effects."""
    one = points.at("SR", "raid-5", 25)
    other = one.value / published.MIB
    rows: list[list[Cell]] = [
        ["The sample form calls MW1 70 % random, 30 % sequential", "70 % reads, all random", ""],
        [
            "MB and MiB are mixed",
            "MB (10^6 bytes); the specification has MiB",
            f"{published.MIB - 1:.2%}: sequential read at 25 drives is {one.value:.3g} MB/s/W or "
            f"{other:.3g} MiB/s/W",
        ],
        [
            "Sequential is 256 KiB in the profile and 128K in the table of levels",
            "256 KiB; 128 KiB as an experiment",
            ", ".join(
                f"{metric} at {small.drives} drives {small.value:.3g} for "
                f"{points.at(metric, 'raid-10', small.drives).value:.3g}"
                for metric in SEQUENTIAL
                for small in points.of(f"exp-128k-{metric.lower()}")
            ),
        ],
        [
            "Metrics have five digits where three are the rule",
            "differences are to three digits",
            "17.255 is 17.3",
        ],
    ]
    return TEXT.figure("defects", rows)
