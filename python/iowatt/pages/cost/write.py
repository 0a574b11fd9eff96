"""Costs as a file: a page, a PDF, or the workbook that recalculates."""

from __future__ import annotations

from pathlib import Path

from iowatt.lenses.cost.result import Cost
from iowatt.pages.cost.document import document
from iowatt.render.write import write as write_document


def write(found: Cost, target: Path, *, force: bool = False) -> Path:
    """Write ``target`` by its suffix, atomically, and return it. Raises ``InputError`` as `render.write`."""
    from iowatt.pages.cost import workbook

    return write_document(
        document(found), target, force=force, workbook=lambda made: workbook.write(found, made)
    )
