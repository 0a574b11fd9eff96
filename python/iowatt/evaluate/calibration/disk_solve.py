"""Figures at which a replayed trace shows the signs that were measured, and how far others would do as well.

A response is a sum of the figures, so each is moved by what its sign lacks (rates: ``disk_rates``). One
replay is as uncertain as the measured trace: where the platter stands is chance as soon as a figure is off.
So the replays that miss the signs least are averaged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from iowatt.base.errors import InputError
from iowatt.evaluate.calibration.disk_model import DiskModel
from iowatt.evaluate.calibration.disk_rates import Rates, fit_rates
from iowatt.evaluate.calibration.disk_signs import CACHED, NAMES, Array, signs
from iowatt.evaluate.calibration.disk_trace import Replay, Trace, replay

_ROUNDS: Final = 10
_AVERAGED: Final = 4
_RESAMPLES: Final = 200
_BOXES: Final = {1: 0.2, 4: 0.15}
"""Rounds before which the rates are fitted, and how far about them replays are made: their logarithms."""

# a + b sqrt(x) + c x at the distances of the signs; what it is at none, on average and at the whole stroke.
_CURVE: Final = np.array([[1.0, x**0.5, x] for x in (0.01, 0.33, 0.9)])
_SEEKS: Final = {
    "seek.single_cylinder": (1.0, 0.0, 0.0),
    "seek.average": (1.0, 8 / 15, 1 / 3),
    "seek.full_stroke": (1.0, 1.0, 1.0),
}


@dataclass(frozen=True)
class Solution:
    """The replays that miss the signs least, and the rates."""

    replays: list[Replay]
    rates: Rates


def solve(
    model: DiskModel, start: dict[str, float], policies: dict[str, str], trace: Trace, seed: int
) -> Solution:
    """Replays about the figures that show ``trace.seen``.

    Raises ``InputError`` where no figures that were tried make a drive.
    """
    figures, made = possible(start), list[Replay]()
    rates = Rates((), np.zeros(0), np.zeros(0))
    for number in range(_ROUNDS):
        if number in _BOXES:
            rates = fit_rates(model, figures, policies, trace, box=_BOXES[number], seed=seed)
            figures = figures | dict(zip(rates.paths, np.exp(rates.logs).tolist(), strict=True))
        try:
            made.append(replay(model, figures, policies, trace))
        except InputError:  # figures that contradict one another: half way back
            if not made:
                raise
            back = made[-1].figures
            figures = {path: (value * back[path]) ** 0.5 for path, value in figures.items()}
            continue
        figures = possible(moved(figures, trace.seen, made[-1].shown, model.moved))
    # Of the last rates.
    made = made[max(_BOXES) :] or made
    made.sort(key=lambda one: _missing(trace.seen, one.shown))
    return Solution(made[:_AVERAGED], rates)


def average(replays: Sequence[Replay], paths: set[str], seen: Array) -> dict[str, float]:
    """The mean of the figures that each replay asks for."""
    asked = [moved(one.figures, seen, one.shown, paths) for one in replays]
    return {path: float(np.mean([one[path] for one in asked])) for path in asked[0]}


def draws(
    replays: Sequence[Replay],
    paths: set[str],
    trace: Trace,
    *,
    block: NDArray[np.int64],
    sector_bytes: int,
    seed: int,
) -> dict[str, Array]:
    """Figures of blocks of time drawn anew, measured and replayed alike."""
    draw, rows = np.random.default_rng(seed), trace.rows
    of_block = [rows[block[rows] == number] for number in np.unique(block[rows])]
    found: dict[str, list[float]] = {path: [] for path in replays[0].figures}
    for _ in range(_RESAMPLES):
        chosen = np.concatenate([of_block[one] for one in draw.integers(0, len(of_block), len(of_block))])
        seen = signs(trace.asked, trace.measured_s, chosen, sector_bytes)
        again = [
            Replay(one.figures, one.time_s, signs(trace.asked, one.time_s, chosen, sector_bytes))
            for one in replays
        ]
        for path, value in average(again, paths, seen).items():
            found[path].append(value)
    return {path: np.array(values) for path, values in found.items()}


def _missing(seen: Array, shown: Array) -> float:
    return float(np.nansum((np.log(seen[:9] / np.maximum(1e-9, shown[:9]))) ** 2))


def moved(figures: dict[str, float], seen: Array, shown: Array, paths: set[str]) -> dict[str, float]:
    """Figures (``paths`` of them) moved by the difference of signs, as a response is made of them.

    near = command; far = command + seek + half a turn; writes = far + difference of the commands, or the
    command where they are cached; hits = command + sectors on the bus.
    """
    one = dict(zip(NAMES, seen.tolist(), strict=True))
    other = dict(zip(NAMES, shown.tolist(), strict=True))
    gap = {name: 0.0 if np.isnan(value := one[name] - other[name]) else value for name in NAMES}
    found = dict(figures)
    turn_s = 60 / figures["rpm"]
    if "rpm" in paths:
        turn_s = float(np.clip(turn_s + gap["spread"], 0.7 * turn_s, 1.4 * turn_s))
        found["rpm"] = 60 / turn_s
    half = (turn_s - 60 / figures["rpm"]) / 2
    command = gap["near"]
    found["command_read"] = figures["command_read"] + command
    cached = one["writes"] < CACHED * one["middle"]
    write = gap["writes"] if cached else gap["writes"] - gap["middle"] + command
    found["command_write"] = figures["command_write"] + write
    factors = np.linalg.solve(_CURVE, [gap[name] - command - half for name in ("short", "middle", "long")])
    for path, at in _SEEKS.items():
        found[path] = figures[path] + float(np.array(at) @ factors)
    found["command_hit"] = figures["command_hit"] + gap["hit"]
    found["controller.sector"] = figures["controller.sector"] + gap["sector"]
    return {path: value if path in paths else figures[path] for path, value in found.items()}


def possible(figures: dict[str, float]) -> dict[str, float]:
    """The nearest figures that make a drive: times above 0, and seeks that a rising curve goes through."""
    found = dict(figures)
    for path in ("command_read", "command_write", "command_hit"):
        found[path] = max(1e-6, found[path])
    found["controller.sector"] = max(1e-9, found["controller.sector"])
    for path in _SEEKS:
        found[path] = max(1e-5, found[path])
    single, middle = found["seek.single_cylinder"], found["seek.average"]
    # `mechanics.three_point_curve`.
    lowest, highest = (15 * middle - 7 * single) / 8, 3 * middle - 2 * single
    found["seek.full_stroke"] = float(np.clip(found["seek.full_stroke"], 1.001 * lowest, 0.999 * highest))
    return found
