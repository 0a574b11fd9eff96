"""What the cost lens found (``iowatt.cost/1``), as a document and as a workbook that recalculates."""

from iowatt.pages.cost.document import document
from iowatt.pages.cost.write import write

__all__ = ["document", "write"]
