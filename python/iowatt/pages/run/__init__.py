"""Reports of Runs: one self-contained HTML page, a workbook, or the page as PDF.

>>> from iowatt.pages import run                                    # doctest: +SKIP
>>> report.write([Run.open("runs/tpcc")], "tpcc.html")           # doctest: +SKIP
PosixPath('tpcc.html')
"""

from iowatt.pages.run.write import write

__all__ = ["write"]
