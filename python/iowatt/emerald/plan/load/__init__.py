"""The workloads of stages, and how fio and vdbench are told to make them.

``workloads`` has each phase's profile and the tested range; ``fio`` writes job files, ``vdbench`` parameter
files, ``check`` lets their own parsers read them.
"""

from iowatt.emerald.plan.load.fio import job_text, shares_of_streams
from iowatt.emerald.plan.load.vdbench import elapsed_s, run_name, stage_text
from iowatt.emerald.plan.load.workloads import (
    NOMINAL_IOPS,
    STREAM_BYTES,
    outstanding,
    overrides,
    profile_name,
    rate_of,
    span,
)

__all__ = [
    "NOMINAL_IOPS", "STREAM_BYTES", "elapsed_s", "job_text", "outstanding",
    "overrides", "profile_name", "rate_of", "run_name", "shares_of_streams", "span", "stage_text",
]  # fmt: skip
