"""What an instrument recorded: samples in UTC and SI units, and what was wrong with them.

A sample that is not there stays away, one that cannot be true is NaN and named in ``problems``; nothing is
filled in or averaged away.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

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
class Log:
    """Samples of one instrument (one channel), in order of time."""

    instrument: Instrument
    time_s: Series  #: Unix time, UTC, s, not falling.
    #: By name of :data:`QUANTITIES`; as long as ``time_s``, NaN where there is no valid sample.
    quantities: Mapping[str, Series]
    problems: Sequence[LogProblem] = ()
    path: Path | None = None
