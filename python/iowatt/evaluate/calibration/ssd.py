"""An SSD from cells: response times alone and at depth, ceilings by size, the rates of writes.

Regressions give where to start: the mean at depth 1 by size, the greatest rates of requests and bytes. Then
Gauss and Newton's steps on the simulated drive bring its response times to the measured ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

import numpy as np

from iowatt.base.errors import InputError
from iowatt.evaluate.calibration.candidate import CandidateFiles
from iowatt.evaluate.calibration.cells import Split
from iowatt.evaluate.calibration.intervals import NONE, Array, Noise
from iowatt.evaluate.calibration.least_squares import Fitted, fit
from iowatt.evaluate.measured import Cell, Measured, simulate
from iowatt.model.library import DeviceFile
from iowatt.model.library.ssd import Ssd

SMALL: Final = 4096
_LARGE: Final = 65536
_REQUESTS: Final = 10_000
DIES: Final = "flash.dies_per_channel"
"""A whole number; between two, their response times are interpolated while it is sought."""


_CEILINGS: Final[dict[str, Callable[[Ssd], float]]] = {
    "performance.random_read_iops": lambda drive: drive.sheet.read_iops,
    "performance.sequential_read": lambda drive: drive.sheet.read_rate,
    "performance.random_write_iops": lambda drive: drive.sheet.write_iops,
    "performance.sequential_write": lambda drive: drive.sheet.write_rate,
}


@dataclass(frozen=True)
class SsdFigure:
    """A figure that is fitted: its key path, where to start, and what it is read from."""

    path: str
    unit: str
    start: float
    method: str


@dataclass(frozen=True)
class SsdFit:
    """Figures of one direction, as fitted."""

    figures: list[SsdFigure]
    fitted: Fitted


def alone(cells: Sequence[Measured]) -> float | None:
    """Seconds of a request of 4 KiB that is alone, from the cells at depth 1.

    ``t = t(4 KiB) + k (size - 4 KiB)``. Least squares of relative errors over the
    sizes; None where there is no such cell.
    """
    single = [one for one in cells if one.cell.outstanding == 1 and one.mean_s]
    if not single:
        return None
    sizes = np.array([one.cell.size_bytes - SMALL for one in single], float)
    times = np.array([one.mean_s or 0.0 for one in single])
    if len(set(sizes)) == 1:
        return float(np.exp(np.mean(np.log(times))))
    columns = np.column_stack([np.ones(len(sizes)), sizes]) / times[:, None]
    found = np.linalg.lstsq(columns, np.ones(len(sizes)), rcond=None)[0]
    smallest = float(times[sizes == sizes.min()].mean())
    return float(found[0]) if 0.5 * smallest < found[0] <= 1.5 * smallest else smallest


def most(cells: Sequence[Measured], pattern: str | None = None) -> tuple[float, float] | None:
    """The greatest rates of requests and of bytes; None where there are no such cells."""
    found = [one for one in cells if pattern in (None, one.cell.pattern)]
    if not found:
        return None
    return max(one.iops for one in found), max(one.iops * one.cell.size_bytes for one in found)


def read_figures(cells: Sequence[Measured], drive: Ssd) -> list[SsdFigure]:
    """What reads determine."""
    rates, time_s = most(cells), alone(cells)
    figures = []
    if time_s is not None:
        figures.append(
            SsdFigure("performance.read_latency", "s", time_s, "mean of reads that are alone, by size")
        )
    sizes = {one.cell.size_bytes for one in cells}
    # Of one size alone, the ceiling of commands and that of bytes are the same.
    if rates is not None and min(sizes) < _LARGE:
        how = "ceiling of small reads at depth"
        figures.append(SsdFigure("performance.random_read_iops", "1/s", rates[0], how))
    if rates is not None and (len(sizes) > 1 or min(sizes) >= _LARGE):
        how = "ceiling of large reads at depth"
        figures.append(SsdFigure("performance.sequential_read", "bytes/s", rates[1], how))
    if drive.geometry is not None and any(one.cell.outstanding > 1 for one in cells):
        how = (
            "growth of response times with depth, a page sensed as its cell type takes: effective parallelism"
        )
        figures.append(SsdFigure(DIES, "1", drive.geometry.dies_per_channel, how))
    return figures


def write_figures(cells: Sequence[Measured]) -> list[SsdFigure]:
    """What writes determine."""
    time_s = alone(cells)
    ordered, scattered = most(cells, "sequential"), most(cells, "random")
    figures = []
    if time_s is not None:
        figures.append(
            SsdFigure("performance.write_latency", "s", time_s, "mean of writes that are alone, by size")
        )
    if ordered is not None:
        figures.append(
            SsdFigure("performance.sequential_write", "bytes/s", ordered[1], "ceiling of sequential writes")
        )
    if scattered is not None:
        how = "steady rate of random writes: with the sequential one, the write amplification"
        figures.append(SsdFigure("performance.random_write_iops", "1/s", scattered[0], how))
    return figures


@dataclass(frozen=True)
class SsdBase:
    """What the candidates are based on: a device file and its drive."""

    file: DeviceFile
    drive: Ssd

    @property
    def channels(self) -> int:
        """Its channels, which are not fitted."""
        return self.drive.geometry.channels if self.drive.geometry is not None else 1

    def texts(self, figures: Mapping[str, float]) -> dict[str, Any]:
        """Figures as a device file has them, and what the base publishes beside them in proportion.

        Quantiles with their latency, because a drive simulated by its data sheet draws response times from
        them, and a latency alone would change nothing; the ceiling of 8 KiB with that of 4 KiB.
        """
        texts = {path: text_of(path, value) for path, value in figures.items()}
        sheet, own = self.drive.sheet, self.file.performance
        ceiling = figures.get("performance.random_read_iops")
        if own.random_read_8k_iops is not None and ceiling is not None:
            middle = own.random_read_8k_iops * ceiling / sheet.read_iops
            texts["performance.random_read_8k_iops"] = text_of("random_read_8k_iops", middle)
        for way, law, own_s in (
            ("read", own.read_quantiles, sheet.read_s), ("write", own.write_quantiles, sheet.write_s),
        ):  # fmt: skip
            latency_s = figures.get(f"performance.{way}_latency")
            if law is not None and latency_s is not None:
                texts[f"performance.{way}_quantiles"] = {
                    name: text_of("quantile_time", value * latency_s / own_s)
                    for name, value in law.model_dump(exclude_none=True).items()
                }
        return texts


class SsdModel:
    """Response times of cells on candidates of a drive; keeps what it has simulated."""

    def __init__(
        self, candidates: CandidateFiles, base: SsdBase, pinned: dict[str, Any], host_s: float, seed: int
    ) -> None:
        self.candidates, self.base, self.pinned = candidates, base, pinned
        self.host_s, self.seed = host_s, seed
        self._time = cache(self._simulated)

    def log_times(self, cells: Sequence[Measured], figures: Sequence[SsdFigure]) -> Callable[[Array], Array]:
        """The function from logarithms of ``figures`` to those of the cells' times a request."""

        gained: dict[int, Array] = {}

        def model(values: Array) -> Array:
            given = {one.path: float(np.exp(value)) for one, value in zip(figures, values, strict=True)}
            dies = given.pop(DIES, None)
            if dies is None:
                return self._cells(given, cells)
            less = max(1, math.floor(dies + 1e-6))
            share = max(0.0, dies - less)
            low = self._cells({**given, **_dies(less, self.base.channels)}, cells)
            if share < 1e-6:
                return low
            # What a further die gains hardly depends on the other figures: it is simulated once.
            if less not in gained:
                gained[less] = self._cells({**given, **_dies(less + 1, self.base.channels)}, cells) - low
            return low + share * gained[less]

        return model

    def _cells(self, given: dict[str, Any], cells: Sequence[Measured]) -> Array:
        device = self.candidates.file(self.base.texts({**self.pinned, **given}))
        return np.array([self._time(device, one.cell, one.iops) for one in cells])

    def _simulated(self, device: str, cell: Cell, rate: float) -> float:
        found = simulate(device, cell, self.host_s, self.seed, requests=_REQUESTS, rate=float(f"{rate:.3g}"))
        if found.iops <= 0:
            raise InputError("empty", cell.source, "the simulated drive completed no request")
        return observed(cell, found.iops, found.mean_s)


