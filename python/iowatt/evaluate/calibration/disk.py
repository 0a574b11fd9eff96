"""A disk from a trace of requests one at a time: mechanics by their signs, policies by trying them.

Figures are moved until the trace, replayed on the simulated drive, shows the same signs as measured
(``disk_signs``, ``disk_solve``). Policies of the buffer are enumerated, and the one with the least demerit
holds, the paired RMSE deciding between equals.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from iowatt.base.errors import InputError
from iowatt.evaluate.calibration.candidate import CandidateFiles
from iowatt.evaluate.calibration.disk_model import DiskModel, start_of
from iowatt.evaluate.calibration.disk_rates import RATES
from iowatt.evaluate.calibration.disk_signs import CACHED, NAMES, Array, Asked, signs, turn
from iowatt.evaluate.calibration.disk_solve import average, draws, possible, solve
from iowatt.evaluate.calibration.disk_trace import Trace
from iowatt.evaluate.calibration.intervals import FLAT, student
from iowatt.evaluate.validation import PacedRequests, compare
from iowatt.model.library import DeviceFile, Disk

BLOCKS: Final = 40
"""Blocks of time: every second one is held out."""
_ALIKE: Final = 0.05
"""Demerits and RMSEs that differ by less are alike."""
_RESOLUTION: Final = 0.02
"""No interval is narrower to either side: the drive and the host jitter."""
_PHASE: Final = 1e-3
"""How well a turn is known by its phase: speeds of drives vary by as much."""
_READ_AHEAD: Final = ("none", "history", "segment")
_FAST_WRITE: Final = ("none", "across-reads")

# Which sign tells of which figure, for the first step and for what is missing: (figure, unit, sign, method).
_FIGURES: Final = (
    ("rpm", "rpm", "spread", "spread of far reads about their mean: a turn"),
    ("command_read", "s", "near", "reads that stay at a cylinder, less half a turn"),
    ("command_write", "s", "writes", "writes against reads at the same distances"),
    ("seek.single_cylinder", "s", "short", "mean of far reads by root of distance and distance"),
    ("seek.average", "s", "middle", "mean of far reads by root of distance and distance"),
    ("seek.full_stroke", "s", "long", "mean of far reads by root of distance and distance"),
    ("geometry.outer_rate", "bytes/s", "outer", "rate of long runs of reads by place"),
    ("geometry.inner_rate", "bytes/s", "inner", "rate of long runs of reads by place"),
    ("command_hit", "s", "hit", "reads that find what was read ahead, by size"),
    ("controller.sector", "s", "sector", "reads that find what was read ahead, by size"),
)


def figure_paths() -> list[str]:
    """The figures that are sought, by their names here."""
    return [one[0] for one in _FIGURES]


@dataclass(frozen=True)
class DiskFigure:
    """A fitted figure; logarithms are of SI units."""

    path: str
    unit: str
    value: float
    low: float
    high: float
    flat: bool
    method: str


@dataclass(frozen=True)
class DiskFit:
    """Figures, policies, the device's tables, and the measured and simulated times of the trace."""

    figures: list[DiskFigure]
    policies: dict[str, str]
    tables: dict[str, Any]
    simulated_s: Array
    block: NDArray[np.int64]


