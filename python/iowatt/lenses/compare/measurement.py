"""The requests of a Run that are compared: their loop, histogram and mean.

At the host the histogram is the table ``latency`` and the mean is that of ``run.json``, so that every figure
is the one that the Run's own report shows. At another point both come from the table ``series``.

The loop says who decides when the next request comes: a clock (open), a completion (closed), or a clock that
waits. A driver that waits for completions asks less of storage exactly while it is slow, and the requests
that it did not send are in no histogram (coordinated omission).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

import polars as pl

from iowatt.base.errors import InputError
from iowatt.run.histogram import Histogram
from iowatt.run.record import has_own_arrivals
from iowatt.run.tables import SERIES

if TYPE_CHECKING:
    from iowatt.lenses.compare.request import CompareRequest
    from iowatt.run.bundle import Run


Kind = Literal["open", "closed", "rate-limited", "replayed", "recorded", "mixed", "unknown"]

#: Kinds in which a slow response keeps later requests back.
WAITS: Final = ("closed", "rate-limited", "mixed")


@dataclass(frozen=True)
class Loop:
    """How the requests of a Run arrive; ``said`` describes it for readers."""

    kind: Kind
    said: str
    #: Requests kept outstanding, where known.
    outstanding: int | None = None
    #: Mean time between a completion and the next request, in s.
    think_s: float = 0.0
    #: Requests per second that the driver was to make, if any.
    asked_iops: float | None = None

    @property
    def waits(self) -> bool:
        """Whether slow responses keep requests back."""
        return self.kind in WAITS


def loop_of(run: Run, workload: str | None) -> Loop:
    """The loop of a Run, or of one of its workloads."""
    source = str(run.summary["source"])
    if has_own_arrivals(source, run.plan):
        return _simulated(run, workload)
    if source in ("replay", "files", "trace", "volume", "emulation", "counters"):
        return _recorded(run, source)
    driver: Mapping[str, Any] = run.summary.get("driver") or {}
    if not driver:
        return Loop("unknown", "the source of the requests is not recorded")
    tool, rate = str(driver.get("tool", source)), driver.get("asked_iops")
    outstanding = _whole(_measured(run).get("outstanding"))
    slots = "" if outstanding is None else f", {outstanding} outstanding"
    if rate is None:
        text = f"{tool} as fast as it could{slots}: the next request waits for a completion"
        return Loop("closed", text, outstanding)
    text = f"{tool} at {rate:g} requests/s{slots}: later where it had to wait for completions"
    return Loop("rate-limited", text, outstanding, asked_iops=float(rate))


def _recorded(run: Run, source: str) -> Loop:
    """Of requests at times of their own."""
    if source == "replay":
        depth = _whole(_measured(run).get("depth"))
        most = "" if depth is None else f", with {depth} outstanding at most"
        return Loop("replayed", f"a trace replayed at its own times{most}", depth)
    if source == "files":
        threads = _whole(_measured(run).get("threads"))
        at_once = "" if threads is None else f", at most {threads} at once"
        return Loop("open", f"file operations at their intended times{at_once}; responses count from then")
    return Loop("recorded", "recorded under its application, whose loop is not known")


def _measured(run: Run) -> Mapping[str, Any]:
    found = run.plan.get("measured")
    return found if isinstance(found, Mapping) else {}


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _simulated(run: Run, workload: str | None) -> Loop:
    names = run.plan.get("names", {}).get("workloads", [])
    planned = run.plan.get("simulation", {}).get("workloads", [])
    replays = [
        one.get("replay", {})
        for name, one in zip(names, planned, strict=False)
        if workload is None or name == workload
    ]
    if not replays:
        return Loop("unknown", "the plan lacks the arrival of its requests")
    modes = {replay.get("mode") for replay in replays}
    if modes == {"open"}:
        return Loop("open", "open: requests arrive at their own times, whatever the array does")
    if modes != {"closed"}:
        return Loop("mixed", "some workloads open, some closed")
    per = {replay.get("per", "workload") for replay in replays}
    total = sum(int(replay["outstanding"]) for replay in replays) if per == {"workload"} else None
    thinks = {float(replay.get("think", {}).get("mean_s", 0.0)) for replay in replays}
    think = thinks.pop() if len(thinks) == 1 else 0.0
    slots = "" if total is None else f", {total} outstanding"
    pause = f", {think * 1e3:g} ms between" if think else ""
    return Loop("closed", f"closed{slots}{pause}: the next request waits for a completion", total, think)


MIB: Final = 1 << 20
NS_PER_MS: Final = 1e6


@dataclass(frozen=True)
class ComparedRun:
    """One Run: the requests that are compared. Times in ms, sums over the window."""

    run: Run
    label: str
    histogram: Histogram
    requests: int
    mean_ms: float | None
    max_ms: float | None
    window_s: float
    #: Completions and bytes moved of the compared requests, within the window.
    completions: int
    bytes: int
    #: Joules of the whole system within the window; None where not known.
    joules: float | None
    at_wall: bool
    #: Completions of all requests, which the joules paid for.
    paid: int
    #: Rows of the table ``series`` of the compared requests; None where the Run has none.
    series: pl.DataFrame | None
    loop: Loop

    @property
    def summary(self) -> Mapping[str, Any]:
        """``run.json``."""
        return self.run.summary


def observe(run: Run, label: str, request: CompareRequest) -> ComparedRun:
    """One Run of a side.

    Raises
    ------
    InputError
        The Run has no such workload, no such point of observation, or no requests of that kind.
    """
    summary = run.summary
    where = str(run.path) if run.path else run.name
    flow = _flow(summary, request.workload, where)
    series = _series(run, request, where)
    if request.point == "host":
        histogram = Histogram.from_table(_rows(run.table("latency"), request))
        times = flow["response_time_ms"][request.op]
        requests, mean, longest = int(times["count"]), times["mean"], times["max"]
    else:
        assert series is not None  # _series refuses other points without one
        histogram = _bins(series)
        requests = int(series["count"].sum())
        mean = float(series["sum_ns"].sum()) / requests / NS_PER_MS if requests else None
        longest = None if not requests else max(series["max_ns"].to_list()) / NS_PER_MS
    if requests == 0:
        raise InputError(
            "empty", where, f"has no completed {_kind(request)} in its window, so there is nothing to compare"
        )
    done, moved = _work(flow, request.op)
    return ComparedRun(
        run=run, label=label, histogram=histogram, requests=requests, mean_ms=mean, max_ms=longest,
        window_s=float(summary["window"]["duration_s"]), completions=done, bytes=moved,
        joules=summary["energy"]["total_j"], at_wall=summary["power_w"]["wall_mean"] is not None,
        paid=int(summary["throughput"]["completions"]), series=series, loop=loop_of(run, request.workload),
    )  # fmt: skip


def _flow(summary: Mapping[str, Any], workload: str | None, where: str) -> Mapping[str, Any]:
    if workload is None:
        return summary
    found = {str(one["name"]): one for one in summary["workloads"]}
    if workload not in found:
        raise InputError(
            "unknown-name",
            f"{where}: workload",
            f"there is no workload {workload!r}; available: {', '.join(sorted(found)) or 'none'}",
        )
    one: Mapping[str, Any] = found[workload]
    return one


def _kind(request: CompareRequest) -> str:
    kind = "requests" if request.op == "all" else f"{request.op}s"
    return kind if request.workload is None else f"{kind} of workload {request.workload!r}"


def _rows(table: pl.DataFrame, request: CompareRequest) -> pl.DataFrame:
    if request.workload is not None:
        table = table.filter(pl.col("workload") == request.workload)
    return table if request.op == "all" else table.filter(pl.col("op") == request.op)


def _series(run: Run, request: CompareRequest, where: str) -> pl.DataFrame | None:
    """Rows of the series of the compared requests. Raises ``InputError`` where a point is not in it."""
    table = run.table("series") if run.has("series") else None
    if table is not None:
        _check(table, where)
    points = [] if table is None else table["point"].unique().sort().to_list()
    if request.point != "host" and request.point not in points:
        raise InputError(
            "unknown-name",
            f"{where}: point",
            f"was not observed at the point {request.point!r}; it has {', '.join(points) or 'host'}",
            hint="a Run whose workloads go through a [[path]] has array, and switch where the path has one",
        )
    if table is None:
        return None
    found = _rows(table.filter(pl.col("point") == request.point), request)
    return found if found.height or request.point != "host" else None


def _check(series: pl.DataFrame, where: str) -> None:
    """Raise ``InputError`` where columns are missing, or the lists of a row do not belong together."""
    missing = [name for name in SERIES if name not in series.columns]
    if missing:
        raise InputError("damaged", f"{where}: series", f"the table lacks {', '.join(missing)}")
    lengths = [pl.col(name).list.len() for name in ("low_ns", "high_ns", "bin_count")]
    wrong = series.filter((lengths[0] != lengths[1]) | (lengths[0] != lengths[2])).height
    if wrong:
        raise InputError(
            "damaged",
            f"{where}: series: bin_count",
            f"in {wrong} rows the numbers of bins and of their counts differ",
            hint="run the scenario, or import the measurement, again",
        )


def _bins(series: pl.DataFrame) -> Histogram:
    """The bins of all rows of a series together."""
    bins = series.select("low_ns", "high_ns", "bin_count").explode("low_ns", "high_ns", "bin_count")
    bins = bins.drop_nulls()
    return Histogram.of(bins["low_ns"], bins["high_ns"], bins["bin_count"])


def _work(flow: Mapping[str, Any], op: str) -> tuple[int, int]:
    """Completions and bytes within the window; of one direction, those of requests that arrived in it too."""
    requests = flow["requests"]
    if op == "all":
        through = flow["throughput"]
        seconds = through["completions"] / through["iops"] if through["iops"] else 0.0
        return int(through["completions"]), round(through["mib_per_s"] * MIB * seconds)
    moved = requests["bytes_read" if op == "read" else "bytes_written"]
    return int(flow["response_time_ms"][op]["count"]), int(moved)


@dataclass(frozen=True)
class Side:
    """Before, or after: one Run, or several repeated ones taken together."""

    key: str
    label: str
    parts: Sequence[ComparedRun]

    @property
    def histogram(self) -> Histogram:
        """All requests of all Runs."""
        return Histogram.merged([part.histogram for part in self.parts])

    @property
    def requests(self) -> int:
        """Requests with a response time."""
        return sum(part.requests for part in self.parts)

    @property
    def mean_ms(self) -> float | None:
        """Mean response time over all requests: sums over counts, no mean of means."""
        if any(part.mean_ms is None for part in self.parts):
            return None
        if len(self.parts) == 1:
            return self.parts[0].mean_ms
        return math.fsum((part.mean_ms or 0.0) * part.requests for part in self.parts) / self.requests

    @property
    def max_ms(self) -> float | None:
        """The longest response."""
        return max((part.max_ms for part in self.parts if part.max_ms is not None), default=None)

    @property
    def window_s(self) -> float:
        """Length of all windows together."""
        return math.fsum(part.window_s for part in self.parts)

    @property
    def iops(self) -> float | None:
        """Requests completed per second."""
        if len(self.parts) == 1 and self.parts[0].window_s > 0:
            return self.parts[0].completions / self.parts[0].window_s
        return sum(part.completions for part in self.parts) / self.window_s if self.window_s > 0 else None

    @property
    def mib_per_s(self) -> float | None:
        """MiB moved per second."""
        return sum(part.bytes for part in self.parts) / MIB / self.window_s if self.window_s > 0 else None

    @property
    def joules(self) -> float | None:
        """Energy of all Runs; None where one does not know it."""
        known = [part.joules for part in self.parts if part.joules is not None]
        return math.fsum(known) if len(known) == len(self.parts) else None

    @property
    def watts(self) -> float | None:
        """Mean power."""
        joules = self.joules
        return None if joules is None or self.window_s <= 0 else joules / self.window_s

    @property
    def joules_per_request(self) -> float | None:
        """Energy over all completions."""
        joules, paid = self.joules, sum(part.paid for part in self.parts)
        return None if joules is None or not paid else joules / paid


def sides(request: CompareRequest) -> tuple[Side, Side]:
    """Both sides under the question. Raises ``InputError`` as :func:`observe`."""
    groups = (request.before, request.after)
    names = _labels([run for runs in groups for run in runs])
    number = len(request.before)
    first = _side("before", request.before, names[:number], request)
    return first, _side("after", request.after, names[number:], request)


def _labels(runs: Sequence[Run]) -> list[str]:
    """Distinct names of Runs, with as much of their path as needed."""
    names = [str(run.summary["name"]) for run in runs]
    for depth in range(1, 6):
        tails = ["" if run.path is None else "/".join(run.path.absolute().parts[-depth:]) for run in runs]
        labels = [
            f"{name} ({tail})" if tail and tail != name else name
            for name, tail in zip(names, tails, strict=True)
        ]
        if len(set(labels)) == len(labels):
            return labels
    return labels


def _side(key: str, runs: Sequence[Run], labels: Sequence[str], request: CompareRequest) -> Side:
    if len(runs) == 1:
        whole = labels[0]
    else:
        folders = {run.path.absolute().parent.name for run in runs if run.path is not None}
        folder = f"{folders.pop()}, " if len(folders) == 1 else ""
        whole = f"{runs[0].summary['name']} ({folder}{len(runs)} Runs)"
    return Side(key, whole, [observe(run, label, request) for run, label in zip(runs, labels, strict=True)])
