"""What a reader of a trace found, as an observation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from iowatt.sources.observation import Observation
from iowatt.sources.trace.count import Count

Progress = Callable[[float | None, int], None]


@dataclass(frozen=True)
class Made:
    """What a reader found, beside what it counted."""

    path: Path
    name: str | None
    format: str
    origin_unix_ns: int | None  #: Unix time in ns of the trace's time 0, where it is known.
    devices: Sequence[str]
    notes: Sequence[str]
    files: Sequence[Path] = ()
    hops_note: str | None = None


def made(of: Made, count: Count) -> Observation:
    """The observation of what was counted."""
    assert count.zero_ns is not None
    dated = of.origin_unix_ns is not None
    zero = ((of.origin_unix_ns or 0) + count.zero_ns) / 1e9 if dated else 0.0
    # A trace of one moment is still a stretch of time.
    end = zero + max(count.end_ns, 1) / 1e9
    notes = list(of.notes)
    if len(of.devices) > 1:
        listed = ", ".join(of.devices[:4]) + (" ..." if len(of.devices) > 4 else "")
        notes.append(f"{len(of.devices)} devices together ({listed}): --device takes some of them")
    totals = (count.total(0), count.total(1))
    return Observation(
        name=of.name or of.path.name.partition(".")[0] or of.path.name,
        tool="trace",
        version=of.format,
        start=zero,
        end=end,
        intervals=count.intervals(zero, end),
        read=count.histogram(0),
        write=count.histogram(1),
        histogram_note=f"the trace's response times ({of.format}), one by one, in bins 0.1 % wide",
        totals=totals,
        warnings=notes,
        files=list(of.files) or [of.path],
        series=count.blocks(zero, end),
        series_note="response times over time are counted when requests completed",
        hops=count.hops(),
        hops_of=of.format,
        hops_note=of.hops_note,
        dated=dated,
    )