def fit_disk(
    file: DeviceFile, drive: Disk, paced: PacedRequests, candidates: CandidateFiles, seed: int
) -> DiskFit:
    """Fit a disk to a trace of requests one at a time.

    Raises ``InputError`` where the trace shows nothing: it has no far reads.
    """
    asked = Asked.of(paced, drive.raw_bytes, drive.sector_bytes)
    measured_s = paced.response_ns / 1e9
    block = np.arange(len(measured_s)) * BLOCKS // len(measured_s)
    rows = np.flatnonzero(block % 2 == 0)
    seen = signs(asked, measured_s, rows, drive.sector_bytes)
    if np.isnan(seen[NAMES.index("middle")]):
        message = "the trace has too few reads that move the arm: at least 30, far apart"
        raise InputError("empty", None, message)
    start = start_of(drive)
    usable = [one for one in _FIGURES if _can(one[0], one[2], seen, file, start)]
    model = DiskModel(file, drive, paced, candidates, {one[0] for one in usable})
    sign = dict(zip(NAMES, seen.tolist(), strict=True))
    turn_s = turn(paced, measured_s, sign["spread"])
    start["rpm"] = 60 / (turn_s or sign["spread"])
    if turn_s is not None:
        usable = [one for one in usable if one[0] != "rpm"]
        model.moved -= {"rpm"}
    start |= _first(sign, 60 / start["rpm"], start)
    trace = Trace(asked, measured_s, rows, seen)
    cached = sign["writes"] < CACHED * sign["middle"]
    policies = _policies(model, start, measured_s, rows, ("across-reads",) if cached else ("none",))
    usable = _shown_by(model, policies, usable)
    found = solve(model, start, policies, trace, seed)
    figures = possible(average(found.replays, model.moved, seen))
    again = _policies(model, figures, measured_s, rows)
    if again != policies:
        policies = again
        usable = _shown_by(model, policies, usable)
        found = solve(model, figures, policies, trace, seed)
        figures = possible(average(found.replays, model.moved, seen))
    drawn = draws(found.replays, model.moved, trace, block=block, sector_bytes=drive.sector_bytes, seed=seed)
    bus_s = _bus_s(asked, start) if cached and all(one[0] != "controller.sector" for one in usable) else 0.0
    half = dict(zip(found.rates.paths, found.rates.half.tolist(), strict=True))
    made = [
        _rate(path, unit, method, figures[path], half[path])
        if path in half
        else _figure(
            path, unit, method, figures[path], drawn[path], beside_s=bus_s if path == "command_write" else 0.0
        )
        for path, unit, _, method in usable
    ]
    if turn_s is not None:
        how = "requests that come back to the same sectors complete whole turns apart"
        rpm = 60 / turn_s
        made.insert(0, DiskFigure("rpm", "rpm", rpm, rpm * (1 - _PHASE), rpm * (1 + _PHASE), False, how))
    for one in made:
        if one.flat and one.path in half:
            # Hardly anything was limited by it: as in the base, but no less than what was reached.
            reached = sign[next(name for name, path in RATES.items() if path == one.path)]
            figures[one.path] = max(start_of(drive)[one.path], reached)
        elif one.flat:
            model.fitted -= {one.path}
    simulated_s = model.times(figures, policies)
    return DiskFit(made, policies, model.tables(figures, policies), simulated_s, block)


def _shown_by(
    model: DiskModel, policies: dict[str, str], usable: list[tuple[str, str, str, str]]
) -> list[tuple[str, str, str, str]]:
    """The figures that these policies let show: without read-ahead there are no hits.

    Reads that continue then wait little where the think time is about a turn, and are none.
    """
    if policies["read_ahead"] != "none":
        return usable
    hidden = {"command_hit", "controller.sector"}
    model.fitted -= hidden
    model.moved -= hidden
    return [one for one in usable if one[0] not in hidden]


def _first(sign: dict[str, float], turn_s: float, start: dict[str, float]) -> dict[str, float]:
    """Where to start, by the signs alone; what a sign does not tell is left out."""
    found: dict[str, float] = {}
    if not np.isnan(sign["near"]):
        found["command_read"] = max(5e-5, sign["near"] - 0.05 * turn_s)
    read_s = found.get("command_read", start["command_read"])
    if sign["writes"] < CACHED * sign["middle"]:
        found["command_write"] = max(2e-5, sign["writes"])
    elif not np.isnan(sign["writes"]):
        found["command_write"] = max(5e-5, read_s + sign["writes"] - sign["middle"])
    moved_s = {name: sign[name] - read_s - turn_s / 2 for name in ("short", "middle", "long")}
    if 0 < moved_s["short"] < moved_s["middle"] < moved_s["long"]:
        # Of random pairs, the mean of a + b sqrt(x) + c x is that at about a third of the stroke.
        found["seek.average"] = moved_s["middle"]
        found["seek.full_stroke"] = (
            min(2.1, max(1.6, 1.05 * moved_s["long"] / moved_s["middle"])) * moved_s["middle"]
        )
        found["seek.single_cylinder"] = (
            min(0.25, max(0.05, 0.8 * moved_s["short"] / moved_s["middle"])) * moved_s["middle"]
        )
    if not np.isnan(sign["hit"]):
        found["command_hit"] = max(1e-5, sign["hit"])
    if sign["sector"] > 0:
        found["controller.sector"] = sign["sector"]
    for name in ("outer", "inner"):
        path = f"geometry.{name}_rate"
        if sign[name] > 0.5 * start[path]:
            found[path] = sign[name]
    return found


