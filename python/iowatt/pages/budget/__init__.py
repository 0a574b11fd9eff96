"""The latency budget as a document, and as a section of a Run's."""

from iowatt.pages.budget.document import document, section_of_run

__all__ = ["document", "section_of_run"]
