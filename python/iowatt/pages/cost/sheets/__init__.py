"""Sheets of the workbook of costs that hold formulas, one module each."""
