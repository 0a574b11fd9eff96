"""Tests of capacity optimisation methods (COMs): known data are written, and free space is compared.

The heuristics are those that SNIA's training names; their exact steps and thresholds could not be read, so
the thresholds come from the rule profile and are marked as assumed. The sets are ours and do not equal those
of SNIA's generator.
"""

from iowatt.emerald.com.conduct import ComRequest, run_tests
from iowatt.emerald.com.result import COM_SCHEMA, ComTests, document
from iowatt.emerald.com.storage import Commands, Patience

__all__ = ["COM_SCHEMA", "ComRequest", "ComTests", "Commands", "Patience", "document", "run_tests"]
