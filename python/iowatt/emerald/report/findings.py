"""Pages of findings, rules and input files."""

from __future__ import annotations

from typing import Any

from iowatt.emerald.report.inputs import ReportInputs
from iowatt.emerald.report.tables import table
from iowatt.render.document import Section
from iowatt.render.figure import Column, text_columns

_ORDER = ("invalid", "non-compliant", "warning")


def findings(inputs: ReportInputs) -> Section:
    """Findings of the analysis, and warnings of load generator and instruments."""
    rows: list[list[Any]] = [
        [place, one.weight, one.text]
        for place, several in inputs.analysis.by_place()
        for one in sorted(several, key=lambda one: _ORDER.index(one.weight))
    ]
    rows += [["The report", "warning", remark] for remark in inputs.remarks]
    for stage, run in inputs.runs.items():
        for meter in filter(_is_object, run.get("instruments") or []):
            for problem in filter(_is_object, meter.get("problems") or []):
                rows.append([stage, "warning", f"{meter.get('name')}: {problem.get('text')}"])
    if not rows:
        return Section("findings", "Findings", [], ["Nothing was found."])
    meaning = (
        "Invalid: the figure is not a measurement. Non-compliant: it is one, but not an Emerald result. "
        "Warning: a remark on it."
    )
    columns = text_columns("Of", "Weight", "Finding")
    return Section("findings", "Findings", [table("Findings and warnings", columns, rows, meaning)])


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def rules(inputs: ReportInputs) -> Section:
    """The rules, and their unverified values that were used."""
    used = inputs.analysis.rules
    sentences = [
        f"Rules: {used.profile} ({used.title}), SHA-256 {used.sha256}.",
        f"The measurement was {inputs.analysis.judged}.",
    ]
    rows = [
        [
            one.key, str(one.unknown if one.value is None else one.value), one.unit, one.mark,
            "; ".join(one.sources), one.note,
        ]
        for one in used.unverified
    ]  # fmt: skip
    columns = text_columns("Rule", "Value", "Unit", "Mark", "Source", "Note")
    caption = "These values have not been compared with the specification."
    made = [table("Unverified rule values used", columns, rows, caption)] if rows else []
    return Section("rules", "Rules", made, sentences)


def files(inputs: ReportInputs) -> Section:
    """Digests of all input files."""
    digest = [Column("Size", "bytes"), *text_columns("SHA-256")]
    rows = [[one.path, one.size, one.sha256] for one in inputs.files]
    made = [table("Files", [*text_columns("File"), *digest], rows)]
    used = [
        [stage, str(one.get("path")), one.get("size"), one.get("sha256")]
        for stage, run in inputs.runs.items()
        for one in filter(_is_object, (run.get("provenance") or {}).get("inputs") or [])
    ]
    if used:
        made.append(table("Inputs of the stages", [*text_columns("Stage", "Input"), *digest], used))
    return Section("files", "Files", made)
