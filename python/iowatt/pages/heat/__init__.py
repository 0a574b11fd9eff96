"""Heat as a document, and its curve as a figure of a Run's page."""

from iowatt.pages.heat.page import curve_of_run, document

__all__ = ["curve_of_run", "document"]
