"""How a tariff fits a load: notes where it is for others, or of another time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final, Protocol

from iowatt.base.digits import apart
from iowatt.base.results import Note
from iowatt.tariffs.load import JOULES_PER_KWH
from iowatt.tariffs.structure import Tariff

OF_TARIFF: Final = "of-tariff"
"""Code of the notes that the tariff's record has."""


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


def notes(tariff: Tariff, start: datetime, months: Sequence[Read]) -> tuple[Note, ...]:
    """The tariff's own notes (code ``of-tariff``), then what of it does not fit the load."""
    own = (Note(code=OF_TARIFF, text=text) for text in tariff.notes)
    return (*own, *_misfits(tariff, start, months))


def _misfits(tariff: Tariff, start: datetime, months: Sequence[Read]) -> Iterator[Note]:
    peak = max((month.peak_kw for month in months), default=0.0)
    yield from _outside("peak", "a peak", peak, "kW", tariff.applicable_kw)
    if any(tariff.applicable_kwh):
        full = [month.energy_j / JOULES_PER_KWH / month.share for month in months if month.share > 0]
        yield from _outside("use", "use", max(full, default=0.0), "kWh a month", tariff.applicable_kwh)
    began, ended = tariff.effective
    first = f"{start:%Y-%m-%d}"
    if ended is not None and first > ended:
        yield _misfit("rates-ended", f"its rates ended on {ended}; the bill begins on {first}")
    elif began is not None and first < began:
        yield _misfit("rates-begin-later", f"its rates are from {began} on; the bill begins on {first}")


def _outside(
    code: str, what: str, value: float, unit: str, limits: tuple[float | None, float | None]
) -> Iterator[Note]:
    low, high = limits
    if low is not None and value < low:
        text = f"it is for {what} of at least {low:g} {unit}; this load has {apart(value, low, 4)}"
        yield _misfit(f"{code}-too-low", text)
    if high is not None and value > high:
        text = f"it is for {what} of at most {high:g} {unit}; this load has {apart(value, high, 4)}"
        yield _misfit(f"{code}-too-high", text)


def _misfit(code: str, text: str) -> Note:
    return Note(code=code, text=text, decides=True)
