"""Small scenarios and traces for the tests that go through the whole of iowatt."""

from __future__ import annotations

import random
from pathlib import Path

HEADER = "time_us,op,offset,size"

ONE_POOL = """\
name = "{name}"
seed = 1

[[workload]]
name = "oltp"
volume = "db"
trace = {{ path = "{trace}" }}

[[array.pool]]
name = "disks"
device = "arrays2002-disk"
count = {count}
raid = {{ level = {level}, stripe_unit = "16KiB" }}
power = {{ policy = "never" }}

[[array.volume]]
name = "db"
pool = "disks"

[observe]
interval = "1s"
"""

TWO_POOLS = """\
name = "two-pools"
seed = 3

[[workload]]
name = "oltp"
volume = "db"
trace = { path = "oltp.csv" }

[[workload]]
name = "backup"
volume = "archive"
trace = { path = "backup.csv" }

[[array.pool]]
name = "fast"
device = "arrays2002-disk"
count = 5
raid = { level = 5, stripe_unit = "16KiB" }

[[array.pool]]
name = "large"
device = { name = "seagate-cheetah-9lp", power = { active = "12W", positioning = "11W", idle = "8W" } }
count = 2
raid = { level = 1 }

[[array.volume]]
name = "db"
pool = "fast"

[[array.volume]]
name = "archive"
pool = "large"

[observe]
interval = "1s"
"""

IDLE = """\
name = "idle"

[[array.pool]]
name = "disks"
device = "arrays2002-disk"
count = 8
raid = { level = 5, stripe_unit = "16KiB" }

[observe]
duration = "1000s"
interval = "100s"
"""


def requests(count: int, *, seed: int = 1, mean_us: int = 8000, span: int = 4 << 30) -> list[str]:
    """``count`` lines of random 4 KiB requests, two reads to a write, arriving at random."""
    draw = random.Random(seed)
    at, lines = 0, []
    for _ in range(count):
        at += int(draw.expovariate(1 / mean_us))
        op = draw.choice("RRW")
        lines.append(f"{at},{op},{draw.randrange(span // 4096) * 4096},4096")
    return lines


def write_trace(path: Path, lines: list[str], header: str = HEADER) -> Path:
    """A CSV trace."""
    path.write_text("\n".join([header, *lines]) + "\n")
    return path


def one_pool(
    folder: Path,
    lines: list[str] | None = None,
    *,
    trace: str = "trace.csv",
    level: int = 5,
    count: int = 5,
    name: str = "small",
) -> Path:
    """A scenario of one pool with its trace beside it; ``lines=None`` writes no trace."""
    if lines is not None:
        write_trace(folder / trace, lines)
    path = folder / "scenario.toml"
    path.write_text(ONE_POOL.format(name=name, trace=trace, level=level, count=count))
    return path
