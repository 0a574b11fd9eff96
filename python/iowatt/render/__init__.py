"""How results look: figures, tables and documents, on a terminal, as a page, a workbook or a PDF.

``document`` is what there is to show, ``figure`` a chart with its table; ``terminal``, ``write`` (pages, PDF)
and ``workbook`` show it; ``numbers`` prints figures, ``palette`` has the colours. Storage is unknown here.
"""
