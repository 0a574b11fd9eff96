"""A small scenario that takes milliseconds: 400 requests in 4 s on a few drives."""

from __future__ import annotations

SCENARIO = """\
name = "small"
seed = 1

[[workload]]
name = "oltp"
volume = "db"
trace = { path = "small.csv" }

[[array.pool]]
name = "disks"
device = "arrays2002-disk"
count = 4
raid = { level = 5, stripe_unit = "16KiB" }

[[array.volume]]
name = "db"
pool = "disks"

[observe]
interval = "100ms"
"""


def trace(requests: int = 400, gap_us: int = 10_000) -> str:
    rows = [f"{i * gap_us},{'RRW'[i % 3]},{i * 7919 % 100_000 * 4096},4096" for i in range(requests)]
    return "\n".join(["time_us,op,offset,size", *rows]) + "\n"
