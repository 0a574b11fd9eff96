"""Reports as files, by their suffix; each is written whole or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from markupsafe import Markup

from iowatt.base import atomic_path
from iowatt.base.errors import InputError
from iowatt.emerald.report.compose import Report
from iowatt.emerald.report.energystar import ExportRow
from iowatt.emerald.report.result import NOT_THE_TEMPLATE
from iowatt.render import html
from iowatt.render import write as render_file

EXPORTS: Final = (".csv", ".json")


def check_targets(targets: Sequence[Path], *, force: bool) -> None:
    """Raise ``InputError`` where one cannot be written; before any work is done."""
    for number, target in enumerate(targets):
        if target in targets[:number]:
            raise InputError("duplicate", str(target), "the file is named twice")
        render_file.check_target(target, force=force, kinds=(*render_file.KINDS, *EXPORTS))


def is_export(target: Path) -> bool:
    """Whether a file gets the ENERGY STAR export."""
    return target.suffix.lower() in EXPORTS


def write_export(export: ExportRow, target: Path) -> None:
    """Write the export as CSV or JSON."""
    text = export.csv() if target.suffix.lower() == ".csv" else export.result().json_text()
    with atomic_path.file(target) as file:
        file.write_text(text, encoding="utf-8", newline="\n")


def write_report(report: Report, target: Path) -> None:
    """Write the report as a workbook, a page or a PDF."""
    kind = target.suffix.lower()
    with atomic_path.file(target) as file:
        if kind == ".xlsx":
            from iowatt.emerald.report import workbook

            workbook.write(report, file)
        elif kind == ".html":
            file.write_text(_page(report), encoding="utf-8", newline="\n")
        else:
            from iowatt.render import pdf

            pdf.write(_page(report), file)


def _page(report: Report) -> str:
    """The report as one HTML page, with the mark on every sheet of paper."""
    title = report.document.title
    return html.render_page(
        "emerald-report.html",
        {key: figure for key, figure in report.document.ids().items() if figure.spec},
        document=report.document,
        mark=report.mark,
        margin=Markup(_css_string(report.mark.line)),
        foot=Markup(_css_string(f"{title} · made by iowatt; {NOT_THE_TEMPLATE}")),
    )


def _css_string(text: str) -> str:
    """A CSS string inside a style element: every character that could end either is escaped
    (the space after an escape belongs to it)."""
    plain = (one if one.isalnum() or one in " .,;:()=%+-/_" else f"\\{ord(one):06x} " for one in text)
    return f'"{"".join(plain)}"'
