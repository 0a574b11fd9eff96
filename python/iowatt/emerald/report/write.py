"""Reports as files; the suffix says which kind, and each is there whole or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from iowatt.base import atomic_path
from iowatt.base.errors import InputError
from iowatt.emerald.report.compose import Report
from iowatt.emerald.report.energystar import Export

REPORTS: Final = (".xlsx", ".pdf", ".html")
EXPORTS: Final = (".csv", ".json")


def check_targets(targets: Sequence[Path], *, force: bool) -> None:
    """Raise ``InputError`` where one cannot be written; before any work is done."""
    seen: set[Path] = set()
    for target in targets:
        if target.suffix.lower() not in REPORTS + EXPORTS:
            raise InputError(
                "not-accepted",
                str(target),
                "the suffix does not say which kind of report to write",
                hint=f"end the name in {', '.join(REPORTS)} (the report), or "
                f"{' or '.join(EXPORTS)} (the ENERGY STAR export)",
            )
        if target in seen:
            raise InputError("duplicate", str(target), "the file is named twice")
        seen.add(target)
        if not target.parent.is_dir():
            raise InputError("not-found", str(target.parent), "the directory for the report does not exist")
        if target.is_dir():
            raise InputError("wrong-kind", str(target), "is a directory; a report is a file")
        if target.exists() and not force:
            raise InputError("exists", str(target), "exists already", hint="`force=True` replaces it")


def is_export(target: Path) -> bool:
    """Whether a file gets the ENERGY STAR export."""
    return target.suffix.lower() in EXPORTS


def write_report(report: Report, target: Path) -> None:
    """Write the report as the kind that the suffix says."""
    with atomic_path.file(target) as made:
        _report(report, made)


def write_export(export: Export, target: Path) -> None:
    """Write the export as CSV or JSON."""
    text = export.csv() if target.suffix.lower() == ".csv" else export.json()
    with atomic_path.file(target) as made:
        made.write_text(text, encoding="utf-8", newline="\n")


def _report(report: Report, path: Path) -> None:
    kind = path.suffix.lower()
    if kind == ".xlsx":
        from iowatt.emerald.report import workbook

        workbook.write(report.title, report.mark, report.pages, path)
        return
    from iowatt.emerald.report import paper

    page = paper.render(report.title, report.mark, report.pages)
    if kind == ".html":
        path.write_text(page, encoding="utf-8", newline="\n")
        return
    from iowatt.render import pdf

    pdf.write(page, path)
