"""The catalogue of a workspace: every result with its figures and price, in SQLite.

``record`` is a row, ``catalogue`` what the server reads, ``indexer`` the process that looks into folders and
prices Runs, so that neither slows an answer down.
"""

from iowatt.web.catalogue.catalogue import Catalogue
from iowatt.web.catalogue.record import CataloguePoints, CatalogueRow, CatalogueState, ResultsPage

__all__ = ["Catalogue", "CataloguePoints", "CatalogueRow", "CatalogueState", "ResultsPage"]
