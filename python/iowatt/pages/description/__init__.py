"""What ``iowatt trace`` shows of traces: counts, conversions, and the workload as measured.

``counts`` and ``conversion`` are short documents; ``document`` puts together the figures of ``time``,
``requests`` and ``reuse``; ``sentences`` says them in words.
"""

from iowatt.pages.description.conversion import converted, generated
from iowatt.pages.description.counts import counted
from iowatt.pages.description.document import documents

__all__ = ["converted", "counted", "documents", "generated"]
