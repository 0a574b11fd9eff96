"""The measured side of a disk's fit, and replays of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from iowatt.evaluate.calibration.disk_model import DiskModel
from iowatt.evaluate.calibration.disk_signs import Array, Asked, signs


@dataclass(frozen=True)
class Trace:
    """Requests by what they show, response times in seconds, the rows that are fitted to, their signs."""

    asked: Asked
    measured_s: Array
    rows: NDArray[np.int64]
    seen: Array


@dataclass(frozen=True)
class Replay:
    """A replay of the trace: its figures, its response times in seconds and their signs."""

    figures: dict[str, float]
    time_s: Array
    shown: Array


def replay(model: DiskModel, figures: dict[str, float], policies: dict[str, str], trace: Trace) -> Replay:
    """Replay the trace. Raises ``InputError`` where the figures contradict one another."""
    time_s = model.times(figures, policies)
    return Replay(figures, time_s, signs(trace.asked, time_s, trace.rows, model.drive.sector_bytes))
