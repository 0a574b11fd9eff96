"""What a path from hosts to the array did within the window, as a source hands it over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class HopCounts:
    """A station that requests of a path pass: part of the host, a direction of a hop, the target port."""

    hop: str
    #: ``host``, ``fabric`` or ``port``.
    place: str
    #: ``out`` (away from the host), ``in`` or, where both use it, empty.
    way: str
    visits: int
    busy_s: float
    #: Sum over visits of the time spent waiting.
    wait_s: float
    #: How many serve at once, all lanes together; 0 of what only takes time (distance).
    servers: int


@dataclass(frozen=True)
class ExpressCounts:
    """Writes of a size class that may be answered ready without the controller."""

    up_to_bytes: int
    buffers: int
    #: Writes that took a buffer, and those that found none.
    taken: int
    refused: int


@dataclass(frozen=True)
class PathCounts:
    """A path: its lanes are equal, and counted together."""

    name: str
    protocol: str
    workloads: Sequence[str]
    lanes: int
    #: Commands outstanding of a lane at most; None: no limit.
    queue_depth: int | None
    #: Requests that came to the host's queue, those that it held back, and how long in all.
    queue_visits: int
    queue_held: int
    queue_wait_s: float
    hops: Sequence[HopCounts]
    express: Sequence[ExpressCounts] = ()
    #: Writes of no express class; None where there is none.
    not_express: int | None = None
