"""The result of the cost lens (``iowatt.cost/1``) as a page and as a workbook that recalculates.

``page`` puts the Document together; ``totals``, ``deciding``, ``over_time`` and ``drives`` have its figures,
``sentences`` its conclusions. ``workbook`` and ``sheets`` write formulas, which ``expression`` reads and
``live`` checks.
"""

from __future__ import annotations

from pathlib import Path

from iowatt.lenses.cost.result import Cost
from iowatt.pages.cost.page import document
from iowatt.pages.cost.words import GROUP_COLOURS, GROUP_TITLES
from iowatt.render.write import write as write_document

__all__ = ["GROUP_COLOURS", "GROUP_TITLES", "document", "write"]


def write(cost: Cost, target: Path, *, force: bool = False) -> Path:
    """Write ``target`` by its suffix, atomically, and return it. Raises ``InputError`` as `render.write`."""
    from iowatt.pages.cost import workbook

    return write_document(
        document(cost), target, force=force, workbook=lambda path: workbook.write(cost, path)
    )
