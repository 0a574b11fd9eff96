"""Runs that decide between possible causes of a difference: one thing about the family, the load or
the level is changed."""

from __future__ import annotations

from dataclasses import replace

from iowatt.emerald import family as families
from iowatt.emerald.family import Candidate, Group
from iowatt.evaluate.search import parse_axes
from iowatt.evaluate.search.rate import RateRequest
from iowatt.render.figure import Cell
from iowatt.studies.emerald2012 import product, systems
from iowatt.studies.emerald2012.systems import SEED, FamilyScale, family
from iowatt.studies.stages import StudyStage

#: Shares of the capacity that the submission may have been tested on.
SHARES = (0.5, 0.25)
#: A sequential driver that was tuned: one stream, and what Little's law gives of the submission (2.3 GB/s,
#: 6 ms).
TUNED = ("streams=1", "outstanding=56")
#: A limit on bytes written to drives: of mirrored data each byte counts twice.
HALVED = 'controller.lower.work.cache.mirror.bandwidth="425MB/s"'
DEEPER = "controller.lower.work.cache.destage_outstanding=640"
#: A pair that draws no more at work than at rest.
RESTING = 'controller.lower.part=[{name="controllers",model="snia-online3-controllers"}]'
UNLIMITED = 'controller.lower.work.back_end={command="0s"}'
_HIGHER = "controller.higher.work"
#: What the baseline may have been, by experiment: metric, and the change. Reads outstanding that give the
#: rate of 8 IOPS/W at the measured 4,600 W; a back end of 49,000 commands a second; a little read-ahead; a
#: limit on bytes written to drives.
UNTUNED = {
    "exp-baseline-reads": ("RR", ("configuration.baseline.outstanding=384",)),
    "exp-baseline-back-end": ("MW1", (f'{_HIGHER}.back_end={{command="20.4us"}}',)),
    "exp-baseline-ahead": (
        "SR",
        (
            f"{_HIGHER}.cache.read=true",
            f'{_HIGHER}.cache.size="2GiB"',
            f'{_HIGHER}.cache.read_ahead={{most="256KiB"}}',
        ),
    ),
    "exp-baseline-written": ("SW", (f'{_HIGHER}.cache.mirror.bandwidth="425MB/s"',)),
}


def stages(scale: FamilyScale) -> list[StudyStage]:
    """All of them."""
    return [
        *_knees(scale), *_submission(scale), *_sequential(scale), *_baseline(scale), *_untuned(scale),
        *product.stages(scale),
    ]  # fmt: skip


def _knees(scale: FamilyScale) -> list[StudyStage]:
    """What makes the peaks: without the back end's limit, and with twice as many destages."""
    mixed = _within("MW1", "raid-5", scale)
    writes = _within("RW", "raid-5", scale)
    wide = [count for count in scale.shelves["raid-5"]["MW1"] if count >= 100]
    return [
        systems.stage("exp-unlimited", "MW1", "raid-5", wide, mixed, sets=(UNLIMITED,)),
        systems.stage("exp-destages", "RW", "raid-5", (50, 75, 100, 125), writes, sets=(DEEPER,)),
    ]


def _submission(scale: FamilyScale) -> list[StudyStage]:
    """Its level, and the share of its capacity that was tested."""
    found = []
    for metric, limit_s in (("RR", 0.012), ("MW1", 0.013), ("RW", 0.007)):
        plain = metric.lower()
        for share in SHARES:
            judged = _within(metric, "raid-5", scale, limit_s)
            sets = (f"test.capacity_share={share}",)
            key = f"exp-share-{plain}-{round(100 * share)}"
            found.append(systems.stage(key, metric, "raid-5", (50,), judged, sets=sets, share=share))
        judged = _within(metric, "raid-10", scale, limit_s)
        found.append(systems.stage(f"exp-level-{plain}", metric, "raid-10", (50,), judged))
    return [*found, systems.quarter("exp-resting", scale, RESTING)]


def _sequential(scale: FamilyScale) -> list[StudyStage]:
    found = []
    for metric, name in (("SR", "sequential_read"), ("SW", "sequential_write")):
        length = f'test.{name}.duration="{scale.sequential_s:g}s"'
        small = (length, f'test.{name}.size="128KiB"')
        tuned = (length, *(f"test.{name}.{value}" for value in TUNED))
        plain = metric.lower()
        found.append(systems.stage(f"exp-128k-{plain}", metric, "raid-10", (25, 50), sets=small))
        found.append(systems.stage(f"exp-tuned-{plain}", metric, "raid-5", (50,), sets=tuned))
        found.append(systems.stage(f"exp-tuned-{plain}-raid-10", metric, "raid-10", (50,), sets=tuned))
    length = f'test.sequential_write.duration="{scale.sequential_s:g}s"'
    found.append(systems.stage("exp-written", "SW", "raid-10", (25, 50, 75), sets=(length, HALVED)))
    return found


def _baseline(scale: FamilyScale) -> list[StudyStage]:
    """The baseline's drives under RAID-10."""
    of = family()
    groups = families.named_candidate(of, "baseline").groups
    mirrored = Candidate("higher", tuple(Group(one.drive, one.count, "raid-10") for one in groups), 1)
    judged = replace(_within("MW1", "raid-10", scale), start_per_drive=85)
    text = families.scenario_text(of, mirrored, "MW1")
    labels: dict[str, Cell] = {
        "kind": "exp-baseline-raid-10",
        "metric": "MW1",
        "raid": "raid-10",
        "drives": mirrored.drives,
    }
    axes = parse_axes({SEED: [of.file.seed]})
    return [StudyStage("exp-baseline-raid-10", text, of.base, axes, labels, within=judged)]


def _untuned(scale: FamilyScale) -> list[StudyStage]:
    """One change of the baseline each."""
    found = []
    for key, (metric, sets) in UNTUNED.items():
        judged = replace(_within(metric, "raid-5", scale), start_per_drive=60) if metric == "MW1" else None
        found.append(systems.named(key, "baseline", metric, judged, sets=sets))
    return found


def _within(metric: str, raid: str, scale: FamilyScale, limit_s: float = systems.LIMIT_S) -> RateRequest:
    return systems.within(metric, raid, scale.requests, limit_s, fills=scale.fills)
