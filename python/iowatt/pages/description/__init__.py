"""Traces as documents: their counts (``info``), and their workload as measured (``documents``)."""

from iowatt.pages.description.converted import converted, generated
from iowatt.pages.description.document import documents
from iowatt.pages.description.info import document as info

__all__ = ["converted", "documents", "generated", "info"]
