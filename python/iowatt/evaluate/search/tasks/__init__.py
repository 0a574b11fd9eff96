"""Tasks that survive an interruption: run by threads or a cluster, their records kept in a folder.

Nothing here knows scenarios: a task is a function of a module and a plain value.

``executor`` is the contract of what runs tasks, and threads that keep it; ``evaluator`` runs jobs and keeps
their records; ``journal`` is the file of records that a resumed search reads, ``folder`` the directory around
it; ``files`` describes the files that a task reads.
"""

from __future__ import annotations

from iowatt.base.processors import cores
from iowatt.evaluate.search.tasks.evaluator import Evaluator, Job, SearchProgress, recorded
from iowatt.evaluate.search.tasks.executor import Executor, Report, Threads
from iowatt.evaluate.search.tasks.files import InputFile, described_files, verify_files
from iowatt.evaluate.search.tasks.folder import (
    SWEEP,
    FolderKind,
    SearchFolder,
    count_records,
    is_search,
    refuse_target,
)
from iowatt.evaluate.search.tasks.journal import SearchJournal, error_at_point, error_text

__all__ = [
    "SWEEP",
    "Evaluator",
    "Executor",
    "FolderKind",
    "InputFile",
    "Job",
    "Report",
    "SearchFolder",
    "SearchJournal",
    "SearchProgress",
    "Threads",
    "cores",
    "count_records",
    "described_files",
    "error_at_point",
    "error_text",
    "is_search",
    "recorded",
    "refuse_target",
    "verify_files",
]  # fmt: skip
