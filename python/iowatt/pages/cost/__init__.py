"""The results of the cost lens (``iowatt.cost/1``) as a document and as a workbook that recalculates."""

from __future__ import annotations

from pathlib import Path

from iowatt.lenses.cost.result import Cost
from iowatt.pages.cost.document import document
from iowatt.render.write import write as write_document

__all__ = ["document", "write"]


def write(cost: Cost, target: Path, *, force: bool = False) -> Path:
    """Write ``target`` by its suffix, atomically, and return it. Raises ``InputError`` as `render.write`."""
    from iowatt.pages.cost import workbook

    return write_document(
        document(cost), target, force=force, workbook=lambda path: workbook.write(cost, path)
    )
