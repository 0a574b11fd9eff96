"""Writing a report: its kind is told by the suffix of the file, and it is never half there."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from iowatt.base import atomic_path
from iowatt.base.errors import InputError
from iowatt.render import write as write_document

if TYPE_CHECKING:
    from iowatt.run.bundle import Run


def write(runs: Sequence[Run], path: str | os.PathLike[str], force: bool = False) -> Path:
    """Write a report of one or more runs; several are compared. Returns the path.

    Raises ``InputError`` for a suffix other than .html, .xlsx or .pdf, where the file exists and ``force`` is
    not given, where its directory does not exist, and for a PDF where no Chromium is installed.
    """
    target = Path(path)
    check_target(target, force)
    if not runs:
        raise InputError(
            "missing", None, "a report needs at least one Run", hint="iowatt report RUN [RUN ...]"
        )
    with atomic_path.file(target) as made:
        _render(runs, made, target.suffix.lower())
    return target


def check_target(target: Path, force: bool) -> None:
    """Raise ``InputError`` where a report cannot be written to ``target``; before any work is done."""
    write_document.check_target(target, force=force)


def _render(runs: Sequence[Run], path: Path, kind: str) -> None:
    if kind == ".xlsx":
        from iowatt.pages.run import xlsx

        xlsx.write(runs, path)
        return
    from iowatt.pages.run import page

    text = page.render(runs)
    if kind == ".html":
        path.write_text(text, encoding="utf-8", newline="\n")
        return
    from iowatt.render import pdf

    pdf.write(text, path)
