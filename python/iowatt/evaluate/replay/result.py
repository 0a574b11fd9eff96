"""A replay as a document, ``iowatt.replay/1``: the measured Run, its lateness, and the simulation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pydantic import Field

from iowatt.base.results import Note, Result, ResultDocument
from iowatt.sources.lateness import Lateness


class ReplayComparison(Result):
    """One figure of the measured and the simulated Run; ``ratio`` is simulated over measured."""

    figure: str
    unit: str
    measured: float | None
    simulated: float | None
    ratio: float | None


class SimulatedReplay(Result):
    """The same requests on a scenario's array: its Run, the comparison, and the page of both."""

    run: str
    comparison: list[ReplayComparison]
    notes: list[Note]
    page: str


class ReplayDocument(ResultDocument):
    """What a replay gave."""

    schema_id: Literal["iowatt.replay/1"] = Field(default="iowatt.replay/1", alias="schema")
    #: The Run bundle.
    run: str
    #: What made the requests, and how: "io_uring", "threads", "nbd", of fio "psync".
    engine: Literal["iowatt", "fio"]
    driven_by: str
    #: "open": at the trace's times; "closed": each when the one before it had completed.
    mode: Literal["open", "closed"]
    #: Requests that were made, and those of them that failed; these are in no figure of the Run.
    requests: int
    errors: int
    #: Of open replays against the trace's times, of closed ones against the completion that was waited for.
    lateness: Lateness
    #: ``run.json`` of the measured Run.
    summary: dict[str, Any]
    #: Left out of the JSON where nothing was simulated.
    simulated: SimulatedReplay | None = None

    def as_dict(self) -> dict[str, Any]:
        """Plain data as JSON has it."""
        return self.model_dump(
            mode="json", by_alias=True, exclude={"simulated"} if not self.simulated else None
        )


def compare(
    measured: Mapping[str, Any], simulated: Mapping[str, Any], late_ms: float
) -> list[ReplayComparison]:
    """Throughput, response times, power and energy per request, from two ``run.json``.

    ``late_ms``: how late requests were on average, beyond what rounding explains. The simulator makes no
    request late, and its response times hold every wait; so one figure adds the lateness to the measured
    mean."""
    found = [
        _figure(figure, unit, ours, theirs)
        for (figure, unit, ours), (_, _, theirs) in zip(_figures(measured), _figures(simulated), strict=True)
    ]
    at = next(number for number, one in enumerate(found) if one.figure == "response time, mean")
    mean = found[at]
    from_due = None if mean.measured is None else mean.measured + late_ms
    found.insert(at, _figure("response time from the trace's moment, mean", "ms", from_due, mean.simulated))
    return found


def comparison_notes(measured: Mapping[str, Any], simulated: Mapping[str, Any]) -> list[Note]:
    """What limits the comparison."""
    found = []
    if measured["power_w"]["wall_mean"] is None:
        found.append(Note(code="no-meter", text="no meter was read: power is simulated only", decides=True))
    if simulated["power_w"]["wall_mean"] is None:
        text = (
            "the simulated watts are those of the drives alone (the scenario has no array.power), the "
            "measured ones those of everything that the meter feeds"
        )
        found.append(Note(code="drives-alone", text=text, decides=True))
    ours, theirs = measured["requests"]["completed"], simulated["requests"]["completed"]
    if ours != theirs:
        text = f"{ours} requests were measured and {theirs} simulated"
        found.append(Note(code="requests-differ", text=text, decides=True))
    return found


def _figure(figure: str, unit: str, measured: float | None, simulated: float | None) -> ReplayComparison:
    ratio = simulated / measured if measured and simulated is not None else None
    return ReplayComparison(figure=figure, unit=unit, measured=measured, simulated=simulated, ratio=ratio)


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
