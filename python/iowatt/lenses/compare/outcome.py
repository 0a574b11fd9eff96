"""What an inference says of one metric."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from iowatt.lenses.compare.metrics import Metric

Verdict = Literal["better", "worse", "not distinguishable", "no verdict"]
Interval = tuple[float, float]


@dataclass(frozen=True)
class Basis:
    """What an inference rests on. ``runs`` of each side; ``blocks`` of each side (all Runs); ``block_length``
    in blocks and ``independent_blocks`` of that length a Run; ``correlation`` of neighbouring ones that is
    left (``None`` where it cannot be told); ``events`` in how many of them; ``method``: ``blocks`` (bootstrap
    over blocks of one Run), ``runs`` (Student's t between repeated Runs) or ``requests`` (as if
    independent)."""

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
