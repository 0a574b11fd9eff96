"""The study's arrays and workloads as scenarios, and what varies in each sweep."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from iowatt.base.errors import InputError
from iowatt.evaluate.search import parse_axes
from iowatt.studies.arrays2002.published import PRINTED, TEXT, WORKLOADS
from iowatt.studies.stages import StudyStage, captured_traces, scenario_text

LEVELS: Final = (4, 5, 10)
SOURCES: Final = ("captured", "synthetic")

LEVEL: Final = "array.pool.disks.raid.level"
COUNT: Final = "array.pool.disks.count"
UNIT: Final = "array.pool.disks.raid.stripe_unit"
IDLE: Final = "observe.idle"
SPEED: Final = "workload.w.replay.speed"
RATE: Final = "workload.w.profile.rate_iops"

DEVICE: Final = "arrays2002-disk"
OTHER_DEVICE: Final = "arrays2002-disk-18es"
AHEAD_DEVICE: Final = "arrays2002-disk-ahead"

TRACES: Final = {"tpcc": "pg_tpcc_paced_excerpt.parquet", "tpch": "pg_tpch_excerpt.parquet"}
#: Requests per second as captured, over the whole excerpt; the TPC-H one is slowed to the study's rate.
RECORDED_TPCH_IOPS: Final = 3411.6
SPEEDS: Final = {"tpcc": 0.4, "tpch": round(WORKLOADS["tpch"].iops / RECORDED_TPCH_IOPS, 6)}

# The same sizes, shares and rates, but each request for itself, at any time, anywhere.
UNIFORM: Final = {
    "arrays2002-tpcc": (
        'arrivals={law="poisson",rate=141.66}', 'stream.read.range=["0%","100%"]', 'stream.read.align="8KiB"',
        "stream.read.run.requests=1.0000001", 'stream.write.range=["0%","100%"]',
    ),
    "arrays2002-tpch": (
        'arrivals={law="poisson",rate=99.393}', 'stream.scan.access={pattern="uniform"}',
        "stream.scan.run.requests=1.0000001", 'stream.write.arrivals={law="poisson",rate=9.5427}',
        "stream.write.run.requests=1.0000001",
    ),
}  # fmt: skip
#: TPC-H whose writes come one by one and not in bursts; all else as it was.
SPREAD: Final = UNIFORM["arrays2002-tpch"][3:]
#: TPC-C with the write share of the captured trace, 37.08 %.
CAPTURED_WRITES: Final = ("stream.read.share=62.92", "stream.write.share=37.08")

#: Constant gaps in s between requests to one disk: below 41 s, between there and break-even, beyond.
GAPS_S: Final = (40.0, 42.0, 45.0, 50.0, 55.0, 59.0, 61.0, 70.0, 90.0)


@dataclass(frozen=True)
class DesignScale:
    """How much of the design space, and how long."""

    disks: tuple[int, ...]
    units_kib: tuple[int, ...]
    #: Disk counts of the sweeps with something else about the array.
    few_disks: tuple[int, ...]
    #: Disk counts of Tables 3 and 4.
    detail_disks: tuple[int, ...]
    #: Seconds of each captured trace as recorded; ``None`` for all of the excerpt.
    captured_s: dict[str, float | None]
    #: Seconds of each synthetic workload.
    synthetic_s: dict[str, float]
    gaps_s: tuple[float, ...]
    #: Seconds of the one disk with constant gaps.
    periodic_s: float


FULL: Final = DesignScale(
    disks=(24, 26, 28, 30, 32, 34, 36, 38),
    units_kib=(4, 8, 16, 32, 64, 128, 256),
    few_disks=(24, 30, 32, 38),
    detail_disks=(30, 32, 34, 36, 38),
    captured_s={"tpcc": None, "tpch": None},
    synthetic_s={"tpcc": 3600.0, "tpch": 2700.0},
    gaps_s=GAPS_S,
    periodic_s=7200.0,
)
QUICK: Final = DesignScale(
    disks=(24, 30, 32, 38),
    units_kib=(4, 16, 256),
    few_disks=(24, 30, 38),
    detail_disks=(30, 32),
    captured_s={"tpcc": 90.0, "tpch": 10.0},
    synthetic_s={"tpcc": 300.0, "tpch": 300.0},
    gaps_s=(42.0, 50.0, 59.0, 70.0),
    periodic_s=1800.0,
)


def pairs(disks: Sequence[int]) -> list[tuple[int, int]]:
    """Level and disk count: RAID-10 from 30 disks, as in the study."""
    return [(level, count) for level in LEVELS for count in disks if level != 10 or count >= 30]


def traces() -> Path:
    """Where the captured excerpts lie: below the current directory, or beside the package's sources.

    Raises
    ------
    InputError
        They are in neither place.
    """
    folder = captured_traces(*TRACES.values())
    if folder is not None:
        return folder
    raise InputError(
        "not-found",
        "examples/traces",
        f"the captured traces are not here: {', '.join(TRACES.values())}",
        hint="run the study in a copy of the repository, which ships them",
    )


def captured(workload: str, end_s: float | None) -> str:
    """A captured trace at the study's rate, as keys of a workload."""
    end = "" if end_s is None else f', end = "{end_s:g}s"'
    return (
        f"trace = {{ path = {json.dumps(TRACES[workload])}{end} }}\n"
        f'replay = {{ mode = "open", speed = {SPEEDS[workload]} }}'
    )


