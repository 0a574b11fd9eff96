"""Classes of requests of a Run at the load that it had: what their hops took, and how busy these are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from iowatt.base.errors import InputError
from iowatt.lenses.budget import stations
from iowatt.lenses.budget.ledger import NS_PER_MS, Ledger, RequestMeans, classes, merged, of_frame
from iowatt.lenses.budget.result import MEAN, HopName
from iowatt.run.histogram import PERCENTILES, Histogram
from iowatt.run.record import MODELLED

if TYPE_CHECKING:
    from iowatt.lenses.budget.stations import StationLoad
    from iowatt.run.bundle import Run

TABLE: Final = "hops"

Key = tuple[str, str | None, str]


@dataclass(frozen=True)
class ClassAtLoad:
    """A class of requests in one Run."""

    ledger: Ledger
    run: str
    #: Requests per second of the whole Run, on any path: those counted over the window.
    rate_iops: float
    #: Requests per second of this class.
    own_iops: float
    #: Busy shares of the hops, under all work.
    busy: Sequence[StationLoad]
    histogram: Histogram
    #: Mean response time in `run.json`; None where that has no figures for this class.
    reported_ms: float | None
    largest_ms: float | None
    #: Whether work piled up, so that its times are those of a growing queue.
    overloaded: bool
    #: Whether the system sets its rate: a closed loop.
    closed: bool
    modelled: bool

    @property
    def key(self) -> Key:
        """The key of the class among those of a Run."""
        return self.ledger.path, self.ledger.workload, self.ledger.op

    @property
    def resolved(self) -> bool:
        """Whether bins separate slow requests from fast ones."""
        low, high = self.ledger.low_ns, self.ledger.high_ns
        return self.ledger.total == 1 or bool(low.size > 1 and (low[1:] > high[:-1]).all())

    def value_ms(self, statistic: str) -> float:
        """Mean response time, or a percentile by its one definition (`iowatt.run.histogram`)."""
        if statistic == MEAN:
            return self.ledger.mean().response_ms
        found = self.histogram.quantile(PERCENTILES[statistic])
        assert found is not None  # a class has requests
        value = found / NS_PER_MS
        return value if self.largest_ms is None else min(value, self.largest_ms)

    def breakdown(self, statistic: str) -> RequestMeans:
        """Means of all requests, or of those around a percentile, scaled to its value."""
        if statistic == MEAN:
            return self.ledger.mean()
        return self.ledger.around(PERCENTILES[statistic]).scaled_to(self.value_ms(statistic))


def has_hops(run: Run) -> bool:
    """Whether a Run has the time of each hop."""
    return run.has(TABLE) and run.table(TABLE).height > 0


def of_run(run: Run, name: str, *, overloaded: bool = False) -> list[ClassAtLoad]:
    """Return the classes of a Run called ``name``; a path with several begins with all of them merged.

    Raises ``InputError`` where the Run has no hops.
    """
    if not has_hops(run):
        raise InputError(
            "missing",
            name,
            "this Run has no hops: none of its workloads goes through a path",
            hint="add [[path]] to the scenario (docs/howto/path.md)",
        )
    ledgers = of_frame(run.table(TABLE), name)
    window = float(run.summary["window"]["duration_s"])
    every = {path: merged([one for one in ledgers if one.path == path]) for path in _paths(ledgers)}
    every_request = max(int(run.table("latency")["count"].sum()), sum(one.total for one in ledgers))
    found = []
    for ledger in classes(ledgers):
        whole = every[ledger.path]
        # Busy shares count all work; the hops of a class are among those of its path.
        busy = stations.busy(run, whole.path, whole.hops, whole.mean(), whole.total / window)
        share = dict(zip(whole.hops, busy, strict=True))
        reported, largest = _reported(run, ledger, ledgers)
        found.append(
            ClassAtLoad(
                ledger,
                name,
                every_request / window,
                ledger.total / window,
                [share[hop] for hop in ledger.hops],
                _histogram(run, ledger, ledgers),
                reported,
                largest,
                overloaded,
                _closed(run, ledgers, ledger.path),
                run.summary["source"] in MODELLED,
            )
        )
    return found


def _paths(ledgers: Sequence[Ledger]) -> list[str]:
    return list(dict.fromkeys(ledger.path for ledger in ledgers))


def _parts(ledger: Ledger, ledgers: Sequence[Ledger]) -> list[Ledger]:
    """The classes in a ledger: itself, or those merged into it."""
    mine = [one for one in ledgers if one.path == ledger.path]
    return [one for one in mine if (one.workload, one.op) == (ledger.workload, ledger.op)] or [
        one for one in mine if ledger.workload in (None, one.workload)
    ]


def _histogram(run: Run, ledger: Ledger, ledgers: Sequence[Ledger]) -> Histogram:
    """The finer bins of the table `latency`; the ledger's own where that table counts other requests."""
    import polars as pl

    latency = run.table("latency")
    kinds = [
        (pl.col("workload") == one.workload) & (pl.lit(one.op == "all") | (pl.col("op") == one.op))
        for one in _parts(ledger, ledgers)
    ]
    found = Histogram.from_table(latency.filter(pl.any_horizontal(kinds)))
    if found.total == ledger.total:
        return found
    return Histogram.of(ledger.low_ns, ledger.high_ns, ledger.requests)


def _reported(run: Run, ledger: Ledger, ledgers: Sequence[Ledger]) -> tuple[float | None, float | None]:
    """Mean and largest response time in `run.json`; None where it lacks the class."""
    flows = {flow["name"]: flow["response_time_ms"] for flow in run.summary["workloads"]}
    times: list[Any] = [(flows.get(one.workload) or {}).get(one.op) for one in _parts(ledger, ledgers)]
    if not all(time and time["count"] for time in times):
        return None, None
    count = sum(time["count"] for time in times)
    largest = [time["max"] for time in times]
    most = None if any(value is None for value in largest) else max(largest)
    if count != ledger.total or any(time["mean"] is None for time in times):
        return None, most
    return sum(time["mean"] * time["count"] for time in times) / count, most


def _closed(run: Run, ledgers: Sequence[Ledger], path: str) -> bool:
    """Whether a workload of a path is a closed loop, by the plan."""
    names = run.plan.get("names", {}).get("workloads", [])
    listed = (run.plan.get("simulation") or {}).get("workloads", [])
    mine = {one.workload for one in ledgers if one.path == path}
    return any(
        name in mine and one["replay"]["mode"] == "closed" for name, one in zip(names, listed, strict=False)
    )


def same_hops(classes: Sequence[ClassAtLoad]) -> tuple[HopName, ...]:
    """The hops of a class at several loads. Raises ``InputError`` where they differ."""
    hops = classes[0].ledger.hops
    for one in classes[1:]:
        if one.ledger.hops != hops:
            raise InputError(
                "not-comparable",
                f"{one.run}: {one.ledger.path}",
                f"this path has other hops than that of {classes[0].run}",
                hint="a budget over loads needs Runs that differ in load only",
            )
    return hops
