"""Results of file operations: ``iowatt.files/1``, and the list of workloads ``iowatt.file-workloads/1``."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from iowatt.base.results import Note, Result, ResultDocument
from iowatt.model.library.files import file_workload_names, find_file_workload
from iowatt.sources.lateness import Lateness


class FilesDocument(ResultDocument):
    """What a run of file operations gave."""

    schema_id: Literal["iowatt.files/1"] = Field(default="iowatt.files/1", alias="schema")
    #: The Run bundle.
    run: str
    workload: str
    #: Operations per second: asked for, and completed.
    asked_ops: float
    achieved_ops: float
    operations: int
    errors: int
    #: How long after its intended time a thread began with each operation; response times include it.
    lateness: Lateness
    notes: list[Note]
    #: ``run.json`` of the measured Run.
    summary: dict[str, Any]


class FileWorkloadEntry(Result):
    """A workload of the library."""

    name: str
    title: str
    #: The licensed workload that it resembles and is not.
    in_the_manner_of: str | None
    #: Percent by operation.
    operations: dict[str, float]
    mean_file_bytes: float
    transfer_bytes: int
    durable: bool
    #: Keys whose figures nobody read in a publication.
    unverified: list[str]


class FileWorkloadList(ResultDocument):
    """The library's workloads of file operations."""

    schema_id: Literal["iowatt.file-workloads/1"] = Field(default="iowatt.file-workloads/1", alias="schema")
    workloads: list[FileWorkloadEntry]


def list_file_workloads() -> FileWorkloadList:
    """The library's workloads."""
    return FileWorkloadList(
        workloads=[
            FileWorkloadEntry(
                name=one.name,
                title=one.title,
                in_the_manner_of=one.in_the_manner_of,
                operations=dict(one.operations),
                mean_file_bytes=one.mean_bytes,
                transfer_bytes=one.transfer,
                durable=one.durable,
                unverified=one.unverified,
            )
            for one in map(find_file_workload, file_workload_names())
        ]
    )
