"""Mixes of operations on files: the library's, and those of a file."""

from iowatt.model.library.files.workload import (
    NOT_SPEC,
    FileSize,
    FileWorkload,
    OpClass,
    file_workload_names,
    find_file_workload,
    operations,
)

__all__ = [
    "NOT_SPEC", "FileSize", "FileWorkload", "OpClass", "file_workload_names", "find_file_workload",
    "operations",
]  # fmt: skip
