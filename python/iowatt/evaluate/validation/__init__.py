"""The disk model against real drives: measured traces replayed, paced or with open arrivals, and compared.

``cases`` lists what to replay on which drive, ``validate`` does it; ``sheet`` holds SSDs
to their data sheets.
"""

from iowatt.evaluate.validation.cases import PacedRequests, ValidationCase, cases, read
from iowatt.evaluate.validation.replay import (
    SCHEDULER,
    ComparedResponses,
    Times,
    Validation,
    compare,
    document,
    quantiles,
    respond,
    validate,
)
from iowatt.evaluate.validation.result import TimesComparison, Validations
from iowatt.evaluate.validation.sheet import compare_data_sheets, has_data_sheet

__all__ = [
    "SCHEDULER",
    "ComparedResponses",
    "PacedRequests",
    "Times",
    "TimesComparison",
    "Validation",
    "ValidationCase",
    "Validations",
    "cases",
    "compare",
    "compare_data_sheets",
    "document",
    "has_data_sheet",
    "quantiles",
    "read",
    "respond",
    "validate",
]  # fmt: skip
