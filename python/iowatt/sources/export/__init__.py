"""Profiles as job files of fio and parameter files of vdbench, with a list of what these cannot express.

``prepare`` reads and checks a profile and cuts it into sections of constant rates; ``export_fio`` and
``export_vdbench`` write it; ``job_file`` writes any job file. ``check`` lets fio run a file and compares the
result with the profile.
"""

from iowatt.sources.export.fio import escaped_path, fio_time, job_file, poisson_rate
from iowatt.sources.export.fio import export as export_fio
from iowatt.sources.export.loads import (
    JobSection,
    PreparedProfile,
    apportion,
    describe_omissions,
    outstanding_needed,
)
from iowatt.sources.export.prepare import prepare
from iowatt.sources.export.vdbench import export as export_vdbench

__all__ = [
    "JobSection", "PreparedProfile", "apportion", "describe_omissions", "escaped_path", "export_fio",
    "export_vdbench", "fio_time", "job_file", "outstanding_needed", "poisson_rate", "prepare",
]  # fmt: skip
