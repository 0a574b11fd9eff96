"""Category and class of a product in the taxonomy of SNIA Emerald, and what keeps it from the next class."""

from iowatt.emerald.classify.classify import Classification, Override, ProductClass, classify, parse_override
from iowatt.emerald.classify.page import document
from iowatt.emerald.classify.product import Product, ProductFile, read
from iowatt.emerald.classify.requirement import ATTRIBUTES

__all__ = [
    "ATTRIBUTES",
    "Classification",
    "Override",
    "Product",
    "ProductClass",
    "ProductFile",
    "classify",
    "document",
    "parse_override",
    "read",
]
