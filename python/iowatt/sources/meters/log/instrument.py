"""Instruments: what they are, the samples they give, and the contract of those that are read live.

A missing sample is left out; an impossible one is NaN and named in ``problems``. Nothing is filled in or
averaged away. `tests/contract/test_meters.py` holds every live instrument to the contract.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Final, Literal, Protocol

import numpy as np
import numpy.typing as npt

from iowatt.base.errors import IowattError

Series = npt.NDArray[np.float64]

#: Quantities by name; the name says the unit.
QUANTITIES: Final = ("watts", "volts", "amperes", "power_factor", "hertz", "thd_percent", "celsius", "joules")

Grade = Literal["emerald", "indicative"]
ProblemKind = Literal["gap", "not-available", "out-of-range", "clipped", "uncertain", "clock", "failure"]


@dataclass(frozen=True)
class Instrument:
    """What measured."""

    name: str
    kind: str  #: The reader's word: "snmp", "yokogawa-csv", "ptdaemon".
    grade: Grade  #: "emerald": its kind can meet the rules; "indicative": it cannot, and ``why`` says so.
    why: str
    model: str | None = None
    serial: str | None = None
    calibrated: date | None = None
    sample_interval_s: float | None = None  #: Nominal time between samples in s, where known.
    #: Uncertainty of a power sample in percent of it, where the instrument says so.
    uncertainty_percent: float | None = None
    #: Anything else that it says of itself, for the record.
    details: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class LogProblem:
    """Something that a reader of the figures must know."""

    kind: ProblemKind
    at: float | None  #: Unix time, UTC, s: when it began; None where it concerns the whole log.
    text: str
    seconds: float = 0.0  #: How long it lasted in s; of a clock, by how much it was set or stepped.


@dataclass(frozen=True)
class InstrumentLog:
    """Samples of one instrument (one channel), in order of time."""

    instrument: Instrument
    time_s: Series  #: Unix time, UTC, s, not falling.
    #: By name of :data:`QUANTITIES`; as long as ``time_s``, NaN where there is no valid sample.
    quantities: Mapping[str, Series]
    problems: Sequence[LogProblem] = ()
    path: Path | None = None


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
