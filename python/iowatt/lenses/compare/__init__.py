"""Two Runs, or two groups of repeated Runs, side by side, and what their difference is worth.

:func:`analyse` does all of it and returns the document. What the Runs say: :mod:`request`,
:mod:`measurement`; what is shown of both: :mod:`response`, :mod:`over_time`, :mod:`omission`, :mod:`flags`.
The statistics: :mod:`blocks` is a Run cut in time as plain arrays, :mod:`metrics` what is compared,
:mod:`inference` tells a difference from chance; :mod:`metric_verdicts` asks them.
"""

from iowatt.lenses.compare.analysis import analyse
from iowatt.lenses.compare.request import CompareRequest, open_runs
from iowatt.lenses.compare.result import BeforeAfter

__all__ = ["BeforeAfter", "CompareRequest", "analyse", "open_runs"]
