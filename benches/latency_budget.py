"""The estimate of a latency budget beside the simulator: at which rate a level breaks, from one lower Run.

Four systems on one path, each bound by another hop. Where the mean breaks the level is taken from loads that
lie close together; the estimates are from a Run at each share of that rate. The figures are those of
docs/models/latency-budget.md.
"""

from __future__ import annotations

from typing import Any

import iowatt
from iowatt.lenses.budget import ServiceLevel, analyse

SHARES = (0.3, 0.5, 0.7, 0.85)

_SCENARIO = """
name = "{name}"
seed = 11
[[workload]]
name = "work"
[workload.profile]
name = "uniform"
rate_iops = 1000
duration = "{duration}"
set = ["stream.uniform.size={size}", "stream.uniform.align={size}"]
[[path]]
name = "san"
protocol = "fcp"
{queue}
hop = [ {{ link = "fc-8g" }}, {{ switch = "brocade-6510" }}, {{ link = "fc-8g" }} ]
[[array.pool]]
name = "pool"
device = "{device}"
count = {count}
raid = {{ level = 10, stripe_unit = "64KiB" }}
[array.controller.processing]
processors = {processors}
read = "{visit}"
write = "{visit}"
"""
_FLASH = {"device": "intel-dc-s4600-1-92tb", "count": 32, "size": "8KiB", "queue": "", "duration": "4s"}
#: Name, keys, levels in ms of the mean and of the 99th percentile, a low rate.
SYSTEMS: tuple[tuple[str, dict[str, Any], tuple[float, float], float], ...] = (
    ("one-processor", {**_FLASH, "processors": 1, "visit": "100us"}, (0.6, 2.0), 1000),
    ("four-processors", {**_FLASH, "processors": 4, "visit": "100us"}, (0.4, 1.0), 4000),
    ("link", {**_FLASH, "processors": 8, "visit": "10us", "size": "64KiB"}, (0.9, 2.5), 2000),
    (
        "disks",
        {**_FLASH, "processors": 4, "visit": "50us", "device": "arrays2002-disk", "duration": "30s"},
        (15.0, 50.0),
        500,
    ),
)


def measure(*, quiet: bool = False) -> list[dict[str, Any]]:
    """For each system where the level breaks, by which hop, and the errors of the estimates by share."""
    found = []
    for name, keys, levels, low in SYSTEMS:
        text = _SCENARIO.format(name=name, **keys)
        first = analyse([iowatt.run(text, set=[f"workload.work.profile.rate_iops={low}"])]).as_dict()[
            "classes"
        ][0]
        most = min(hop["saturation_iops"] for hop in first["loads"][0]["hops"] if hop["saturation_iops"])
        rates = [round(most * share / 100) for share in (*range(30, 70, 10), *range(70, 99, 2))]
        runs = [iowatt.run(text, set=[f"workload.work.profile.rate_iops={rate}"]) for rate in rates]
        for statistic, level_ms in zip(("mean", "p99"), levels, strict=True):
            level = ServiceLevel(within_ms=level_ms, of=statistic)
            held = analyse(runs, level=level).as_dict()["classes"][0]["against"]
            broken = held["rate_iops"]
            if broken is None:
                raise SystemExit(f"{name}: no load breaks {level_ms} ms: {held['seen']}")
            errors = {}
            for share in SHARES:
                run = iowatt.run(text, set=[f"workload.work.profile.rate_iops={share * broken:.1f}"])
                errors[share] = (
                    analyse([run], level=level).as_dict()["classes"][0]["against"]["rate_iops"] / broken - 1
                )
            found.append({"system": name, "of": statistic, "rate_iops": broken, "errors": errors})
            if not quiet:
                shown = ", ".join(f"{share:.0%}: {error:+.1%}" for share, error in errors.items())
                by = held["first"]["hop"]
                print(
                    f"{name:16} {statistic} {level_ms} ms at {broken:,.0f} IOPS by {by}: {shown}", flush=True
                )
    return found


if __name__ == "__main__":
    measure()
