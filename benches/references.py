"""A trace as references to blocks, in the binary format that libCacheSim reads too (oracleGeneral)."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

RECORD = [("time_s", "<u4"), ("object", "<u8"), ("size", "<u4"), ("next", "<i8")]
DEVICE_SHIFT = 40
"""A block's name has its device above its number."""


def blocks(path: Path, block: int) -> np.ndarray:
    """Names of the blocks that a trace touches, in order; of a list of keys (.be32) the keys."""
    import numpy as np

    if ".caffeine-be32." in path.name:
        with gzip.open(path) as file:
            return np.frombuffer(file.read(), "<u4").astype(np.uint64)
    return np.concatenate(list(_blocks(path, block)))


def _blocks(path: Path, block: int) -> Iterator[np.ndarray]:
    import numpy as np

    from iowatt.trace.open import of_all_devices, requests

    for batch in requests(of_all_devices({"path": str(path), "order_only": True})):
        first = batch["offset"] // block
        count = (batch["offset"] + batch["size"] - 1) // block - first + 1
        before = np.cumsum(count) - count
        within = np.arange(count.sum(), dtype=np.uint64) - np.repeat(before, count.astype(np.int64))
        device = batch["device"].astype(np.uint64) << np.uint64(DEVICE_SHIFT)
        yield np.repeat(device + first, count.astype(np.int64)) + within


def write(names: np.ndarray, path: Path, block: int) -> None:
    """Write oracleGeneral: a thousand references a second of ``block`` bytes, each with its next use."""
    import numpy as np

    records = np.zeros(len(names), RECORD)
    order = np.argsort(names, kind="stable")
    again = names[order][1:] == names[order][:-1]
    following = np.full(len(names), -1, np.int64)
    following[order[:-1][again]] = order[1:][again]
    records["time_s"] = np.arange(len(names)) // 1000
    records["object"], records["size"], records["next"] = names, block, following
    records.tofile(path)
