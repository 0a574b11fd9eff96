"""The reduced list: few configurations that come near every metric's peak, and the best single one.

A configuration covers a metric where it reaches the metric's peak within a given share. With at most a dozen
metrics the smallest set that covers all is found exactly, over sets of metrics (dynamic programming over
bit masks); among equally small ones the set that comes nearest to the peaks on the whole.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from iowatt.emerald.bff.curve import PointKey, Series
from iowatt.emerald.bff.result import (
    BuiltConfiguration,
    CoveringConfiguration,
    LabSetup,
    ReducedConfiguration,
    ReducedList,
    ShareOfPeak,
)
from iowatt.emerald.bff.search import Search, WantedPoint
from iowatt.emerald.family import Candidate, EmeraldMetric, shelves

Name = TypeVar("Name", bound=Hashable)
Shares = Mapping[str, float]  #: Share of its peak that a configuration reaches, by metric.
Peaks = Mapping[str, tuple[Series, Candidate]]  #: By metric, the curve and the configuration of its peak.

_MOST_ROUNDS = 4  #: A chosen configuration that turns out worse when simulated is replaced so often.


@dataclass(frozen=True)
class Cover(Generic[Name]):
    """A set of configurations with the metrics that each covers."""

    chosen: tuple[tuple[Name, tuple[str, ...]], ...]
    uncovered: tuple[str, ...]  #: Metrics that no configuration covers.


def smallest_cover(
    reached: Mapping[Name, Shares], metrics: Sequence[str], within_percent: float
) -> Cover[Name]:
    """The fewest configurations so that each metric is reached within ``within_percent`` by one of them.

    Of equals the first in the order of ``reached`` is taken.
    """
    least = 1 - within_percent / 100 - 1e-12
    masks: dict[int, list[tuple[float, int, Name]]] = {}
    for number, (name, shares) in enumerate(reached.items()):
        mask = sum(1 << at for at, metric in enumerate(metrics) if shares.get(metric, 0.0) >= least)
        if mask:
            worth = math.fsum(_capped(shares, metric) for metric in _masked(metrics, mask))
            masks.setdefault(mask, []).append((-worth, number, name))
    best_of = {mask: min(many, key=lambda one: one[:2]) for mask, many in masks.items()}
    goal = 0
    for mask in best_of:
        goal |= mask
    # By covered metrics: how many configurations, minus what they reach, their masks.
    table: dict[int, tuple[int, float, tuple[int, ...]]] = {0: (0, 0.0, ())}
    for covered in range(goal + 1):
        if covered not in table:
            continue
        many, worth, chosen = table[covered]
        for mask, (less, _number, _name) in best_of.items():
            joined = covered | mask
            if joined == covered:
                continue
            better = (many + 1, worth + less, tuple(sorted((*chosen, mask))))
            if joined not in table or better < table[joined]:
                table[joined] = better
    return Cover(
        tuple((best_of[mask][2], tuple(_masked(metrics, mask))) for mask in table[goal][2]),
        tuple(_masked(metrics, ~goal)),
    )


def compromise(reached: Mapping[Name, Shares], metrics: Sequence[str]) -> Name | None:
    """The one configuration whose least share of a peak is highest; None where none has all metrics."""

    def worth(name: Name) -> tuple[float, float]:
        shares = [_capped(reached[name], metric) for metric in metrics]
        return min(shares), math.fsum(shares)

    whole = [name for name, shares in reached.items() if all(metric in shares for metric in metrics)]
    return max(whole, key=worth, default=None)


def _masked(metrics: Sequence[str], mask: int) -> list[str]:
    return [metric for at, metric in enumerate(metrics) if mask >> at & 1]


def _capped(shares: Shares, metric: str) -> float:
    """A share of a peak, at most 1: points beyond the start of a plateau may be a little above it."""
    return min(1.0, shares.get(metric, 0.0))


def reduced_list(search: Search, peaks: Peaks) -> ReducedList:
    """The reduced list, its figures simulated where the search may simulate."""
    request = search.request
    metrics = [one for one in request.chosen_metrics() if one.name in peaks]
    names = [one.name for one in metrics]
    possible = _possible(search, peaks)
    for _ in range(_MOST_ROUNDS):
        reached = {one: _reached(search, one, metrics, peaks) for one in possible}
        cover = smallest_cover(reached, names, request.within_percent)
        single = compromise(reached, names)
        if not request.simulate:
            break
        wanted = [
            WantedPoint(metric, one)
            for one in dict.fromkeys([*(name for name, _ in cover.chosen), *([single] if single else [])])
            for metric in metrics
            if not search.known.done(PointKey(metric.name, one))
        ]
        if not wanted:
            break
        search.announce(f"simulating the reduced list: {len(wanted)}")
        search.simulate(wanted)
    listed = {one: _listed(search, one, metrics, reached[one]) for one, _ in cover.chosen}
    return ReducedList(
        within_percent=request.within_percent,
        configurations=[
            CoveringConfiguration(**dict(listed[one]), covers=list(covers)) for one, covers in cover.chosen
        ],
        uncovered=list(cover.uncovered),
        compromise=None if single is None else _listed(search, single, metrics, reached[single]),
        setups=_setups(search, list(listed)),
    )


def _possible(search: Search, peaks: Peaks) -> list[Candidate]:
    """Configurations that may be on the list: the peaks first, then all by whole shelves."""
    every = [point for one in search.series for point in one.points]
    if search.family.file.scale_out is None:
        # Ready idle has one curve for all levels: any level's configuration has its figure.
        busy = [one.name for one in search.request.chosen_metrics() if one.kind != "idle"]
        every += [
            point
            for fine, _ in search.fine
            for point in fine.points
            if any(search.known.done(PointKey(name, point)) for name in busy)
        ]
    return list(dict.fromkeys([*(one for _, one in peaks.values()), *every]))


def _reached(
    search: Search, candidate: Candidate, metrics: Sequence[EmeraldMetric], peaks: Peaks
) -> dict[str, float]:
    """Shares of the peaks that a configuration reaches, of its known metrics."""
    reached = {}
    for metric in metrics:
        if metric.kind == "idle":
            search.simulate([WantedPoint(metric, candidate)])
        figures = search.known.best(PointKey(metric.name, candidate))
        best = search.known.best(PointKey(metric.name, peaks[metric.name][1]))
        if figures is not None and best is not None and best.ep > 0:
            reached[metric.name] = figures.ep / best.ep
    return reached


def _listed(
    search: Search, candidate: Candidate, metrics: Sequence[EmeraldMetric], reached: Shares
) -> ReducedConfiguration:
    figures = {}
    for metric in metrics:
        known = search.known.best(PointKey(metric.name, candidate))
        if known is not None and metric.name in reached:
            figures[metric.name] = ShareOfPeak(ep=known.ep, basis=known.basis, share=reached[metric.name])
    return ReducedConfiguration(
        configuration=built(candidate),
        label=candidate.label,
        drives=candidate.drives,
        shelves=shelves(search.family, candidate),
        figures=figures,
        least_share=min((one.share for one in figures.values()), default=None),
    )


def built(candidate: Candidate) -> BuiltConfiguration:
    """A configuration as a document has it."""
    return BuiltConfiguration.model_validate(candidate.as_dict())


def _setups(search: Search, chosen: Sequence[Candidate]) -> list[LabSetup]:
    """Set-ups for the lab: the largest of the configurations with like drives contains the others."""
    alike: dict[tuple[Any, ...], list[Candidate]] = {}
    for one in chosen:
        drives = tuple(sorted(group.drive for group in one.groups))
        alike.setdefault((one.controller, drives), []).append(one)
    setups = []
    for (controller, drives), many in alike.items():
        many.sort(key=lambda one: (one.nodes, one.drives))
        setups.append(
            LabSetup(
                controller=controller,
                drives_of=list(drives),
                drives=many[-1].drives,
                nodes=many[-1].nodes,
                shelves=shelves(search.family, many[-1]),
                contains=[one.label for one in many],
            )
        )
    return setups
