"""How far a fitted device is from what it was not fitted to, and what it is good for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal

import numpy as np

from iowatt.evaluate.calibration.result import CheckedCell, ErrorInterval
from iowatt.evaluate.measured import SHARES, Figures, Measured
from iowatt.evaluate.validation import compare, quantiles
from iowatt.run.histogram import Histogram

MEAN_BAR: Final = 0.15
TAIL_BAR: Final = 0.25
_RESAMPLES: Final = 2000
_QUANTILES: Final = ("p50", "p99", "p99.9")
_LEAST: Final = {"p50": 10, "p99": 200, "p99.9": 5000}
_POINTS: Final = (np.arange(2000) + 0.5) / 2000

Purpose = Literal["mean", "tail"]


def checked_cell(
    measured: Measured, simulated: Figures, simulated_w: float | None, *, held_out: bool
) -> CheckedCell:
    """A cell beside its simulation; watts only where they were measured."""
    op = "write" if measured.cell.op == "write" else "read"
    ours, theirs = (_shares(one, op) for one in (simulated, measured))
    return CheckedCell(
        name=measured.cell.name,
        held_out=held_out,
        measured_iops=measured.iops,
        simulated_iops=simulated.iops,
        measured_mean_s=measured.mean_s,
        simulated_mean_s=simulated.mean_s,
        measured=theirs,
        simulated=ours,
        demerit_fraction=_demerit(measured, simulated),
        measured_w=measured.watts,
        simulated_w=simulated_w if measured.watts is not None else None,
    )


def _shares(one: Figures, op: str) -> dict[str, float]:
    known = one.writes if op == "write" else one.reads
    return {name: known[SHARES[name]] for name in _QUANTILES if SHARES[name] in known}


def _demerit(measured: Figures, simulated: Figures) -> float | None:
    one, other = measured.histogram, simulated.histogram
    if one is None or other is None or not one.total or not other.total or not measured.mean_s:
        return None
    gap = _spread(one) - _spread(other)
    return float(np.sqrt(np.mean(gap**2))) / measured.mean_s


def _spread(histogram: Histogram) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Seconds at evenly spaced shares; within a bin, its middle."""
    at = np.searchsorted(np.cumsum(histogram.count), _POINTS * histogram.total)
    at = np.minimum(at, len(histogram.count) - 1)
    return (histogram.low_ns[at].astype(np.float64) + histogram.high_ns[at].astype(np.float64)) / 2e9


def checked_blocks(
    measured_s: np.ndarray[tuple[int], np.dtype[np.float64]],
    simulated_s: np.ndarray[tuple[int], np.dtype[np.float64]],
    block: np.ndarray[tuple[int], np.dtype[np.int64]],
) -> Iterator[CheckedCell]:
    """Blocks of a trace, every second one held out; rates are without think time."""
    for number in np.unique(block):
        mine = block == number
        one, other = measured_s[mine], simulated_s[mine]
        found = compare(one * 1e3, other * 1e3)
        assert found is not None
        names = [name for name in _QUANTILES if len(one) >= _LEAST[name]]
        at = np.array([SHARES[name] for name in names])
        yield CheckedCell(
            name=f"block {number + 1}",
            held_out=bool(number % 2),
            measured_iops=1 / float(one.mean()),
            simulated_iops=1 / float(other.mean()),
            measured_mean_s=float(one.mean()),
            simulated_mean_s=float(other.mean()),
            measured=dict(zip(names, quantiles(one, at).tolist(), strict=True)),
            simulated=dict(zip(names, quantiles(other, at).tolist(), strict=True)),
            demerit_fraction=found.demerit_fraction,
            measured_w=None,
            simulated_w=None,
        )


def errors(cells: Sequence[CheckedCell], seed: int) -> list[ErrorInterval]:
    """Absolute errors over the held-out cells: of means, of quantiles, demerits and watts."""
    held = [cell for cell in cells if cell.held_out]
    found = [("mean", [abs(cell.error) for cell in held])]
    for name in _QUANTILES:
        found.append((name, [abs(one) for cell in held if (one := cell.error_of(name)) is not None]))
    found.append(("demerit", [cell.demerit_fraction for cell in held if cell.demerit_fraction is not None]))
    watts = [
        abs(cell.simulated_w / cell.measured_w - 1) for cell in held if cell.measured_w and cell.simulated_w
    ]
    found.append(("watts", watts))
    return [_interval(name, np.array(values), seed) for name, values in found if values]


def _interval(name: str, values: np.ndarray[tuple[int], np.dtype[np.float64]], seed: int) -> ErrorInterval:
    count = len(values)
    block = max(1, round(count ** (1 / 3)))
    draw = np.random.default_rng(seed)
    starts = draw.integers(0, count, size=(_RESAMPLES, -(-count // block)))
    rows = (starts[:, :, None] + np.arange(block)).reshape(_RESAMPLES, -1)[:, :count] % count
    low, high = np.quantile(values[rows].mean(axis=1), (0.025, 0.975))
    return ErrorInterval(of=name, value=float(values.mean()), low=float(low), high=float(high), cells=count)


def good_for(cells: Sequence[CheckedCell]) -> list[Purpose]:
    """What held-out cells allow: the mean of errors within ``MEAN_BAR``, every p99 within ``TAIL_BAR``."""
    held = [cell for cell in cells if cell.held_out]
    if not held:
        return []
    good: list[Purpose] = []
    if np.mean([abs(cell.error) for cell in held]) <= MEAN_BAR:
        good.append("mean")
    tails = [abs(one) for cell in held if (one := cell.error_of("p99")) is not None]
    if tails and max(tails) <= TAIL_BAR:
        good.append("tail")
    return good
