"""The heat of a Run or a trace: density, skew, course over time and stability."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from iowatt.base.errors import InputError
from iowatt.base.results import Note
from iowatt.lenses.heat import skew
from iowatt.lenses.heat.extents import AddressSpace, Extents
from iowatt.lenses.heat.result import (
    AddressBand,
    BehindCache,
    CurvePoints,
    Directions,
    HeatOverTime,
    HeatResult,
    HotSetStability,
    PeriodStability,
    PointHeat,
    SharesOver,
    SortedDensity,
    SpaceHeat,
)

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

MAP_BANDS = 64
MOST_COLUMNS = 48
#: Periods between which hot sets are compared, at most, and the share of the space that is called hot.
MOST_COMPARED = 24
HOT_SHARE = 0.10
BYTES_PER_GB = 1e9

MOST_BANDS = 240
#: Points of a curve: every percent, and finer at the hot end.
_AT = np.unique(np.concatenate([[0.0], np.geomspace(1e-4, 0.02, 24), np.linspace(0.01, 1.0, 100)]))
#: I/Os of a mean extent below which chance shows as skew, and periods are hard to compare.
FEW = 20
FEW_EXTENTS = 100
"""Touched extents below which the hottest percents of the space are parts of one extent."""
#: Touched share of the space below which ``auto`` takes shares over the touched extents.
MOSTLY = 0.5

Over = Literal["auto", "capacity", "touched"]


def band_edges(span: tuple[int, int], most: int) -> Ints:
    """Edges of at most so many bands of extents from ``span[0]`` until ``span[1]``, as equal as can be."""
    first, last = span
    found: Ints = np.linspace(first, last, min(most, last - first) + 1).round().astype(np.int64)
    return found


def picture(extents: Extents, span: tuple[int, int]) -> HeatOverTime:
    """Density by band of addresses and period, over the extents of a span."""
    columns, joined = _joined(extents.periods, MOST_COLUMNS)
    edges = band_edges(span, MAP_BANDS)
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

    ``number`` counts the extents of which ``hot_share`` are hot: the hottest of each period, fewer where
    fewer were touched.
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


def analyse(
    points: Sequence[Extents], name: str, path: str | None = None, *, over: Over = "auto"
) -> HeatResult:
    """Density, skew and course of the I/O at each point.

    Parameters
    ----------
    over
        What shares of the space are shares of: all of its ``capacity``, or the extents that were ``touched``;
        ``auto`` is the capacity where at least half of it was touched at each point.

    Raises
    ------
    InputError
        No request came within the window.
    """
    counts = [len(np.unique(extents.extent)) for extents in points]
    if not any(counts):
        raise InputError("empty", path or name, "has no request within its window")
    chosen: SharesOver
    if over == "auto":
        mostly = all(
            count >= MOSTLY * extents.total for count, extents in zip(counts, points, strict=True) if count
        )
        chosen = "capacity" if mostly else "touched"
    else:
        chosen = over
    seen = [extents for count, extents in zip(counts, points, strict=True) if count]
    found = [_point(extents, chosen) for extents in seen]
    return HeatResult(
        run=name,
        path=path,
        shares_over=chosen,
        window_s=points[0].duration_s,
        points=found,
        behind_cache=_behind(found),
        notes=list(_notes(points, found, chosen)),
    )


def _point(extents: Extents, over: SharesOver) -> PointHeat:
    extent, reads, writes, bytes_read, bytes_written = extents.touched()
    io, size = reads + writes, extents.sizes(extent)
    touched_bytes = float(size.sum())
    whole, number = float(extents.capacity_bytes), extents.total
    first, last = 0, extents.total
    if over == "touched":
        whole, number = touched_bytes, len(extent)
        first, last = int(extent[0]), int(extent[-1]) + 1
    order = skew.order(io, size)
    curve = skew.curve(io, size, whole, order)
    seconds = max(extents.duration_s, 1e-9)
    total = float(io.sum())
    return PointHeat(
        point=extents.point,
        capacity_bytes=extents.capacity_bytes,
        extent_bytes=extents.extent_bytes,
        extents=extents.total,
        touched_extents=len(extent),
        touched_bytes=int(touched_bytes),
        period_s=extents.period_s,
        reads=int(reads.sum()),
        writes=int(writes.sum()),
        bytes_read=int(bytes_read.sum()),
        bytes_written=int(bytes_written.sum()),
        iops=total / seconds,
        iops_per_gb=total / seconds / (whole / BYTES_PER_GB) if whole else 0.0,
        skew=skew.figures(curve, total / number),
        curve=_curve_points(curve, reads, writes, size=size, whole=whole, order=order),
        density_sorted=_sorted(io, size, order, whole, seconds),
        density_by_address=_by_address(extents, (first, last), (extent, reads, writes), seconds),
        directions=_directions(reads, writes, size, whole, order),
        over_time=picture(extents, (first, last)),
        stability=stability(extents, number),
        spaces=[_space(extents, space, (extent, io), seconds, over) for space in extents.spaces],
    )


def _curve_points(
    curve: skew.HeatCurve,
    reads: Floats,
    writes: Floats,
    *,
    size: Floats,
    whole: float,
    order: npt.NDArray[np.int64],
) -> CurvePoints:
    """The curve, and of what lies there how much is reads and writes of all reads and writes."""
    read, write = (
        skew.curve(way, size, whole, order).at(_AT).tolist() if way.sum() > 0 else []
        for way in (reads, writes)
    )
    return CurvePoints(
        space_share=_AT.tolist(), io_share=curve.at(_AT).tolist(), read_share=read, write_share=write
    )


def _sorted(
    io: Floats, size: Floats, order: npt.NDArray[np.int64], whole: float, seconds: float
) -> SortedDensity:
    """Density over the share of space that is as hot or hotter, hottest first; steps at ``space_share``."""
    if len(order) == 0:
        return SortedDensity(space_share=[], iops_per_gb=[])
    density = io[order] / seconds / (size[order] / BYTES_PER_GB)
    share = np.cumsum(size[order]) / whole
    keep = np.unique(np.concatenate([np.geomspace(1, len(order), 200), [len(order)]]).round().astype(int)) - 1
    return SortedDensity(space_share=share[keep].tolist(), iops_per_gb=density[keep].tolist())


def _by_address(
    extents: Extents,
    span: tuple[int, int],
    touched: tuple[npt.NDArray[np.int64], Floats, Floats],
    seconds: float,
) -> list[AddressBand]:
    """Density of reads and writes in bands of equal numbers of extents of a span, in order of address."""
    extent, reads, writes = touched
    edges = band_edges(span, MOST_BANDS)
    bands = len(edges) - 1
    band = np.minimum(np.searchsorted(edges, extent, side="right") - 1, bands - 1)
    gigabytes = np.diff(edges) * (extents.extent_bytes / BYTES_PER_GB)
    by_way = [
        np.bincount(band, weights=way, minlength=bands) / seconds / gigabytes for way in (reads, writes)
    ]
    return [
        AddressBand(
            from_gb=float(edges[at]) * extents.extent_bytes / BYTES_PER_GB,
            until_gb=float(edges[at + 1]) * extents.extent_bytes / BYTES_PER_GB,
            read_iops_per_gb=float(by_way[0][at]),
            write_iops_per_gb=float(by_way[1][at]),
        )
        for at in range(bands)
    ]


def _directions(
    reads: Floats, writes: Floats, size: Floats, whole: float, order: npt.NDArray[np.int64]
) -> list[Directions]:
    """Reads and writes on the hottest shares of the space, in the order of all I/O."""
    by_read, by_write = (skew.curve(way, size, whole, order) for way in (reads, writes))
    every_read, every_write = float(reads.sum()), float(writes.sum())
    rows = []
    for share in (*skew.HOTTEST, 0.5, 1.0):
        read, write = float(by_read.at(share)) * every_read, float(by_write.at(share)) * every_write
        rows.append(
            Directions(
                space_share=share,
                read_share=read / every_read if every_read else None,
                write_share=write / every_write if every_write else None,
                writes_of_io=write / (read + write) if read + write else None,
            )
        )
    return rows


def _space(
    extents: Extents,
    space: AddressSpace,
    touched: tuple[npt.NDArray[np.int64], Floats],
    seconds: float,
    over: SharesOver,
) -> SpaceHeat:
    extent, io = touched
    own = (extent >= space.first) & (extent < space.first + space.extents)
    size = extents.sizes(extent[own])
    whole, number = float(space.capacity_bytes), space.extents
    if over == "touched":
        whole, number = float(size.sum()), len(size)
    found = skew.curve(io[own], size, whole, skew.order(io[own], size))
    total = float(io[own].sum())
    figures = skew.figures(found, total / max(number, 1))
    return SpaceHeat(
        name=space.name,
        capacity_bytes=space.capacity_bytes,
        touched_bytes=int(size.sum()),
        iops=total / seconds,
        iops_per_gb=total / seconds / (space.capacity_bytes / BYTES_PER_GB),
        gini=figures.gini,
        k=figures.law.k,
        skew_point=figures.skew_point,
    )


def _behind(found: Sequence[PointHeat]) -> BehindCache | None:
    """I/O behind the cache over I/O in front of it, where both were counted."""
    by_point = {point.point: point for point in found}
    if len(by_point) < 2:
        return None
    front, back = by_point["front"], by_point["back"]

    def over(behind: float, before: float) -> float | None:
        return behind / before if before else None

    return BehindCache(
        io=over(back.iops, front.iops),
        reads=over(back.reads, front.reads),
        writes=over(back.writes, front.writes),
        bytes_read=over(back.bytes_read, front.bytes_read),
        bytes_written=over(back.bytes_written, front.bytes_written),
    )


def _named(point: str) -> str:
    return point if point == "trace" else f"{point} end"


def _notes(points: Sequence[Extents], found: Sequence[PointHeat], over: SharesOver) -> Iterator[Note]:
    yield Note(
        code="request-in-one-extent",
        text="A request counts in the extent where it begins, its bytes where they lie.",
    )
    if over == "touched":
        yield Note(
            code="shares-of-touched-space",
            text="Shares of the space are of the extents that were touched, not of the capacity.",
        )
    for extents in points:
        if len(extents.extent) == 0:
            yield Note(
                code="no-requests",
                text=f"{_named(extents.point)}: no request within the window.",
                decides=True,
            )
    for point in found:
        name = _named(point.point)
        if 0 < point.touched_extents < FEW_EXTENTS:
            yield Note(
                code="few-extents",
                text=f"{name}: only {point.touched_extents} extents of {point.extent_bytes >> 20:,} MiB were "
                "touched, so shares of the space are coarse. observe.heat.extent in the scenario sets "
                "smaller extents.",
            )
        mean = (point.reads + point.writes) / max(point.touched_extents, 1)
        if 0 < mean < FEW:
            chance = skew.gini_by_chance(mean)
            yield Note(
                code="few-requests",
                text=f"{name}: {mean:.3g} I/Os to a touched extent. By chance alone, an even load would "
                f"show a Gini coefficient of {chance:.2f} among them. Larger extents or a longer run tell "
                "more.",
                decides=True,
            )
    for extents in points:
        if extents.duration_s <= 0:
            yield Note(
                code="one-instant",
                text=f"{_named(extents.point)}: all requests are of one instant; densities mean nothing.",
                decides=True,
            )
