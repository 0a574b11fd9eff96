"""Product families: the optimal point of each metric among what was submitted, and what its test covers.

A family's submissions are compared within one basis, one metric family and one category. The range around an
optimal point is a rule of ENERGY STAR (:mod:`iowatt.emerald.family`); where it is not verified, nothing is
covered without that being said.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from pydantic import Field

from iowatt.base.results import Result, ResultDocument
from iowatt.emerald.family import Candidate, Group, QualifiedRange, covers, qualified_range
from iowatt.emerald.rules import load
from iowatt.registry.bundle import LOWER_IS_BETTER, Basis
from iowatt.registry.publish.searching import GroupMetric, ranked, value_of
from iowatt.registry.store import LISTED, RegistryStore, SubmissionRecord, found, reading

#: Profile with the range, for rules that have none of their own.
_RANGES: Final = "energystar-2.0"


class OptimalRange(Result):
    """Drive counts that the test of an optimal point covers."""

    least: int
    most: int
    verified: bool
    profile: str


class ComparedConfiguration(Result):
    """Another configuration that was submitted, and whether the test of the optimal point covers it."""

    id: str
    drives: int
    standing: Literal["covered", "covered if the unverified rule holds", "not covered"]
    why: str


class FamilyOptimum(Result):
    """The best result of a metric among the configurations of a family that were submitted."""

    metric: str
    unit: str
    id: str
    value: float
    shown: str | None
    drives: int | None  #: None where the submission does not say it.
    range: OptimalRange | None
    others: list[ComparedConfiguration]


class ProductFamily(Result):
    """A product family; ``ids`` are its submissions."""

    vendor: str
    family: str
    basis: Basis
    metric_family: str
    category: str | None
    ids: list[str]
    points: list[FamilyOptimum]


class ProductFamilies(ResultDocument):
    """All product families."""

    schema_id: Literal["iowatt.registry-families/1"] = Field(
        default="iowatt.registry-families/1", alias="schema"
    )
    families: list[ProductFamily]


def families(store: RegistryStore) -> ProductFamilies:
    """The families of what is provisional or accepted."""
    with reading(store.file) as connection:
        marks = ", ".join("?" * len(LISTED))
        return families_of(found(connection, f"s.state IN ({marks})", LISTED))


def families_of(listed: Sequence[SubmissionRecord]) -> ProductFamilies:
    """The families of submissions that are listed already."""
    apart: dict[tuple[str, ...], list[SubmissionRecord]] = {}
    for one in listed:
        if one.basis is not None and one.metric_family is not None:
            key = (one.vendor, one.family, one.basis, one.metric_family, one.category or "")
            apart.setdefault(key, []).append(one)
    return ProductFamilies(families=[_family(members) for _, members in sorted(apart.items())])


def _family(members: Sequence[SubmissionRecord]) -> ProductFamily:
    first = members[0]
    assert first.basis is not None
    assert first.metric_family is not None
    metrics = {
        figure.metric: GroupMetric(
            metric=figure.metric, unit=figure.unit, less_is_better=figure.unit in LOWER_IS_BETTER
        )
        for one in members
        for figure in one.figures
    }
    points = [_point(members, metric) for metric in metrics.values()]
    return ProductFamily(
        vendor=first.vendor,
        family=first.family,
        basis=first.basis,
        metric_family=first.metric_family,
        category=first.category,
        ids=[one.id for one in members],
        points=[point for point in points if point is not None],
    )


def _point(members: Sequence[SubmissionRecord], metric: GroupMetric) -> FamilyOptimum | None:
    best = ranked(members, metric)[0]
    value = value_of(best, metric.metric)
    if value is None:
        return None
    own = _candidate(best)
    covered = None if own is None else _range(best, own)
    shown = next(figure.shown for figure in best.figures if figure.metric == metric.metric)
    return FamilyOptimum(
        metric=metric.metric,
        unit=metric.unit,
        id=best.id,
        value=value,
        shown=shown,
        drives=None if own is None else own.drives,
        range=None
        if covered is None
        else OptimalRange(
            least=covered.least, most=covered.most, verified=covered.verified, profile=covered.profile
        ),
        others=[]
        if own is None or covered is None
        else [
            _covered(own, covered, one) for one in members if one is not best and _candidate(one) is not None
        ],
    )


def _range(record: SubmissionRecord, own: Candidate) -> QualifiedRange | None:
    if record.kind != "emerald" or record.profile is None:
        return None
    return qualified_range(load(record.profile), own.drives) or qualified_range(load(_RANGES), own.drives)


def _covered(own: Candidate, covered: QualifiedRange, record: SubmissionRecord) -> ComparedConfiguration:
    other = _candidate(record)
    assert other is not None
    standing, why = covers(own, covered, other)
    return ComparedConfiguration(id=record.id, drives=other.drives, standing=standing, why=why)


def _candidate(record: SubmissionRecord) -> Candidate | None:
    """The tested configuration; None where the submission does not say how many drives it had."""
    said = record.configuration
    if "drives" not in said:
        return None
    group = Group(str(said.get("drive", "")), int(said["drives"]), str(said.get("raid", "")))
    return Candidate(str(said.get("controller", "")), (group,))
