"""Where a product belongs in the taxonomy of SNIA Emerald, and what keeps it from the next class."""

from iowatt.emerald.classify.classify import Classification, Override, classify, parse_override
from iowatt.emerald.classify.product import Product, ProductFile, read

__all__ = ["Classification", "Override", "Product", "ProductFile", "classify", "parse_override", "read"]
