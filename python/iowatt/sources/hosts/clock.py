"""The clock of a load host against this one, and the use of its processors and network.

A question at t1 that is answered with the host's time T and comes back at t2 shows an offset of
T - (t1 + t2) / 2, to within half of the round trip t2 - t1 (RFC 5905, section 8, for one server stamp).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any


@dataclass(frozen=True)
class HostSample:
    """An answer of a host: its clock and its counters."""

    at: float  #: Unix time here, in the middle of the round trip.
    offset_s: float  #: Its clock less this one.
    round_trip_s: float
    busy: int = 0  #: Busy and all ticks of all of its processors.
    ticks: int = 0
    network: Mapping[str, tuple[int, int]] | None = None  #: Bytes received and sent, by interface.

    @classmethod
    def of(
        cls, sent: tuple[float, float], received: tuple[float, float], said: Mapping[str, Any]
    ) -> HostSample:
        """From the times of question and answer, each by wall clock and monotonic, and the answer."""
        trip = received[1] - sent[1]
        at = sent[0] + trip / 2
        busy, ticks = said["cpu"]
        network = {str(name): (int(got), int(gave)) for name, (got, gave) in said["net"].items()}
        return cls(at, float(said["time"]) - at, trip, int(busy), int(ticks), network)

    @property
    def least_offset_s(self) -> float:
        """How far the clocks are apart at least, whatever the way back took."""
        return max(0.0, abs(self.offset_s) - self.round_trip_s / 2)

    @property
    def most_offset_s(self) -> float:
        """How far they are apart at most."""
        return abs(self.offset_s) + self.round_trip_s / 2


@dataclass(frozen=True)
class HostUse:
    """The use of a host between two samples."""

    at: float
    seconds: float
    cpu_percent: float | None  #: Of all its processors; None where too few ticks passed to say.
    received_per_s: float  #: Bytes per second over all interfaces but loopback.
    sent_per_s: float
    link_percent: float | None  #: The fuller direction of the busiest link of known speed, in percent.


def use(samples: Sequence[HostSample], speeds: Mapping[str, int]) -> list[HostUse]:
    """The use of a host between successive samples; ``speeds`` are those of links in bit/s."""
    return [
        one for before, after in pairwise(samples) if (one := _between(before, after, speeds)) is not None
    ]


def _between(before: HostSample, after: HostSample, speeds: Mapping[str, int]) -> HostUse | None:
    seconds, ticks = after.at - before.at, after.ticks - before.ticks
    if seconds <= 0 or ticks < 0:  # the clock was set, or the host has started again
        return None
    moved = {
        name: (max(0, now[0] - was[0]), max(0, now[1] - was[1]))
        for name, now in (after.network or {}).items()
        if (was := (before.network or {}).get(name)) is not None
    }
    links = [
        100 * 8 * max(bytes_moved) / seconds / speeds[name]
        for name, bytes_moved in moved.items()
        if speeds.get(name)
    ]
    return HostUse(
        after.at,
        seconds,
        100 * (after.busy - before.busy) / ticks if ticks else None,
        sum(got for got, _ in moved.values()) / seconds,
        sum(gave for _, gave in moved.values()) / seconds,
        max(links, default=None),
    )
