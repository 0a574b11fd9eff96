"""Category and class of a product in the taxonomy of SNIA Emerald, with what the next class needs.

``product`` reads the maker's description, ``requirement`` compares an attribute with the taxonomy's table,
``taxonomy`` finds the class.
"""

from iowatt.emerald.classify.page import document
from iowatt.emerald.classify.product import Product, ProductFile, read
from iowatt.emerald.classify.result import ATTRIBUTES, ProductClass
from iowatt.emerald.classify.taxonomy import Classification, Override, classify, parse_override

__all__ = [
    "ATTRIBUTES", "Classification", "Override", "Product", "ProductClass", "ProductFile", "classify",
    "document", "parse_override", "read",
]  # fmt: skip
