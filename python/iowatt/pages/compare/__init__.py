"""The comparison of two Runs, two groups of Runs, or several systems, as a document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iowatt.lenses.compare.systems.result import SystemsCompared
from iowatt.pages.compare import page, systems

if TYPE_CHECKING:
    from iowatt.lenses.compare.result import BeforeAfter
    from iowatt.render.document import Document

__all__ = ["document"]


def document(found: BeforeAfter | SystemsCompared) -> Document:
    """The document of a comparison, of two sides or of several systems."""
    return systems.document(found) if isinstance(found, SystemsCompared) else page.document(found)
