"""Idle periods as a document."""

from iowatt.pages.idle.document import document

__all__ = ["document"]
