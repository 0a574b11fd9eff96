"""Which configurations are worth a lab's time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from iowatt.emerald.bff import cover
from iowatt.emerald.bff.result import Configuration, Covering, ReducedList, Setup, Share, Worth
from iowatt.emerald.bff.search import Search
from iowatt.emerald.bff.series import Series
from iowatt.emerald.family import Candidate, Metric, shelves

#: A chosen configuration that turns out worse when simulated is replaced so often.
_MOST_ROUNDS = 4


def reduced(search: Search, tops: dict[str, tuple[Series, Candidate]]) -> ReducedList:
    """The reduced list, its figures simulated where the search may simulate.

    Parameters
    ----------
    tops:
        By metric, the curve and the configuration of its peak.
    """
    asked = search.asked
    chosen_metrics = [one for one in asked.chosen_metrics() if one.name in tops]
    names = [one.name for one in chosen_metrics]
    universe = _universe(search, tops)
    reached: dict[Candidate, dict[str, float]] = {}
    chosen: cover.Cover[Candidate] = cover.Cover((), ())
    single: Candidate | None = None
    for _ in range(_MOST_ROUNDS):
        reached = {one: _reached(search, one, chosen_metrics, tops) for one in universe}
        chosen = cover.smallest(reached, names, asked.within_percent)
        single = cover.compromise(reached, names)
        if not asked.simulate:
            break
        wanted = [
            (what, one, None)
            for one in dict.fromkeys([*(which for which, _ in chosen.chosen), *([single] if single else [])])
            for what in chosen_metrics
            if not search.book.done((what.name, one, None))
        ]
        if not wanted:
            break
        search.told(f"simulating the reduced list: {len(wanted)}")
        search.simulate(wanted)
    return ReducedList(
        within_percent=asked.within_percent,
        configurations=[
            Covering(**dict(_shown(search, one, chosen_metrics, reached[one])), covers=list(covers))
            for one, covers in chosen.chosen
        ],
        uncovered=list(chosen.uncovered),
        compromise=None if single is None else _shown(search, single, chosen_metrics, reached[single]),
        setups=_setups(search, chosen),
    )


def _universe(search: Search, tops: dict[str, tuple[Series, Candidate]]) -> list[Candidate]:
    """Configurations that may be on the list: the peaks first, then all by whole shelves."""
    every = [point for one in search.series for point in one.points]
    if search.family.file.scale_out is None:
        # Ready idle has one curve for all levels: any level's configuration has its figure.
        every += [point for fine, _ in search.fine for point in fine.points if _known(search, point)]
    return list(dict.fromkeys([*(one for _, one in tops.values()), *every]))


def _known(search: Search, candidate: Candidate) -> bool:
    return any(
        search.book.done((one.name, candidate, None))
        for one in search.asked.chosen_metrics()
        if one.kind != "idle"
    )


def _reached(
    search: Search, candidate: Candidate, metrics: Sequence[Metric], tops: dict[str, tuple[Series, Candidate]]
) -> dict[str, float]:
    """Shares of the peaks that a configuration reaches, of the metrics that are known of it."""
    found = {}
    for what in metrics:
        if what.kind == "idle":
            search.simulate([(what, candidate, None)])
        judged = search.book.judged((what.name, candidate, None))
        series, top = tops[what.name]
        best = search.book.judged((series.metric.name, top, None))
        if judged is not None and best is not None and best.ep > 0:
            found[what.name] = judged.ep / best.ep
    return found


def _shown(
    search: Search, candidate: Candidate, metrics: Sequence[Metric], reached: dict[str, float]
) -> Worth:
    figures = {}
    for what in metrics:
        judged = search.book.judged((what.name, candidate, None))
        if judged is not None and what.name in reached:
            figures[what.name] = Share(ep=judged.ep, basis=judged.basis, share=reached[what.name])
    return Worth(
        configuration=configuration(candidate),
        label=candidate.label,
        drives=candidate.drives,
        shelves=shelves(search.family, candidate),
        figures=figures,
        least_share=min((one.share for one in figures.values()), default=None),
    )


def configuration(candidate: Candidate) -> Configuration:
    """A configuration for a document."""
    return Configuration.model_validate(candidate.as_dict())


def _setups(search: Search, chosen: cover.Cover[Candidate]) -> list[Setup]:
    """What has to stand in the lab: of configurations of like drives the largest holds the others."""
    largest: dict[tuple[Any, ...], list[Candidate]] = {}
    for one, _ in chosen.chosen:
        kinds = tuple(sorted(group.drive for group in one.groups))
        largest.setdefault((one.controller, kinds), []).append(one)
    found = []
    for (controller, kinds), many in largest.items():
        many.sort(key=lambda one: (one.nodes, one.drives))
        top = many[-1]
        found.append(
            Setup(
                controller=controller,
                drives_of=list(kinds),
                drives=top.drives,
                nodes=top.nodes,
                shelves=shelves(search.family, top),
                contains=[one.label for one in many],
            )
        )
    return found
