"""Runs as documents: what a system costs for its work in watts and milliseconds, and what stands out.

``documents`` shows one Run, or several after a comparison; ``write`` makes a page, a workbook or a PDF.

>>> from iowatt.pages import run                                    # doctest: +SKIP
>>> run.write([Run.open("runs/tpcc")], "tpcc.html")              # doctest: +SKIP
PosixPath('tpcc.html')
"""

from iowatt.pages.run.page import document, documents, write
from iowatt.pages.run.provenance import labels

__all__ = ["document", "documents", "labels", "write"]
