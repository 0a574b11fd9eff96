"""Runs as documents: what a system costs for its work in watts and milliseconds, and what stands out.

``documents`` shows one Run, or several after a comparison; ``brief`` is what a terminal prints of one.
``write`` makes a page, a workbook or a PDF.

>>> from iowatt.pages import run                                    # doctest: +SKIP
>>> run.write([Run.open("runs/tpcc")], "tpcc.html")              # doctest: +SKIP
PosixPath('tpcc.html')
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from iowatt.base.lazy import names_from

if TYPE_CHECKING:
    from iowatt.pages.run.brief_document import brief
    from iowatt.pages.run.page import document, documents, write
    from iowatt.pages.run.provenance import labels

__all__ = ["brief", "document", "documents", "labels", "write"]

if not TYPE_CHECKING:
    __getattr__ = names_from(
        __name__, {"brief_document": "brief", "page": "document documents write", "provenance": "labels"}
    )
