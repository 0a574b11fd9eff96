"""Series of response times whose mean and quantiles are known exactly, cut into blocks as a Run's are.

Each is a function of a random generator, how many requests, and returns completion times (s) and response
times (ns); ``truth`` of a quantile (or of the mean, ``None``) in ns goes with it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from iowatt.lenses.compare.blocks import Blocks

Floats = npt.NDArray[np.float64]

SERVICE_NS = 100_000.0
"""Mean service time; also the median of the lognormal series."""


@dataclass(frozen=True)
class Known:
    """A process: its name, a way to draw it, and its true quantiles; ``truth(None)`` is the mean."""

    name: str
    draw: Callable[[np.random.Generator, int], tuple[Floats, Floats]]
    truth: Callable[[float | None], float]
    rate: float = 1000.0
    """Requests per second."""

    def blocks(self, random: np.random.Generator, requests: int, blocks: int, scale: float = 1.0) -> Blocks:
        """A Run of so many requests in so many equal blocks, response times multiplied by ``scale``."""
        times, response = self.draw(random, requests)
        return cut(times, response * scale, blocks)


def cut(times: Floats, response_ns: Floats, blocks: int) -> Blocks:
    """Response times in the bins of the simulator's series (256 an octave, whole nanoseconds)."""
    values = np.maximum(np.floor(response_ns), 1.0)
    # The place of the highest bit; below 512 ns every nanosecond is a bin.
    shift = np.maximum(np.frexp(values)[1] - 9, 0).astype(np.float64)
    width = np.exp2(shift)
    index = (shift * 256 + np.floor(values / width)).astype(np.int64)
    least = int(index.min())
    bins = int(index.max()) - least + 1
    end = float(times.max()) * (1 + 1e-12)
    edges = np.linspace(0.0, end, blocks + 1)
    row = np.minimum((times / end * blocks).astype(np.int64), blocks - 1)
    counts = np.bincount(row * bins + index - least, minlength=blocks * bins).reshape(blocks, bins)
    grid = np.arange(bins, dtype=np.float64) + least
    grid_shift = np.maximum(np.floor(grid / 256) - 1, 0.0)
    low = (grid - grid_shift * 256) * np.exp2(grid_shift)
    high = low + np.exp2(grid_shift) - 1
    largest = np.zeros(blocks)
    np.maximum.at(largest, row, values)
    return Blocks(
        edges[:-1],
        edges[1:],
        np.bincount(row, minlength=blocks).astype(np.float64),
        np.bincount(row, weights=values, minlength=blocks),
        largest,
        low,
        high,
        counts.astype(np.float64),
    )


def mm1(rho: float) -> Known:
    """Response times of an M/M/1 queue by Lindley's recursion, started in equilibrium; exponential, 1/(mu -
    lambda)."""
    mean = SERVICE_NS / (1 - rho)

    def draw(random: np.random.Generator, requests: int) -> tuple[Floats, Floats]:
        gaps = random.exponential(SERVICE_NS / rho, requests)
        service = random.exponential(SERVICE_NS, requests)
        first = random.exponential(mean) if random.random() < rho else 0.0
        # W(n+1) = max(0, W(n) + S(n) - A(n+1)): a walk held above its lowest point.
        walk = first + np.concatenate(([0.0], np.cumsum(service[:-1] - gaps[1:])))
        waiting = walk - np.minimum(np.minimum.accumulate(walk), 0.0)
        response = waiting + service
        return (np.cumsum(gaps) + response) / 1e9, response

    return Known(
        f"M/M/1, rho {rho:g}",
        draw,
        lambda q: mean if q is None else -mean * math.log1p(-q),
        1e9 * rho / SERVICE_NS,
    )


def ar1_lognormal(phi: float, sigma: float) -> Known:
    """exp of a first-order autoregression of requests at even times: median 100 us."""

    def draw(random: np.random.Generator, requests: int) -> tuple[Floats, Floats]:
        noise = random.standard_normal(requests)
        noise[1:] *= math.sqrt(1 - phi * phi)
        # x(n) = phi x(n-1) + e(n), in pieces over which phi^n does not vanish.
        state = np.empty(requests)
        piece = max(1, int(-200 / math.log(phi)))
        last = 0.0
        for start in range(0, requests, piece):
            part = noise[start : start + piece]
            powers = phi ** np.arange(1, len(part) + 1)
            state[start : start + piece] = powers * (last + np.cumsum(part / powers))
            last = float(state[min(start + piece, requests) - 1])
        return np.arange(1, requests + 1) * 1e-3, SERVICE_NS * np.exp(sigma * state)

    return Known(f"AR(1) lognormal, phi {phi:g}", draw, _lognormal(sigma))


def independent(sigma: float) -> Known:
    """Independent lognormal response times at times of a Poisson process: a heavy tail without order."""

    def draw(random: np.random.Generator, requests: int) -> tuple[Floats, Floats]:
        times = np.cumsum(random.exponential(1e-3, requests))
        return times, SERVICE_NS * np.exp(sigma * random.standard_normal(requests))

    return Known(f"independent lognormal, sigma {sigma:g}", draw, _lognormal(sigma))


def _lognormal(sigma: float) -> Callable[[float | None], float]:
    normal = NormalDist()
    return lambda q: SERVICE_NS * math.exp(sigma * sigma / 2 if q is None else sigma * normal.inv_cdf(q))


def periodic(periods: int, swing: float, sigma: float) -> Known:
    """Lognormal, the logarithm of its median a sine over time with a random phase, in whole periods."""
    phases = (np.arange(20_000) + 0.5) / 20_000 * 2 * math.pi
    levels = swing * np.sin(phases)

    def draw(random: np.random.Generator, requests: int) -> tuple[Floats, Floats]:
        at = np.arange(1, requests + 1) / requests
        level = swing * np.sin(2 * math.pi * (periods * at + random.random()))
        return at * requests * 1e-3, SERVICE_NS * np.exp(level + sigma * random.standard_normal(requests))

    def truth(q: float | None) -> float:
        if q is None:
            return SERVICE_NS * float(np.exp(levels).mean()) * math.exp(sigma * sigma / 2)
        low, high = -swing - 9 * sigma, swing + 9 * sigma
        root = math.sqrt(2) * sigma
        for _ in range(60):
            middle = (low + high) / 2
            below = 0.5 * (1 + np.mean([math.erf((middle - level) / root) for level in levels[::20]]))
            low, high = (middle, high) if below < q else (low, middle)
        return SERVICE_NS * math.exp(low)

    return Known(f"periodic, {periods} periods", draw, truth)
