"""Where requests go: extents by weight, run lengths, and how often a run begins near the last one."""

from __future__ import annotations

from typing import Final

from iowatt.trace.description import Description, SequentialRuns

# Extents that a profile lists at most; beyond, neighbours are joined.
_EXTENTS: Final = 1 << 16


def density(description: Description) -> tuple[int, dict[str, dict[int, int]]]:
    """Bytes of an extent, and the requests that begin in each by direction (``reads``, ``writes``)."""
    figures = description.density
    size, extents = figures.extent_bytes, figures.extents
    numbers = [offset // size for offset in extents.offset_bytes]
    while len(set(numbers)) > _EXTENTS:
        size *= 2
        numbers = [number // 2 for number in numbers]
    found: dict[str, dict[int, int]] = {"reads": {}, "writes": {}}
    for way, counts in found.items():
        for number, count in zip(numbers, getattr(extents, way), strict=True):
            if count:
                counts[number] = counts.get(number, 0) + count
    return size, found


def runs(figures: SequentialRuns) -> list[dict[str, float]]:
    """Run lengths of one direction and their shares of the runs, percent."""
    rows = figures.histogram
    total = sum(rows.runs)
    if figures.sequential_request_share == 0 or not total:
        return []
    return [
        {"requests": requests / n, "share": 100 * n / total}
        for n, requests in zip(rows.runs, rows.requests, strict=True)
        if n
    ]


def alignment(description: Description) -> int:
    """The largest of the description's alignments that at least 99 % of the offsets keep, or 512 bytes."""
    kept = [row.bytes for row in description.alignment if row.offset_request_share >= 0.99]
    return max(kept, default=512)
