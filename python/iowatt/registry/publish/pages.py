"""Pages of a registry as documents: the search, a result, product families."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from iowatt.registry.publish.families import FamilyOptimum, ProductFamilies, ProductFamily
from iowatt.registry.publish.links import RegistryLinks
from iowatt.registry.publish.searching import TITLES, FacetValue, RegistrySearch, ResultGroup
from iowatt.registry.store import SubmissionRecord
from iowatt.render import numbers
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Cell, Column, Figure, PublishedFigure, Table, text_columns

SCRIPTS: Final = ("registry.js",)
_FEW: Final = 8
_NOT_COMPARED: Final = (
    "Results are compared within one metric family only, and measured ones never with modelled ones."
)
STANDINGS: Final = {"compliant": "compliant", "valid": "valid, not compliant", "invalid": "invalid"}


@dataclass(frozen=True)
class FacetLink:
    """A value of a facet, and where its page is."""

    text: str
    count: int
    link: str
    chosen: bool


@dataclass(frozen=True)
class FacetLinks:
    """A facet with its values."""

    title: str
    values: Sequence[FacetLink]


@dataclass(frozen=True)
class FacetFigure(Figure):
    """Facets as links."""

    facets: Sequence[FacetLinks] = field(default_factory=tuple)


def search_page(found: RegistrySearch, title: str, links: RegistryLinks | None) -> Document:
    """The search: facets as links, then a table of each group; without ``links`` the tables alone."""
    families = {group.metric_family for group in found.groups}
    asked = ", ".join(f"{TITLES[name].lower()} {value}" for name, value in found.facets.items())
    return Document(
        key="search",
        kind="Registry",
        title=title,
        meta=f"{numbers.counted(found.count, 'result')}{f' with {asked}' if asked else ''}",
        verdict=[
            f"{numbers.counted(found.count, 'result')} in {counted_families(len(families), 'metric')}.",
            _NOT_COMPARED,
        ],
        sections=[
            *([] if links is None else [Section("facets", "Search", [_facets(found, links)])]),
            *(_group(group, links) for group in found.groups),
        ],
        scripts=SCRIPTS,
    )


def counted_families(number: int, kind: str) -> str:
    """``2 metric families``."""
    return f"{number} {kind} famil{'y' if number == 1 else 'ies'}"


def _facets(found: RegistrySearch, links: RegistryLinks) -> FacetFigure:
    shown = [
        FacetLinks(TITLES[name], [_facet(found.facets, name, one, links) for one in values])
        for name, values in found.values.items()
        if values
    ]
    return FacetFigure(
        key="by",
        title="Facets",
        caption="",
        table=Table(text_columns("Facet", "Value"), []),
        template="registry-facets.html",
        facets=shown,
    )


def _facet(asked: Mapping[str, str], name: str, one: FacetValue, links: RegistryLinks) -> FacetLink:
    chosen = asked.get(name) == one.value
    return FacetLink(one.value, one.count, links.facet(asked, name, None if chosen else one.value), chosen)


def group_title(group: ResultGroup) -> str:
    """``Measured: hot-band``."""
    return f"{group.basis.capitalize()}: {family_title(group.metric_family)}"


def family_title(metric_family: str) -> str:
    """``hot-band``; ``Runs of work 8f4933e0`` of Runs, which are compared where they did the same work."""
    work = metric_family.removeprefix("run-")
    return metric_family if work == metric_family else f"Runs of work {work[:8]}"


def _group(group: ResultGroup, links: RegistryLinks | None) -> Section:
    columns = [
        *text_columns("Result", "Product"),
        *(Column(one.metric, "" if one.unit == one.metric else one.unit, rank=1) for one in group.metrics),
        *text_columns("Judged", "State"),
        *(Column(title, text=True, rank=2) for title in ("Configuration", "Category", "Year")),
    ]
    rows: list[list[Cell]] = [
        [
            one.id,
            f"{one.vendor} {one.product}",
            *(_shown(one, metric.metric) for metric in group.metrics),
            judged(one) or "–",
            one.state,
            configuration(one) or "–",
            one.category or "–",
            str(one.year or "–"),
        ]
        for one in group.results
    ]
    order = f"Sorted by {group.sorted_by}, best first." if group.sorted_by else ""
    key = f"{group.basis}-{group.metric_family}"
    figure = Figure(
        key=key,
        title=f"Results, {group.basis}, {family_title(group.metric_family)}",
        caption=f"{_counted(group)}. {order}".strip(),
        table=Table(
            columns, rows, {} if links is None else {one.id: links.result(one.id) for one in group.results}
        ),
        wide=True,
        brief=True,
        complete=True,
    )
    return Section(key, group_title(group), [figure])


def judged(record: SubmissionRecord) -> str | None:
    """What the rules make of a result: ``valid, not compliant, by unverified rules``; None of a Run."""
    standing = STANDINGS.get(record.standing or "")
    if standing is None:
        return None
    return f"{standing}, by unverified rules" if record.unverified_rules else standing


def _counted(group: ResultGroup) -> str:
    if len(group.results) == group.count:
        return numbers.counted(group.count, "result")
    return f"The first {len(group.results):,} of {group.count:,} results; choose a facet, or take the CSV"


def _shown(record: SubmissionRecord, metric: str) -> Cell:
    for figure in record.figures:
        if figure.metric == metric:
            if figure.shown is None or figure.value is None:
                return "refused"
            return PublishedFigure(figure.shown, figure.value)
    return None


def bar(links: RegistryLinks) -> list[tuple[str, str]]:
    """Titles and addresses of the bar on top of every page."""
    return [("Results", links.index()), ("Product families", links.families())]


def configuration(record: SubmissionRecord) -> str:
    """The tested configuration in words: ``120 x sff-15k-146gb, raid-5, lower``."""
    said = record.configuration
    drives = " x ".join(str(said[name]) for name in ("drives", "drive") if name in said)
    if "drives" in said and "drive" not in said:
        drives = f"{said['drives']} drives"
    parts = [drives, *(str(said[name]) for name in ("raid", "controller") if name in said)]
    return ", ".join(part for part in parts if part)


def families_page(found: ProductFamilies, title: str, links: RegistryLinks) -> Document:
    """Product families with their optimal points."""
    return Document(
        key="families",
        kind="Registry",
        title=f"Product families: {title}",
        meta=counted_families(len(found.families), "product"),
        verdict=[
            "An optimal point is the best result of a metric among the configurations that were submitted; "
            "others may exist that are better.",
        ],
        sections=[_family(one, number, links) for number, one in enumerate(found.families, 1)],
        caveats=_range_caveats(found),
    )


def _range_caveats(found: ProductFamilies) -> list[Caveat]:
    unverified = {
        point.range.profile
        for one in found.families
        for point in one.points
        if point.range is not None and not point.range.verified
    }
    return [
        Caveat(f"The range of drives around an optimal point is an unverified rule of {name}.", True)
        for name in sorted(unverified)
    ]


def _family(one: ProductFamily, number: int, links: RegistryLinks) -> Section:
    title = f"{one.vendor} {one.family}, {one.basis}"
    rows: list[list[Cell]] = [_point(point) for point in one.points]
    figure = Figure(
        key=f"family{number}",
        title=f"{title}: {family_title(one.metric_family)}{f', {one.category}' if one.category else ''}",
        caption=f"Of {numbers.counted(len(one.ids), 'submission')}: {_few(one.ids, ', ')}.",
        table=Table(
            [
                *text_columns("Optimal point", "Metric"),
                Column("Value"),
                *text_columns("Unit"),
                Column("Drives"),
                *text_columns("Qualified range", "Other configurations"),
            ],
            rows,
            {point.id: links.result(point.id) for point in one.points},
        ),
        wide=True,
        brief=True,
        complete=True,
    )
    return Section(f"family{number}", title, [figure])


def _few(texts: Sequence[str], between: str) -> str:
    """Some of many; the JSON has all."""
    more = [f"{len(texts) - _FEW:,} more"] if len(texts) > _FEW else []
    return between.join([*texts[:_FEW], *more])


def _point(point: FamilyOptimum) -> list[Cell]:
    covered = "not known"
    if point.range is not None:
        covered = f"{point.range.least} to {point.range.most} drives"
        covered += "" if point.range.verified else ", by an unverified rule"
    others = _few([f"{one.id}: {one.standing}, {one.why}" for one in point.others], "; ") or "–"
    shown = PublishedFigure(point.shown, point.value) if point.shown else point.value
    return [point.id, point.metric, shown, point.unit, point.drives, covered, others]
