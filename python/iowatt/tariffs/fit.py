"""How a tariff fits a load: notes where it is for others, or of another time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Protocol

from iowatt.base.digits import apart
from iowatt.tariffs.load import JOULES_PER_KWH
from iowatt.tariffs.structure import Tariff


class Read(Protocol):
    """A month as the meter reads it."""

    @property
    def share(self) -> float:
        """Part of the month that the load lasts."""

    @property
    def energy_j(self) -> float:
        """Joules."""

    @property
    def peak_kw(self) -> float:
        """The highest mean over a window."""


def notes(tariff: Tariff, start: datetime, months: Sequence[Read]) -> tuple[str, ...]:
    """The tariff's notes and, behind them, what of it does not fit the load."""
    return (*tariff.notes, *_misfits(tariff, start, months))


def _misfits(tariff: Tariff, start: datetime, months: Sequence[Read]) -> Iterator[str]:
    peak = max((month.peak_kw for month in months), default=0.0)
    yield from _outside("a peak", peak, "kW", tariff.applicable_kw)
    if any(tariff.applicable_kwh):
        full = [month.energy_j / JOULES_PER_KWH / month.share for month in months if month.share > 0]
        yield from _outside("use", max(full, default=0.0), "kWh a month", tariff.applicable_kwh)
    began, ended = tariff.effective
    first = f"{start:%Y-%m-%d}"
    if ended is not None and first > ended:
        yield f"its rates ended on {ended}; the bill begins on {first}"
    elif began is not None and first < began:
        yield f"its rates are from {began} on; the bill begins on {first}"


def _outside(what: str, value: float, unit: str, limits: tuple[float | None, float | None]) -> Iterator[str]:
    low, high = limits
    if low is not None and value < low:
        yield f"it is for {what} of at least {low:g} {unit}; this load has {apart(value, low, 4)}"
    if high is not None and value > high:
        yield f"it is for {what} of at most {high:g} {unit}; this load has {apart(value, high, 4)}"
