"""A space of 5,000 configurations whose every point was simulated: what optimize is measured against.

``scripts/enumerate_space.py`` simulates all of them and writes ``data/optimize/space-5000.parquet``.
"""

from __future__ import annotations

from pathlib import Path

SCENARIO = """\
name = "space-5000"

[[workload]]
name = "w"
volume = "v"
profile = { name = "uniform", requests = 2000, set = ["stream.uniform.read_share=70", "stream.uniform.size=8KiB"], rate_iops = 1000 }
replay = { mode = "closed", outstanding = 48 }

[[array.pool]]
name = "p"
device = "hgst-ultrastar-c10k900-900gb"
count = 8
raid = { level = 5, stripe_unit = "64KiB" }
drive_scheduler = "sptf"

[[array.volume]]
name = "v"
pool = "p"
capacity = "500GB"

[array.controller]
processing = { read = "100us", write = "200us", processors = 1 }
"""  # noqa: E501 - TOML as it is

OVER = (
    "array.pool.p.device=hgst-ultrastar-c10k900-900gb,hotband2013-15k",
    "array.pool.p.count=6..54:2",
    "array.pool.p.raid.level=0,5,6,10",
    "array.pool.p.raid.stripe_unit=8KiB..128KiB:x2",
    "array.pool.p.queue_depth=1,2,4,8,16",
)

SIMULATED = Path(__file__).parent / "data/optimize/space-5000.parquet"

#: What is kept of each point.
METRICS = (
    "efficiency.iops_per_w", "throughput.iops", "power_w.mean", "energy.per_request_j",
    "response_time_ms.all.p95", "response_time_ms.all.p99", "capacity_gb.usable",
    "redundancy.failures_survived",
)  # fmt: skip

#: Questions over it, each with its own optimum.
PROBLEMS = (
    {"maximize": ["efficiency.iops_per_w"]},
    {
        "maximize": ["efficiency.iops_per_w"],
        "subject_to": [
            "redundancy.failures_survived >= 1",
            "capacity_gb.usable >= 8TB",
            "response_time_ms.all.p95 <= 30ms",
        ],
    },
    {
        "minimize": ["response_time_ms.all.p99"],
        "subject_to": ["power_w.mean <= 120W", "redundancy.failures_survived >= 2"],
    },
    {
        "minimize": ["energy.per_request_j"],
        "subject_to": ["throughput.iops >= 3000", "redundancy.failures_survived >= 1"],
    },
)
