"""What ``iowatt emerald bff`` shows: the peak of each metric, its curve, and what is worth testing."""

from __future__ import annotations

from collections.abc import Iterator

from iowatt.emerald.bff import comparisons, figures, listings
from iowatt.emerald.bff.result import BestFootForward, MetricFound
from iowatt.render import numbers
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Figure
from iowatt.render.headline import Headline


def document(found: BestFootForward) -> Document:
    """The document of a search."""
    metrics = [metric for metric, _ in found.peaks]
    curves = _there(figures.curve(found, metric) for metric in metrics)
    compared = (comparisons.levels(found), comparisons.mixes(found), comparisons.options(found))
    return Document(
        key="bff",
        kind="best foot forward",
        title=found.title,
        meta=_meta(found),
        verdict=list(_verdict(found)),
        chart=curves[0] if curves else None,
        headlines=[_headline(metric) for metric in found.metrics],
        sections=[
            Section("best", "Peaks", _there((listings.peaks(found), listings.reduced(found)))),
            Section("curves", "Against drives", curves[1:]),
            Section("single", "By single drives", _there(figures.granularity(found, one) for one in metrics)),
            Section("compared", "Levels, mixes and drives", _there(compared)),
            Section("named", "Named configurations", _there((listings.configurations(found),))),
            Section("projection", "Largest configurations", _there((comparisons.projection(found),))),
            Section("estimator", "Estimates", _there((listings.estimator(found),)), folded=True),
            Section("stated", "Figures of the family file", [listings.stated(found)], folded=True),
        ],
        caveats=list(_caveats(found)),
        provenance=[
            ("Family", f"{found.family.file}, SHA-256 {found.family.sha256}"),
            ("Rules", f"{found.rules.profile}, SHA-256 {found.rules.sha256}"),
            ("iowatt", found.version),
        ],
    )


def _there(made: Iterator[Figure | None] | tuple[Figure | None, ...]) -> list[Figure]:
    return [figure for figure in made if figure is not None]


def _meta(found: BestFootForward) -> str:
    simulated = sum(
        point.found is not None and point.found.basis == "simulated"
        for curve in found.series
        for point in curve.points
    )
    parts = [
        numbers.counted(len(found.series), "curve"),
        f"{numbers.counted(found.estimator.estimated, 'point')} estimated",
        f"{simulated} simulated",
        f"rules {found.rules.profile}",
    ]
    if found.limit_ms is not None:
        parts.append(f"mean response time within {found.limit_ms:g} ms")
    return " · ".join(parts)


def _verdict(found: BestFootForward) -> Iterator[str]:
    for metric, peak in found.peaks:
        known = f" ({peak.basis})" if peak.basis != "simulated" else ""
        why = "" if peak.kind == "peak" else f"; {peak.why}"
        busy = f"; {peak.knee}" if peak.knee else ""
        ep = numbers.significant(peak.ep, 4)
        yield f"{metric.name}: {ep} {metric.unit} at {peak.label}{known}{why}{busy}."
    missing = [metric.name for metric in found.metrics if metric.peak is None]
    if missing:
        yield f"No configuration has figures of {', '.join(missing)}."


def _headline(metric: MetricFound) -> Headline:
    peak = metric.peak
    if peak is None:
        return Headline(metric.name, metric.title, None, metric.unit, "no configuration")
    return Headline(metric.name, metric.title, peak.ep, metric.unit, f"{peak.label} ({peak.basis})")


def _caveats(found: BestFootForward) -> Iterator[Caveat]:
    for note in sorted(found.notes, key=lambda note: not note.decides):
        yield Caveat(note.text, note.decides)
    yield Caveat(f"{found.modelled[0].upper()}{found.modelled[1:]}.")
    if found.caveat:
        yield Caveat(found.caveat)
    errors = found.estimator.errors
    if errors is not None:
        yield Caveat(
            f"Estimates against simulations, {numbers.counted(errors.points, 'point')}: median error "
            f"{errors.median_percent:.1f} %, worst {errors.worst_percent:.1f} %, bias "
            f"{errors.bias_percent:+.1f} %."
        )
    if found.estimator.not_estimated:
        why = "; ".join(found.estimator.why_not[:3])
        yield Caveat(f"{numbers.counted(found.estimator.not_estimated, 'point')} not estimated: {why}")
