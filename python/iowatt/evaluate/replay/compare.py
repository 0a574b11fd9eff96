"""The measured Run beside the simulated one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ComparedFigure:
    """A figure of both."""

    figure: str
    unit: str
    measured: float | None
    simulated: float | None

    @property
    def ratio(self) -> float | None:
        """Simulated over measured."""
        if not self.measured or self.simulated is None:
            return None
        return self.simulated / self.measured


def rows(measured: Mapping[str, Any], simulated: Mapping[str, Any], late_ms: float) -> list[ComparedFigure]:
    """Throughput, response times, power and energy per request, from two ``run.json``.

    ``late_ms``: how late requests were made on average, beyond what rounding explains. The simulator makes
    none late, and its response times hold every wait; so one row has both.
    """
    found = [
        ComparedFigure(figure, unit, ours, theirs)
        for (figure, unit, ours), (_, _, theirs) in zip(_figures(measured), _figures(simulated), strict=True)
    ]
    mean = next(row for row in found if row.figure == "response time, mean")
    from_due = None if mean.measured is None else mean.measured + late_ms
    at = found.index(mean)
    return [
        *found[:at],
        ComparedFigure("response time from the trace's moment, mean", "ms", from_due, mean.simulated),
        *found[at:],
    ]


def notes(measured: Mapping[str, Any], simulated: Mapping[str, Any]) -> list[str]:
    """What must be known before the two are compared."""
    found = []
    if measured["power_w"]["wall_mean"] is None:
        found.append("no meter was read: power is simulated only")
    if simulated["power_w"]["wall_mean"] is None:
        found.append(
            "the simulated watts are of the drives alone (the scenario has no array.power), measured ones of "
            "all that the meter feeds"
        )
    if measured["requests"]["completed"] != simulated["requests"]["completed"]:
        found.append(
            f"{measured['requests']['completed']} requests were measured and "
            f"{simulated['requests']['completed']} simulated"
        )
    return found


def as_json(found: list[ComparedFigure]) -> list[dict[str, Any]]:
    """The rows for `--json`."""
    return [
        {
            "figure": row.figure,
            "unit": row.unit,
            "measured": row.measured,
            "simulated": row.simulated,
            "ratio": row.ratio,
        }
        for row in found
    ]


def _figures(summary: Mapping[str, Any]) -> Iterator[tuple[str, str, float | None]]:
    work, times, power = summary["throughput"], summary["response_time_ms"], summary["power_w"]
    yield "throughput", "IOPS", work["iops"]
    yield "throughput", "MiB/s", work["mib_per_s"]
    for op in ("all", "read", "write"):
        of = "" if op == "all" else f" of {op}s"
        yield f"response time{of}, mean", "ms", times[op]["mean"]
    for key in ("p50", "p95", "p99", "max"):
        yield f"response time, {key}", "ms", times["all"][key]
    watts = power["wall_mean"] if power["wall_mean"] is not None else power["mean"]
    yield "power, mean", "W", watts
    joules, done = summary["energy"]["total_j"], summary["requests"]["completed"]
    yield "energy", "J", joules
    per_request = summary["energy"]["per_request_j"]
    if per_request is None and joules is not None and done:
        per_request = joules / done
    yield "energy per request", "J", per_request
