"""The variables of a family, and the configurations that a test at each peak covers by ENERGY STAR."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from iowatt.emerald.bff.curve import Series
from iowatt.emerald.bff.result import (
    ComOffer,
    CoveredConfiguration,
    DriveRange,
    FamilyVariables,
    OptimalPoint,
    RasRange,
)
from iowatt.emerald.bff.search import Search
from iowatt.emerald.family import EmeraldMetric, Family, candidates, covers, named_candidate, qualified_range
from iowatt.emerald.rules import Rules, load


def variables(family: Family) -> FamilyVariables:
    """What varies within the family."""
    out = family.file.scale_out
    return FamilyVariables(
        controllers=[one.name for one in family.file.controller],
        nodes=None if out is None else [out.nodes.least, out.nodes.most],
        levels=[one.name for one in family.file.raid],
        drives=[_drives(family, one.name) for one in family.file.drive],
        ras=[RasRange(**one.model_dump()) for one in family.file.ras],
        com=[ComOffer(**one.model_dump()) for one in family.file.com],
    )


def _drives(family: Family, drive: str) -> DriveRange:
    by = {
        owner.name: [one.drives for one in candidates(family, drive=drive, controller=owner.name, by="drive")]
        for owner in family.file.controller
    }
    counts = [count for found in by.values() for count in found]
    return DriveRange(
        drive=drive,
        group=family.group_of(drive),
        least=min(counts, default=0),
        most={owner: max(found) for owner, found in by.items() if found},
    )


def optimal_points(search: Search, metrics: Sequence[EmeraldMetric]) -> Iterator[OptimalPoint]:
    """Each metric's peak in each group of drives as an optimal point; none where the rules have no range."""
    rules = load(search.family.file.energystar)
    for metric in metrics:
        groups = dict.fromkeys(search.group(one) for one in search.series if one.metric == metric)
        for group in groups:
            winner = search.winner(metric, group=group)
            found = None if winner is None else _point(search, winner, rules)
            if found is not None:
                yield found


def _point(search: Search, series: Series, rules: Rules) -> OptimalPoint | None:
    top = series.peak(search.known)
    point = None if top is None else series.points[top.at]
    covered = None if point is None else qualified_range(rules, point.drives)
    if point is None or covered is None:
        return None
    family = search.family
    named = []
    for one in family.file.configuration:
        standing, why = covers(point, covered, named_candidate(family, one.name))
        named.append(CoveredConfiguration(name=one.name, standing=standing, why=why))
    return OptimalPoint(
        metric=series.metric.name,
        group=search.group(series),
        label=point.label,
        drives=point.drives,
        least=covered.least,
        most=covered.most,
        percent=list(covered.percent),
        built=[one.drives for one in series.points if covered.least <= one.drives <= covered.most],
        rules=covered.profile,
        verified=covered.verified,
        standing="covered" if covered.verified else "covered if the unverified rule holds",
        configurations=named,
    )
