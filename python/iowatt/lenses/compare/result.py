"""Two sides, before and after a change, as a document: ``iowatt.compare/1``.

Response times are in ms, other times in s, power in W, energy in J, shares from 0 to 1.
"""

from __future__ import annotations

from typing import Final, Generic, Literal, TypeVar

from pydantic import Field

from iowatt.base.results import Note, Result, ResultDocument

Verdict = Literal["better", "worse", "not distinguishable", "no verdict"]
INDISTINGUISHABLE: Final = "not distinguishable"
"""The verdict on a difference within chance."""
NO_VERDICT: Final = "no verdict"
"""The verdict where the Runs do not allow one."""
Interval = tuple[float, float]
SideKey = Literal["before", "after"]
View = Literal["mean", "max"]
T = TypeVar("T")


class BothSides(Result, Generic[T]):
    """The same of both sides."""

    before: T
    after: T

    def of(self, side: SideKey) -> T:
        """That of one side."""
        return self.before if side == "before" else self.after


class AskedFor(Result):
    """Which requests are compared, and how."""

    op: str
    point: str
    workload: str | None
    #: The threshold that spikes and slow requests exceed, and where it is from.
    spike_ms: float
    spike_by: Literal["given", "p99 before"]
    confidence: float
    #: Of the resamples.
    seed: int


class RunOfSide(Result):
    """One Run of a side."""

    label: str
    name: str
    path: str | None
    source: str
    seed: int | None
    started_at: str | None
    window_s: float
    requests: int
    loop: str
    #: Whether it has response times by blocks of time.
    series: bool
    #: Probability that its system loses data in a year; None where its drives are not known.
    loss_per_year: float | None


class SideFigures(Result):
    """One side: its Runs, and what they did together."""

    label: str
    runs: list[RunOfSide]
    requests: int
    window_s: float
    iops: float | None
    mib_per_s: float | None
    power_w: float | None
    #: ``wall`` or ``device``; None where the Runs differ.
    power_basis: str | None
    joules_per_request: float | None
    #: Why the tail of a simulated side may not be trusted; None where it may, or was measured.
    tail_doubt: str | None = None


class ChangedKey(Result):
    """A key of the plan, before and after; None where it is missing."""

    key: str
    before: bool | int | float | str | None
    after: bool | int | float | str | None


class ChangedKeys(Result):
    """Keys in which the plans of the first Runs differ, the seed apart; ``listed`` has the first of them."""

    keys: int
    listed: list[ChangedKey] = Field(alias="list")


class Flag(Result):
    """What makes the sides hard to compare; ``withholds`` takes away every verdict."""

    key: str
    text: str
    withholds: bool


class Basis(Result):
    """What an inference rests on; pairs are of before and after.

    ``method``: ``blocks`` (bootstrap over blocks), ``runs`` (Student's t between repeated Runs, which differ
    by more than their blocks explain) or ``requests`` (as if independent). ``block_length`` is how many
    blocks are drawn together, ``independent_blocks`` how many of that length there are, ``correlation`` the
    correlation at lag 1 that is left between them (None where it is not known), ``blocks_with_events`` how
    many of them hold requests beyond the quantile.
    """

    method: Literal["blocks", "runs", "requests"]
    runs: tuple[int, int]
    blocks: tuple[int, int]
    block_length: tuple[int, int]
    independent_blocks: tuple[int, int]
    correlation: tuple[float | None, float | None]
    blocks_with_events: tuple[int | None, int | None]


class DifferenceRow(Result):
    """One figure before and after, and what its difference is worth."""

    metric: str
    title: str
    unit: str
    better: Literal["lower", "higher"]
    before: float | None
    after: float | None
    difference: float | None
    #: Relative to before.
    change: float | None
    #: Of the difference.
    interval: Interval | None
    interval_before: Interval | None
    interval_after: Interval | None
    #: Adjusted over all rows.
    p: float | None
    verdict: Verdict
    #: Requests beyond the percentile or the threshold.
    beyond: BothSides[int] | None
    basis: Basis | None
    remarks: list[str]


class Statistics(Result):
    """How intervals and verdicts were found."""

    confidence: float
    resamples: int
    verdict_level: float
    seed: int


class ResponsePercentiles(Result):
    """Mean, percentiles and maximum of a side in ms; None where no histogram was kept."""

    requests: int
    mean: float | None
    p50: float | None
    p90: float | None
    p95: float | None
    p99: float | None
    p999: float | None = Field(alias="p99.9")
    p9999: float | None = Field(alias="p99.99")
    max: float | None
    #: Requests beyond each percentile, by its name.
    beyond: dict[str, int]

    def named(self, name: str) -> float | None:
        """A figure by its name in JSON: ``mean``, ``p99.9``."""
        found: float | None = getattr(self, name.replace(".", ""))
        return found


