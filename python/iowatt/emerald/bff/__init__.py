"""Best foot forward: of a product family, the configuration with the peak of each metric."""

from iowatt.emerald.bff.make import SHAPE, Output, search_family
from iowatt.emerald.bff.page import document
from iowatt.emerald.bff.request import BffRequest
from iowatt.emerald.bff.result import BestFootForward

__all__ = ["SHAPE", "BestFootForward", "BffRequest", "Output", "document", "search_family"]
