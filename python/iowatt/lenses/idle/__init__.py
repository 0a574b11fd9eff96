"""The idle lens: the idle periods of a Run's drives, and what power management could make of them.

:func:`analyse` reads the table ``idle`` twice, in batches: once for counts and means, once for all that
needs them (autocorrelation, distribution, policies). Memory is constant but for a few numbers by drive.
"""

from __future__ import annotations

from iowatt.lenses.idle.analyse import analyse
from iowatt.lenses.idle.result import IdlePeriods

__all__ = ["IdlePeriods", "analyse"]
