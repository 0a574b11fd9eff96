"""Assembles the result of a search that has run."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from importlib.metadata import version
from typing import Any, Final, Literal

from iowatt.base.errors import InputError
from iowatt.base.results import Note
from iowatt.emerald.bff.curve import PointKey, Series, peak_at
from iowatt.emerald.bff.point import calculated
from iowatt.emerald.bff.reduced import built, reduced_list
from iowatt.emerald.bff.result import (
    BestFootForward,
    ConfigurationFigures,
    CurvePeak,
    CurvePoint,
    EfficiencyErrors,
    EstimatorUsed,
    FamilyUsed,
    LargestConfiguration,
    MetricCurve,
    MetricPeaks,
    NamedConfiguration,
    NoFigures,
    PeakConfiguration,
    PeakPosition,
    PointFigures,
    StatedFigure,
)
from iowatt.emerald.bff.search import Search
from iowatt.emerald.bff.variables import optimal_points, variables
from iowatt.emerald.family import (
    Candidate,
    EmeraldMetric,
    Family,
    candidates,
    limit_s,
    named_candidate,
    shelves,
)

_IDLE: Final = 0.5  #: Below this utilisation no station limits a configuration.
_EXACT: Final = 0.3  #: How exact a rate is, as a share of the tolerance of the response time.
MODELLED: Final = "modelled by iowatt, not measured: confirm figures in a lab before you publish them"


def assemble(search: Search) -> BestFootForward:
    """The result of a search that has run; simulates what the reduced list still needs."""
    request, family = search.request, search.family
    metrics = request.chosen_metrics()
    winners = {one.name: series for one in metrics if (series := search.winner(one)) is not None}
    tops = {
        name: (series, series.points[top.at])
        for name, series in winners.items()
        if (top := series.peak(search.known)) is not None
    }
    listed = reduced_list(search, tops)
    random = any(one.kind == "random" for one in metrics)
    return BestFootForward(
        version=version("iowatt"),
        command=request.command,
        name=family.name,
        title=family.file.title or family.name,
        family=FamilyUsed(
            file=family.document.source,
            sha256=family.sha256,
            set=list(family.sets),
            scale_out=family.file.scale_out is not None,
            notes=list(family.file.notes),
            figures=stated_figures(family),
        ),
        rules=search.rules.reference(),
        caveat=search.rules.caveat(),
        modelled=MODELLED,
        simulated=request.simulate,
        limit_ms=limit_s(family, search.rules) * 1e3 if random else None,
        tolerance=request.tolerance,
        estimator=_estimator(search),
        metrics=[_metric(search, one, tops[one.name][0] if one.name in tops else None) for one in metrics],
        series=[
            *(_curve(search, one, "shelf") for one in search.series),
            *(_curve(search, fine, "drive") for fine, _ in search.fine),
        ],
        configurations=[_configuration(search, one.name, one.note) for one in family.file.configuration],
        variables=variables(family),
        optimal_points=list(optimal_points(search, metrics)),
        projection=list(_largest(search)),
        reduced=listed,
        notes=list(_notes(search)),
    )


def _estimator(search: Search) -> EstimatorUsed:
    known = search.known
    pairs = [
        (key.metric, guess, known.found[key]) for key, guess in known.estimated.items() if key in known.found
    ]
    by_metric = {
        one.name: estimate_errors((guess, found) for name, guess, found in pairs if name == one.name)
        for one in search.request.chosen_metrics()
    }
    return EstimatorUsed(
        used=search.estimates is not None,
        pilots=0 if search.estimates is None else search.estimates.benchmarks,
        estimated=len(known.estimated),
        not_estimated=len(known.unknown),
        why_not=list(dict.fromkeys(known.unknown.values()))[:10],
        errors=estimate_errors((guess, found) for _, guess, found in pairs),
        by_metric={name: one for name, one in by_metric.items() if one is not None},
    )


def estimate_errors(pairs: Iterable[tuple[PointFigures, PointFigures]]) -> EfficiencyErrors | None:
    """EP as estimated against simulated; None where there is no pair."""
    errors = [100 * (guess.ep / found.ep - 1) for guess, found in pairs if found.ep > 0]
    if not errors:
        return None
    absolute = sorted(map(abs, errors))
    return EfficiencyErrors(
        points=len(errors),
        median_percent=statistics.median(absolute),
        p95_percent=absolute[math.ceil(0.95 * len(absolute)) - 1],
        worst_percent=absolute[-1],
        bias_percent=math.fsum(errors) / len(errors),
    )


def _curve(search: Search, series: Series, by: Literal["shelf", "drive"]) -> MetricCurve:
    top = series.peak(search.known)
    return MetricCurve(
        metric=series.metric.name,
        by=by,
        drive=series.drive,
        raid=series.raid,
        controller=series.controller,
        per_node=series.per_node,
        name=series.name,
        peak=None if top is None else CurvePeak(**dict(top), drives=series.points[top.at].drives),
        points=[_point(search, series, at) for at in range(len(series.points))],
    )


def _point(search: Search, series: Series, at: int) -> CurvePoint:
    known, key, point = search.known, series.key(at), series.points[at]
    best = known.best(key)
    return CurvePoint(
        drives=point.drives,
        nodes=point.nodes,
        shelves=sum(shelves(search.family, point).values()),
        ep=None if best is None else best.ep,
        basis=None if best is None else best.basis,
        estimated=known.estimated.get(key),
        found=known.found.get(key),
        error=known.error(key) if best is None else None,
    )


def _metric(search: Search, metric: EmeraldMetric, winner: Series | None) -> MetricPeaks:
    names = ("name", "title", "unit", "kind", "read_percent")
    peaks = MetricPeaks.model_validate({name: getattr(metric, name) for name in names})
    if winner is None:
        return peaks
    known = search.known
    own = [one for one in search.series if one.metric == metric]
    by_level = [search.winner(metric, raid) for raid in dict.fromkeys(one.raid for one in own)]
    by_option: dict[str, tuple[float, Series]] = {}
    for one in own:
        figures = one.best(known)
        if figures is not None and (one.drive not in by_option or figures.ep > by_option[one.drive][0]):
            by_option[one.drive] = figures.ep, one
    fine = next((fine for fine, coarse in reversed(search.fine) if coarse is winner), None)
    update = {
        "peak": _peak(search, winner),
        "by_drive": None if fine is None else _peak(search, fine, _finer(search, fine, winner)),
        "by_level": [peak for best in by_level if best is not None and (peak := _peak(search, best))],
        "by_group": _by_group(search, metric),
        "by_option": [_peak(search, best) for _, best in by_option.values()],
    }
    return peaks.model_copy(update=update)


def _by_group(search: Search, metric: EmeraldMetric) -> list[PeakConfiguration]:
    """The peak of each group of drive options: of SSDs apart from disks; none where there is one group."""
    groups = dict.fromkeys(search.group(one) for one in search.series if one.metric == metric)
    best = [search.winner(metric, group=group) for group in groups]
    found = [peak for one in best if one is not None and (peak := _peak(search, one)) is not None]
    return found if len(groups) > 1 else []


def _finer(search: Search, fine: Series, coarse: Series) -> PeakPosition | None:
    """The peak by single drives: that by shelves where the difference is less than rates are exact to."""
    peak, shelf = fine.peak(search.known), coarse.peak(search.known)
    if peak is None or shelf is None:
        return peak
    values = fine.curve(search.known)
    same = [one.drives for one in fine.points].index(coarse.points[shelf.at].drives)
    best, other = values[peak.at], values[same]
    if best is None or other is None or other < best * (1 - search.request.tolerance * _EXACT):
        return peak
    return peak_at(values, same, peak.kind, peak.why)


def _peak(search: Search, series: Series, top: PeakPosition | None = None) -> PeakConfiguration | None:
    """The configuration at a peak (by default the curve's own) with its figures."""
    top = top or series.peak(search.known)
    if top is None:
        return None
    point, figures = series.points[top.at], search.known.best(series.key(top.at))
    assert figures is not None
    return PeakConfiguration(
        **dict(figures),
        **top.model_dump(exclude={"at"}),
        configuration=built(point),
        label=point.label,
        drive=series.drive,
        group=search.group(series),
        raid=series.raid,
        controller=series.controller,
        drives=point.drives,
        nodes=point.nodes,
        shelves=shelves(search.family, point),
        knee=_knee(search, series, top.at),
    )


def _knee(search: Search, series: Series, at: int) -> str | None:
    """The busiest station at the peak and beyond it, in words."""
    here, beyond = _busiest(search, series, at), _busiest(search, series, at + 1)
    if here is None:
        return None
    name, use = here
    if use < _IDLE:
        return f"no station is more than {100 * use:.0f} % busy: waiting is not the limit"
    text = f"{name} {100 * use:.0f} % busy"
    if beyond is None:
        return text
    return f"{text}; at {series.points[at + 1].drives} drives {beyond[0]} {100 * beyond[1]:.0f} %"


def _busiest(search: Search, series: Series, at: int) -> tuple[str, float] | None:
    figures = search.known.best(series.key(at)) if at < len(series.points) else None
    if figures is None or figures.bottleneck is None:
        return None
    return figures.bottleneck, figures.stations[figures.bottleneck]


def _configuration(search: Search, name: str, note: str | None) -> NamedConfiguration:
    candidate = named_candidate(search.family, name)
    rows: list[ConfigurationFigures | NoFigures] = []
    for metric in search.request.chosen_metrics():
        key = PointKey(metric.name, candidate, name)
        figures, error = search.known.best(key), search.known.error(key)
        if figures is not None:
            rows.append(ConfigurationFigures(metric=metric.name, **dict(figures)))
        elif error is not None:
            rows.append(NoFigures(metric=metric.name, error=error))
    return NamedConfiguration(
        name=name,
        note=note,
        configuration=built(candidate),
        label=candidate.label,
        drives=candidate.drives,
        shelves=shelves(search.family, candidate),
        figures=rows,
        **_watts(search.family, candidate),
    )


def _watts(family: Family, candidate: Candidate) -> dict[str, Any]:
    """Watts and capacity by the power calculator, or why there are none."""
    try:
        watts = calculated(family, candidate)
    except InputError as error:
        return {"error": error.message}
    return {"raw_gb": watts.raw_gb, "idle_w": watts.idle_w, "active_w": watts.active_w}


def _largest(search: Search) -> Iterator[LargestConfiguration]:
    """Idle and active watts of the largest configuration of each drive option and controller class.

    Active is every drive at its operating watts and every part at its active ones: an upper end.
    """
    request, family = search.request, search.family
    levels = request.chosen_levels()
    for drive in request.chosen_drives():
        offered = [one.name for one in family.levels_of(family.drive(drive)) if one.name in levels]
        for controller in request.chosen_controllers():
            possible = [
                point
                for raid in offered
                for point in candidates(family, drive=drive, raid=raid, controller=controller)
            ]
            if not possible:
                continue
            largest = max(possible, key=lambda one: one.drives)
            watts = _watts(family, largest)
            if watts.get("idle_w"):
                watts["gb_per_w"] = watts["raw_gb"] / watts["idle_w"]
            yield LargestConfiguration(
                drive=drive,
                controller=controller,
                drives=largest.drives,
                nodes=largest.nodes,
                shelves=sum(shelves(family, largest).values()),
                **watts,
            )


def _notes(search: Search) -> Iterator[Note]:
    for text in search.family.file.notes:
        yield Note(code="family", text=text)
    if not search.request.simulate:
        text = "Estimates only: no peak was simulated. Simulate before you choose a configuration."
        yield Note(code="estimates-only", text=text, decides=True)
    elif search.estimates is None:
        text = "Nothing was estimated: every point by whole shelves was simulated."
        yield Note(code="not-estimated", text=text)
    for one in [*search.series, *(fine for fine, _ in search.fine)]:
        why = [search.known.failed[key] for key in one.keys if key in search.known.failed]
        if why:
            text = f"{one.metric.name}, {one.name}: {len(why)} points are not possible; the first: {why[0]}"
            yield Note(code="not-possible", text=text)


#: Keys of a family file that are settings of the search or names, not figures of the family.
_NOT_FIGURES: Final = frozenset(
    ("schema", "name", "title", "note", "notes", "rules", "seed", "source", "configuration", "requests",
     "warmup_requests", "warmup", "duration", "plateau_percent", "least", "step", "model", "form_factor")
)  # fmt: skip


def stated_figures(family: Family) -> list[StatedFigure]:
    """The figures of the family file, each with its source.

    The key paths of a source may have ``*`` in the place of a name. Quality and source are None where the
    file names none. Parts and drives of the library have their sources there.
    """
    rows = []
    for figure in _figures(family.document.raw, ""):
        fitting = [
            (len(path), source)
            for source in family.file.source
            for path in source.figures
            if fnmatchcase(figure, path) or fnmatchcase(figure, f"{path}.*")
        ]
        best = max(fitting, key=lambda pair: pair[0])[1] if fitting else None
        rows.append(StatedFigure(figure=figure, quality=best and best.quality, source=best and best.text))
    return rows


def _figures(table: Mapping[str, Any], prefix: str) -> Iterator[str]:
    """Key paths of numbers and quantities, with names in the place of positions in lists."""
    for key, value in table.items():
        if key in _NOT_FIGURES:
            continue
        path = f"{prefix}{key}"
        if isinstance(value, Mapping):
            yield from _figures(value, f"{path}.")
        elif isinstance(value, list) and value and all(isinstance(one, Mapping) for one in value):
            for at, one in enumerate(value):
                yield from _figures(one, f"{path}.{one.get('name', at)}.")
        elif _is_figure(value):
            yield path


def _is_figure(value: Any) -> bool:
    if isinstance(value, list):
        return any(_is_figure(one) for one in value)
    if isinstance(value, str):
        return value[:1].isdigit()
    return isinstance(value, int | float) and not isinstance(value, bool)
