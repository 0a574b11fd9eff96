"""Whether calibration finds hidden figures.

Drives with figures drawn at random are "measured" by simulating them, with noise, and calibrated from a base
with other figures. Prints how often each 95 % interval holds the hidden figure.

    python scripts/calibrate_trials.py ssd 1 50 --results ssd.jsonl
    python scripts/calibrate_trials.py disk 1 50 --results disk.jsonl

Trials are numbered by their seeds, first and last. ``--results`` gets a line for each trial as soon as it
ends; a trial that it has already is not run again, so an interrupted run goes on, and several may share it.
A figure that the calibration calls undetermined counts neither way; how often is printed.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from iowatt.evaluate.calibration.candidate import CandidateFiles
from iowatt.evaluate.calibration.cells import Split, split
from iowatt.evaluate.calibration.disk import figure_paths, fit_disk
from iowatt.evaluate.calibration.disk_model import DiskModel
from iowatt.evaluate.calibration.ssd import SsdBase, fit_ssd, text_of
from iowatt.evaluate.measured import Cell, Measured, simulate
from iowatt.evaluate.validation import PacedRequests
from iowatt.model.library import device_file, find_device, find_drive
from iowatt.model.library.ssd import Ssd

SSD_BASE = "intel-dc-p3600-2tb"
DISK_BASE = """name = "base"
kind = "hdd"
title = "Base"
interface = "SATA 6G"
capacity = "4TB"
rpm = 7200
geometry.outer_rate = "180MB/s"
seek.average = "8.5ms"
"""
#: Noise of a cell from run to run, and of a disk's response: host and drive jitter.
CELL_NOISE, RESPONSE_NOISE_NS = 0.02, 5e3


@dataclass(frozen=True)
class Verdict:
    """A figure of a trial: hidden, found, its interval; ``covered`` None where it is not determined."""

    figure: str
    hidden: float
    found: float
    low: float
    high: float
    covered: bool | None


def ssd_cells() -> Iterator[Cell]:
    """The matrix that is measured."""
    for size in (4096, 16384, 131072):
        for depth in (1, 2, 4, 8, 16, 32, 64, 128, 256):
            if size * depth <= 8 << 20:
                yield Cell(f"read-{size}-{depth}", "read", 1.0, "random", size, depth)
    for depth in (1, 4, 16, 64):
        yield Cell(f"write-{depth}", "write", 0.0, "random", 4096, depth)
    for depth in (1, 4, 16):
        yield Cell(f"write-sequential-{depth}", "write", 0.0, "sequential", 131072, depth)


def about(cell: Cell, hidden: Mapping[str, float]) -> float:
    """Requests a second of a cell, about, which spares the short runs that would find them."""
    if cell.op == "read":
        most = hidden["performance.random_read_iops"], hidden["performance.sequential_read"] / cell.size_bytes
        return min(*most, cell.depth / hidden["performance.read_latency"])
    if cell.pattern == "random":
        most_writes = hidden["performance.random_write_iops"]
    else:
        most_writes = hidden["performance.sequential_write"] / cell.size_bytes
    return min(most_writes, cell.depth / hidden["performance.write_latency"])


def _unmeasured(cell: Cell) -> Measured:
    return Measured(cell=cell, iops=1.0, mean_s=None)


def ssd_trial(seed: int) -> list[Verdict]:
    """One hidden SSD."""
    draw = np.random.default_rng(seed)
    drive = find_device(SSD_BASE)
    assert isinstance(drive, Ssd)
    sheet = drive.sheet
    hidden = {
        "performance.read_latency": 90e-6 * draw.uniform(0.85, 1.4),
        "performance.random_read_iops": sheet.read_iops * draw.uniform(0.6, 1.1),
        "performance.sequential_read": sheet.read_rate * draw.uniform(0.7, 1.2),
        "performance.sequential_write": sheet.write_rate * draw.uniform(0.6, 1.0),
        "performance.random_write_iops": sheet.write_iops * draw.uniform(0.7, 2.0),
        "performance.write_latency": 20e-6 * draw.uniform(0.7, 1.5),
        "flash.channels": 8,
        "flash.dies_per_channel": int(draw.integers(3, 10)),
    }
    with CandidateFiles(SSD_BASE, "ssd") as candidates:
        truth = candidates.file({path: text_of(path, value) for path, value in hidden.items()})
        cells = []
        told = {one.cell.name for one in split(map(_unmeasured, ssd_cells()), 0.0).fitted}
        for cell in ssd_cells():
            noise = float(np.exp(draw.normal(0.0, CELL_NOISE)))
            if cell.name not in told:
                continue
            rate = about(cell, hidden)
            found = simulate(truth, cell, 0.0, seed + 1000, requests=10_000, rate=rate)
            cells.append(Measured(cell=cell, iops=found.iops / noise, mean_s=(found.mean_s or 0.0) * noise))
        fits, _ = fit_ssd(
            Split(cells, [], []), SsdBase(device_file(SSD_BASE), drive), candidates, 0.0, seed=1
        )
    verdicts = []
    for fit in fits:
        fitted = fit.fitted
        rows = zip(fit.figures, fitted.values, fitted.low, fitted.high, fitted.flat, strict=True)
        for figure, *logs, flat in rows:
            value, low, high = (float(np.exp(one)) for one in logs)
            true = hidden[figure.path]
            verdicts.append(
                Verdict(figure.path, true, value, low, high, None if flat else low <= true <= high)
            )
    return verdicts


def disk_requests(capacity: int, draw: np.random.Generator, count: int = 40_000) -> PacedRequests:
    """Requests one at a time: places that come back, far ones, near ones, streams fast and slow."""
    rows: list[tuple[int, int, bool, float]] = []
    blocks = capacity // 4096

    def place(room: int = 40_000) -> int:
        return int(draw.integers(3000, blocks - room)) * 4096

    again = [place() for _ in range(64)]
    rows += [(again[one], 4096, False, draw.exponential(1e6)) for one in draw.integers(0, 64, 2000)]
    while len(rows) < count:
        at = place()
        kind = draw.choice(4, p=(0.3, 0.4, 0.15, 0.15))
        if kind == 0:
            writing = draw.random() < 0.4
            pause = 6e6 if writing else 1e6
            for _ in range(300):
                rows.append(
                    (place(300), 4096, bool(writing and draw.random() < 0.7), draw.exponential(pause))
                )
        elif kind == 1:
            for _ in range(40):
                rows.append((at, 4096, False, draw.exponential(20e6)))
                at -= int(draw.integers(1, 60)) * 4096
        elif kind == 2:
            rows += [(at + number * 131072, 131072, False, 1e4) for number in range(60)]
        else:
            for _ in range(40):
                size = int(draw.choice((4096, 16384, 65536)))
                rows.append((at, size, False, 8e6))
                at += size
    offset, size, write, think = zip(*rows, strict=True)
    think_ns = np.array(think)
    think_ns[-1] = 0.0
    return PacedRequests(
        offset=np.array(offset, np.uint64),
        size=np.array(size, np.uint32),
        write=np.array(write, bool),
        response_ns=np.zeros(len(rows), np.int64),
        think_ns=think_ns.astype(np.uint64),
    )


def disk_trial(seed: int, count: int = 40_000) -> list[Verdict]:
    """One hidden disk."""
    draw = np.random.default_rng(seed)
    average = 8.5e-3 * draw.uniform(0.7, 1.3)
    outer = 215e6 * draw.uniform(0.7, 1.2)
    hidden = {
        "rpm": float(draw.choice((5400, 5900, 7200))) * draw.uniform(0.99, 1.01),
        "seek.average": average,
        "seek.single_cylinder": average * draw.uniform(0.08, 0.2),
        "seek.full_stroke": average * draw.uniform(1.8, 2.05),
        "geometry.outer_rate": outer,
        "geometry.inner_rate": outer * draw.uniform(0.42, 0.6),
        "command_read": draw.uniform(1e-4, 8e-4),
        "command_write": draw.uniform(1e-4, 9e-4),
        "command_hit": draw.uniform(5e-5, 3e-4),
        "controller.sector": 512 / draw.uniform(200e6, 600e6),
    }
    policies = {
        "read_ahead": str(draw.choice(("none", "history", "segment"))),
        "fast_write": str(draw.choice(("none", "across-reads"))),
    }
    with CandidateFiles("", "hdd") as own:
        base = own.text("base", DISK_BASE)
        file, drive = device_file(base), find_drive(base)
        with CandidateFiles(base, "hdd") as candidates:
            asked = disk_requests(drive.raw_bytes, draw, count)
            truth = DiskModel(file, drive, asked, candidates, set(figure_paths()))
            times_ns = 1e9 * truth.times(hidden, policies)
            # The host sees a response late by so much, and thinks so much less.
            late_ns = np.minimum(
                draw.normal(0.0, RESPONSE_NOISE_NS, len(times_ns)), asked.think_ns.astype(float)
            )
            seen = replace(
                asked,
                response_ns=(times_ns + late_ns).astype(np.int64),
                think_ns=(asked.think_ns - late_ns).astype(np.uint64),
            )
            found = fit_disk(file, drive, seen, candidates, seed=1)
    verdicts = [
        Verdict(
            one.path, hidden[one.path], one.value, one.low, one.high,
            None if one.flat else bool(one.low <= hidden[one.path] <= one.high),
        )
        for one in found.figures
    ]  # fmt: skip
    for name, value in policies.items():
        verdicts.append(Verdict(f"buffer.{name}", 1, 1, 1, 1, found.policies[name] == value))
    return verdicts


def wilson(hits: int, count: int) -> tuple[float, float]:
    """The 95 % interval of a share by Wilson's score."""
    z, share = 1.96, hits / count
    middle = share + z**2 / (2 * count)
    half = z * (share * (1 - share) / count + z**2 / (4 * count**2)) ** 0.5
    return (middle - half) / (1 + z**2 / count), (middle + half) / (1 + z**2 / count)