def synthetic(profile: str, seconds: float, changes: Sequence[str] = ()) -> str:
    """A profile of the library, as keys of a workload."""
    return f'profile = {{ name = "{profile}", duration = "{seconds:g}s", set = {json.dumps(list(changes))} }}'


def scenario(name: str, workload: str, **more: Any) -> str:
    """The study's array under a workload; ``more`` are ``device``, ``disks``, ``phase``, ``controller``."""
    values: dict[str, Any] = {
        "device": DEVICE,
        "disks": PRINTED.disks,
        "unit": PRINTED.unit_kib,
        "phase": "random",
        "controller": "",
    }
    return scenario_text("arrays2002", name=name, workload=workload, **(values | more))


def stages(scale: DesignScale) -> list[StudyStage]:
    """All sweeps of the study. Raises ``InputError`` where the captured traces are missing."""
    folder = traces()
    found = []
    for source in SOURCES:
        for workload in WORKLOADS:
            found += _of_workload(scale, source, workload, folder)
    return [*found, *_experiments(scale, folder)]


def _work(scale: DesignScale, source: str, workload: str) -> str:
    if source == "captured":
        return captured(workload, scale.captured_s[workload])
    return synthetic(WORKLOADS[workload].profile, scale.synthetic_s[workload])


def _of_workload(scale: DesignScale, source: str, workload: str, folder: Path) -> list[StudyStage]:
    work = _work(scale, source, workload)
    units: dict[Any, Any] = {UNIT: [f"{unit}KiB" for unit in scale.units_kib]}
    all_pairs = parse_axes({(LEVEL, COUNT): pairs(scale.disks), **units})
    few_pairs = parse_axes({(LEVEL, COUNT): pairs(scale.few_disks), **units})
    detail = [(level, count, count == PRINTED.disks) for level, count in pairs(scale.detail_disks)]

    def stage(kind: str, over: Any, bundles: bool = False, **more: Any) -> StudyStage:
        name = f"{kind}-{source}-{workload}"
        labels = {"kind": kind, "source": source, "workload": workload}
        return StudyStage(name, scenario(name, work, **more), folder, over, labels, bundles)

    return [
        stage("space", all_pairs),
        stage("detail", parse_axes({(LEVEL, COUNT, IDLE): detail}), bundles=True),
        stage("cache", few_pairs, controller=TEXT.fragment("cache")),
        stage("mechanics", few_pairs, device=OTHER_DEVICE),
        stage("ahead", few_pairs, device=AHEAD_DEVICE),
        stage("spindles", few_pairs, phase="zero"),
    ]


def _experiments(scale: DesignScale, folder: Path) -> list[StudyStage]:
    """Runs that decide between possible causes of a difference."""
    slower = {"tpcc": (WORKLOADS["tpcc"], 0.3708), "tpch": (WORKLOADS["tpch"], 0.0884)}
    found = []
    for workload, (published, writes) in slower.items():
        whole = SPEEDS[workload]
        # Where writes come at the published rate, and half and a tenth of the whole speed.
        rate = RECORDED_TPCH_IOPS if workload == "tpch" else 364.3
        paced = round(published.write_iops / (rate * writes), 6)
        speeds = sorted({whole, whole / 2, whole / 10, *([paced] if paced < whole else [])})
        found.append(
            _experiment(
                f"slower-{workload}",
                captured(workload, scale.captured_s[workload]),
                {SPEED: speeds, LEVEL: [4], IDLE: [True]},
                folder,
                source="captured",
                workload=workload,
            )
        )
    made = (
        ("writes-tpcc", "tpcc", CAPTURED_WRITES),
        ("uniform-tpcc", "tpcc", UNIFORM[WORKLOADS["tpcc"].profile]),
        ("spread-tpch", "tpch", SPREAD),
        ("uniform-tpch", "tpch", UNIFORM[WORKLOADS["tpch"].profile]),
    )
    for key, workload, changes in made:
        work = synthetic(WORKLOADS[workload].profile, scale.synthetic_s[workload], changes)
        varied = {LEVEL: [4], IDLE: [True]}
        found.append(_experiment(key, work, varied, folder, source="synthetic", workload=workload))
    return [*found, _periodic(scale, folder)]


def _experiment(
    key: str, work: str, varied: dict[Any, Any], folder: Path, *, source: str, workload: str
) -> StudyStage:
    labels = {"kind": key, "source": source, "workload": workload}
    return StudyStage(key, scenario(key, work), folder, parse_axes(varied), labels, bundles=True)


def _periodic(scale: DesignScale, folder: Path) -> StudyStage:
    """One disk with requests at constant gaps, for the oracles."""
    arrivals = json.dumps(['arrivals={law="constant"}'])
    text = TEXT.fragment("periodic", seconds=scale.periodic_s, arrivals=arrivals, device=DEVICE)
    labels = {"kind": "periodic", "source": "synthetic", "workload": "constant gaps"}
    return StudyStage(
        "periodic", text, folder, parse_axes({RATE: [1 / gap for gap in scale.gaps_s]}), labels, bundles=True
    )
