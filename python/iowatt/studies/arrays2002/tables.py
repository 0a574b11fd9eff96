"""Tables 2 to 5 of the study: ours, published, and the difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from iowatt.render.figure import Cell, Figure
from iowatt.studies.arrays2002 import labels
from iowatt.studies.arrays2002 import points as design
from iowatt.studies.arrays2002.detail import Idle, RunDrives
from iowatt.studies.arrays2002.drive_conclusions import ConstantGaps, Experiment
from iowatt.studies.arrays2002.points import METRICS, NAMES, DesignPoint, best, choose
from iowatt.studies.arrays2002.published import PRINTED, TEXT, WORKLOADS


@dataclass(frozen=True)
class SimulatedWorkload:
    """A run of the default array: its requests and their rate, and the mean gap between those of a disk."""

    source: str
    workload: str
    requests: int
    writes: int
    window_s: float
    gap_s: float


def _work(one: SimulatedWorkload | RunDrives | Idle | DesignPoint) -> list[Cell]:
    """The cells that rows by workload and level begin with."""
    level = [] if isinstance(one, SimulatedWorkload) else [f"RAID-{one.level}"]
    return [labels.work(one.source, one.workload), *level]


def workloads(simulated: Sequence[SimulatedWorkload]) -> Figure:
    """Our runs beside those of the study."""
    rows: list[list[Cell]] = []
    for one in simulated:
        theirs, rate = WORKLOADS[one.workload], one.requests / one.window_s
        rows.append(
            [
                *_work(one), one.requests, one.window_s / 3600, rate, theirs.iops,
                100 * (rate / theirs.iops - 1),
                100 * one.writes / one.requests, theirs.write_percent, 1e3 * one.gap_s,
                theirs.interarrival_ms,
            ]
        )  # fmt: skip
    return TEXT.figure("workloads", rows)


def correlation(idle: Sequence[Idle]) -> Figure:
    """Table 2."""
    rows: list[list[Cell]] = []
    for one in idle:
        theirs = WORKLOADS[one.workload].correlation[one.level]
        for lag, ((mean, sigma), published) in enumerate(zip(one.correlation[:5], theirs, strict=False), 1):
            rows.append([*_work(one), lag, mean, sigma, published, mean - published])
    return TEXT.figure("table-2", rows)


def seeks(drives: Sequence[RunDrives]) -> Figure:
    """Table 3."""
    rows: list[list[Cell]] = [
        [
            *_work(one), one.disks,
            one.media_accesses / one.requests * WORKLOADS[one.workload].requests / 1e6,
            WORKLOADS[one.workload].seeks[one.level] if one.disks == 30 else "", one.cylinders,
            WORKLOADS[one.workload].distance[one.level] if one.disks == 30 else "",
        ]
        for one in drives
    ]  # fmt: skip
    return TEXT.figure("table-3", rows)


def queues(drives: Sequence[RunDrives]) -> Figure:
    """Table 4."""
    rows: list[list[Cell]] = [
        [
            *_work(one), one.disks, one.queue_seen,
            one.parity_seen, WORKLOADS[one.workload].queue[one.level], one.queue_mean, one.parity_mean,
        ]
        for one in drives
    ]  # fmt: skip
    return TEXT.figure("table-4", rows)


def optima(points: Sequence[DesignPoint]) -> Figure:
    """Table 5."""
    rows: list[list[Cell]] = []
    for source, workload, level, mine in design.by_case(points):
        for metric, value in METRICS.items():
            ours = best(mine, metric)
            disks, unit = WORKLOADS[workload].best[level][metric]
            at = choose(mine, disks=disks, unit_kib=unit)
            there = at[0] if at else None
            rows.append(
                [
                    labels.work(source, workload), f"RAID-{level}", NAMES[metric], labels.place_of(ours),
                    labels.place(disks, unit), None if ours is None else ours.t_ms,
                    None if there is None else there.t_ms, None if ours is None else ours.e_j,
                    None if there is None else there.e_j,
                    None if ours is None or there is None else 100 * (value(there) / value(ours) - 1),
                ]
            )  # fmt: skip
    return TEXT.figure("table-5", rows)


def floors(points: Sequence[DesignPoint]) -> Figure:
    """Energy per request against what idling alone takes at the published rate."""
    rows: list[list[Cell]] = [
        [
            *_work(one), one.disks, one.e_j,
            PRINTED.idle_w * one.disks * one.interarrival_s, WORKLOADS[one.workload].slope_j * one.disks,
            one.e_j - PRINTED.idle_w * one.disks * one.interarrival_s,
        ]
        for one in choose(points, kind="space", unit_kib=PRINTED.unit_kib)
    ]  # fmt: skip
    rows.sort(key=lambda row: (str(row[0]), str(row[1])))
    return TEXT.figure("floors", rows)


def sensitivity(points: Sequence[DesignPoint]) -> Figure:
    """The optima with one thing about the array changed."""
    rows: list[list[Cell]] = []
    for source, workload, level in design.cases(points):
        for kind in labels.KIND:
            mine = choose(points, kind=kind, source=source, workload=workload, level=level)
            if not mine:
                continue
            fast, frugal = best(mine, "T"), best(mine, "E")
            rows.append(
                [
                    labels.KIND[kind], labels.work(source, workload), f"RAID-{level}", labels.place_of(fast),
                    labels.place_of(frugal), labels.place_of(best(mine, "ET")),
                    None if fast is None else fast.t_ms, None if frugal is None else frugal.e_j,
                    None if frugal is None else 100 * frugal.states_j["idle"] / frugal.e_j,
                ]
            )  # fmt: skip
    return TEXT.figure("sensitivity", rows)


def periodic(gaps: Sequence[ConstantGaps]) -> Figure:
    """The oracles on constant gaps."""
    rows: list[list[Cell]] = [
        [one.length_s, one.periods, one.latency_j, one.derived_j, one.energy_j, 100 * one.latency_share]
        for one in gaps
    ]
    return TEXT.figure("periodic", rows)


def experiments(tried: Sequence[Experiment]) -> Figure:
    """The experiments on causes."""
    rows: list[list[Cell]] = []
    for one in tried:
        lags: list[Cell] = [*one.idle.lag_1_to_5]
        lags += [None] * (5 - len(lags))
        rows.append(
            [
                WORKLOADS[one.workload].name, one.change, one.drives.queue_seen, one.drives.parity_seen,
                *lags, 100 * one.idle.over(1.0), 100 * one.idle.over(2.0),
            ]
        )  # fmt: skip
    return TEXT.figure("experiments", rows)