class DirectionTimes(Result):
    """Response times of one direction in ms."""

    count: int
    mean: float | None
    p50: float | None
    p95: float | None
    p99: float | None
    p999: float | None
    max: float | None


class DirectionComparison(Result):
    """All requests, reads or writes, as each Run's own report has them."""

    op: str
    title: str
    before: DirectionTimes
    after: DirectionTimes

    def of(self, side: SideKey) -> DirectionTimes:
        """That of one side."""
        return self.before if side == "before" else self.after


class BinCount(Result):
    """Requests in a bin, their share, and the share up to its end."""

    requests: int
    share: float | None
    share_to: float | None


class Bin(Result):
    """Response times over one edge and at most at the next; the last has no end."""

    over_ms: float
    to_ms: float | None
    before: BinCount
    after: BinCount

    def of(self, side: SideKey) -> BinCount:
        """That of one side."""
        return self.before if side == "before" else self.after


class ScaleBins(Result):
    """Both sides in the bins of one scale."""

    scale: str
    title: str
    #: Requests of fine bins that reach over an edge; they count by their upper end.
    straddling: BothSides[int]
    bins: list[Bin]


class OverThreshold(Result):
    """Requests over the threshold; a bin leaves open whether ``unsure`` of them are."""

    requests: int
    share: float | None
    unsure: int


class RunCourse(Result):
    """Blocks of a Run in which anything completed, from the start of its window."""

    run: str
    basis: Literal["series", "intervals"]
    width_s: float
    start_s: list[float]
    end_s: list[float]
    requests: list[int]
    mean_ms: list[float | None]
    max_ms: list[float | None]

    def of(self, view: View) -> list[float | None]:
        """The blocks by one view."""
        return self.mean_ms if view == "mean" else self.max_ms


class OverTime(Result):
    """The course of each Run; ``width_s`` is None without any."""

    width_s: float | None
    before: list[RunCourse]
    after: list[RunCourse]

    def of(self, side: SideKey) -> list[RunCourse]:
        """Those of one side."""
        return self.before if side == "before" else self.after


class Spike(Result):
    """Consecutive blocks over the threshold."""

    run: str
    start_s: float
    length_s: float
    blocks: int
    greatest_ms: float
    requests: int


class SpikesByView(Result):
    """All spikes of a side by one view of a block, and the highest of them."""

    spikes: int
    blocks: int
    blocks_over: int
    seconds: float
    longest_s: float
    greatest_ms: float | None
    greatest_block_ms: float | None
    listed: list[Spike] = Field(alias="list")


class SpikesOfSide(Result):
    """By the mean of a block, and by its longest response."""

    mean: SpikesByView
    max: SpikesByView

    def of(self, view: View) -> SpikesByView:
        """Those by one view."""
        return self.mean if view == "mean" else self.max


class Modelled(Result):
    """Percentiles in ms as observed, and with the requests that the loop kept back, of all requests."""

    of: str
    requests: int
    added: int
    observed: dict[str, float | None]
    corrected: dict[str, float | None]


class Omission(Result):
    """How the requests of a side came, and what its loop left out."""

    loop: str
    said: str
    #: Whether slow responses keep later requests back.
    waits: bool
    #: Of each Run.
    expected_interval_ms: list[float | None]
    interval_from: str | None
    why_not: str | None
    modelled: Modelled | None


class BeforeAfter(ResultDocument):
    """What a change did to response times, work, power and energy."""

    schema_id: Literal["iowatt.compare/1"] = Field(default="iowatt.compare/1", alias="schema")
    asked: AskedFor
    before: SideFigures
    after: SideFigures
    changed: ChangedKeys
    flags: list[Flag]
    #: Keys of the flags that take away every verdict.
    withheld: list[str]
    differences: list[DifferenceRow]
    statistics: Statistics
    response_time_ms: BothSides[ResponsePercentiles]
    directions: list[DirectionComparison]
    histograms: list[ScaleBins]
    #: Points: ms, share within it, share beyond it.
    distribution: BothSides[list[tuple[float, float, float]]]
    over_threshold: BothSides[OverThreshold]
    over_time: OverTime
    spikes: BothSides[SpikesOfSide | None]
    omission: BothSides[Omission]
    notes: list[Note]

    def side(self, key: SideKey) -> SideFigures:
        """One side."""
        return self.before if key == "before" else self.after
