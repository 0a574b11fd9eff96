"""The catalogue of a workspace: every result with its figures and price, in SQLite.

``record`` is a row, ``catalogue`` what the server reads, ``indexer`` the process that looks into folders and
prices Runs, so that neither slows an answer down.
"""

from iowatt.web.catalogue.catalogue import ResultsCatalogue
from iowatt.web.catalogue.record import (
    STATE_FILE,
    CataloguePoints,
    CatalogueRow,
    CatalogueState,
    ResultsPage,
)

__all__ = [
    "STATE_FILE", "CataloguePoints", "CatalogueRow", "CatalogueState", "ResultsCatalogue", "ResultsPage",
]  # fmt: skip
