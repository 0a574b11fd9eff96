"""Several analyses side by side, ranked where they may be."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import groupby
from pathlib import Path

from iowatt.base.errors import InputError
from iowatt.emerald.analyze import figures
from iowatt.emerald.analyze.result import Analysis, Part
from iowatt.emerald.report import blocks, marks
from iowatt.emerald.report.blocks import Page, rows
from iowatt.emerald.report.compose import Report
from iowatt.emerald.report.inputs import ANALYSIS, read_analysis
from iowatt.emerald.report.marks import OURS, Mark

_NAMES = {
    "mixed": "mixed workloads (MW1, MW2)",
    "hot-band": "the hot band (HB)",
    "device": "the device specification",
}


def read(paths: Sequence[Path]) -> list[Analysis]:
    """The analyses of files or folders. Raises ``InputError`` where their metrics are not comparable."""
    files = [path / ANALYSIS if path.is_dir() else path for path in paths]
    found = [read_analysis(file) for file in files]
    refuse_mixed(found, files)
    return found


def refuse_mixed(found: Sequence[Analysis], files: Sequence[Path]) -> None:
    """Raise ``InputError`` where analyses have metrics of different families.

    Version 1.0 tests mixed workloads, later ones the hot band, and the device specification devices alone: no
    order between them means anything.
    """
    for one, file in zip(found, files, strict=True):
        if one.family is None:
            raise InputError(
                "missing",
                f"{file}: family",
                f"the rules {one.rules.profile} do not say which metrics these can be compared with",
                hint="state metrics.family in the rules, and analyze again",
            )
        if one.family != found[0].family:
            first, other = (_family(which) for which in (found[0], one))
            raise InputError(
                "not-comparable",
                str(file),
                f"metrics of different kinds cannot be ranked together: {found[0].name} has {first}, "
                f"{one.name} has {other}",
                hint="compare measurements made by one generation of the rules",
            )


def _family(found: Analysis) -> str:
    family = found.family or ""
    return f"{_NAMES.get(family, family)} of {found.rules.profile}"


def compose(found: Sequence[Analysis]) -> Report:
    """The report of several analyses of one family."""
    each = [marks.mark(one) for one in found]
    names = _names(found)
    against = [
        f"{name}: {'; '.join(one.against)}" for name, one in zip(names, each, strict=True) if one.against
    ]
    judged = "; ".join(dict.fromkeys(one.judged for one in each))
    mark = Mark(" and ".join(dict.fromkeys(one.kind for one in each)), tuple(against), judged)
    pages = [_side_by_side(found, names), _measurements(found, names)]
    return Report(" and ".join(names), mark, pages, [])


def _side_by_side(found: Sequence[Analysis], names: Sequence[str]) -> Page:
    why = _not_ranked(found)
    parts: dict[str, dict[int, Part]] = {}
    for at, one in enumerate(found):
        for part in one.parts:
            parts.setdefault(part.metric, {})[at] = part
    columns = [
        *blocks.text("Metric", "Unit"),
        *blocks.text(*(f"{name} ({one.kind})" for name, one in zip(names, found, strict=True))),
        *blocks.text("Order"),
    ]
    cells = [
        [
            metric, next(iter(there.values())).unit,
            *(_value(there.get(at)) for at in range(len(found))),
            "not ranked" if why else _order(there, names),
        ]
        for metric, there in parts.items()
    ]  # fmt: skip
    sentences = [OURS, *(f"Not ranked: {one}." for one in why)]
    caption = "More is better; values that do not differ in their published digits are equal."
    return Page(
        "side-by-side", "Side by side", [rows("Metrics", columns, cells, "" if why else caption)], sentences
    )


def _not_ranked(found: Sequence[Analysis]) -> list[str]:
    """Why no order may be given."""
    reasons: dict[str, Collection[str | float]] = {
        "they are of different classes": {one.system_class for one in found},
        "some are measured and some modelled": {one.kind for one in found},
        "they were driven by different load generators": {marks.driver(one) for one in found},
        "they have different time scales": {one.time_scale for one in found},
    }
    return [text for text, values in reasons.items() if len(values) > 1]


def _order(there: dict[int, Part], names: Sequence[str]) -> str:
    """``A > B = C``: by what is published; figures that are no measurement are not in it."""
    valid = {at: float(part.ep_shown) for at, part in there.items() if part.ep_shown is not None}
    if len(valid) < 2:
        return "not ranked: fewer than two values"
    descending = sorted(valid, key=lambda at: -valid[at])
    equal = groupby(descending, key=lambda at: valid[at])
    return " > ".join(" = ".join(names[at] for at in same) for _, same in equal)


def _value(part: Part | None) -> str:
    return "not there" if part is None else figures.published(part)


def _measurements(found: Sequence[Analysis], names: Sequence[str]) -> Page:
    columns = blocks.text("Measurement", "Kind", "Class", "Requests by", "Rules", "Standing", "Judgement")
    cells = []
    for name, one in zip(names, found, strict=True):
        mark = marks.mark(one)
        standing = "; ".join(mark.against)
        cells.append(
            [
                name, one.kind, one.system_class, marks.driver(one), one.rules.profile,
                f"NON-COMPLIANT: {standing}" if standing else "no deviation found",
                f"{one.status}, {one.judged}",
            ]
        )  # fmt: skip
    return Page("measurements", "Measurements", [rows("Measurements", columns, cells)])


def _names(found: Sequence[Analysis]) -> list[str]:
    """Names that differ."""
    names = [str(one.name) for one in found]
    return [name if names.count(name) == 1 else f"{name} [{at}]" for at, name in enumerate(names, 1)]