def _can(path: str, sign: str, seen: Array, file: DeviceFile, start: dict[str, float]) -> bool:
    if np.isnan(seen[NAMES.index(sign)]):
        return False
    overheads = file.read_overhead is not None or file.write_overhead is not None
    if path in ("command_hit", "controller.sector"):
        return not overheads
    # Zones that were extracted are known better than a line through rates.
    zoned = file.geometry is not None and not hasattr(file.geometry, "outer_rate")
    if path.startswith("geometry."):
        # Far less than in the base: each request lost a turn, which tells nothing of zones.
        return not zoned and bool(seen[NAMES.index(sign)] > 0.5 * start[path])
    return True


def _policies(
    model: DiskModel,
    figures: dict[str, float],
    measured_s: Array,
    rows: NDArray[np.int64],
    writes: Sequence[str] = _FAST_WRITE,
) -> dict[str, str]:
    """The policies with the least demerit; of those about as good, the base's, else the least paired RMSE."""
    tried = []
    for ahead, fast in product(_READ_AHEAD, writes):
        policies = {"read_ahead": ahead, "fast_write": fast}
        if (ahead != "none" or fast != "none") and not model.drive.buffer.segments:
            policies = {"read_ahead": "none", "fast_write": "none"}
        found = compare(measured_s[rows] * 1e3, model.times(figures, policies)[rows] * 1e3)
        assert found is not None
        tried.append((found.demerit_ms, found.paired_rmse_ms, policies))
    least = min(one[0] for one in tried)
    near = [one for one in tried if one[0] <= (1 + _ALIKE) * least]
    best = min(near, key=lambda one: one[1])
    # Policies that the trace does not touch differ by the chance of a phase: they stay as in the base.
    own: dict[str, str] = {
        "read_ahead": model.drive.buffer.read_ahead,
        "fast_write": model.drive.buffer.fast_write,
    }
    return next((own for one in near if one[2] == own and one[1] <= (1 + _ALIKE) * best[1]), best[2])


def _bus_s(asked: Asked, start: dict[str, float]) -> float:
    """Seconds that writes spend on a bus that nothing told of: it may be as much again, or none."""
    return float(np.median(asked.sectors[asked.far & asked.write])) * start["controller.sector"]


def _figure(path: str, unit: str, method: str, value: float, drawn: Array, *, beside_s: float) -> DiskFigure:
    """With the ends of its 95 % interval: the spread of the draws about their median, at the value.

    ``beside_s`` may be part of it as well.
    """
    least, middle, most = np.quantile(drawn, (0.025, 0.5, 0.975))
    wider = student(BLOCKS // 2 - 1) / 1.96
    low = value - math.hypot(max(wider * (middle - least), value * _RESOLUTION), beside_s)
    high = value + math.hypot(max(wider * (most - middle), value * _RESOLUTION), beside_s)
    flat = low <= 0 or bool(np.log(high / low) > 2 * FLAT)
    return DiskFigure(path, unit, value, max(0.0, float(low)), float(high), flat, method)


def _rate(path: str, unit: str, method: str, value: float, half: float) -> DiskFigure:
    """With an interval of ``half`` to each side, in logarithms."""
    half = max(half, _RESOLUTION)
    return DiskFigure(path, unit, value, value * math.exp(-half), value * math.exp(half), half > FLAT, method)
