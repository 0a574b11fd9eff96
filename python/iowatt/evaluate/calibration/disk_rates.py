"""The rates of a disk at its first and last byte, from the rates of its streams.

Commands and the bus limit streams as well, and whether a stream loses a turn is chance as soon as a figure is
off: slopes of two replays are noise. So replays all about the figures are made, and a plane is laid through
the logarithms of the signs (a response surface; Box and Wilson 1951). What is left of them about the plane is
the chance of one replay, which the measured trace has as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from iowatt.base.errors import InputError
from iowatt.evaluate.calibration.disk_model import DiskModel
from iowatt.evaluate.calibration.disk_signs import NAMES, Array
from iowatt.evaluate.calibration.disk_trace import Trace, replay
from iowatt.evaluate.calibration.intervals import FLAT, student

RATES: Final = {"outer": "geometry.outer_rate", "inner": "geometry.inner_rate"}
_REPLAYS: Final = 14
_SINGULAR: Final = 0.01
"""Slopes that act as one to this share: streams are hidden by commands or the bus."""
_FARTHEST: Final = 0.3


@dataclass(frozen=True)
class Rates:
    """Logarithms of the rates ``paths`` and half their 95 % intervals: infinite where nothing tells them."""

    paths: tuple[str, ...]
    logs: Array
    half: Array


def fit_rates(
    model: DiskModel,
    figures: dict[str, float],
    policies: dict[str, str],
    trace: Trace,
    *,
    box: float,
    seed: int,
) -> Rates:
    """The rates at which the plane through replays within ``box`` (a logarithm) shows what was measured."""
    names = [name for name, path in RATES.items() if path in model.moved]
    paths, at = tuple(RATES[name] for name in names), [NAMES.index(name) for name in names]
    middle = np.log([figures[path] for path in paths])
    unknown = Rates(paths, middle, np.full(len(paths), np.inf))
    if not names:
        return unknown
    steps, signs = [], []
    for step in _spread(len(names), box, seed):
        tried = {**figures, **dict(zip(paths, np.exp(middle + step).tolist(), strict=True))}
        try:
            shown = replay(model, tried, policies, trace).shown[at]
        except InputError:
            continue
        if np.all(shown > 0):
            steps.append(step)
            signs.append(np.log(shown))
    freedom = len(steps) - len(names) - 1
    if freedom < 2:
        return unknown
    columns = np.column_stack([np.ones(len(steps)), np.array(steps)])
    plane = np.linalg.lstsq(columns, np.array(signs), rcond=None)[0]
    rest = np.array(signs) - columns @ plane
    slopes = plane[1:].T
    if np.linalg.svd(slopes, compute_uv=False).min() < _SINGULAR:
        return unknown
    back = np.linalg.inv(slopes)
    step = back @ (np.log(trace.seen[at]) - plane[0])
    # The chance of the measured trace, and that of the plane where it is read.
    beyond = np.concatenate([[1.0], step])
    wider = 1 + float(beyond @ np.linalg.inv(columns.T @ columns) @ beyond)
    covariance = back @ (rest.T @ rest / freedom) @ back.T * wider
    half = student(freedom) * np.sqrt(np.diag(covariance))
    # A rate that is not told stays where it is, so as not to wander.
    told = np.where(half <= FLAT, np.clip(step, -_FARTHEST, _FARTHEST), 0.0)
    return Rates(paths, middle + told, half)


def _spread(count: int, box: float, seed: int) -> Array:
    """Points all over a box about 0: each axis cut into as many slices as there are replays, one in each."""
    draw = np.random.default_rng(seed)
    slices = (np.arange(_REPLAYS) + 0.5) / _REPLAYS * 2 - 1
    return box * np.column_stack([draw.permutation(slices) for _ in range(count)])
