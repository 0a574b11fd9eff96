"""The number of outstanding requests that gives the highest throughput, found with few runs.

Throughput of a closed loop grows with its population until the bottleneck is busy (asymptotic bounds: Denning
and Buzen 1978), and may fall beyond that, where streams compete for buffers. So the number is doubled until
two steps in a row gain nothing. Of the numbers within the tolerance of the best the smallest is taken: its
requests wait least.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

Extra = TypeVar("Extra")


@dataclass(frozen=True)
class LoopMeasurement(Generic[Extra]):
    """The throughput of a number of outstanding requests over a number of streams."""

    streams: int
    outstanding: int
    throughput: float
    made: Extra


@dataclass(frozen=True)
class HighestThroughput(Generic[Extra]):
    """The choice, and all runs in order."""

    best: LoopMeasurement[Extra]
    points: tuple[LoopMeasurement[Extra], ...]
    #: Whether every series ended because nothing more was gained, and not at ``most_outstanding``.
    settled: bool


def highest_throughput(
    measure: Callable[[int, int], tuple[float, Extra]],
    *,
    streams: Sequence[int] = (1,),
    most_outstanding: int = 256,
    tolerance: float = 0.02,
) -> HighestThroughput[Extra]:
    """The choice of streams and outstanding requests with the highest throughput.

    Args:
        measure: Runs a closed loop of (streams, outstanding); its throughput, in any unit, and whatever else
            it gave.
        streams: Numbers of streams to try, each with its own series of outstanding requests.
        most_outstanding: No more are tried.
        tolerance: Share of a throughput by which another must be above it to be higher.

    Raises ``ValueError``: no streams, or fewer outstanding requests allowed than streams.
    """
    if not streams or min(streams) < 1 or max(streams) > most_outstanding:
        raise ValueError(f"streams {list(streams)} with at most {most_outstanding} outstanding")
    points: list[LoopMeasurement[Extra]] = []
    settled = True
    for number in dict.fromkeys(streams):
        best, without_gain = 0.0, 0
        for outstanding in _doubled(number, most_outstanding):
            throughput, made = measure(number, outstanding)
            points.append(LoopMeasurement(number, outstanding, throughput, made))
            without_gain = 0 if throughput > best * (1 + tolerance) else without_gain + 1
            best = max(best, throughput)
            if without_gain == 2:
                break
        settled = settled and without_gain == 2
    most = max(point.throughput for point in points)
    equal = [point for point in points if point.throughput >= most * (1 - tolerance)]
    return HighestThroughput(min(equal, key=lambda p: (p.outstanding, p.streams)), tuple(points), settled)


def _doubled(first: int, last: int) -> Iterator[int]:
    value = first
    while value <= last:
        yield value
        value *= 2