def observed(cell: Cell, iops: float, mean_s: float | None) -> float:
    """The logarithm of a cell's time for a request: the mean, else what a closed loop takes for one."""
    return math.log(mean_s if mean_s else cell.outstanding / iops)


def _dies(number: int, channels: int) -> dict[str, Any]:
    return {"flash.channels": channels, DIES: number}


def text_of(path: str, value: float) -> Any:
    """A figure of an SSD as a device file has it; ``value`` is in SI units."""
    if path.startswith("flash.") and path.endswith(("channels", "dies_per_channel", "planes")):
        return round(value)
    if path.endswith("over_provisioning"):
        return float(f"{value:.6g}")
    if path.endswith(("_latency", "_time")):
        return f"{value * 1e6:.6g}us"
    if path.endswith("_iops"):
        return float(f"{value:.6g}")
    return f"{value / 1e6:.6g}MB/s"


def fit_ssd(
    cells: Split, base: SsdBase, candidates: CandidateFiles, host_s: float, seed: int
) -> tuple[list[SsdFit], dict[str, Any]]:
    """Fit reads, then writes beside them: the fits, and the figures of the device file by key path."""
    drive = base.drive
    reads, writes = cells.of("read"), cells.of("write")
    found: list[SsdFit] = []
    # Dies follow from rates unless they are given: as they are in the base while others are moved.
    pinned: dict[str, Any] = {}
    if drive.geometry is not None:
        pinned = dict(_dies(drive.geometry.dies_per_channel, base.channels))
    starts = {one.path: one.start for one in write_figures(writes)}
    for work, figures in ((reads, read_figures(reads, drive)), (writes, write_figures(writes))):
        if not work or not figures:
            continue
        first = {**starts, **pinned}
        if work is reads and drive.geometry is not None:
            # Spare space that is given keeps the flash simulated, whatever the first rates of writes are.
            first["flash.over_provisioning"] = drive.geometry.spare
        model = SsdModel(candidates, base, first, host_s, seed)
        noise = found[0].fitted.noise if found else NONE
        made = _fit(model, work, figures, seed, noise)
        found.append(made)
        for one, value, flat in zip(made.figures, made.fitted.values, made.fitted.flat, strict=True):
            if not flat:
                pinned[one.path] = float(np.exp(value))
            elif one.path == DIES:
                pinned[DIES] = max(1, round(math.exp(value)))
            elif one.path in _CEILINGS:
                # Nothing was limited by it: as in the base, but no less than what was reached.
                pinned[one.path] = max(one.start, _CEILINGS[one.path](drive))
    return found, base.texts(pinned)


