"""The page of a sweep or a curve: the best points or the curve, figures of every metric, every point."""

from __future__ import annotations

from iowatt.pages.sweep.page import document, report

__all__ = ["document", "report"]
