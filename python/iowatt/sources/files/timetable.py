"""Which operation is due when: drawn from a mix, the same for the same seed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from iowatt.base.errors import Argument, InputError
from iowatt.model.library.files import FileWorkload, operations

#: Held in memory with the stamps of each, about 90 bytes an operation.
MOST_OPERATIONS = 50_000_000


@dataclass(frozen=True)
class Timetable:
    """Operations in order of their intended times."""

    due_ns: npt.NDArray[np.uint64]
    code: npt.NDArray[np.uint8]


def draw_timetable(workload: FileWorkload, rate: float, duration_s: float, seed: int) -> Timetable:
    """Operations for ``duration_s`` at ``rate`` per second.

    Raises ``InputError`` where these are none, or more than memory should hold.
    """
    if rate * duration_s > MOST_OPERATIONS:
        message = f"{rate:g} operations per second for {duration_s:g} s are more than {MOST_OPERATIONS:,}"
        raise InputError("too-large", Argument("duration"), message)
    rng = np.random.Generator(np.random.PCG64(seed))
    if workload.arrivals == "constant":
        due = np.arange(int(rate * duration_s), dtype=np.float64) / rate
    else:
        # So many that fewer than asked for are out of the question: ten standard deviations.
        expected = rate * duration_s
        gaps = rng.exponential(1 / rate, int(expected + 10 * expected**0.5 + 20))
        due = np.cumsum(gaps)
        due = due[due < duration_s]
    if not due.size:
        message = f"no operation is due within {duration_s:g} s at {rate:g} per second"
        raise InputError("empty", Argument("duration"), message)
    known = operations()
    names = list(workload.operations)
    shares = np.array([workload.operations[name] for name in names])
    codes = np.array([known[name][0] for name in names], dtype=np.uint8)
    drawn = rng.choice(codes, due.size, p=shares / shares.sum())
    return Timetable((due * 1e9).astype(np.uint64), drawn)
