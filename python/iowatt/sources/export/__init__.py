"""Profiles as job files of fio and parameter files of vdbench, with a list of what these cannot express.

``sections`` reads and checks a profile and cuts it into sections of constant rates; ``fio`` and ``vdbench``
write it, address laws as ``zones``; ``check`` lets fio run a file and compares the result with the profile.
"""

from iowatt.sources.export.check import export_profile
from iowatt.sources.export.fio import escaped_path, fio_time, job_file, poisson_rate
from iowatt.sources.export.fio import export as export_fio
from iowatt.sources.export.loads import (
    LEAST_OUTSTANDING,
    MOST_OUTSTANDING,
    JobSection,
    PreparedProfile,
    apportion,
    describe_omissions,
    outstanding_needed,
)
from iowatt.sources.export.sections import prepare
from iowatt.sources.export.vdbench import export as export_vdbench
from iowatt.sources.export.zones import hot_band_curve

__all__ = [
    "LEAST_OUTSTANDING", "MOST_OUTSTANDING", "JobSection", "PreparedProfile", "apportion",
    "describe_omissions", "escaped_path", "export_fio", "export_profile", "export_vdbench", "fio_time",
    "hot_band_curve", "job_file", "outstanding_needed", "poisson_rate", "prepare",
]  # fmt: skip
