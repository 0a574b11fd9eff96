"""Assembles the result of a search that has run."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version
from typing import Final, Literal

from iowatt.base.errors import InputError
from iowatt.base.results import Note
from iowatt.emerald.bff.errors import errors
from iowatt.emerald.bff.peak import Peak, at
from iowatt.emerald.bff.point_result import Judged
from iowatt.emerald.bff.projection import projection
from iowatt.emerald.bff.reduced import configuration, reduced
from iowatt.emerald.bff.result import (
    BestFootForward,
    Chosen,
    Curve,
    Estimator,
    FamilyUsed,
    JudgedMetric,
    MetricFound,
    NamedConfiguration,
    NotJudged,
    PeakAt,
    Point,
    RulesNamed,
)
from iowatt.emerald.bff.search import Search
from iowatt.emerald.bff.series import Series
from iowatt.emerald.bff.stated_claims import stated
from iowatt.emerald.family import Candidate, Metric, named, shelves

#: Below this share of the time no station is what limits a configuration.
_IDLE: Final = 0.5
#: How exact a rate is, as a share of the tolerance of the response time.
_EXACT: Final = 0.3
MODELLED: Final = "modelled by iowatt, not measured: a lab confirms what is published"


def assemble(search: Search) -> BestFootForward:
    """The result of a search that has run; simulates what the reduced list still needs."""
    asked, family = search.asked, search.family
    metrics = asked.chosen_metrics()
    tops: dict[str, tuple[Series, Candidate]] = {}
    for what in metrics:
        series = search.winner(what)
        top = None if series is None else series.peak(search.book)
        if series is not None and top is not None:
            tops[what.name] = series, series.points[top.at]
    listed = reduced(search, tops)
    return BestFootForward(
        version=version("iowatt"),
        command=asked.command,
        name=family.name,
        title=family.file.title or family.name,
        family=FamilyUsed(
            file=family.document.source,
            sha256=family.sha256,
            set=list(family.sets),
            scale_out=family.file.scale_out is not None,
            notes=list(family.file.notes),
            figures=stated(family),
        ),
        rules=RulesNamed.model_validate(search.rules.as_dict()),
        caveat=search.rules.caveat(),
        modelled=MODELLED,
        simulated=asked.simulate,
        limit_ms=_limit(search, metrics),
        tolerance=asked.tolerance,
        estimator=_estimator(search),
        metrics=[_metric(search, what, tops) for what in metrics],
        series=[_series(search, one, "shelf") for one in search.series]
        + [_series(search, fine, "drive") for fine, _ in search.fine],
        configurations=_configurations(search),
        projection=projection(search),
        reduced=listed,
        notes=list(_notes(search)),
    )


def _limit(search: Search, metrics: list[Metric]) -> float | None:
    from iowatt.emerald.family.metric import limit_s

    if not any(one.kind == "random" for one in metrics):
        return None
    return limit_s(search.family, search.rules) * 1e3


def _estimator(search: Search) -> Estimator:
    book = search.book
    by_metric = {
        what.name: errors(
            (guess, book.found[which])
            for which, guess in book.estimated.items()
            if which[0] == what.name and which in book.found
        )
        for what in search.asked.chosen_metrics()
    }
    every = errors(
        (guess, book.found[which]) for which, guess in book.estimated.items() if which in book.found
    )
    return Estimator(
        used=search.estimates is not None,
        pilots=0 if search.estimates is None else search.estimates.pilots,
        estimated=len(book.estimated),
        not_estimated=len(book.unknown),
        why_not=list(dict.fromkeys(book.unknown.values()))[:10],
        errors=every,
        by_metric={name: one for name, one in by_metric.items() if one is not None},
    )


def _point(search: Search, series: Series, at: int) -> Point:
    book, which, point = search.book, series.which(at), series.points[at]
    best = book.judged(which)
    return Point(
        drives=point.drives,
        nodes=point.nodes,
        shelves=sum(shelves(search.family, point).values()),
        ep=None if best is None else best.ep,
        basis=None if best is None else best.basis,
        estimated=book.estimated.get(which),
        found=book.found.get(which),
        error=book.failed.get(which) or book.unknown.get(which) if best is None else None,
    )


def _series(search: Search, series: Series, by: Literal["shelf", "drive"]) -> Curve:
    top = series.peak(search.book)
    return Curve(
        metric=series.metric.name,
        by=by,
        drive=series.drive,
        raid=series.raid,
        controller=series.controller,
        per_node=series.per_node,
        name=series.name,
        peak=None if top is None else PeakAt(**top.as_dict(), at=top.at, drives=series.points[top.at].drives),
        points=[_point(search, series, at) for at in range(len(series.points))],
    )


def _chosen(search: Search, series: Series, top: Peak) -> Chosen:
    """A peak with its figures."""
    point = series.points[top.at]
    judged = search.book.judged(series.which(top.at))
    assert judged is not None
    return Chosen(
        **dict(judged),
        **top.as_dict(),
        configuration=configuration(point),
        label=point.label,
        drive=series.drive,
        raid=series.raid,
        controller=series.controller,
        drives=point.drives,
        nodes=point.nodes,
        shelves=shelves(search.family, point),
        knee=_knee(search, series, top),
    )


def _knee(search: Search, series: Series, top: Peak) -> str | None:
    """Which station is busiest at the peak and behind it, in words."""
    at = _busiest(search.book.judged(series.which(top.at)))
    if at is None:
        return None
    behind = None
    if top.at + 1 < len(series.points):
        behind = _busiest(search.book.judged(series.which(top.at + 1)))
    if at[1] < _IDLE:
        return f"no station is more than {100 * at[1]:.0f} % busy: waiting is not what binds"
    if behind is None:
        return f"{at[0]} {100 * at[1]:.0f} % busy"
    more = series.points[top.at + 1].drives
    return f"{at[0]} {100 * at[1]:.0f} % busy; at {more} drives {behind[0]} {100 * behind[1]:.0f} %"


def _busiest(judged: Judged | None) -> tuple[str, float] | None:
    if judged is None or judged.bottleneck is None:
        return None
    return judged.bottleneck, judged.stations[judged.bottleneck]


def _metric(search: Search, what: Metric, tops: dict[str, tuple[Series, Candidate]]) -> MetricFound:
    head = MetricFound(
        name=what.name,
        title=what.title,
        unit=what.unit,
        kind=what.kind,
        read_percent=what.read_percent,
        peak=None,
        by_drive=None,
        by_level=[],
        by_option=[],
    )
    if what.name not in tops:
        return head
    series = tops[what.name][0]
    top = series.peak(search.book)
    assert top is not None
    by_drive: Chosen | None = None
    for fine, coarse in search.fine:
        if coarse is series and (finer := _finer(search, fine, coarse)) is not None:
            by_drive = _chosen(search, fine, finer)
    own = [one for one in search.series if one.metric == what]
    by_level = []
    for raid in dict.fromkeys(one.raid for one in own):
        best = search.winner(what, raid)
        found = None if best is None else best.peak(search.book)
        if best is not None and found is not None:
            by_level.append(_chosen(search, best, found))
    by_option = []
    for drive in dict.fromkeys(one.drive for one in own):
        ranked = [
            (judged.ep, number, one)
            for number, one in enumerate(own)
            if one.drive == drive and (judged := one.best(search.book)) is not None
        ]
        if ranked:
            best = max(ranked, key=lambda entry: (entry[0], -entry[1]))[2]
            found = best.peak(search.book)
            assert found is not None
            by_option.append(_chosen(search, best, found))
    peak = _chosen(search, series, top)
    return head.model_copy(
        update={"peak": peak, "by_drive": by_drive, "by_level": by_level, "by_option": by_option}
    )


def _finer(search: Search, fine: Series, coarse: Series) -> Peak | None:
    """The peak by single drives: that by shelves where it is no worse than rates are exact to."""
    found, shelf = fine.peak(search.book), coarse.peak(search.book)
    if found is None or shelf is None:
        return found
    values = fine.curve(search.book)
    same = [one.drives for one in fine.points].index(coarse.points[shelf.at].drives)
    best, other = values[found.at], values[same]
    if best is None or other is None or other < best * (1 - search.asked.tolerance * _EXACT):
        return found
    return at(values, same, found)


def _configurations(search: Search) -> list[NamedConfiguration]:
    rows = []
    for one in search.family.file.configuration:
        candidate = named(search.family, one.name)
        figures: list[JudgedMetric | NotJudged] = []
        for what in search.asked.chosen_metrics():
            which = (what.name, candidate, one.name)
            judged = search.book.judged(which)
            error = search.book.failed.get(which) or search.book.unknown.get(which)
            if judged is not None:
                figures.append(JudgedMetric(metric=what.name, **dict(judged)))
            elif error is not None:
                figures.append(NotJudged(metric=what.name, error=error))
        row = NamedConfiguration(
            name=one.name,
            note=one.note,
            configuration=configuration(candidate),
            label=candidate.label,
            drives=candidate.drives,
            shelves=shelves(search.family, candidate),
            figures=figures,
        )
        try:
            watts = search.calculated(candidate)
        except InputError as error:
            update: dict[str, object] = {"error": error.message}
        else:
            update = {"idle_w": watts.idle_w, "active_w": watts.active_w, "raw_gb": watts.raw_gb}
        rows.append(row.model_copy(update=update))
    return rows


def _notes(search: Search) -> Iterator[Note]:
    for text in search.family.file.notes:
        yield Note(code="family", text=text)
    if not search.asked.simulate:
        text = "Estimates only: no peak was simulated. Simulate before you choose a configuration."
        yield Note(code="estimates-only", text=text, decides=True)
    elif search.estimates is None:
        yield Note(
            code="not-estimated", text="Nothing was estimated: every point by whole shelves was simulated."
        )
    for one in [*search.series, *(fine for fine, _ in search.fine)]:
        why = [
            search.book.failed[which]
            for at in range(len(one.points))
            if (which := one.which(at)) in search.book.failed
        ]
        if why:
            text = f"{one.metric.name}, {one.name}: {len(why)} points are not possible; the first: {why[0]}"
            yield Note(code="not-possible", text=text)
