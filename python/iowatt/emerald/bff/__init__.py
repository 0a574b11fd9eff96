"""Best foot forward: the configuration of a product family at the peak of each metric.

``search`` estimates and simulates the ``curve`` of each metric point by ``point``, ``reduced`` chooses the
configurations for the lab, ``assemble`` makes the result, ``make`` writes its folder.
"""

from iowatt.emerald.bff.make import SHAPE, Output, search_family
from iowatt.emerald.bff.page import document
from iowatt.emerald.bff.request import BffRequest
from iowatt.emerald.bff.result import BestFootForward

__all__ = ["SHAPE", "BestFootForward", "BffRequest", "Output", "document", "search_family"]
