"""The idle lens: the idle periods of a Run's drives, and what power management could make of them.

:func:`analyse` reads the table ``idle`` twice, in batches: first for counts and means (``counts``), then for
what needs those: autocorrelation, distributions (``histogram``, ``laws``) and policies (``policies``, for
drives as ``power`` has them). Memory is constant but for a few numbers by drive. :func:`oracle_bound` is the
most that any policy could save with quicker drives, :class:`Periods` the table itself.
"""

from iowatt.lenses.idle.analysis import analyse, oracle_bound
from iowatt.lenses.idle.periods import Periods
from iowatt.lenses.idle.result import IdlePeriods

__all__ = ["IdlePeriods", "Periods", "analyse", "oracle_bound"]
