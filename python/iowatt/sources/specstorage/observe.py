"""Load points of SPECstorage and SPEC SFS as Observations, each a Run of its own."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from iowatt.base.errors import InputError
from iowatt.run.histogram import Histogram
from iowatt.sources.observation import Direction, Interval, Observation, ReportedTotals
from iowatt.sources.specstorage.summary import BenchmarkLoad, load_points

_NAME: Final = re.compile(r"sfssum_.*\.(?:txt|xml|csv)", re.IGNORECASE | re.DOTALL)
_HEAD: Final = re.compile(rb"Business\s+(?:Requested|Metric)", re.IGNORECASE)
#: Of a "KB"; that it is 1,024 bytes was not verified.
_KB: Final = 1024
_NEVER_MET: Final = (
    "no summary of SPECstorage or SPEC SFS has been met yet: compare these figures with the file"
)
_DIRECTIONS: Final = (
    "the summary does not say how many operations read and wrote: all of them are counted as reads; bytes "
    "are by direction, KB of 1,024 bytes (not verified)"
)


def is_summary(path: Path, head: bytes) -> bool:
    """Whether a file is a summary, by its name (``sfssum_*.txt``, ``.xml``, ``.csv``) or its first bytes."""
    return _NAME.fullmatch(path.name) is not None or _HEAD.search(head[:4096]) is not None


def read(path: Path) -> list[Observation]:
    """An observation for each load point, named ``WORKLOAD-BUSINESSMETRIC``, in the order of the summary.

    They are not dated, so that no meter can be laid beside them.
    Raises ``InputError``: the summary is damaged, or a load point ran for no time.
    """
    points = load_points(path)
    names = [f"{one.workload}-{one.figures['business metric']:g}" for one in points]
    return [
        _observation(one, name if names.count(name) == 1 else f"{name}-{number}", path)
        for number, (one, name) in enumerate(zip(points, names, strict=True), 1)
    ]


def _observation(point: BenchmarkLoad, name: str, path: Path) -> Observation:
    figures = point.figures
    seconds, rate = figures["run time"], figures["achieved op rate"]
    if seconds <= 0:
        raise InputError("out-of-range", f"{point.place}: run time", "must be above 0")
    mean_s = figures["average latency"] / 1e3
    moved = {way: round(figures.get(f"{way} throughput", 0.0) * _KB * seconds) for way in ("read", "write")}
    done = round(rate * seconds)
    read_, write = Direction(done, moved["read"], mean_s), Direction(0, moved["write"], None)
    warnings = [_NEVER_MET, _DIRECTIONS]
    if point.invalid:
        warnings.insert(0, f"{point.workload} says that this load point is not valid")
    total = figures.get("overall throughput")
    return Observation(
        name=name,
        tool="specstorage",
        version=f"{point.workload} (the summary does not say its version)",
        start=0.0,
        end=seconds,
        intervals=[Interval(0.0, seconds, read_, write)],
        read=Histogram.of([], [], []),
        write=Histogram.of([], [], []),
        asked_iops=figures.get("requested op rate"),
        reported=ReportedTotals(rate, None if total is None else total * _KB / (1 << 20), mean_s),
        warnings=warnings,
        files=[path],
        dated=False,
    )