def coverage(trials: dict[int, Sequence[Verdict]]) -> Iterator[str]:
    """The share of intervals that hold what was hidden: a line for each figure, and one for all."""
    found: dict[str, list[Verdict]] = {}
    for verdicts in trials.values():
        for one in verdicts:
            found.setdefault(one.figure, []).append(one)
    found["all figures"] = [
        one for figure, row in found.items() if not figure.startswith("buffer.") for one in row
    ]
    yield f"{len(trials)} trials"
    for figure, row in found.items():
        told = [one for one in row if one.covered is not None]
        line = f"{figure:32} not determined {len(row) - len(told):3}"
        if told:
            hits = sum(bool(one.covered) for one in told)
            low, high = wilson(hits, len(told))
            ends = f"{100 * low:.0f} to {100 * high:.0f} %"
            half = 50 * np.median([np.log(one.high / one.low) for one in told])
            line += f"  {100 * hits / len(told):5.1f} % of {len(told):3} (95 %: {ends})"
            line += f"  half the interval {half:.1f} %"
        yield line


def read_results(path: Path, kind: str) -> dict[int, Sequence[Verdict]]:
    """The trials of a kind that a file has, by seed; a line that was cut is left out."""
    trials: dict[int, Sequence[Verdict]] = {}
    for line in path.read_text().splitlines() if path.exists() else ():
        try:
            trial = json.loads(line)
        except json.JSONDecodeError:
            continue
        if trial["kind"] == kind:
            trials[trial["seed"]] = [Verdict(**one) for one in trial["verdicts"]]
    return trials


def main() -> None:
    """Run the trials that are not in the results yet, and print the coverage of all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("kind", choices=("ssd", "disk"))
    parser.add_argument("first", type=int)
    parser.add_argument("last", type=int)
    parser.add_argument("--results", type=Path)
    asked = parser.parse_args()
    trial = ssd_trial if asked.kind == "ssd" else disk_trial
    trials = {} if asked.results is None else read_results(asked.results, asked.kind)
    for seed in range(asked.first, asked.last + 1):
        if seed in trials:
            continue
        began = time.monotonic()
        trials[seed] = trial(seed)
        missed = [one for one in trials[seed] if one.covered is False]
        print(f"trial {seed}: {time.monotonic() - began:.0f} s, {len(missed)} missed", flush=True)
        for one in missed:
            ends = f"[{one.low:.4g}, {one.high:.4g}]"
            print(f"  {one.figure} is {one.hidden:.4g}, found {one.found:.4g} {ends}", flush=True)
        if asked.results is not None:
            row = {"kind": asked.kind, "seed": seed, "verdicts": [asdict(one) for one in trials[seed]]}
            with asked.results.open("a") as file:
                file.write(json.dumps(row) + "\n")
    print("\n".join(coverage(trials)))


if __name__ == "__main__":
    main()
