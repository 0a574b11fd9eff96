"""What Tables 2 to 4 and the idle figures need of single drives: queues, seeks, idle periods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from iowatt.studies.arrays2002.published import PRINTED
from iowatt.studies.arrays2002.systems import COUNT, IDLE, LEVEL

if TYPE_CHECKING:
    from iowatt.lenses.idle.result import IdlePeriods, OraclePoint
    from iowatt.studies.stages import RecordedIdle, Results, Row, StudyStage

OracleGoal = Literal["energy", "latency"]
"""What an oracle goes by."""


@dataclass(frozen=True)
class RunDrives:
    """The drives of one Run: the queue that an arrival finds, and seek distances."""

    source: str
    workload: str
    level: int
    disks: int
    requests: int
    window_s: float
    #: What an arrival sees at a disk, itself included; the parity disk of RAID-4 is apart.
    queue_seen: float
    parity_seen: float | None
    #: Time averages, the access in service included.
    queue_mean: float
    parity_mean: float | None
    #: Accesses of the media (DiskSim's seeks, however short), and cylinders for each of them.
    media_accesses: int
    cylinders: float
    #: All operations of disks.
    accesses: int


def of_run(stage: StudyStage, row: Row, summary: Mapping[str, Any]) -> RunDrives:
    """The drives of a Run, from its ``run.json``."""
    level, drives = row[LEVEL], summary["devices"]
    data = drives[:-1] if level == 4 else drives
    parity = drives[-1] if level == 4 else None
    media = sum(drive["accesses"] - drive["buffer_hits"] for drive in drives)
    travelled = sum(drive["seeks"] * (drive["seek_distance_mean_cylinders"] or 0.0) for drive in drives)
    return RunDrives(
        source=str(stage.labels["source"]),
        workload=str(stage.labels["workload"]),
        level=level,
        disks=len(drives),
        requests=summary["requests"]["completed"],
        window_s=summary["window"]["duration_s"],
        queue_seen=_seen(data),
        parity_seen=None if parity is None else _seen([parity]),
        queue_mean=sum(drive["queue_length_mean"] for drive in data) / len(data),
        parity_mean=None if parity is None else parity["queue_length_mean"],
        media_accesses=media,
        cylinders=travelled / media if media else 0.0,
        accesses=sum(drive["accesses"] for drive in drives),
    )


def _seen(drives: Sequence[Mapping[str, Any]]) -> float:
    """Mean over all arrivals at these drives; each access arrived once."""
    seen = sum((drive["queue_length_seen"] or 0.0) * drive["accesses"] for drive in drives)
    accesses = sum(drive["accesses"] for drive in drives)
    return float(seen / accesses) if accesses else 0.0


def drives(results: Results) -> list[RunDrives]:
    """Those of every Run of the sweeps for Tables 2 to 4."""
    return [of_run(stage, row, results.run(stage, row).summary) for stage, row in results.rows(kind="detail")]


def recorded(results: Results) -> list[tuple[StudyStage, Row]]:
    """Every point that recorded its idle periods."""
    return [(stage, row) for stage, row in results.rows() if stage.bundles and row.get(IDLE, True)]


@dataclass(frozen=True)
class Idle:
    """The idle periods of one array of the default size."""

    source: str
    workload: str
    level: int
    recorded: RecordedIdle

    @property
    def periods(self) -> IdlePeriods:
        """What the idle lens found."""
        return self.recorded.periods

    @property
    def lag_1_to_5(self) -> list[float]:
        """Mean autocorrelation over disks."""
        return self.periods.autocorrelation.mean[:5]

    @property
    def correlation(self) -> list[tuple[float, float]]:
        """Mean and sigma over disks, lag 1 first."""
        table = self.periods.autocorrelation
        return list(zip(table.mean, table.sigma, strict=True))

    def over(self, seconds: float) -> float:
        """Share of the periods that are longer."""
        for row in self.periods.longer:
            if row.length_s == seconds:
                return row.share_of_periods
        raise KeyError(seconds)

    @property
    def longest(self) -> str:
        """The disk with the longest period."""
        return max(self.periods.devices, key=lambda one: one.longest_s).name

    @property
    def longest_s(self) -> float:
        """The longest period of any disk."""
        return max(one.longest_s for one in self.periods.devices)

    @property
    def last(self) -> str:
        """The last disk, which is the parity disk of RAID-4."""
        return self.periods.devices[-1].name

    def saved(self, goal: OracleGoal, transition_s: float) -> float:
        """Share of all energy that an oracle saves where stopping and starting takes so long together."""
        for row in self.recorded.oracles:
            share = share_of_total(row, goal)
            if abs(row.transition_s - transition_s) < 1e-9 and share is not None:
                return share
        raise KeyError(transition_s)


def share_of_total(point: OraclePoint, goal: OracleGoal) -> float | None:
    """Share of all energy that an oracle saves."""
    return point.energy_saved_share_of_total if goal == "energy" else point.latency_saved_share_of_total


def idle_of(results: Results, stage: StudyStage, row: Row) -> Idle:
    """The idle periods of a Run."""
    source, workload = str(stage.labels["source"]), str(stage.labels["workload"])
    return Idle(source, workload, row[LEVEL], results.idle(stage, row))


def idle(results: Results) -> list[Idle]:
    """Those of the default arrays, all levels."""
    return [
        idle_of(results, stage, row)
        for stage, row in results.rows(kind="detail")
        if row[COUNT] == PRINTED.disks and row[IDLE]
    ]
