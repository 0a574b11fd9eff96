"""A device against measured cells: the error of each figure, and what the device may be trusted for."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from typing import Final, get_args

import numpy as np
from numpy.typing import NDArray

from iowatt.base.errors import InputError
from iowatt.base.results import Note
from iowatt.evaluate.measured.bins import Bins
from iowatt.evaluate.measured.cell import SHARES, Cell, Figures, Measured, SimulatedCell, host_seconds
from iowatt.evaluate.measured.result import (
    CellFigure,
    ComparedCell,
    ComparedDevice,
    Figure,
    FigureErrors,
    Purpose,
)
from iowatt.evaluate.measured.simulation import simulate
from iowatt.model.library import BARS, device_file, trusted
from iowatt.run.histogram import Histogram

REQUESTS: Final = 100_000
"""Requests that are simulated of a cell: a hundred beyond p99.9."""
_QUANTILES: Final = (np.arange(1000) + 0.5) / 1000

Simulate = Callable[[str, Cell, float], SimulatedCell]


def compare(
    device: str,
    measured: Sequence[Measured],
    *,
    host_s: float | None = None,
    seed: int = 1,
    requests: int = REQUESTS,
    simulated: Simulate | None = None,
) -> ComparedDevice:
    """A device at the work of each cell.

    Parameters
    ----------
    host_s:
        Processor time of the load generator for a request; None: as the cells have it
        (:func:`host_seconds`).
    simulated:
        What simulates a cell, from the device, the cell and ``host_s``; None: :func:`simulate`.

    Raises ``InputError``: no cells, or the device cannot be simulated.
    """
    if not measured:
        raise InputError("empty", device, "there are no measured cells to compare with")
    host_s = host_seconds(measured) if host_s is None else host_s
    run = simulated or (lambda name, cell, host: simulate(name, cell, host, seed, requests=requests))
    cells = [cell for one in measured for cell in _compared(one, run(device, one.cell, host_s))]
    checked = list(_checked(cells))
    return ComparedDevice(
        device=device,
        title=device_file(device).title,
        measured_by=None,
        licence=None,
        host_s=host_s,
        cells=cells,
        checked=checked,
        trusted_for=[
            purpose
            for purpose in get_args(Purpose)
            if trusted(purpose, {one.figure: (one.cells, one.within) for one in checked})
        ],
        notes=list(_notes(measured)),
    )


def _compared(measured: Measured, simulated: SimulatedCell) -> Iterator[ComparedCell]:
    """The cell, and what ran beside it."""
    parts = zip(
        (measured.cell, *measured.cell.beside),
        (measured, *measured.beside),
        (simulated, *simulated.beside),
        strict=True,
    )
    for cell, theirs, ours in parts:
        yield ComparedCell(
            name=cell.name,
            op=cell.op,
            read_share=cell.read_share,
            pattern=cell.pattern,
            size_bytes=cell.size_bytes,
            depth=cell.depth,
            processes=cell.processes,
            rate_per_s=cell.rate_per_s,
            source=cell.source,
            binned=measured.binned,
            figures=list(_figures(cell, theirs, ours, binned=measured.binned)),
            demerit=_demerit(theirs, ours),
        )


def _figures(cell: Cell, theirs: Figures, ours: Figures, *, binned: bool) -> Iterator[CellFigure]:
    # Under open arrivals the rate is what was asked for, on both sides.
    if cell.rate_per_s is None:
        yield _figure("iops", None, theirs.iops, ours.iops)
    for way, mean, shares, histogram in (
        ("read", theirs.read_mean_s, theirs.reads, theirs.read_histogram),
        ("write", theirs.write_mean_s, theirs.writes, theirs.write_histogram),
    ):
        our_mean, our_shares, our_histogram = (
            (ours.read_mean_s, ours.reads, ours.read_histogram)
            if way == "read"
            else (ours.write_mean_s, ours.writes, ours.write_histogram)
        )
        if binned and histogram is not None and our_histogram is not None:
            within = Bins.of(our_histogram, _edges(histogram))
            our_mean, our_shares = within.mean_s, within.quantiles()
        direction = "read" if way == "read" else "write"
        if mean is not None and our_mean is not None:
            yield _figure("mean", direction, mean, our_mean)
        for name, share in SHARES.items():
            if share in shares and share in our_shares:
                yield _figure(name, direction, shares[share], our_shares[share])
    if theirs.watts is not None and ours.watts is not None:
        yield _figure("watts", None, theirs.watts, ours.watts)


def _figure(figure: str, direction: str | None, measured: float, simulated: float) -> CellFigure:
    return CellFigure.model_validate(
        {
            "figure": figure,
            "direction": direction,
            "measured": measured,
            "simulated": simulated,
            "error": simulated / measured - 1 if measured else 0.0,
        }
    )


def _edges(histogram: Histogram) -> list[float]:
    """Edges of ACT's bins around all that a histogram of them holds: powers of two of a microsecond."""
    highest = (int(histogram.high_ns.max()) + 1) / 1e3
    powers = max(1, int(np.ceil(np.log2(highest))))
    return [0.0, *(2.0**power / 1e6 for power in range(powers + 1))]


def _demerit(theirs: Figures, ours: Figures) -> float | None:
    measured, simulated = theirs.histogram, ours.histogram
    if measured is None or simulated is None or not theirs.mean_s:
        return None
    apart = _at(measured) - _at(simulated)
    return float(np.sqrt(np.mean(apart**2)) / theirs.mean_s)


def _at(histogram: Histogram) -> NDArray[np.float64]:
    """Seconds at each of the quantiles, times spread evenly within a bin."""
    low = histogram.low_ns.astype(np.float64)
    high = histogram.high_ns.astype(np.float64) + 1
    ends = np.cumsum(histogram.count.astype(np.float64))
    wanted = _QUANTILES * ends[-1]
    at = np.searchsorted(ends, wanted)
    before = ends[at] - histogram.count[at]
    return np.asarray((low[at] + (high[at] - low[at]) * (wanted - before) / histogram.count[at]) / 1e9)


def _checked(cells: Sequence[ComparedCell]) -> Iterator[FigureErrors]:
    for name in get_args(Figure):
        errors = [error for cell in cells if (error := cell.error(name)) is not None]
        bar = BARS.get(name)
        if errors and bar is not None:
            yield FigureErrors(
                figure=name,
                bar=bar,
                cells=len(errors),
                within=sum(abs(error) <= bar for error in errors),
                worst=max(errors, key=abs),
                median=statistics.median(map(abs, errors)),
            )


def _notes(measured: Sequence[Measured]) -> Iterator[Note]:
    if any(one.binned for one in measured):
        text = "times were measured in bins from each power of two on; means and percentiles are interpolated"
        yield Note(code="binned", text=text)
    if any(one.cell.op != "read" for one in measured):
        text = (
            "writes start on a full drive in steady state; what the measured drive had behind it is not in "
            "its files"
        )
        yield Note(code="initial-state", text=text)
    if not any(one.watts is not None for one in measured):
        yield Note(code="no-watts", text="no watts were measured: energy is not checked", decides=True)
