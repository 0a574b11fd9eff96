"""What was observed of one stretch of requests, in SI units and UTC, whichever program wrote it.

Parsers of fio, vdbench and Iometer and readers of traces end here; :mod:`iowatt.sources.measured` makes a Run
of it and the instruments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    timed: int | None = None  #: How many of the requests have a response time; None: all of them.

    @property
    def known(self) -> int:
        """Requests whose response time is known."""
        return self.requests if self.timed is None else self.timed


@dataclass(frozen=True)
class Interval:
    """One interval of the tool's figures. Requests count where they completed."""

    start: float  #: Unix time, UTC, s.
    end: float
    read: Direction
    write: Direction
    counted: bool = True  #: Whether the tool itself counts it (vdbench leaves out the first of a run).
    #: Both directions in one, where the tool says it: the only place of what it does not say by direction.
    both: Direction | None = None
    histogram: Histogram | None = None  #: Response times of both directions, where each of them is known.


@dataclass(frozen=True)
class ResponseBlock:
    """Response times of the requests of one direction that completed in a block of time."""

    op: Literal["read", "write"]
    start: float  #: Unix time, UTC, s.
    end: float
    sum_ns: int  #: Sum and greatest of the response times, ns.
    max_ns: int
    histogram: Histogram


@dataclass(frozen=True)
class ObservedHop:
    """A part of the way of all requests of one direction, and the time spent in it, ns, summed."""

    name: str
    place: Literal["host", "fabric", "port", "controller", "storage", "drive"]
    op: Literal["read", "write"]
    requests: int
    wait_ns: int
    service_ns: int
    #: Of the requests whose response time lies between these, both included; None: of all of them.
    range_ns: tuple[int, int] | None = None


@dataclass(frozen=True)
class ObservedShare:
    """A stream's share of all requests, in percent."""

    stream: str
    asked: float
    observed: float
    #: Its own requests per second and mean response time in s, where the tool says them.
    iops: float | None = None
    response_mean_s: float | None = None


@dataclass(frozen=True)
class ReportedTotals:
    """The tool's own summary of a run, as it prints it."""

    iops: float | None
    mib_per_s: float | None
    response_mean_s: float | None


@dataclass(frozen=True)
class ObservedOperation:
    """All operations of one kind, as a load generator of files counts them; response times in s."""

    name: str
    kind: Literal["metadata", "read", "write"]
    completed: int
    errors: int
    substituted: (
        int  #: Those that lacked what they work on, or had too much of it: it was made or removed first.
    )
    bytes: int
    mean_s: float | None = None
    p50_s: float | None = None
    p95_s: float | None = None
    p99_s: float | None = None
    max_s: float | None = None


@dataclass(frozen=True)
class Observation:
    """One stage as a load generator saw it, or a trace."""

    name: str
    tool: Literal["fio", "vdbench", "iometer", "trace", "counters", "files", "specstorage"]
    version: str  #: As the tool says it: "fio-3.33"; the format of a trace, or of counters.
    start: float  #: Unix time, UTC, s: of the first and after the last request.
    end: float
    intervals: Sequence[Interval]
    read: Histogram  #: Response times of all completed requests; empty where the tool kept none.
    write: Histogram
    #: Where the histograms come from, and how wide their bins are, in words.
    histogram_note: str | None = None
    asked_iops: float | None = None  #: Requests per second asked for; None where it ran at its maximum.
    #: The tool's own totals, which the intervals must add up to: (read, write) directions.
    totals: tuple[Direction, Direction] | None = None
    total: Direction | None = None  #: Both directions in one, where the tool says it.
    #: The tool's own summary: it may count other intervals, or print a rate that was not.
    reported: ReportedTotals | None = None
    errors: int = 0
    shares: Sequence[ObservedShare] = ()
    warnings: Sequence[str] = ()  #: What the tool or the parser warns of, in sentences.
    files: Sequence[Path] = field(default_factory=tuple)
    #: Response times over time, in order of time; empty where the tool kept none. What their times are of,
    #: in words.
    series: Sequence[ResponseBlock] = ()
    series_note: str | None = None
    #: The way of a request in parts, where they are known; they add up to the sum of the response times.
    hops: Sequence[ObservedHop] = ()
    hops_of: str | None = None  #: What recorded them, where it is not the tool, and what they are in words.
    hops_note: str | None = None
    outstanding: int | None = None  #: Requests that the driver keeps outstanding at most, where it says it.
    #: How busy the driver's busiest thread was (fio), or the processors of its host (vdbench), in percent.
    busy_percent: float | None = None
    #: Processors that all of its threads together kept busy, on average; None where it does not say it.
    processors: float | None = None
    #: Classes of requests by name, each observed by itself, which together are all of them; none: one class.
    #: Each is a workload of the Run.
    classes: Mapping[str, Observation] = field(default_factory=dict)
    operations: Sequence[ObservedOperation] = ()  #: By kind of operation, where they are operations on files.
    dated: bool = True  #: False where nothing says when it was: times count from 0.
