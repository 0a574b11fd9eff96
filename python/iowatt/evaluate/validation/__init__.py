"""The disk model against real drives: measured traces replayed, paced or with open arrivals, and compared.

``cases`` says what to replay on which drive, ``validate`` does it; ``text`` and ``page`` show what came out.
"""

from iowatt.evaluate.validation.cases import Case, cases
from iowatt.evaluate.validation.compare import Comparison, compare
from iowatt.evaluate.validation.replay import Compared, Validation, validate

__all__ = ["Case", "Compared", "Comparison", "Validation", "cases", "compare", "validate"]
