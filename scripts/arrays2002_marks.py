"""Holds the synthetic TPC-C and TPC-H of the library against the published tables of the arrays2002 study.

    python scripts/arrays2002_marks.py [--hours H]

Left out, ``--hours`` is the study's own 12.06 and 45.9 h. The first table is what the requests themselves
must show (each figure within 1 %), the others what they do to the study's arrays when simulated, beside
uniform random requests of the same sizes at the same rate. Published figures are those
of the study ``arrays2002``; `iowatt study run` shows the rest of it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from iowatt.model.scenario import compile_plan, load
from iowatt.sources.simulation.simulator import run_core
from iowatt.studies.arrays2002.published import WORKLOADS, PublishedWorkload
from iowatt.studies.arrays2002.systems import UNIFORM
from iowatt.trace.generate import prepare
from iowatt.trace.open import requests

TPCC: Final = WORKLOADS["tpcc"]
TPCH: Final = WORKLOADS["tpch"]

UNIT: Final = 16 * 1024

SCENARIO: Final = """name = "marks"
[[workload]]
name = "tpc"
profile = {{ name = "{profile}", set = {changes}, duration = "{seconds}s" }}
[[array.pool]]
name = "disks"
device = "arrays2002-disk"
count = {disks}
raid = {{ level = {level}, stripe_unit = "16KiB" }}
scheduler = "elevator"
[[array.bus]]
name = "scsi0"
drives = ["disks[:50%]"]
bandwidth = "160MB/s"
[[array.bus]]
name = "scsi1"
drives = ["disks[50%:]"]
bandwidth = "160MB/s"
"""


@dataclass(frozen=True)
class Counted:
    """What is in the requests themselves."""

    requests: int
    iops: float
    write_percent: float
    span_percent: float


def count(published: PublishedWorkload, hours: float, seed: int = 1) -> Counted:
    """Generate the workload and count."""
    made = prepare(published.profile, duration_s=hours * 3600, seed=seed)
    total = writes = spanning = 0
    for batch in requests(made.trace):
        write = batch["op"] == 1
        first = batch["offset"][write] // UNIT
        last = (batch["offset"][write] + batch["size"][write] - 1) // UNIT
        units = last - first + 1
        total += len(write)
        writes += len(units)
        spanning += int(np.sum(units == 1 if published.spans == "one" else units > 2))
    return Counted(total, total / (hours * 3600), 100 * writes / total, 100 * spanning / writes)


@dataclass(frozen=True)
class Simulated:
    """What they do to an array."""

    requests: int
    interarrival_ms: float
    media_accesses: int
    distance: float
    queue: float
    parity_queue: float | None
    correlation: tuple[float, ...]
    spread: tuple[float, ...]
    over_1s: float
    over_2s: float


def simulate(
    published: PublishedWorkload,
    level: int,
    disks: int,
    hours: float,
    *,
    changes: tuple[str, ...] = (),
    seed: int = 1,
) -> Simulated:
    """Run it on one of the study's arrays; a seek is an access to the media, as DiskSim counts."""
    text = SCENARIO.format(
        profile=published.profile,
        changes=json.dumps(changes),
        seconds=hours * 3600,
        disks=disks,
        level=level,
    )
    plan = compile_plan(load(text, [f"seed={seed}"]))
    raw = run_core(json.dumps(plan["simulation"]), [(json.dumps(plan["sources"][0]), None)], _silent)
    summary = json.loads(raw["summary"])
    drives = summary["devices"]
    data = drives[:-1] if level == 4 else drives
    idle = [drive["idle_periods"] for drive in data]
    correlation = np.array([periods["autocorrelation"] for periods in idle])
    periods = sum(p["count"] for p in idle)
    media = sum(drive["accesses"] - drive["buffer_hits"] for drive in drives)
    return Simulated(
        requests=summary["total"]["arrived"],
        interarrival_ms=hours * 3.6e6 * disks / sum(drive["arrivals"] for drive in drives),
        media_accesses=media,
        distance=sum(drive["seek_cylinders"] for drive in drives) / media,
        queue=_seen(data),
        parity_queue=_seen(drives[-1:]) if level == 4 else None,
        correlation=tuple(correlation.mean(axis=0).round(3).tolist()),
        spread=tuple(correlation.std(axis=0).round(3).tolist()),
        over_1s=sum(p["over"][0] for p in idle) / periods,
        over_2s=sum(p["over"][1] for p in idle) / periods,
    )


def _silent(_fraction: float | None, _requests: int) -> None:
    return


def _seen(drives: list[dict[str, Any]]) -> float:
    return float(sum(d["queue_seen_sum"] for d in drives) / sum(d["arrivals"] for d in drives))


def report(published: PublishedWorkload, hours: float) -> list[str]:
    """The tables of one workload, as Markdown."""
    counted = count(published, hours)
    at_32 = simulate(published, 4, 32, hours)
    spans = "fit one unit" if published.spans == "one" else "span over two units"
    rows = [
        ("requests per second", published.iops, counted.iops),
        ("writes, %", published.write_percent, counted.write_percent),
        (f"writes that {spans}, %", published.span_percent, counted.span_percent),
        ("between operations of a RAID-4 disk, ms", published.interarrival_ms, at_32.interarrival_ms),
    ]
    lines = [
        f"{published.profile}: {counted.requests:,} requests in {hours:g} h, seed 1",
        "",
        "| | published | ours | difference |",
        "|---|---|---|---|",
        *(
            f"| {what} | {theirs:.5g} | {ours:.5g} | {ours / theirs - 1:+.2%} |"
            for what, theirs, ours in rows
        ),
        "",
        "| at 30 disks | | RAID-4 | RAID-5 | RAID-10 |",
        "|---|---|---|---|---|",
    ]
    found = {level: simulate(published, level, 30, hours) for level in (4, 5, 10)}
    changes = UNIFORM[published.profile]
    uniform = {level: simulate(published, level, 30, hours, changes=changes) for level in (4, 5, 10)}
    scale = published.hours / hours

    def row(what: str, theirs: dict[int, str], ours: Callable[[Simulated], str]) -> None:
        lines.append(f"| {what} | published | " + " | ".join(theirs[level] for level in found) + " |")
        lines.append("| | ours | " + " | ".join(ours(one) for one in found.values()) + " |")
        lines.append("| | uniform random | " + " | ".join(ours(one) for one in uniform.values()) + " |")

    row("seeks", published.seeks, lambda one: f"{one.media_accesses * scale / 1e6:.3g} M")
    row("cylinders a seek", published.distance, lambda one: f"{one.distance:.3g}")
    row("queue seen", published.queue, _queue)
    row(
        "idle autocorrelation, lags 1 to 5",
        {level: _series(published.correlation[level]) for level in found},
        lambda one: f"{_series(one.correlation)} (sigma {_series(one.spread)})",
    )
    row(
        "idle periods over 1 s, over 2 s",
        dict.fromkeys(found, published.tail),
        lambda one: f"{one.over_1s:.3%}, {one.over_2s:.3%}",
    )
    return [*lines, ""]


def _queue(found: Simulated) -> str:
    parity = "" if found.parity_queue is None else f", parity disk {found.parity_queue:.3g}"
    return f"{found.queue:.3f}{parity}"


def _series(values: tuple[float, ...]) -> str:
    return " ".join(f"{value:.3f}".replace("0.", ".") for value in values)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hours", type=float, default=None)
    hours = parser.parse_args().hours
    for published in (TPCC, TPCH):
        sys.stdout.write("\n".join(report(published, hours or published.hours)) + "\n")


if __name__ == "__main__":
    main()
