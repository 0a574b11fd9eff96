"""The comparison of two Runs, or two groups of Runs, as a document."""

from iowatt.pages.compare.page import document

__all__ = ["document"]
