"""The disk model against real drives: measured traces replayed, paced or with open arrivals, and compared.

``cases`` lists what to replay on which drive, ``validate`` does it; ``sheet`` holds SSDs
to their data sheets.
"""

from iowatt.evaluate.validation.cases import Case, cases
from iowatt.evaluate.validation.replay import ComparedResponses, Validation, compare, document, validate
from iowatt.evaluate.validation.result import TimesComparison, Validations

__all__ = [
    "Case",
    "ComparedResponses",
    "TimesComparison",
    "Validation",
    "Validations",
    "cases",
    "compare",
    "document",
    "validate",
]
