"""What fio wrote, as Observations: JSON (normal or plus) and, beside it, the logs of its jobs."""

from __future__ import annotations

from iowatt.sources.fio.document import FioDocument, FioJob, refuse_other_formats
from iowatt.sources.fio.document import read as read_document
from iowatt.sources.fio.logs import read_replay_log
from iowatt.sources.fio.observe import read, read_groups

__all__ = [
    "FioDocument",
    "FioJob",
    "read",
    "read_document",
    "read_groups",
    "read_replay_log",
    "refuse_other_formats",
]
