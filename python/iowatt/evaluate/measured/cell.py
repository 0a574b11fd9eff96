"""Cells: one measured point each, as the work that made it and what came out of it.

Times are completion times, from the submission of a request to its completion (fio's ``clat``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from iowatt.run.histogram import Histogram

Op = Literal["read", "write", "mixed"]
Pattern = Literal["random", "sequential"]

SHARES: Final = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p99.9": 0.999, "p99.99": 0.9999}
"""Quantiles that are read and simulated, by name."""


@dataclass(frozen=True)
class Cell:
    """The work of a measured point.

    ``depth`` requests are outstanding of each of ``processes``; with ``rate_per_s``, requests arrive at equal
    gaps whatever the drive does, and ``depth`` means nothing.
    """

    name: str
    op: Op
    read_share: float  #: 0 to 1.
    pattern: Pattern
    size_bytes: int
    depth: int = 1
    processes: int = 1
    rate_per_s: float | None = None  #: None: a closed loop.
    duration_s: float | None = None  #: How long it was measured; None where that is not known.
    span_bytes: int | None = None  #: Addresses of all processes together; None: the whole drive.
    beside: tuple[Cell, ...] = ()  #: Work that went on at the same time.
    source: str = ""  #: File and place in it.

    @property
    def outstanding(self) -> int:
        """Requests outstanding of all processes."""
        return self.depth * self.processes


@dataclass(frozen=True)
class Figures:
    """What a drive did: requests per second, times in seconds, watts; None where it is not known.

    ``reads`` and ``writes``: seconds that a share (0 to 1) of the requests does not exceed.
    """

    iops: float
    mean_s: float | None
    reads: Mapping[float, float] = field(default_factory=dict)
    writes: Mapping[float, float] = field(default_factory=dict)
    read_mean_s: float | None = None
    write_mean_s: float | None = None
    read_histogram: Histogram | None = None
    write_histogram: Histogram | None = None
    watts: float | None = None
    samples: int = 0  #: Requests behind the figures.

    @property
    def histogram(self) -> Histogram | None:
        """Both directions in one; None where one of them has none."""
        parts = [part for part in (self.read_histogram, self.write_histogram) if part is not None]
        return Histogram.merged(parts) if parts else None


@dataclass(frozen=True, kw_only=True)
class Measured(Figures):
    """A cell and what was measured; ``beside`` has the figures of ``cell.beside``, in its order."""

    cell: Cell
    beside: tuple[Figures, ...] = ()
    #: Whether its times are known only by wide bins: means and quantiles are interpolated in them.
    binned: bool = False
    #: Unix time, UTC, of its first and its last request; None where it is not known.
    time: tuple[float, float] | None = None


@dataclass(frozen=True, kw_only=True)
class SimulatedCell(Figures):
    """What the model of a drive did at a cell's work."""

    beside: tuple[Figures, ...] = ()


HOST_S: Final = 2.7e-6
"""Processor time of fio for a request where the cells do not say it: the P4510 and P4800X sets (fio 3.35)."""


def host_seconds(measured: Sequence[Measured]) -> float:
    """Processor time of the load generator for a request, seconds; requests of one process take turns.

    A process at depth 1 spends what is left of ``1 / IOPS`` after the completion time on itself: the median
    of such cells with the fewest processes, bounded by the fastest process. ``HOST_S`` where there is none.
    """
    closed = [one for one in measured if one.cell.rate_per_s is None and one.iops > 0]
    alone = [one for one in closed if one.cell.depth == 1 and one.mean_s is not None]
    fewest = min((one.cell.processes for one in alone), default=1)
    spent = sorted(
        one.cell.processes / one.iops - (one.mean_s or 0.0) for one in alone if one.cell.processes == fewest
    )
    found = spent[len(spent) // 2] if spent else HOST_S
    most = min((one.cell.processes / one.iops for one in closed), default=found)
    return max(0.0, min(found, most))