def _fit(
    model: SsdModel, cells: Sequence[Measured], figures: list[SsdFigure], seed: int, noise: Noise
) -> SsdFit:
    times = np.array([observed(one.cell, one.iops, one.mean_s) for one in cells])
    start = np.log([one.start for one in figures])
    made = fit(model.log_times(cells, figures), times, start, seed, noise=noise)
    places = [number for number, one in enumerate(figures) if one.path == DIES]
    if not places or made.flat[places[0]]:
        return SsdFit(figures, made)
    # Dies are whole: the others once more beside them, and the interval reaches to the next number at least.
    place = places[0]
    whole = max(1, round(math.exp(made.values[place])))
    start = made.values.copy()
    start[place] = math.log(whole)
    again = fit(model.log_times(cells, figures), times, start, seed, fixed=[place], noise=noise, ends=False)
    low, high = made.low.copy(), made.high.copy()
    least, greatest = math.exp(low[place]), math.exp(high[place])
    low[place] = math.log(max(0.5, min(least, whole - 0.5)))
    high[place] = math.log(max(greatest, whole + 0.5))
    others = np.arange(len(figures)) != place
    low[others] = np.minimum(low, again.low)[others]
    high[others] = np.maximum(high, again.high)[others]
    return SsdFit(figures, replace(again, low=low, high=high, flat=made.flat))
