"""Idle periods as a document."""

from iowatt.pages.idle.page import document

__all__ = ["document"]
