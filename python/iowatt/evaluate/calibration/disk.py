"""A disk from a trace of requests one at a time: mechanics by their signs, policies by trying them.

Figures are moved until the trace, replayed on the simulated drive, shows the same signs as measured
(``disk_signs``). Policies of the buffer are enumerated, and the one with the least demerit holds, the paired
RMSE deciding between equals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from iowatt.base.errors import InputError
from iowatt.evaluate.calibration.candidate import Candidates
from iowatt.evaluate.calibration.disk_signs import CACHED, NAMES, Array, Asked, signs, turn
from iowatt.evaluate.calibration.least_squares import FLAT, student
from iowatt.evaluate.validation import PacedRequests, compare, respond
from iowatt.model.library import DeviceFile, Disk, find_drive
from iowatt.model.library.mechanics import seek_time

BLOCKS: Final = 40
"""Blocks of time: every second one is held out."""
_ALIKE: Final = 0.05
"""Demerits and RMSEs that differ by less are alike."""
_RESAMPLES: Final = 400
_RESOLUTION: Final = 0.02
"""No interval is narrower to either side: the drive and the host jitter."""
_ROUNDS: Final = 6
_PHASE: Final = 1e-3
"""How well a turn is known by its phase: speeds of drives vary by as much."""
_READ_AHEAD: Final = ("none", "history", "segment")
_FAST_WRITE: Final = ("none", "across-reads")

# a + b sqrt(x) + c x at the distances of the signs; what it is at none, on average and at the whole stroke.
_CURVE: Final = np.array([[1.0, x**0.5, x] for x in (0.01, 0.33, 0.9)])
_SEEKS: Final = {
    "seek.single_cylinder": (1.0, 0.0, 0.0),
    "seek.average": (1.0, 8 / 15, 1 / 3),
    "seek.full_stroke": (1.0, 1.0, 1.0),
}

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


def start_of(drive: Disk) -> dict[str, float]:
    """The figures of a drive by the names above."""
    controller, sector = drive.controller, drive.sector_bytes
    return {
        "rpm": drive.rpm,
        "command_read": max(2e-5, controller.read_miss[0]),
        "command_write": max(2e-5, controller.write_miss[0]),
        "seek.single_cylinder": seek_time(drive.seek, 1),
        "seek.average": drive.average_seek_s,
        "seek.full_stroke": seek_time(drive.seek, drive.cylinders),
        "geometry.outer_rate": drive.sequential_rate(0),
        "geometry.inner_rate": drive.sequential_rate(-1),
        "command_hit": max(2e-5, controller.read_hit[0]),
        "controller.sector": max(1e-8, controller.sector[0] or sector / 600e6),
    }


class DiskModel:
    """The trace on candidates of a drive."""

    def __init__(
        self, file: DeviceFile, drive: Disk, paced: PacedRequests, candidates: Candidates, fitted: set[str]
    ) -> None:
        self.file, self.drive, self.paced, self.candidates = file, drive, paced, candidates
        self.fitted = fitted

    def tables(self, figures: dict[str, float], policies: dict[str, str]) -> dict[str, Any]:
        """Key paths of a device file, as its texts."""
        given = {path: value for path, value in figures.items() if path in self.fitted}
        tables: dict[str, Any] = {}
        for path in ("seek.single_cylinder", "seek.average", "seek.full_stroke"):
            if path in given:
                tables[path] = f"{given[path] * 1e3:.6g}ms"
        for path in ("geometry.outer_rate", "geometry.inner_rate"):
            if path in given:
                rate = min(given[path], figures["geometry.outer_rate"])
                tables[path] = f"{rate / 1e6:.6g}MB/s"
        if "rpm" in given:
            tables["rpm"] = float(f"{given['rpm']:.7g}")
        tables.update(self._electronics(given))
        buffer = self.drive.buffer.model_copy(update=policies).model_dump()
        buffer["zero_latency"] = list(buffer["zero_latency"])
        tables.update({f"buffer.{name}": value for name, value in buffer.items()})
        queue = self.drive.command_queue
        tables["command_queue.scheduler"] = queue.scheduler
        if queue.depth is not None:
            tables["command_queue.depth"] = queue.depth
        return tables

    def _electronics(self, given: dict[str, float]) -> dict[str, Any]:
        def us(value: float) -> str:
            return f"{value * 1e6:.6g}us"

        if self.own_overheads:
            named = {"command_read": "read_overhead", "command_write": "write_overhead"}
            return {named[path]: us(given[path]) for path in named if path in given}
        controller, tables = self.drive.controller, {}
        for path, name in (
            ("command_read", "read_miss"), ("command_write", "write_miss"), ("command_hit", "read_hit"),
        ):  # fmt: skip
            value = given.get(path)
            old = getattr(controller, name)
            tables[f"controller.{name}"] = [us(one if value is None else value) for one in old]
        tables["controller.write_hit"] = tables[
            "controller.write_miss" if "command_write" in given else "controller.read_miss"
        ]
        sector = given.get("controller.sector")
        tables["controller.sector"] = [
            f"{(one if sector is None else sector) * 1e9:.6g}ns" for one in controller.sector
        ]
        return tables

    @property
    def own_overheads(self) -> bool:
        """Whether the base gives overheads by direction alone: it has no place for hits and the bus."""
        return self.file.read_overhead is not None or self.file.write_overhead is not None

    def times(self, figures: dict[str, float], policies: dict[str, str]) -> Array:
        """Response times in seconds. Raises ``InputError`` where the figures contradict one another."""
        drive = find_drive(self.candidates.file(self.tables(figures, policies)))
        return respond(drive, self.paced)[0] / 1e3

    def phases(self, figures: dict[str, float], policies: dict[str, str]) -> list[Array]:
        """Response times of replays that begin a quarter of a turn apart."""
        drive = find_drive(self.candidates.file(self.tables(figures, policies)))
        found = []
        for quarter in range(4):
            think = self.paced.think_ns.copy()
            think[0] += np.uint64(quarter * 15e9 / drive.rpm)
            found.append(respond(drive, replace(self.paced, think_ns=think))[0] / 1e3)
        return found


def fit_disk(
    file: DeviceFile, drive: Disk, paced: PacedRequests, candidates: Candidates, seed: int
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
    start |= _first(sign, 60 / start["rpm"], start)
    cached = sign["writes"] < CACHED * sign["middle"]
    policies = _policies(model, start, measured_s, rows, ("across-reads",) if cached else ("none",))
    figures = _solve(model, start, policies, seen=seen, asked=asked, rows=rows)
    again = _policies(model, figures, measured_s, rows)
    if again != policies:
        policies = again
        figures = _solve(model, figures, policies, seen=seen, asked=asked, rows=rows)
    simulated_s = model.times(figures, policies)
    draws = _draws(
        model, figures, policies, asked=asked, measured_s=measured_s, rows=rows, block=block, seed=seed
    )
    made = [_figure(path, unit, method, figures[path], draws[path]) for path, unit, _, method in usable]
    if turn_s is not None:
        how = "requests that come back to the same sectors complete whole turns apart"
        rpm = 60 / turn_s
        made.insert(0, DiskFigure("rpm", "rpm", rpm, rpm * (1 - _PHASE), rpm * (1 + _PHASE), False, how))
    flat = {one.path for one in made if one.flat}
    if flat:
        model.fitted -= flat
        simulated_s = model.times(figures, policies)
    return DiskFit(made, policies, model.tables(figures, policies), simulated_s, block)


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


def _solve(
    model: DiskModel,
    start: dict[str, float],
    policies: dict[str, str],
    *,
    seen: Array,
    asked: Asked,
    rows: NDArray[np.int64],
) -> dict[str, float]:
    """Figures with which the replay shows the signs ``seen``: each is moved by what its sign lacks."""
    figures, best, least = dict(start), dict(start), np.inf
    for _ in range(_ROUNDS):
        shown = _shown(model, figures, policies, asked, rows)
        missing = float(np.nansum((np.log(seen[:9] / np.maximum(1e-9, shown[:9]))) ** 2))
        if np.isnan(shown).all():  # figures that contradict one another: half way back
            figures = {path: (value * best[path]) ** 0.5 for path, value in figures.items()}
            continue
        if missing < least:
            best, least = dict(figures), missing
        figures = _moved(figures, seen, shown, model.fitted)
    return best


def _shown(
    model: DiskModel,
    figures: dict[str, float],
    policies: dict[str, str],
    asked: Asked,
    rows: NDArray[np.int64],
) -> Array:
    """The signs of the replay, of four that begin a quarter of a turn apart: their waits cancel in part."""
    try:
        every = [
            signs(asked, time_s, rows, model.drive.sector_bytes) for time_s in model.phases(figures, policies)
        ]
    except InputError:
        return np.full(len(NAMES), np.nan)
    return np.asarray(np.mean(every, axis=0), dtype=np.float64)


def _moved(figures: dict[str, float], seen: Array, shown: Array, fitted: set[str]) -> dict[str, float]:
    """Figures moved by the difference of signs, as a response is made of them.

    near = command; far = command + seek + half a turn; writes = far + difference of the commands, or the
    command where they are cached; rates; hits = command + sectors on the bus.
    """
    one = dict(zip(NAMES, seen.tolist(), strict=True))
    other = dict(zip(NAMES, shown.tolist(), strict=True))
    gap = {name: 0.0 if np.isnan(value := one[name] - other[name]) else value for name in NAMES}
    moved = dict(figures)
    turn_s = 60 / figures["rpm"]
    if "rpm" in fitted:
        turn_s = float(np.clip(turn_s + gap["spread"], 0.7 * turn_s, 1.4 * turn_s))
        moved["rpm"] = 60 / turn_s
    half = (turn_s - 60 / figures["rpm"]) / 2
    command = gap["near"]
    moved["command_read"] = max(1e-6, figures["command_read"] + command)
    command = moved["command_read"] - figures["command_read"]
    cached = one["writes"] < CACHED * one["middle"]
    write = gap["writes"] if cached else gap["writes"] - gap["middle"] + command
    moved["command_write"] = max(1e-6, figures["command_write"] + write)
    seeks = np.array([gap[name] - command - half for name in ("short", "middle", "long")])
    factors = np.linalg.solve(_CURVE, seeks)
    for path, at in _SEEKS.items():
        moved[path] = max(1e-5, figures[path] + float(np.array(at) @ factors))
    single, average = (moved[f"seek.{name}"] for name in ("single_cylinder", "average"))
    # What a rising curve through the three takes (`mechanics.three_point_curve`).
    lowest, highest = (15 * average - 7 * single) / 8, 3 * average - 2 * single
    moved["seek.full_stroke"] = float(np.clip(moved["seek.full_stroke"], 1.001 * lowest, 0.999 * highest))
    for name in ("outer", "inner"):
        if one[name] > 0 and other[name] > 0:
            moved[f"geometry.{name}_rate"] = figures[f"geometry.{name}_rate"] * one[name] / other[name]
    moved["command_hit"] = max(1e-6, figures["command_hit"] + gap["hit"])
    moved["controller.sector"] = max(1e-9, figures["controller.sector"] + gap["sector"])
    return {path: value if path in fitted else figures[path] for path, value in moved.items()}


def _draws(
    model: DiskModel,
    figures: dict[str, float],
    policies: dict[str, str],
    *,
    asked: Asked,
    measured_s: Array,
    rows: NDArray[np.int64],
    block: NDArray[np.int64],
    seed: int,
) -> dict[str, Array]:
    """Figures of blocks of time drawn anew, measured and simulated alike."""
    draw, sector = np.random.default_rng(seed), model.drive.sector_bytes
    of_block = [rows[block[rows] == number] for number in np.unique(block[rows])]
    phases = model.phases(figures, policies)
    found: dict[str, list[float]] = {path: [] for path in figures}
    for number in range(_RESAMPLES):
        chosen = np.concatenate([of_block[one] for one in draw.integers(0, len(of_block), len(of_block))])
        seen = signs(asked, measured_s, chosen, sector)
        shown = signs(asked, phases[number % len(phases)], chosen, sector)
        for path, value in _moved(figures, seen, shown, model.fitted).items():
            found[path].append(value)
    return {path: np.array(values) for path, values in found.items()}


def _figure(path: str, unit: str, method: str, value: float, drawn: Array) -> DiskFigure:
    """With the ends of its 95 % interval: the spread of the draws about their median, at the value."""
    least, middle, most = np.quantile(drawn, (0.025, 0.5, 0.975))
    wider = student(BLOCKS // 2 - 1) / 1.96
    low = min(value + wider * (least - middle), value * (1 - _RESOLUTION))
    high = max(value + wider * (most - middle), value * (1 + _RESOLUTION))
    flat = low <= 0 or bool(np.log(high / low) > 2 * FLAT)
    return DiskFigure(path, unit, value, max(0.0, low), high, flat, method)
