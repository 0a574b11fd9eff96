"""Search by facets: groups of one metric family each, measured and modelled apart, never ranked across."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from pydantic import Field

from iowatt.base.errors import Argument, InputError
from iowatt.base.problems import suggestion
from iowatt.base.results import Result, ResultDocument
from iowatt.registry.bundle import LOWER_IS_BETTER, Basis
from iowatt.registry.store import LISTED, RegistryStore, SubmissionRecord, found, reading

FACETS: Final[Mapping[str, str]] = {
    "family": "metric_family", "category": "category", "vendor": "vendor", "form": "form",
    "protocol": "protocol", "basis": "basis", "state": "state", "year": "year", "products": "family",
}  # fmt: skip
"""Names of facets in a search, each with the attribute of a submission; ``products``: the product family."""
TITLES: Final[Mapping[str, str]] = {
    "family": "Metric family", "category": "Category", "vendor": "Vendor", "form": "Form",
    "protocol": "Protocol", "basis": "Measured or modelled", "state": "State", "year": "Year",
    "products": "Product family",
}  # fmt: skip


class FacetValue(Result):
    """A value of a facet among the results found, and how many have it."""

    value: str
    count: int


class GroupMetric(Result):
    """A metric of a group."""

    metric: str
    unit: str
    less_is_better: bool


class ResultGroup(Result):
    """Results that may be compared: of one basis and one metric family."""

    basis: Basis
    metric_family: str
    metrics: list[GroupMetric]
    sorted_by: str | None  #: The metric, best first; results without it come last.
    count: int  #: Results of the group; ``results`` has the first of them where so many were asked for.
    results: list[SubmissionRecord]


class RegistrySearch(ResultDocument):
    """What a search found. Groups have no order of merit."""

    schema_id: Literal["iowatt.registry-search/1"] = Field(default="iowatt.registry-search/1", alias="schema")
    facets: dict[str, str]  #: Asked for.
    sort: str | None
    count: int
    values: dict[str, list[FacetValue]]  #: By facet.
    groups: list[ResultGroup]


def search(
    store: RegistryStore, facets: Mapping[str, str] | None = None, *, sort: str | None = None
) -> RegistrySearch:
    """Search what is provisional or accepted; ``state`` of another public state finds those.

    ``sort``: the metric to sort by, where all that is found is of one group; by default each group is sorted
    by its first metric. Raises ``InputError``: a facet is not known, or results of several metric families,
    or measured and modelled ones, would be ranked (``not-comparable``).
    """
    asked = dict(facets or {})
    gone = asked.get("state") in ("withdrawn", "superseded")
    return searched(listed_records(store, gone=gone), asked, sort=sort)


def listed_records(store: RegistryStore, *, gone: bool = False) -> list[SubmissionRecord]:
    """What a search lists: provisional and accepted submissions, or what is ``gone``."""
    states = ("withdrawn", "superseded") if gone else LISTED
    marks = ", ".join("?" * len(states))
    with reading(store.file) as connection:
        # A draft that was withdrawn was never public.
        return found(connection, f"s.published IS NOT NULL AND s.state IN ({marks})", states)


def searched(
    listed: Sequence[SubmissionRecord],
    facets: Mapping[str, str],
    *,
    sort: str | None = None,
    most: int | None = None,
) -> RegistrySearch:
    """The same of submissions that are listed already; of each group the first ``most`` results."""
    for name in facets:
        if name not in FACETS:
            hint = suggestion(name, list(FACETS), "facets")
            raise InputError("unknown-name", Argument("facet", name[:60]), "no such facet", hint=hint)
    chosen = [one for one in listed if all(_value(one, name) == text for name, text in facets.items())]
    groups: dict[tuple[Basis, str], list[SubmissionRecord]] = {}
    for one in chosen:
        if one.basis is not None and one.metric_family is not None:
            groups.setdefault((one.basis, one.metric_family), []).append(one)
    if sort is not None and len(groups) > 1:
        text = f"{len(groups)} groups of results would be ranked in one order: {_names(groups)}"
        hint = "choose one by the facets family and basis"
        raise InputError("not-comparable", Argument("sort", sort[:60]), text, hint=hint)
    return RegistrySearch(
        facets=dict(facets),
        sort=sort,
        count=len(chosen),
        values={name: _values(chosen, name) for name in FACETS},
        groups=[_group(basis, family, groups[basis, family], sort, most) for basis, family in sorted(groups)],
    )


def _names(groups: Mapping[tuple[Basis, str], Any]) -> str:
    return ", ".join(f"{basis} {family}" for basis, family in sorted(groups))


def _group(
    basis: Basis, family: str, results: list[SubmissionRecord], sort: str | None, most: int | None
) -> ResultGroup:
    metrics: dict[str, GroupMetric] = {}
    for one in results:
        for figure in one.figures:
            less = figure.unit in LOWER_IS_BETTER
            made = GroupMetric(metric=figure.metric, unit=figure.unit, less_is_better=less)
            metrics.setdefault(figure.metric, made)
    if sort is not None and sort not in metrics:
        hint = suggestion(sort, list(metrics), "metrics")
        raise InputError("unknown-name", Argument("sort", sort[:60]), "no result has this metric", hint=hint)
    by = sort or next(iter(metrics), None)
    return ResultGroup(
        basis=basis,
        metric_family=family,
        metrics=list(metrics.values()),
        sorted_by=by,
        count=len(results),
        results=(results if by is None else ranked(results, metrics[by]))[:most],
    )


def ranked(results: Sequence[SubmissionRecord], metric: GroupMetric) -> list[SubmissionRecord]:
    """Results of one group by a metric, best first; those without it last, then by id."""

    def order(one: SubmissionRecord) -> tuple[bool, float, str]:
        value = value_of(one, metric.metric)
        if value is None:
            return True, 0.0, one.id
        return False, value if metric.less_is_better else -value, one.id

    return sorted(results, key=order)


def value_of(record: SubmissionRecord, metric: str) -> float | None:
    """A metric of a submission in full; None where it has none, or it was refused."""
    return next((figure.value for figure in record.figures if figure.metric == metric), None)


def _value(record: SubmissionRecord, facet: str) -> str | None:
    value = getattr(record, FACETS[facet])
    return None if value is None else str(value)


def _values(chosen: Sequence[SubmissionRecord], facet: str) -> list[FacetValue]:
    counts = Counter(value for one in chosen if (value := _value(one, facet)) is not None)
    return [FacetValue(value=value, count=count) for value, count in sorted(counts.items())]
