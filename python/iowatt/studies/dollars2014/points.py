"""What each system did under each workload: throughput, hits, moves, bytes on the SSD, watts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from iowatt.studies.dollars2014.systems import ACTIVE, EXTENT, HYBRIDS, LIMIT, SEED, THRESHOLD
from iowatt.studies.stages import figure, figures, select

if TYPE_CHECKING:
    from iowatt.run.bundle import Run
    from iowatt.studies.stages import Results, Row, StudyStage

#: Extent in KiB, threshold, most migrations at a time; None of a system without.
Configuration = tuple[int, int, int] | None


@dataclass(frozen=True, kw_only=True)
class HybridPoint:
    """One system under one workload."""

    work: str = figure("work")
    system: str = figure("system")
    #: Empty in the sweeps of the study itself.
    experiment: str = figure("experiment")
    at: Configuration
    #: SSD watts at work, or the seed, where the experiment varies them.
    variation: str
    requests: int = figure("requests.count")
    duration_s: float = figure("window.duration_s")
    iops: float = figure("throughput.iops")
    ms: float = figure("response_time_ms.all.mean")
    #: Share of the requests that the SSD served; None without two devices.
    hit: float | None
    migrations: int
    write_backs: int
    #: Bytes to and from the drives, moves included.
    ssd_written_gb: float
    ssd_read_gb: float
    hdd_busy: float
    power_w: float = figure("power_w.mean")


Pair = tuple[HybridPoint, HybridPoint]
"""Caching and tiering."""


@dataclass(frozen=True)
class LastPart:
    """The last part of the work: a whole Run minus the same Run up to where this part begins."""

    iops: float
    hit: float | None


def last_part(whole: HybridPoint, beginning: HybridPoint) -> LastPart:
    """The work from where ``beginning`` ends; both are the same requests until there."""
    requests = whole.requests - beginning.requests
    seconds = whole.duration_s - beginning.duration_s
    if whole.hit is None or beginning.hit is None:
        return LastPart(requests / seconds, None)
    hits = whole.hit * whole.requests - beginning.hit * beginning.requests
    return LastPart(requests / seconds, hits / requests)


def point(stage: StudyStage, row: Row, run: Run) -> HybridPoint:
    """What a Run of a point says."""
    summary, labels = run.summary, stage.labels
    drives = {device["pool"]: device for device in summary["devices"]}
    ssd, hdd = drives.get("ssd"), drives.get("hdd")
    tiers = summary.get("tiers") or []
    pool = (summary.get("virtual_pools") or [{}])[0]
    return HybridPoint(
        **figures(HybridPoint, labels, summary),
        at=_configuration(row) if labels["system"] in HYBRIDS else None,
        variation=_variation(labels, row),
        hit=tiers[0]["hit_ratio"] if len(tiers) > 1 else None,
        migrations=pool.get("migrations") or 0,
        write_backs=pool.get("write_backs") or 0,
        ssd_written_gb=0.0 if ssd is None else ssd["bytes_written"] / 1e9,
        ssd_read_gb=0.0 if ssd is None else ssd["bytes_read"] / 1e9,
        hdd_busy=0.0 if hdd is None else hdd["utilisation"],
    )


def _variation(labels: Mapping[str, Any], row: Row) -> str:
    if labels["experiment"] == "seeds":
        return f"seed {row[SEED]}"
    return str(row.get(ACTIVE, ""))


def _configuration(row: Row) -> Configuration:
    return int(str(row[EXTENT]).removesuffix("KiB")), int(row[THRESHOLD]), int(row[LIMIT])


def read(results: Results) -> dict[HybridPoint, Run]:
    """All points that were simulated, with their Runs."""
    runs = ((stage, row, results.run(stage, row)) for stage, row in results.rows())
    return {point(stage, row, run): run for stage, row, run in runs}


def of(points: Iterable[HybridPoint], work: str, system: str, experiment: str = "") -> list[HybridPoint]:
    """The points of a sweep."""
    return select(points, work=work, system=system, experiment=experiment)


def pairs(
    points: list[HybridPoint],
    work: str,
    experiment: str = "",
    *,
    tiering: str | None = None,
    caching: str | None = None,
) -> list[Pair]:
    """Caching and tiering of each configuration that both have; either may be of another experiment."""
    tiers = {
        (one.at, one.variation): one
        for one in of(points, work, "tiering", experiment if tiering is None else tiering)
    }
    caches = of(points, work, "caching", experiment if caching is None else caching)
    return [(one, tiers[one.at, one.variation]) for one in caches if (one.at, one.variation) in tiers]


def last_quarters(points: list[HybridPoint], work: str) -> Iterator[tuple[Pair, tuple[LastPart, LastPart]]]:
    """Caching and tiering with their last quarter of the work, where both have a run up to its beginning."""
    early = {(one.system, one.at): one for one in points if one.work == work and one.experiment == "early"}
    for pair in pairs(points, work):
        begun = [early.get((one.system, one.at)) for one in pair]
        if begun[0] is not None and begun[1] is not None:
            yield pair, (last_part(pair[0], begun[0]), last_part(pair[1], begun[1]))
