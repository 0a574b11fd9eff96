"""Operations on files at their intended times, as measured Runs.

In the manner of SPECstorage's mixes; not SPECstorage, and results are not comparable. ``fileset`` makes the
files, ``timetable`` says which operation is due when, ``observe`` makes an Observation of the stamps,
``conduct`` a Run.
"""

from iowatt.sources.files.conduct import refuse_full, run_files
from iowatt.sources.files.fileset import FILE_SET, SetRequest, file_set
from iowatt.sources.files.observe import MadeOperations, observed, read_operations, save_operations
from iowatt.sources.files.request import FilesRequest
from iowatt.sources.files.timetable import Timetable, draw_timetable

__all__ = [
    "FILE_SET", "FilesRequest", "MadeOperations", "SetRequest", "Timetable", "draw_timetable", "file_set",
    "observed", "read_operations", "refuse_full", "run_files", "save_operations",
]  # fmt: skip
