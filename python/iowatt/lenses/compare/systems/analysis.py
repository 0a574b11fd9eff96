"""Any number of systems side by side: the document ``iowatt.compare-systems/1``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from iowatt.lenses.budget.result import ServiceLevel
from iowatt.lenses.compare import flags
from iowatt.lenses.compare.analysis import analyse
from iowatt.lenses.compare.request import CompareRequest
from iowatt.lenses.compare.systems import ranking
from iowatt.lenses.compare.systems.observed import observed
from iowatt.lenses.compare.systems.result import SystemsCompared
from iowatt.lenses.kept_up import kept_up
from iowatt.run.bundle import Run


def analyse_systems(
    systems: Sequence[Sequence[Run]], request: CompareRequest, level: ServiceLevel | None = None
) -> SystemsCompared:
    """Compare each system with the first that kept up with its load.

    Each pair is compared as two Runs are, by the options of ``request``, and its verdicts are corrected for
    all pairs together; pairs whose verdicts are withheld take no part.

    Parameters
    ----------
    systems:
        The Runs of each, at least two (:func:`open_systems`).
    request:
        The options; its Runs are not looked at.
    level:
        The service level that a system must meet to be ranked.

    Raises
    ------
    InputError
        A Run has no such workload, point of observation, or no such requests, or a table of it is damaged.
    """
    sides = observed(systems, request)
    loads = [[kept_up(part.run) for part in side.parts] for side in sides]
    steady = [all(load.kept_up for load in of_side) for of_side in loads]
    base = steady.index(True) if True in steady else 0
    baseline = replace(sides[base], key="before")
    others = [side for at, side in enumerate(sides) if at != base]
    withheld = [any(flag.withholds for flag in flags.flags(baseline, side, request)) for side in others]
    comparisons = max(1, withheld.count(False))
    pairs = [analyse(request, (baseline, side), comparisons) for side in others]
    by_label = {side.label: pair for side, pair in zip(others, pairs, strict=True)}
    judged = [
        ranking.Judged(side, of_side, by_label.get(side.label), level)
        for side, of_side in zip(sides, loads, strict=True)
    ]
    terms = ranking.terms_of(judged)
    rows = [one.shown(terms) for one in judged]
    return SystemsCompared(
        asked=pairs[0].asked, level=level, baseline=baseline.label, systems=rows, terms=terms,
        lowest=list(ranking.lowest(rows, terms, level, by_label)), comparisons=comparisons, pairs=pairs,
        notes=list(ranking.notes(judged, rows, terms)),
    )  # fmt: skip
