"""Heat as a document."""

from iowatt.pages.heat.document import document

__all__ = ["document"]
