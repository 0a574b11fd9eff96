"""The page of an optimization: the winner and why it wins, the front, and the space to explore."""

from __future__ import annotations

from iowatt.pages.optimize.page import document, report

__all__ = ["document", "report"]
