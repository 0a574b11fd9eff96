"""What the cost lens found (``iowatt.cost/1``), as text, as a page and as a workbook that recalculates."""
