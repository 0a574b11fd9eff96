"""The page of a fleet: whether its plan holds and what it costs, year by year, and what breaks it."""

from __future__ import annotations

from iowatt.pages.fleet.page import document, files

__all__ = ["document", "files"]
