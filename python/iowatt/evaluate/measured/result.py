"""Measured cells against simulated ones as a document: ``iowatt.measured/1``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from iowatt.base.results import Note, Result, ResultDocument

Figure = Literal["iops", "mean", "p50", "p90", "p99", "p99.9", "p99.99", "watts"]
Purpose = Literal["mean", "throughput", "tail", "energy"]


class CellFigure(Result):
    """One figure of a cell: requests per second, seconds or watts.

    ``direction`` is ``read`` or ``write`` for times, else None. ``error``: simulated over measured, less 1.
    """

    figure: Figure
    direction: Literal["read", "write"] | None
    measured: float
    simulated: float
    error: float


class ComparedCell(Result):
    """A cell: its work, its figures, and how far its distribution is off.

    ``demerit``: root mean square of the differences of 1,000 quantiles as a fraction of the measured mean;
    None where only percentiles were measured.
    """

    name: str
    op: Literal["read", "write", "mixed"]
    read_share: float
    pattern: Literal["random", "sequential"]
    size_bytes: int
    depth: int
    processes: int
    rate_per_s: float | None
    source: str
    #: Whether its times were measured in wide bins, and both sides are interpolated in them.
    binned: bool
    figures: list[CellFigure]
    demerit: float | None

    def error(self, figure: Figure) -> float | None:
        """The largest error of a figure, of reads or writes; None where it was not measured."""
        found = [one.error for one in self.figures if one.figure == figure]
        return max(found, key=abs) if found else None


class FigureErrors(Result):
    """A figure over all cells: ``bar`` is the error that is accepted, ``within`` how many cells keep it."""

    figure: Figure
    bar: float
    cells: int
    within: int
    worst: float
    median: float  #: Of the absolute errors.


class ComparedDevice(Result):
    """A device against what was measured of it.

    ``trusted_for``: purposes whose figures are within their bars in nine tenths of the cells, ``host_s`` the
    processor time of the load generator for a request.
    """

    device: str
    title: str
    measured_by: str | None
    licence: str | None
    host_s: float
    cells: list[ComparedCell]
    checked: list[FigureErrors]
    trusted_for: list[Purpose]
    notes: list[Note]


class MeasuredDevices(ResultDocument):
    """Devices against measured cells."""

    schema_id: Literal["iowatt.measured/1"] = Field(default="iowatt.measured/1", alias="schema")
    devices: list[ComparedDevice]
