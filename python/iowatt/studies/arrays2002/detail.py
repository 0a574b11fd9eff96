"""What Tables 2 to 4 and the idle figures need of single drives: queues, seeks, idle periods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from iowatt.studies.arrays2002.published import DISKS
from iowatt.studies.arrays2002.systems import COUNT, IDLE, LEVEL

if TYPE_CHECKING:
    from iowatt.lenses.idle.result import IdlePeriods, OraclePoint
    from iowatt.studies.results import RecordedIdle, Results, Row

Rule = Literal["energy", "latency"]
"""What an oracle goes by."""


@dataclass(frozen=True)
class Drives:
    """The drives of one Run: what an arrival finds, and how far arms go."""

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


def of_run(source: str, workload: str, level: int, summary: Mapping[str, Any]) -> Drives:
    """The drives of a Run, from its ``run.json``."""
    drives = summary["devices"]
    data = drives[:-1] if level == 4 else drives
    parity = drives[-1] if level == 4 else None
    media = sum(drive["accesses"] - drive["buffer_hits"] for drive in drives)
    travelled = sum(drive["seeks"] * (drive["seek_distance_mean_cylinders"] or 0.0) for drive in drives)
    return Drives(
        source,
        workload,
        level,
        len(drives),
        summary["requests"]["completed"],
        summary["window"]["duration_s"],
        _seen(data),
        None if parity is None else _seen([parity]),
        sum(drive["queue_length_mean"] for drive in data) / len(data),
        None if parity is None else parity["queue_length_mean"],
        media,
        travelled / media if media else 0.0,
        sum(drive["accesses"] for drive in drives),
    )


def _seen(drives: Sequence[Mapping[str, Any]]) -> float:
    """Mean over all arrivals at these drives; each access arrived once."""
    seen = sum((drive["queue_length_seen"] or 0.0) * drive["accesses"] for drive in drives)
    accesses = sum(drive["accesses"] for drive in drives)
    return float(seen / accesses) if accesses else 0.0


def drives(results: Results, kind: str = "detail") -> list[Drives]:
    """Those of every Run of these sweeps."""
    found = []
    for key in results.of(kind=kind):
        said = results.stages[key].said
        for row in results.rows(key):
            summary = results.run(key, row).summary
            found.append(of_run(str(said["source"]), str(said["workload"]), row[LEVEL], summary))
    return found


def recorded(results: Results) -> list[tuple[str, Row]]:
    """Every point whose idle periods are there."""
    found = []
    for key, stage in results.stages.items():
        if stage.bundles:
            found += [(key, row) for row in results.rows(key) if row.get(IDLE, True)]
    return found


@dataclass(frozen=True)
class Idle:
    """The idle periods of one array of the default size."""

    source: str
    workload: str
    level: int
    recorded: RecordedIdle

    @property
    def found(self) -> IdlePeriods:
        """What the idle lens found."""
        return self.recorded.found

    @property
    def correlation(self) -> list[tuple[float, float]]:
        """Mean and sigma over disks, lag 1 first."""
        table = self.found.autocorrelation
        return list(zip(table.mean, table.sigma, strict=True))

    def over(self, seconds: float) -> float:
        """Share of the periods that are longer."""
        for row in self.found.longer:
            if row.length_s == seconds:
                return row.share_of_periods
        raise KeyError(seconds)

    @property
    def longest(self) -> tuple[str, float]:
        """The disk with the longest period, and its length in s."""
        most = max(self.found.devices, key=lambda one: one.longest_s)
        return most.name, most.longest_s

    @property
    def longest_s(self) -> float:
        """The longest period of any disk."""
        return self.longest[1]

    @property
    def last(self) -> str:
        """The last disk, which is the parity disk of RAID-4."""
        return self.found.devices[-1].name

    def saved(self, rule: Rule, transition_s: float) -> float:
        """Share of all energy that an oracle saves where stopping and starting takes so long together."""
        for row in self.recorded.oracle_at:
            share = share_of_total(row, rule)
            if abs(row.transition_s - transition_s) < 1e-9 and share is not None:
                return share
        raise KeyError(transition_s)


def share_of_total(point: OraclePoint, rule: Rule) -> float | None:
    """Share of all energy that an oracle saves."""
    return point.energy_saved_share_of_total if rule == "energy" else point.latency_saved_share_of_total


def idle(results: Results) -> list[Idle]:
    """Those of the default arrays, all levels."""
    found = []
    for key in results.of(kind="detail"):
        said = results.stages[key].said
        for row in results.rows(key):
            if row[COUNT] == DISKS and row[IDLE]:
                lens = results.idle(key, row)
                found.append(Idle(str(said["source"]), str(said["workload"]), row[LEVEL], lens))
    return found
