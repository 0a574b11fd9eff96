"""The disk model against real drives: measured traces replayed, paced or with open arrivals, and compared.

``cases`` lists what to replay on which drive, ``validate`` does it; ``sheet`` holds SSDs
to their data sheets.
"""

from iowatt.evaluate.validation.cases import ValidationCase, cases
from iowatt.evaluate.validation.replay import (
    SCHEDULER,
    ComparedResponses,
    Times,
    Validation,
    document,
    quantiles,
    validate,
)
from iowatt.evaluate.validation.result import TimesComparison, Validations
from iowatt.evaluate.validation.sheet import compare_data_sheets, has_data_sheet

__all__ = [
    "SCHEDULER",
    "ComparedResponses",
    "Times",
    "TimesComparison",
    "Validation",
    "ValidationCase",
    "Validations",
    "cases",
    "compare_data_sheets",
    "document",
    "has_data_sheet",
    "quantiles",
    "validate",
]  # fmt: skip
