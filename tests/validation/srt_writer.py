"""A small writer of HP SRT: a header that describes disks, and records of arrival, start and stop."""

from __future__ import annotations

import struct
from collections.abc import Iterable

HEADER = b"""$$TR_IOREC-1.3 (written by a test)\0
version = 1.3;
disks = {
    0 -> { disktype = x, sectorsize = 256, sections = { 8 -> { "/", size = (0 1) } } },
    1 -> { disktype = x, sectorsize = 256 }
};
\x0c"""


def record(disk: int, times: tuple[int, int, int], block: int, nbytes: int, *, read: bool) -> bytes:
    """One request; ``times`` are its enqueue, and its start and stop after that, in microseconds."""
    enqueue, start, stop = times
    seconds, rest = divmod(enqueue, 10**6)
    device = 8 << 24 | disk << 8 | 8
    words = (56, 4 << 16 | 1, seconds, rest, start, stop, nbytes, block, device, 4, 0, int(read), 0, 1)
    return struct.pack(">14i", *words)


def written(records: Iterable[bytes]) -> bytes:
    """The file."""
    return HEADER + b"".join(records)
