"""What the back end is asked for, by extent, from the heat of a Run on one pool."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from iowatt.lenses.heat.extents import Extents

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class BackEnd:
    """Extents in order of density, the hottest first; untouched ones are in ``cold_bytes`` alone.

    ``size`` bytes, ``reads`` and ``writes`` per second, arrays of one length. ``read_bytes`` and
    ``write_bytes`` are means of a request; ``peak`` is the busiest period's rate over the mean rate.
    """

    size: Floats
    reads: Floats
    writes: Floats
    cold_bytes: float
    extent_bytes: int
    read_bytes: float
    write_bytes: float
    peak: float

    @property
    def total_bytes(self) -> float:
        """Bytes that must be stored."""
        return float(self.size.sum()) + self.cold_bytes

    @property
    def iops(self) -> float:
        """Back-end requests per second."""
        return float(self.reads.sum() + self.writes.sum())


def back_end_load(extents: Extents, stored_bytes: int) -> BackEnd:
    """The load of a pool on which ``stored_bytes`` lie, from its first byte."""
    extent, reads, writes, bytes_read, bytes_written = extents.touched()
    whole = extents.sizes(extent)
    starts = extent * float(extents.extent_bytes)
    size = np.minimum(whole, np.maximum(stored_bytes - starts, 1.0))
    seconds = max(extents.duration_s, 1e-9)
    order = np.argsort(-((reads + writes) / size), kind="stable")
    per_period = np.bincount(extents.period, weights=extents.reads + extents.writes)
    full = per_period[: max(1, int(extents.duration_s / extents.period_s))]
    total = float((reads + writes).sum())
    peak = float(full.max()) / extents.period_s / (total / seconds) if total and len(full) > 1 else 1.0
    return BackEnd(
        size=size[order],
        reads=reads[order] / seconds,
        writes=writes[order] / seconds,
        cold_bytes=max(0.0, stored_bytes - float(size.sum())),
        extent_bytes=extents.extent_bytes,
        read_bytes=float(bytes_read.sum() / reads.sum()) if reads.sum() else 0.0,
        write_bytes=float(bytes_written.sum() / writes.sum()) if writes.sum() else 0.0,
        peak=max(peak, 1.0),
    )
