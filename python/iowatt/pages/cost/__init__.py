"""What the cost lens found (``iowatt.cost/1``), as text, as a page and as a workbook that recalculates."""

from iowatt.pages.cost.write import check_target, write

__all__ = ["check_target", "write"]
