"""Equations of a write's latency at an array whose processor it visits v times, and what follows from
two points.

As printed (docs/studies/latency2015.md), with the mean number in an M/M/1 station:

    T = F + v S / (1 - rho),    rho = rho_0 + v u,    u = (writes/s) S / processors

F is what no processor is needed for: exchange with the host, port, copy in the partner. Express Writes
make v = 1 of v = 2 and leave the rest. From T_2 and T_1 alone

    u = (1 - rho_0) (T_2 - 2 T_1 + F) / (2 T_2 - 2 T_1),    S = (T_1 - F) (1 - rho_0 - u)

so F and rho_0 stay open: two points, a surface of answers. Our processors take the same time for each
visit, and reads visit them too. So what is solved for the simulated system is M/G/1 (Pollaczek and
Khinchine; Erlang C with Allen and Cunneen's correction of the variance for more processors):

    T = F + v (S + W),    W = sum(rate s^2) / (2 (1 - rho))

Halving means T_2 = 2 T_1, so **F = 2 (W_2 - W_1)** whatever the rest: a feature that takes one of two
visits away halves the latency only where the wait that it saves at each visit is half of what it cannot
touch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

_STEPS: Final = 200
#: No processor may be busier than that in a solution.
MOST_BUSY: Final = 0.98


@dataclass(frozen=True)
class Printed:
    """An answer of the printed equation, in s and shares."""

    fixed_s: float
    background: float
    visit_s: float
    before_busy: float
    after_busy: float
    #: Writes per second of a processor.
    writes: float

    def mean_s(self, visits: int) -> float:
        """The equation's latency of a write that visits so many times."""
        busy = self.before_busy if visits == 2 else self.after_busy
        return self.fixed_s + visits * self.visit_s / (1 - busy)


def printed(before_s: float, after_s: float, fixed_s: float, background: float) -> Printed | None:
    """What the printed equation makes of two latencies for a fixed part and a background; None: nothing
    fits.
    """
    room = 1 - background
    share = room * (before_s - 2 * after_s + fixed_s) / (2 * (before_s - after_s))
    visit = (after_s - fixed_s) * (room - share)
    if not (share > 0 and visit > 0 and 2 * share < room):
        return None
    return Printed(
        fixed_s, background, visit, background + 2 * share, background + share, writes=share / visit
    )


@dataclass(frozen=True)
class RequestRates:
    """Requests per second that come to the processors."""

    reads: float
    writes: float


@dataclass(frozen=True)
class ProcessorStation:
    """Processors in one queue, and the time of a visit in s."""

    read_s: float
    visit_s: float
    processors: int = 1

    def busy(self, load: RequestRates, visits: int) -> float:
        """Their utilisation where a write visits so many times."""
        return (load.reads * self.read_s + visits * load.writes * self.visit_s) / self.processors

    def wait_s(self, load: RequestRates, visits: int) -> float:
        """Mean wait before a visit; infinite where the load is more than they take."""
        busy = self.busy(load, visits)
        if busy >= 1:
            return float("inf")
        if busy == 0:
            return 0.0
        squares = load.reads * self.read_s**2 + visits * load.writes * self.visit_s**2
        # Of those with work, how many have all of it: 1 of one processor, which leaves M/G/1.
        queued = erlang_c(busy * self.processors, self.processors) / busy
        return queued * squares / (2 * self.processors**2 * (1 - busy))

    def unloaded_s(self, visits: int) -> float:
        """Time of the visits without any wait."""
        return visits * self.visit_s

    def mean_s(self, load: RequestRates, visits: int) -> float:
        """Visits and waits of a write; what is fixed is not in it."""
        return visits * (self.visit_s + self.wait_s(load, visits))


def erlang_c(offered: float, servers: int) -> float:
    """Share of arrivals that wait, of Poisson arrivals at servers with exponential times; ``offered`` in
    Erlang.
    """
    blocked = 1.0
    for server in range(1, servers + 1):
        blocked = offered * blocked / (server + offered * blocked)
    busy = offered / servers
    return blocked / (1 - busy * (1 - blocked))


@dataclass(frozen=True)
class SolvedStation:
    """A station and a fixed part that give both latencies."""

    station: ProcessorStation
    fixed_s: float

    def mean_s(self, load: RequestRates, visits: int) -> float:
        """Latency of a write."""
        return self.fixed_s + self.station.mean_s(load, visits)

    @property
    def best_s(self) -> float:
        """Latency of a write alone in the array that visits once."""
        return self.fixed_s + self.station.visit_s


def solve(
    before_s: float, after_s: float, load: RequestRates, *, read_s: float, processors: int = 1
) -> SolvedStation | None:
    """The visit and the fixed part with which writes take ``before_s`` and ``after_s``, for a time of reads.

    None where no solution exists: reads alone overload the processors, or waits are too short.
    """

    def fixed_part(visit_s: float) -> float:
        return after_s - ProcessorStation(read_s, visit_s, processors).mean_s(load, 1)

    def excess(visit_s: float) -> float:
        """How much longer writes take before than they should."""
        return fixed_part(visit_s) + ProcessorStation(read_s, visit_s, processors).mean_s(load, 2) - before_s

    most = (MOST_BUSY * processors - load.reads * read_s) / (2 * load.writes)
    if most <= 0:
        return None
    visit = root(excess, 0.0, most)
    if visit is None or fixed_part(visit) < 0:
        return None
    return SolvedStation(ProcessorStation(read_s, visit, processors), fixed_part(visit))


def solve_best(
    before_s: float, after_s: float, load: RequestRates, *, best_s: float, processors: int = 1
) -> SolvedStation | None:
    """The same where a write alone in the array takes ``best_s`` after: then the time of reads follows."""

    def excess(read_s: float) -> float:
        found = solve(before_s, after_s, load, read_s=read_s, processors=processors)
        return -1.0 if found is None else found.best_s - best_s

    read = root(excess, 0.0, MOST_BUSY * processors / load.reads)
    if read is None:
        return None
    found = solve(before_s, after_s, load, read_s=read, processors=processors)
    return None if found is None or abs(found.best_s - best_s) > 1e-3 * best_s else found


def root(function: Callable[[float], float], low: float, high: float) -> float | None:
    """Where a function changes its sign, by halving; None where it has the same at both ends."""
    below = function(low)
    if (below > 0) == (function(high) > 0):
        return None
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if (function(middle) > 0) == (below > 0):
            low = middle
        else:
            high = middle
    return (low + high) / 2
