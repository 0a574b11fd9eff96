"""The report of one analysis, or of several side by side: its pages as a document, and its result."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Final

from iowatt.base.errors import InputError
from iowatt.emerald.analyze import Analysis, published
from iowatt.emerald.analyze.result import Part
from iowatt.emerald.report import completeness, findings, product, recorded, system
from iowatt.emerald.report.inputs import ANALYSIS, ReportInputs, read_analysis
from iowatt.emerald.report.result import OURS, Export, Item, Mark, ReportResult, driver, mark
from iowatt.emerald.report.tables import table
from iowatt.render.document import Document, Section
from iowatt.render.figure import text_columns

_FAMILIES: Final = {
    "mixed": "mixed workloads (MW1, MW2)",
    "hot-band": "the hot band (HB)",
    "device": "the device specification",
}


@dataclass(frozen=True)
class Report:
    """A report: its pages, and the mark that every page bears."""

    document: Document
    mark: Mark
    result: ReportResult

    @property
    def summary(self) -> Document:
        """The short form for a terminal: the verdict, and missing items or the comparison."""
        brief = [figure for figure in self.document.figures() if figure.brief]
        return replace(self.document, sections=[Section("summary", "Summary", brief)])

    def with_export(self, export: Export) -> Report:
        """The report with the ENERGY STAR fields in its result."""
        return replace(self, result=self.result.model_copy(update={"energystar": export}))


def compose(inputs: ReportInputs) -> Report:
    """The report of one analysis."""
    items = completeness.items(inputs)
    pages = [
        product.product(inputs),
        product.metrics(inputs),
        system.taxonomy(inputs),
        system.system(inputs),
        recorded.instruments(inputs),
        recorded.stability(inputs),
        *recorded.minutes(inputs),
        findings.findings(inputs),
        findings.rules(inputs),
        findings.files(inputs),
        completeness.section(items),
    ]
    verdict = completeness.summary(items)
    return _report(inputs.analysis.name, mark(inputs.analysis), pages, verdict, items)


def _report(title: str, mark: Mark, pages: list[Section], verdict: str, items: list[Item]) -> Report:
    return Report(
        Document(
            key="emerald",
            kind="test data report",
            title=title,
            meta=mark.line,
            verdict=[verdict],
            sections=pages,
        ),
        mark,
        ReportResult(
            title=title,
            kind=mark.kind,
            compliant=mark.compliant,
            against=mark.against,
            judged=mark.judged,
            complete=not any(one.lacking for one in items),
            items=items,
        ),
    )


def read_several(paths: Sequence[Path]) -> list[Analysis]:
    """The analyses of files or folders.

    Raises ``InputError`` where their metrics are of different families. Version 1.0 tests mixed workloads,
    later versions the hot band, and the device specification single devices: no order between them means
    anything.
    """
    files = [path / ANALYSIS if path.is_dir() else path for path in paths]
    analyses = [read_analysis(file) for file in files]
    for one, file in zip(analyses, files, strict=True):
        if one.family is None:
            text = f"the rules {one.rules.profile} do not state which metrics these can be compared with"
            hint = "state metrics.family in the rules, and analyze again"
            raise InputError("missing", f"{file}: family", text, hint=hint)
        if one.family != analyses[0].family:
            first, other = (
                f"{which.name} has {_FAMILIES.get(which.family or '', which.family)} of {which.rules.profile}"
                for which in (analyses[0], one)
            )
            text = f"metrics of different kinds cannot be ranked together: {first}, {other}"
            hint = "compare measurements made by one generation of the rules"
            raise InputError("not-comparable", str(file), text, hint=hint)
    return analyses


def side_by_side(analyses: Sequence[Analysis]) -> Report:
    """The report of several analyses of one family, ranked where they may be."""
    marks = [mark(one) for one in analyses]
    given = [str(one.name) for one in analyses]
    names = [name if given.count(name) == 1 else f"{name} [{number}]" for number, name in enumerate(given, 1)]
    joined = Mark(
        kind=" and ".join(dict.fromkeys(one.kind for one in marks)),
        against=tuple(
            f"{name}: {'; '.join(one.against)}" for name, one in zip(names, marks, strict=True) if one.against
        ),
        judged="; ".join(dict.fromkeys(one.judged for one in marks)),
    )
    reasons = _not_ranked(analyses)
    pages = [_metrics(analyses, names, reasons), _measurements(analyses, names)]
    verdict = f"Not ranked: {'; '.join(reasons)}." if reasons else "Ranked by the published values."
    return _report(" and ".join(names), joined, pages, verdict, [])


def _metrics(analyses: Sequence[Analysis], names: Sequence[str], reasons: Sequence[str]) -> Section:
    parts: dict[str, dict[int, Part]] = {}
    for number, one in enumerate(analyses):
        for part in one.parts:
            parts.setdefault(part.metric, {})[number] = part
    kinds = (f"{name} ({one.kind})" for name, one in zip(names, analyses, strict=True))
    rows = []
    for metric, by_analysis in parts.items():
        values = [
            published(by_analysis[number]) if number in by_analysis else "not there"
            for number in range(len(analyses))
        ]
        unit = next(iter(by_analysis.values())).unit
        rows.append([metric, unit, *values, "not ranked" if reasons else _order(by_analysis, names)])
    caption = "" if reasons else "More is better; values with the same published digits are equal."
    metrics = table("Metrics", text_columns("Metric", "Unit", *kinds, "Order"), rows, caption)
    sentences = [OURS, *(f"Not ranked: {one}." for one in reasons)]
    return Section("side-by-side", "Side by side", [replace(metrics, brief=True)], sentences)


def _not_ranked(analyses: Sequence[Analysis]) -> list[str]:
    """Reasons against ranking the analyses."""
    reasons: dict[str, Collection[str | float]] = {
        "they are of different classes": {one.system_class for one in analyses},
        "some are measured and some modelled": {one.kind for one in analyses},
        "they were driven by different load generators": {driver(one) for one in analyses},
        "they have different time scales": {one.time_scale for one in analyses},
    }
    return [text for text, values in reasons.items() if len(values) > 1]


def _order(parts: dict[int, Part], names: Sequence[str]) -> str:
    """``A > B = C``: by the published values; refused ones are left out."""
    valid = {number: float(part.ep_shown) for number, part in parts.items() if part.ep_shown is not None}
    if len(valid) < 2:
        return "not ranked: fewer than two values"
    descending = sorted(valid, key=lambda number: -valid[number])
    equal = groupby(descending, key=lambda number: valid[number])
    return " > ".join(" = ".join(names[number] for number in same) for _, same in equal)


def _measurements(analyses: Sequence[Analysis], names: Sequence[str]) -> Section:
    rows = []
    for name, one in zip(names, analyses, strict=True):
        standing = "; ".join(mark(one).against)
        standing = f"NON-COMPLIANT: {standing}" if standing else "no deviation found"
        judged = f"{one.status}, {one.judged}"
        rows.append([name, one.kind, one.system_class, driver(one), one.rules.profile, standing, judged])
    columns = text_columns("Measurement", "Kind", "Class", "Requests by", "Rules", "Standing", "Judgement")
    return Section("measurements", "Measurements", [table("Measurements", columns, rows)])
