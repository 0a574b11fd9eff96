"""A job as it is kept and shown, and what may be asked for."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import Field, StringConstraints

from iowatt.base.results import Result
from iowatt.web.errors import ErrorDetail

JobKind = Literal["run", "choose", "describe", "import"]
JobState = Literal["queued", "running", "done", "failed", "cancelled"]

SHORT: Final[tuple[JobKind, ...]] = ("run", "describe", "import")
"""Kinds that take seconds: they go before the others."""
LONG: Final[tuple[JobKind, ...]] = ("choose",)
"""Kinds that take minutes."""
#: Greatest number of a change: what SQLite holds.
MOST_CHANGES: Final = 2**63 - 1

_PLAIN: Final = r"^[^\x00-\x1f\x7f]*$"
JobId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")]
_Title = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=_PLAIN)]
_Key = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=_PLAIN)]
_Folder = Annotated[str, StringConstraints(max_length=1024, pattern=_PLAIN)]
_File = Annotated[str, StringConstraints(min_length=1, max_length=1024, pattern=_PLAIN)]
_Word = Annotated[str, StringConstraints(max_length=400, pattern=_PLAIN)]
_Document = Annotated[str, StringConstraints(min_length=1, max_length=1_000_000)]
_Changes = Annotated[list[Annotated[str, StringConstraints(max_length=4096)]], Field(max_length=500)]


class JobStatus(Result):
    """A job without its request. ``change`` is the number of its last change, greater than of any before."""

    id: str  #: 16 hexadecimal digits.
    kind: JobKind
    title: str
    state: JobState
    created: str  #: ISO 8601, UTC.
    started: str | None  #: When a worker took it last.
    finished: str | None
    fraction: float | None  #: Done, from 0 to 1, where it is known.
    text: str  #: What it is doing.
    result: str | None  #: Path relative to the workspace.
    error: ErrorDetail | None
    change: int


class JobRecord(JobStatus):
    """A job with its request."""

    request: dict[str, Any]

    def status(self) -> JobStatus:
        """The same without the request."""
        return JobStatus(**{name: getattr(self, name) for name in JobStatus.model_fields})


class RunRequest(Result):
    """A scenario to be simulated."""

    scenario: _Document  #: TOML.
    #: Folder that its paths are relative to: in the workspace, or `example:` for the shipped examples.
    base: _Folder = ""
    set: _Changes = Field(default_factory=list)  #: Overrides, PATH=VALUE.
    #: Name of the Run in place of the scenario's.
    name: Annotated[str, StringConstraints(min_length=1, max_length=64)] | None = None


class QuestionRequest(Result):
    """A question of `iowatt choose`."""

    question: _Document  #: TOML.
    base: _Folder = ""  #: As of a scenario.
    set: _Changes = Field(default_factory=list)  #: Overrides, PATH=VALUE.


class FileRequest(Result):
    """A file of the workspace to be imported."""

    path: _File  #: Relative to the workspace.


class ReadingKeys(Result):
    """How a trace is read where it does not say so itself: keys of `trace` of a scenario, by their names."""

    format: _Word | None = None
    columns: Annotated[dict[_Word, _Word | int], Field(max_length=20)] | None = None
    time_unit: _Word | None = None
    sector_size: _Word | int | None = None
    event: _Word | None = None
    pattern: Annotated[str, StringConstraints(max_length=4096)] | None = None
    rate_iops: float | None = None
    device: _Word | None = None

    def keys(self) -> dict[str, Any]:
        """Those that are given."""
        return {name: value for name, value in self.as_dict().items() if value is not None}


class DescriptionRequest(FileRequest):
    """A file of the workspace to be described."""

    trace: ReadingKeys | None = None  #: Given, the file is taken for a trace.


class _Submitted(Result):
    title: _Title
    #: Submissions of the same request with the same key are one job, unless it failed or was cancelled.
    key: _Key | None = None


class SubmittedRun(_Submitted):
    """A scenario to simulate: a Run bundle at `what-if/ID`."""

    kind: Literal["run"]
    request: RunRequest


class SubmittedQuestion(_Submitted):
    """A question to answer: a folder `answers/ID`."""

    kind: Literal["choose"]
    request: QuestionRequest


class SubmittedDescription(_Submitted):
    """An uploaded file to describe."""

    kind: Literal["describe"]
    request: DescriptionRequest


class SubmittedImport(_Submitted):
    """A result of a load generator to make a Run of: `imported/ID`."""

    kind: Literal["import"]
    request: FileRequest


Submission = Annotated[
    SubmittedRun | SubmittedQuestion | SubmittedDescription | SubmittedImport, Field(discriminator="kind")
]
