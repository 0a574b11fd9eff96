"""The latency budget as a document, and as sections and tables of a Run's page and workbook."""

from iowatt.pages.budget.figures import bands_of_run, hops_of_run
from iowatt.pages.budget.page import document, section_of_run

__all__ = ["bands_of_run", "document", "hops_of_run", "section_of_run"]
