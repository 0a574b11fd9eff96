"""A calibrated device as a document: ``iowatt.device-calibration/1``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from iowatt.base.results import Note, Result, ResultDocument


class CalibratedFigure(Result):
    """A figure of the device file in SI units, with its 95 % interval.

    ``based_on`` is the figure of the drive that it is based on; None where that has none.
    """

    figure: str
    unit: str
    value: float
    low: float
    high: float
    based_on: float | None
    quality: Literal["measured", "derived"]
    method: str


class FlatFigure(Result):
    """A figure that the measurements do not determine: the device file leaves it as it was.

    ``low`` and ``high`` are how far the measurements would let it go; None: as far as one likes.
    """

    figure: str
    unit: str
    low: float | None
    high: float | None
    why: str


class Observed(Result):
    """What was seen and no figure of a device file holds, such as the period of bursts."""

    name: str
    unit: str
    value: float
    text: str


class CheckedCell(Result):
    """A cell or a block of time, measured and simulated on the fitted device.

    Times in seconds; quantiles by name (p50, p99, p99.9) where both are known. ``demerit_fraction`` is of the
    measured mean.
    """

    name: str
    held_out: bool
    measured_iops: float
    simulated_iops: float
    measured_mean_s: float | None
    simulated_mean_s: float | None
    measured: dict[str, float]
    simulated: dict[str, float]
    demerit_fraction: float | None
    measured_w: float | None
    simulated_w: float | None

    @property
    def error(self) -> float:
        """Of the mean response time where it is known, else of the rate: simulated over measured, less 1."""
        if self.measured_mean_s and self.simulated_mean_s:
            return self.simulated_mean_s / self.measured_mean_s - 1
        return self.simulated_iops / self.measured_iops - 1

    def error_of(self, quantile: str) -> float | None:
        """Of a quantile; None where one of both is not known."""
        measured, simulated = self.measured.get(quantile), self.simulated.get(quantile)
        return simulated / measured - 1 if measured and simulated is not None else None


class ErrorInterval(Result):
    """An absolute error over the held-out cells and its 95 % interval, by resampling blocks of them."""

    of: str
    value: float
    low: float
    high: float
    cells: int


class DeviceCalibration(ResultDocument):
    """A device fitted to measurements, and how far it is from what it was not fitted to.

    ``good_for`` holds "mean" where the held-out means are within ``mean_bar`` on average, and "tail" where no
    held-out p99 is further off than ``tail_bar``.
    """

    schema_id: Literal["iowatt.device-calibration/1"] = Field(
        default="iowatt.device-calibration/1", alias="schema"
    )
    device: str
    based_on: str
    kind: Literal["hdd", "ssd"]
    #: Whether the drive is simulated by its flash, its data sheet, or its mechanics.
    simulated_by: Literal["flash", "data sheet", "mechanics"]
    figures: list[CalibratedFigure]
    flat: list[FlatFigure]
    observed: list[Observed]
    errors: list[ErrorInterval]
    cells: list[CheckedCell]
    good_for: list[Literal["mean", "tail"]]
    mean_bar: float
    tail_bar: float
    written: str | None
    notes: list[Note]

    @property
    def held_out(self) -> list[CheckedCell]:
        """The cells that nothing was fitted to."""
        return [cell for cell in self.cells if cell.held_out]
