"""What an uploaded file is."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from iowatt.base.results import Result, ResultDocument
from iowatt.trace.result import TraceInfo


class MeasuredOutput(Result):
    """A run in the output of a load generator."""

    name: str
    tool: str  #: fio, vdbench, iometer or specstorage.
    version: str  #: As the tool says it.
    duration_s: float
    requests: int  #: Completed.
    iops: float  #: Completed requests per second of ``duration_s``.
    errors: int  #: Requests that failed.
    warnings: list[str]


class UploadDescription(ResultDocument):
    """An uploaded file: a trace with its statistics, or the runs in the output of a load generator."""

    schema_id: Literal["iowatt.upload/1"] = Field(default="iowatt.upload/1", alias="schema")
    path: str  #: Relative to the workspace.
    bytes: int
    what: Literal["trace", "fio", "vdbench", "iometer", "specstorage"]
    trace: TraceInfo | None  #: Of a trace.
    #: Of a trace: the keys of `trace` of a workload that replays it, its path relative to the workspace.
    workload_trace: dict[str, Any] | None
    runs: list[MeasuredOutput]  #: Of the output of a load generator.
