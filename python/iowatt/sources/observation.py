"""What a load generator observed in one stage, in SI units and UTC, whichever program wrote it.

Parsers of fio and vdbench end here; :mod:`iowatt.sources.measured` makes a Run of it and the instruments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from iowatt.run.histogram import Histogram


@dataclass(frozen=True)
class Direction:
    """Completed requests of one direction in an interval."""

    requests: int
    bytes: int
    #: Mean response time in s; None where nothing completed or the tool does not say.
    response_mean_s: float | None
    response_max_s: float | None = None
    #: Standard deviation of the response time in s, where the tool says it.
    response_std_s: float | None = None


@dataclass(frozen=True)
class Interval:
    """One interval of the tool's figures. Requests count where they completed."""

    #: Unix time, UTC, s.
    start: float
    end: float
    read: Direction
    write: Direction
    #: Whether the tool itself counts it (vdbench leaves out the first of a run).
    counted: bool = True
    #: Both directions in one, where the tool says it: the only place of what it does not say by direction.
    both: Direction | None = None


@dataclass(frozen=True)
class Share:
    """A stream's share of all requests, in percent."""

    stream: str
    asked: float
    observed: float


@dataclass(frozen=True)
class Reported:
    """The tool's own summary of a run, as it prints it."""

    iops: float | None
    mib_per_s: float | None
    response_mean_s: float | None


@dataclass(frozen=True)
class Observation:
    """One stage as a load generator saw it."""

    name: str
    tool: Literal["fio", "vdbench"]
    #: As the tool says it: "fio-3.33".
    version: str
    #: Unix time, UTC, s: of the first and after the last request.
    start: float
    end: float
    intervals: Sequence[Interval]
    #: Response times of all completed requests; empty where the tool kept none.
    read: Histogram
    write: Histogram
    #: Where the histograms come from, and how wide their bins are, in words.
    histogram_note: str | None = None
    #: Requests per second asked for; None where it ran at its maximum.
    asked_iops: float | None = None
    #: The tool's own totals, which the intervals must add up to: (read, write) directions.
    totals: tuple[Direction, Direction] | None = None
    #: Both directions in one, where the tool says it.
    total: Direction | None = None
    #: The tool's own summary: it may count other intervals, or print a rate that was not.
    reported: Reported | None = None
    errors: int = 0
    shares: Sequence[Share] = ()
    #: What the tool or the parser warns of, in sentences.
    warnings: Sequence[str] = ()
    files: Sequence[Path] = field(default_factory=tuple)
