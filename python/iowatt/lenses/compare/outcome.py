"""What an inference says of one metric."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from iowatt.lenses.compare.metrics import Metric

Verdict = Literal["better", "worse", "not distinguishable", "no verdict"]
INDISTINGUISHABLE: Final = "not distinguishable"
"""The verdict on a difference within chance."""
NO_VERDICT: Final = "no verdict"
"""The verdict where what was seen does not allow one."""
Interval = tuple[float, float]


@dataclass(frozen=True)
class Basis:
    """What an inference rests on; pairs are of before and after.

    ``method``: ``blocks`` (bootstrap over blocks), ``runs`` (Student's t between repeated Runs, which differ
    by more than their blocks explain) or ``requests`` (as if independent). ``runs`` and ``blocks`` are those
    given, ``block_length`` is how many of them are drawn together, ``independent_blocks`` how many of that
    length there are, ``correlation`` what neighbouring ones still have in common (lag 1; ``None`` where it
    cannot be told), ``blocks_with_events`` how many of them hold requests beyond the quantile.
    """

    method: Literal["blocks", "runs", "requests"]
    runs: tuple[int, int]
    blocks: tuple[int, int]
    block_length: tuple[int, int]
    independent_blocks: tuple[int, int]
    correlation: tuple[float | None, float | None]
    blocks_with_events: tuple[int | None, int | None]


@dataclass(frozen=True)
class Difference:
    """A metric before and after, in its unit.

    ``before`` and ``after`` are as printed anywhere, ``difference`` is after - before and ``ratio`` after /
    before of these. ``interval`` is of the difference, ``ratio_interval`` of the ratio, ``interval_before``
    and ``interval_after`` of each side, all at ``confidence`` for this metric alone; ``None`` where nothing
    can be said. ``p`` is adjusted over all metrics that were asked for together, and the verdict rests on it;
    ``p_alone`` is not. ``events`` are requests beyond a quantile, or over a threshold, on each side.
    """

    metric: Metric
    before: float | None
    after: float | None
    difference: float | None
    ratio: float | None
    interval: Interval | None
    ratio_interval: Interval | None
    interval_before: Interval | None
    interval_after: Interval | None
    confidence: float
    p: float | None
    p_alone: float | None
    verdict: Verdict
    events: tuple[int | None, int | None]
    basis: Basis
    remarks: tuple[str, ...]
