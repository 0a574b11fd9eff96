"""Classes of sizes: small and large requests differ in places, times and runs."""

from __future__ import annotations

import math

from iowatt.trace.description import SizeHistogram

# A class with a smaller share of the requests is none of its own.
_LEAST_SHARE = 1e-3


def threshold(histogram: SizeHistogram) -> int | None:
    """The greatest size of the small ones, bytes; ``None`` where sizes do not differ.

    It is the one that leaves the least variance of log size within the two classes, which is the most between
    them (N. Otsu, IEEE Trans. Systems, Man and Cybernetics 9(1), 1979).
    """
    columns = zip(histogram.bytes, histogram.reads, histogram.writes, strict=True)
    rows = sorted((size, reads + writes) for size, reads, writes in columns if reads + writes)
    total = sum(count for _, count in rows)
    whole = math.fsum(math.log2(size) * count for size, count in rows)
    best, found = 0.0, None
    below, low = 0, 0.0
    for size, count in rows[:-1]:
        below += count
        low += math.log2(size) * count
        if min(below, total - below) < _LEAST_SHARE * total:
            continue
        apart = (whole - low) / (total - below) - low / below
        between = below * (total - below) * apart * apart
        if between > best:
            best, found = between, size
    return found


def classes(histogram: SizeHistogram) -> dict[str, tuple[int, int] | None]:
    """Least and greatest size of each class, by the suffix of its streams; all where one is enough."""
    split = threshold(histogram)
    if split is None:
        return {"": None}
    return {"-small": (0, split), "-large": (split + 1, (1 << 32) - 1)}


def described(suffix: str) -> str:
    """What a class is called in comments."""
    return "all sizes" if not suffix else f"{suffix[1:]} requests"
