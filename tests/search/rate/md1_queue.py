"""An M/D/1 queue as runs of a search: Lindley's recursion over the same arrivals, stretched to each rate."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

SERVICE_S = 1e-3


def answer(limit_s: float, service_s: float = SERVICE_S) -> float:
    """The rate at which the mean is the limit: Pollaczek and Khinchine, R = s + rho s / (2 (1 - rho))."""
    wait = limit_s - service_s
    return 2 * wait / (service_s + 2 * wait) / service_s


def queue(requests: int = 20_000, service_s: float = SERVICE_S, warm_up: float = 0.1) -> Callable[..., Any]:
    """Runs of so many requests behind a warm-up."""

    def run(rate: float, seed: int) -> Any:
        gaps = np.random.default_rng(seed).exponential(size=round(requests * (1 + warm_up)))
        times = np.cumsum(gaps) / rate
        steps = np.concatenate(([0.0], service_s - gaps[1:] / rate)).cumsum()
        waits = steps - np.minimum.accumulate(np.minimum(steps, 0.0))
        begin, end = times[-1] * warm_up / (1 + warm_up), times[-1]
        left = times + waits + service_s
        inside = times >= begin
        response = (waits + service_s)[inside & (left <= end)]
        batches = (
            response[: len(response) // 40 * 40].reshape(40, -1).mean(axis=1) if len(response) >= 80 else []
        )
        half = 2.02 * float(np.std(batches, ddof=1)) / np.sqrt(40) if len(batches) else 0.0
        mean = float(response.mean())
        times_ms = {
            "count": len(response),
            "mean": mean * 1e3,
            "mean_ci95": ((mean - half) * 1e3, (mean + half) * 1e3),
            "p95": float(np.quantile(response, 0.95)) * 1e3,
        }
        nothing = {"count": 0, "mean": None, "p95": None, "mean_ci95": None}
        return SimpleNamespace(
            summary={
                "requests": {"count": int(inside.sum())},
                "throughput": {"completions": int(((left > begin) & (left <= end)).sum())},
                "response_time_ms": {"all": times_ms, "read": times_ms, "write": nothing},
                "window": {"duration_s": float(end - begin)},
                "workloads": [],
            }
        )

    return run
