"""Which cells figures are fitted to, and which are held out to check them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

from iowatt.evaluate.measured import Cell, Measured
from iowatt.run.histogram import Histogram

#: A process that spends this share of its time on its requests limits them, and not the drive.
_LIMITED: Final = 0.85
_FRESH: Final = "fresh"


@dataclass(frozen=True)
class Split:
    """Cells to fit to, cells to check by, and those that tell nothing of the drive, with the reason."""

    fitted: list[Measured]
    held_out: list[Measured]
    unused: list[tuple[Measured, str]]

    def of(self, op: str) -> list[Measured]:
        """The cells of one direction to fit to."""
        return [one for one in self.fitted if one.cell.op == op]


def is_fresh(cell: Cell) -> bool:
    """Whether a cell was measured on a drive just trimmed: by its name, as the plan gives it."""
    return _FRESH in cell.name.lower()


def split(measured: Iterable[Measured], host_s: float) -> Split:
    """Repeated cells are one; alternate depths of each kind of work are held out, and mixtures.

    The least and the greatest depth never are: they tell latency and ceilings.
    """
    usable, unused = [], []
    for one in measured:
        why = _unusable(one, host_s)
        unused.append((one, why)) if why else usable.append(one)
    fitted: list[Measured] = []
    held_out = [one for one in usable if one.cell.op == "mixed"]
    usable = sorted((one for one in usable if one.cell.op != "mixed"), key=lambda one: _order(one.cell))
    for _, group in groupby(usable, key=lambda one: _order(one.cell)[:-2]):
        depths = [_one(list(same)) for _, same in groupby(group, key=lambda one: _order(one.cell))]
        for number, one in enumerate(depths):
            out = number % 2 == 1 and number < len(depths) - 1
            (held_out if out else fitted).append(one)
    return Split(fitted, held_out, unused)


def _one(repeats: Sequence[Measured]) -> Measured:
    """A cell measured several times as one: geometric means of its figures, and all its requests."""
    first = repeats[0]
    if len(repeats) == 1:
        return first

    def mean(values: Iterable[float | None]) -> float | None:
        known = [math.log(value) for value in values if value]
        return math.exp(sum(known) / len(known)) if known else None

    def shares(way: str) -> dict[float, float]:
        every = [getattr(one, way) for one in repeats]
        return {share: mean(one.get(share) for one in every) or 0.0 for share in every[0]}

    return replace(
        first,
        iops=mean(one.iops for one in repeats) or first.iops,
        mean_s=mean(one.mean_s for one in repeats),
        reads=shares("reads"),
        writes=shares("writes"),
        read_mean_s=mean(one.read_mean_s for one in repeats),
        write_mean_s=mean(one.write_mean_s for one in repeats),
        read_histogram=_merged([one.read_histogram for one in repeats]),
        write_histogram=_merged([one.write_histogram for one in repeats]),
        watts=mean(one.watts for one in repeats),
        samples=sum(one.samples for one in repeats),
    )


def _merged(parts: Sequence[Histogram | None]) -> Histogram | None:
    known = [part for part in parts if part is not None]
    return Histogram.merged(known) if len(known) == len(parts) else None


def _order(cell: Cell) -> tuple[object, ...]:
    return (cell.op, cell.pattern, is_fresh(cell), cell.size_bytes, cell.outstanding, cell.processes)


def _unusable(one: Measured, host_s: float) -> str:
    cell = one.cell
    if one.iops <= 0:
        return "no requests were completed"
    if cell.rate_per_s is not None or cell.beside:
        return "paced, or beside other work: closed loops alone are fitted"
    if host_s > 0 and cell.depth > 1 and one.iops > _LIMITED * cell.processes / host_s:
        return "the load generator's processor was the limit"
    if cell.op != "read" and is_fresh(cell) and cell.pattern == "random":
        return "random writes of a fresh drive show its buffer, not its steady state"
    if cell.op == "read" and cell.pattern == "sequential" and cell.outstanding == 1:
        return "read-ahead of a single stream is not modelled"
    return ""


def names(cells: Sequence[Measured]) -> str:
    """Their names, in short."""
    shown = [one.cell.name for one in cells[:4]]
    return ", ".join(shown) + (f" and {len(cells) - 4} more" if len(cells) > 4 else "")
