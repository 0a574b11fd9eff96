"""The highest rate as a document, ``iowatt.rate/1``. Times are in ms, rates in requests per second."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from pydantic import Field

from iowatt.base.results import Note, Result, ResultDocument
from iowatt.evaluate.search.axes import Cell
from iowatt.evaluate.search.highest.rate import Verdict
from iowatt.evaluate.search.metrics.table import RunRow, row_of_run
from iowatt.evaluate.search.rate.request import Loop, RateRequest
from iowatt.run.bundle import Run

#: ``probe``: a closed loop that finds where to begin; ``longer``: in runs longer than the first ones.
Kind = Literal["probe", "search", "longer"]
#: The source of an interval of the rate.
Basis = Literal["replications", "batch means"]


class RatePoint(Result):
    """One rate with the runs of all its seeds."""

    kind: Kind
    #: Asked for; None of a closed loop, which has ``outstanding``.
    rate_iops: float | None
    outstanding: int | None
    achieved_iops: float
    #: The limited statistic over all seeds: of all requests, of reads, of writes; None where none completed.
    response_ms: float | None
    read_ms: float | None
    write_ms: float | None
    #: Half of the 95 % interval of ``response_ms``: over the seeds, or by batch means of a single run.
    half_width_ms: float | None
    #: None of a probe.
    verdict: Verdict | None
    runs: int
    #: Counted in each run.
    requests: int
    seconds: float


class HighestRate(ResultDocument):
    """The highest rate within a response-time limit."""

    schema_id: Literal["iowatt.rate/1"] = Field(default="iowatt.rate/1", alias="schema")
    version: str
    command: str | None
    scenario: str
    source: str
    #: Overrides of the scenario.
    overrides: list[str] = Field(alias="set")
    loop: Loop
    limit_ms: float
    read_limit_ms: float | None
    write_limit_ms: float | None
    statistic: str
    #: Why the statistic may not be trusted of these devices; None where it may.
    doubt: str | None = None
    #: A share.
    tolerance: float
    #: Whose rate it is; empty: of all workloads.
    workloads: list[str]
    #: The highest rate that was run and met the limit; of a closed loop the rate at the limit, interpolated.
    rate_iops: float | None
    #: Of a closed loop: how many are outstanding at the rate, in the mean, by Little's law.
    outstanding: float | None
    #: The lowest rate above ``rate_iops`` that did not meet the limit.
    beyond_iops: float | None
    #: Whether ``rate_iops`` and ``beyond_iops`` are within the tolerance of one another.
    settled: bool
    #: Where the response time meets the limit, with its 95 % interval.
    crossing_iops: float | None
    crossing_ci95_iops: tuple[float, float] | None
    interval_by: Basis | None
    replications: int
    seeds: list[int]
    crossing_by_seed_iops: list[float]
    #: At ``rate_iops``.
    response_ms: float | None
    response_half_width_ms: float | None
    #: Simulations in all, probes included.
    runs: int
    points: list[RatePoint]
    #: Why there is no rate, or none beyond it.
    problem: str | None
    notes: list[Note]
    #: The Run at the rate under the names of a sweep's columns.
    at_rate: dict[str, Cell | None] | None


@dataclass(frozen=True)
class RateRun:
    """One rate with the runs of all its seeds."""

    kind: Kind
    #: Requests per second that were asked for; None of a closed loop, which has ``outstanding``.
    rate: float | None
    outstanding: int | None
    achieved: float
    #: The statistic asked for, over all seeds, in s; None where nothing completed.
    response_s: float | None
    #: The statistic of reads and of writes.
    read_s: float | None
    write_s: float | None
    #: Half of the 95 % interval of ``response_s``, s: over the seeds, or by batch means of a single run.
    half_width_s: float | None
    #: None of a probe.
    verdict: Verdict | None
    runs: int
    #: Counted in each run.
    requests: int
    seconds: float


@dataclass(frozen=True, kw_only=True)
class RateResult:
    """The highest rate within a limit."""

    request: RateRequest
    #: The highest rate that was run and met the limit, requests per second; None where none did. Of a closed
    #: loop the rate at which the mean is the limit, interpolated from the nearest one that was run.
    rate_iops: float | None = None
    #: The lowest one above it that did not.
    beyond_iops: float | None = None
    #: Where the response time, the mean over seeds, meets the limit, between the two; None where it does not.
    crossing_iops: float | None = None
    #: 95 % interval of the rate at which the limit is met, and its source; None where runs give none.
    #: Over seeds it lies about the mean of their own answers, and holds ``crossing_iops``.
    ci95_iops: tuple[float, float] | None = None
    basis: Basis | None = None
    #: Answers of the single seeds, where there are several.
    by_seed: tuple[float, ...] = ()
    #: At ``rate_iops``; half of its 95 % interval is None where it is not known.
    response_s: float | None = None
    response_half_width_s: float | None = None
    #: The Run at the rate found, of the first seed, with the requests of all workloads. Of a closed loop the
    #: nearest one: :func:`row_at_limit` scales its figures to the limit.
    run: Run | None = None
    points: tuple[RateRun, ...]
    #: Whether rate and beyond are within the tolerance of one another.
    settled: bool = False
    #: Why there is no rate, or none beyond it; None where both were found.
    problem: str | None = None
    notes: tuple[Note, ...] = ()
    #: Seeds of the runs at every rate.
    seeds: tuple[int, ...]
    #: Simulations in all, probes included.
    runs: int
    #: Whose rate it is; none: of all workloads.
    workloads: tuple[str, ...] = ()
    #: Of a closed loop: how many are outstanding at the rate, in the mean, by Little's law.
    outstanding: float | None = None

    @property
    def scale(self) -> float:
        """The rate found over the one that ``run`` ran at."""
        if self.request.loop == "open" or self.run is None or self.rate_iops is None:
            return 1.0
        return self.rate_iops / float(self.run.summary["throughput"]["iops"])


_RATES: Final = ("throughput.iops", "throughput.mib_per_s")
_POWERS: Final = (("power_w.mean", "power_w.idle"), ("power_w.wall_mean", "power_w.wall_idle"))
#: Each efficiency, and its numerator over watts.
_PER_WATT: Final = (
    ("efficiency.iops_per_w", "throughput.iops"),
    ("efficiency.mib_per_s_per_w", "throughput.mib_per_s"),
    ("efficiency.raw_gb_per_w", "capacity_gb.raw"),
    ("efficiency.usable_gb_per_w", "capacity_gb.usable"),
    ("efficiency.effective_gb_per_w", "capacity_gb.effective"),
)


def row_at_limit(found: RateResult) -> RunRow:
    """The row of a search for what was found, with ``rate_iops``, ``rate.runs`` and ``rate.settled``.

    Of a closed loop it has ``outstanding`` besides. There must be a Run.
    """
    assert found.run is not None
    cells = row_of_run(found.run)
    if found.request.loop == "closed":
        _take(cells, found.scale)
        cells["outstanding"] = found.outstanding
    return cells | {"rate_iops": found.rate_iops, "rate.runs": found.runs, "rate.settled": found.settled}


def _take(cells: RunRow, scale: float) -> None:
    """To a rate ``scale`` times as high."""
    before = _number(cells.get("power_w.mean"))
    for name in [name for name in cells if name.endswith(_RATES)]:
        value = _number(cells[name])
        cells[name] = None if value is None else value * scale
    for mean, idle in _POWERS:
        drawn, rest = _number(cells.get(mean)), _number(cells.get(idle))
        if drawn is not None and rest is not None:
            cells[mean] = rest + (drawn - rest) * scale
    watts = _number(cells["power_w.wall_mean" if cells.get("power_basis") == "wall" else "power_w.mean"])
    for name, over in _PER_WATT:
        if cells.get(name) is not None and watts:
            value = _number(cells[over])
            cells[name] = None if value is None else value / watts
    _energy(cells, before, scale)


def _energy(cells: RunRow, before: float | None, scale: float) -> None:
    """Energy per request, and its product with the mean response time; the watts were ``before``."""
    each, after = _number(cells.get("energy.per_request_j")), _number(cells.get("power_w.mean"))
    if each is None or not before or after is None:
        return
    cells["energy.per_request_j"] = each * after / before / scale
    mean_ms = _number(cells.get("response_time_ms.all.mean"))
    if cells.get("energy.energy_delay_js") is not None and mean_ms is not None:
        cells["energy.energy_delay_js"] = each * after / before / scale * mean_ms / 1e3


def _number(cell: Cell | None) -> float | None:
    return float(cell) if isinstance(cell, int | float) else None
