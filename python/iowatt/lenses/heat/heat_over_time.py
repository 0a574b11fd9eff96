"""Heat over time: a picture of address by period, and whether what is hot in one period is in the next."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from iowatt.lenses.heat.extents import Extents
from iowatt.lenses.heat.result import HeatOverTime, HotSetStability, PeriodStability

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

MOST_BANDS = 64
MOST_COLUMNS = 48
#: Periods between which hot sets are compared, at most, and the share of the space that is called hot.
MOST_COMPARED = 24
HOT_SHARE = 0.10
BYTES_PER_GB = 1e9


def bands(span: tuple[int, int], most: int) -> Ints:
    """Edges of at most so many bands of extents from ``span[0]`` until ``span[1]``, as equal as can be."""
    first, last = span
    found: Ints = np.linspace(first, last, min(most, last - first) + 1).round().astype(np.int64)
    return found


def picture(extents: Extents, span: tuple[int, int]) -> HeatOverTime:
    """Density by band of addresses and period, over the extents of a span."""
    columns, joined = _joined(extents.periods, MOST_COLUMNS)
    edges = bands(span, MOST_BANDS)
    rows = len(edges) - 1
    band = np.minimum(np.searchsorted(edges, extents.extent, side="right") - 1, rows - 1)
    io = extents.reads + extents.writes
    sums = np.zeros((rows, columns))
    np.add.at(sums, (band, extents.period // joined), io)
    starts = np.arange(columns) * joined * extents.period_s
    seconds = np.minimum(starts + joined * extents.period_s, max(extents.duration_s, 1e-9)) - starts
    gigabytes = np.diff(edges) * (extents.extent_bytes / BYTES_PER_GB)
    density = sums / gigabytes[:, None] / np.maximum(seconds, 1e-9)[None, :]
    return HeatOverTime(
        start_s=(extents.start_s + starts).tolist(),
        end_s=float(extents.start_s + starts[-1] + seconds[-1]),
        end_gb=float(edges[-1]) * extents.extent_bytes / BYTES_PER_GB,
        address_gb=(edges[:-1] * (extents.extent_bytes / BYTES_PER_GB)).tolist(),
        iops_per_gb=[[float(cell) if cell > 0 else None for cell in row] for row in density],
    )


def stability(extents: Extents, number: int, hot_share: float = HOT_SHARE) -> HotSetStability | None:
    """How well the hottest extents of one period predict those of the next; None with a single period.

    ``number`` is that of the extents of which a share is called hot: in each period its hottest ones, fewer
    where fewer were touched.
    """
    groups, joined = _joined(extents.periods, MOST_COMPARED)
    extent, index = np.unique(extents.extent, return_inverse=True)
    if groups < 2 or len(extent) == 0:
        return None
    io = np.zeros((groups, len(extent)))
    np.add.at(io, (extents.period // joined, index), extents.reads + extents.writes)
    io = io[io.sum(axis=1) > 0]
    if len(io) < 2:
        return None
    most = max(1, int(hot_share * number))
    hot = [_hottest(row, most) for row in io]
    pairs = range(1, len(io))
    weight = io[1:].sum()
    caught = sum(io[at][hot[at - 1]].sum() for at in pairs) / weight
    possible = sum(io[at][hot[at]].sum() for at in pairs) / weight
    kept = sum(int(np.isin(hot[at], hot[at - 1]).sum()) for at in pairs) / sum(len(hot[at]) for at in pairs)
    every = _hottest(io.sum(axis=0), most)
    return HotSetStability(
        hot_share=hot_share,
        hot_extents=most,
        periods=len(io),
        period_s=joined * extents.period_s,
        caught=float(caught),
        possible=float(possible),
        kept=float(kept),
        whole=float(io[:, every].sum() / io.sum()),
        by_period=[
            PeriodStability(
                start_s=extents.start_s + at * joined * extents.period_s,
                caught=float(io[at][hot[at - 1]].sum() / io[at].sum()),
                possible=float(io[at][hot[at]].sum() / io[at].sum()),
            )
            for at in pairs
        ],
    )


def _hottest(io: Floats, most: int) -> Ints:
    """Indices of the extents with most I/O, none without any."""
    order = np.argsort(-io, kind="stable")[:most]
    found: Ints = order[io[order] > 0]
    return found


def _joined(periods: int, most: int) -> tuple[int, int]:
    """Columns, and how many periods each holds, so that there are ``most`` at most."""
    joined = -(-periods // most)
    return -(-periods // joined), joined
