"""The validation report: one HTML file with the table, and each drive's two distributions."""

from __future__ import annotations

from pathlib import Path

from iowatt.base import atomic_path
from iowatt.base.errors import InputError
from iowatt.evaluate.validation.replay import Validation
from iowatt.pages.validation.figure import distributions, overview, services
from iowatt.pages.validation.text import METHOD
from iowatt.render import html


def check_target(target: Path, force: bool) -> None:
    """Raise ``InputError`` where the report cannot be written; before any work is done."""
    if target.suffix.lower() != ".html":
        raise InputError(
            "not-accepted", str(target), "expected a name that ends in .html: the report is an HTML file"
        )
    if not target.parent.is_dir():
        raise InputError("not-found", str(target.parent), "there is no such directory to write the report to")
    if target.exists() and not force:
        raise InputError("exists", str(target), "the file exists already", hint="`force=True` replaces it")


def write(found: list[Validation], target: Path, *, force: bool = False) -> None:
    """Write the report; never half."""
    check_target(target, force)
    with atomic_path.file(target) as made:
        made.write_text(render(found), encoding="utf-8", newline="\n")


def render(found: list[Validation]) -> str:
    """The page."""
    drives = []
    for validation in found:
        charts = [
            figure for figure in (distributions(validation), services(validation)) if figure is not None
        ]
        drives.append((validation.key, validation.title, charts, validation.notes))
    table = overview(found)
    figures = {figure.key: figure for _, _, charts, _ in drives for figure in charts}
    figures = {table.key: table, **figures}
    return html.render_page(
        "validation.html",
        figures,
        title="The disk model against real drives",
        table=table,
        drives=drives,
        method=METHOD,
    )
