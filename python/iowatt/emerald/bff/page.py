"""A search as one HTML page: peaks, curves, levels, mixes, single drives, idle, what is worth testing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from iowatt.emerald.bff import comparisons, figures, listings
from iowatt.render import html
from iowatt.render.figure import Figure
from iowatt.render.headline import Headline

Found = Mapping[str, Any]
_PRINTED: Final = 60


def render(found: Found) -> str:
    """The page of a document ``iowatt.bff/1``."""
    sections = [(key, title, some) for key, title, listed in _sections(found) if (some := _there(listed))]
    shown = {figure.key: figure for _, _, listed in sections for figure in listed}
    return html.render_page(
        "emerald-bff.html",
        shown,
        printed_table=_PRINTED,
        title=found["title"],
        meta=_meta(found),
        modelled=found["modelled"],
        estimates_only=not found["simulated"],
        headlines=[_headline(metric) for metric in found["metrics"]],
        sections=sections,
        notes=_notes(found),
    )


def _sections(found: Found) -> list[tuple[str, str, list[Figure | None]]]:
    metrics = [metric for metric in found["metrics"] if metric["peak"]]
    return [
        ("best", "Best foot forward", [listings.peaks(found), listings.reduced(found)]),
        ("curves", "Against drives", [figures.curve(found, metric) for metric in metrics]),
        ("single", "By single drives", [figures.granularity(found, metric) for metric in metrics]),
        (
            "compared",
            "Compared",
            [comparisons.levels(found), comparisons.mixes(found), comparisons.options(found)],
        ),
        ("idle", "Projection", [comparisons.projection(found)]),
        ("named", "Named configurations", [listings.configurations(found)]),
        ("trust", "What it rests on", [listings.estimator(found), listings.stated(found)]),
    ]


def _there(listed: list[Figure | None]) -> list[Figure]:
    return [figure for figure in listed if figure is not None]


def _meta(found: Found) -> str:
    simulated = sum(
        1 for series in found["series"] for point in series["points"]
        if (point["found"] or {}).get("basis") == "simulated"
    )  # fmt: skip
    parts = [f"{len(found['series'])} curves", f"{found['estimator']['estimated']} points estimated"]
    parts += [f"{simulated} simulated", f"rules {found['rules']['profile']}"]
    if found["limit_ms"] is not None:
        parts.append(f"mean response time within {found['limit_ms']:g} ms")
    return " · ".join(parts)


def _headline(metric: Found) -> Headline:
    peak = metric["peak"]
    if peak is None:
        return Headline(metric["name"], metric["title"], None, metric["unit"], "no configuration")
    return Headline(
        metric["name"], metric["title"], peak["ep"], metric["unit"], f"{peak['label']} ({peak['basis']})"
    )


def _notes(found: Found) -> list[str]:
    notes = [f"{found['modelled'][0].upper()}{found['modelled'][1:]}.", *found["notes"]]
    if found["caveat"]:
        notes.append(found["caveat"])
    estimator = found["estimator"]
    if estimator["not_estimated"]:
        why = "; ".join(estimator["why_not"][:3])
        notes.append(f"{estimator['not_estimated']} points were not estimated: {why}")
    return notes
