"""Hits and CPU time of libCacheSim's batch call, by a Python that has it (GPL; never a dependency of iowatt).

``python libcachesim_peer.py '["FILE.oracleGeneral", [["lru", 1000], ...], times]'`` prints a line of JSON
for each cache.
"""

from __future__ import annotations

import importlib.metadata
import json
import resource
import sys
from typing import Any

CLASSES = {
    "lru": "LRU",
    "fifo": "FIFO",
    "clock": "Clock",
    "2q": "TwoQ",
    "arc": "ARC",
    "lfu": "LFU",
    "w-tinylfu": "WTinyLFU",
    "s3-fifo": "S3FIFO",
    "sieve": "Sieve",
}


def cpu_s() -> float:
    """CPU time of all threads of this process."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def once(path: str, policy: str, size: int) -> tuple[float, float]:
    """Miss ratio of a cache of ``size`` objects, and the CPU time of the batch call alone."""
    import libcachesim

    reader = libcachesim.TraceReader(
        path,
        libcachesim.TraceType.ORACLE_GENERAL_TRACE,
        libcachesim.ReaderInitParam(ignore_obj_size=True),
    )
    cache = getattr(libcachesim, CLASSES[policy])(cache_size=size)
    before = cpu_s()
    missed, _ = cache.process_trace(reader)
    return float(missed), cpu_s() - before


def main() -> None:
    """Every cache so many times."""
    path, caches, times = json.loads(sys.argv[1])
    version = importlib.metadata.version("libcachesim")
    for policy, size in caches:
        runs = [once(path, policy, size) for _ in range(times)]
        found: dict[str, Any] = {"policy": policy, "size": size, "miss_ratio": runs[0][0]}
        print(json.dumps({**found, "cpu_s": min(spent for _, spent in runs), "version": version}), flush=True)


if __name__ == "__main__":
    main()
