"""The contract of an instrument that is read live. `tests/contract/test_meters.py` holds every one to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from iowatt.base.errors import IowattError
from iowatt.sources.meters.log import Instrument


class MeterError(IowattError):
    """An instrument did not answer, or not with a number: a recording notes it and tries again."""

    exit_code = 2


@dataclass(frozen=True)
class Reading:
    """One sample."""

    #: Unix time, UTC, s: the instrument's own stamp where it has one, else when the answer came.
    time_s: float
    quantities: Mapping[str, float]  #: By name of ``log.QUANTITIES``; what it does not say is left out.


class Meter(Protocol):
    """An instrument. Not safe for several threads: one thread opens, reads and closes it."""

    def open(self) -> Instrument:
        """Connect and identify.

        Raises ``MeterError`` where nothing usable answers, ``InputError`` where the address itself is wrong.
        """

    def read(self) -> Reading:
        """One sample, within a few seconds or not at all.

        Raises ``MeterError``; the next call tries anew, with a new connection where the old one broke.
        """

    def close(self) -> None:
        """Let go of it; never raises, may be called twice."""
