"""Submissions as they are listed: what the registry knows of each, without its files."""

from __future__ import annotations

import json
import sqlite3
from typing import Any, Literal

from pydantic import Field

from iowatt.base.errors import InputError
from iowatt.base.results import Result, ResultDocument
from iowatt.registry.bundle import Basis
from iowatt.registry.reanalysis import FoundFigure
from iowatt.registry.store.registry import identifier
from iowatt.registry.store.states import State

AnalysisStatus = Literal["pending", "reproduced", "refused"]


class ReviewFinding(Result):
    """What somebody, or the registry itself, found against a submission."""

    number: int
    submission: str
    code: str
    severity: Literal["invalid", "non-compliant", "warning"]
    text: str
    by: str
    at: str
    status: Literal["open", "answered", "closed"]
    answer: str | None
    closing: str | None


class SubmissionRecord(Result):
    """A submission; times are UTC, ISO 8601."""

    id: str
    state: State
    kind: Literal["emerald", "run"]
    title: str
    vendor: str
    product: str
    family: str
    form: str | None
    protocol: str | None
    category: str | None
    profile: str | None  #: Rules.
    configuration: dict[str, Any]
    submitter: str
    public_key: str
    sha256: str  #: Of the bundle.
    bytes: int
    received: str
    analysis: AnalysisStatus
    basis: Basis | None
    metric_family: str | None
    standing: str | None  #: compliant, valid (but not compliant), invalid or unjudged.
    unverified_rules: int  #: Values of the rules that were used and that nobody verified.
    year: int | None
    published: str | None
    window_ends: str | None
    superseded_by: str | None
    open_findings: int
    figures: list[FoundFigure]


class RegistryEntry(ResultDocument):
    """A submission with the findings against it."""

    schema_id: Literal["iowatt.registry-entry/1"] = Field(default="iowatt.registry-entry/1", alias="schema")
    submission: SubmissionRecord
    findings: list[ReviewFinding]
    mail_waits: str | None = None  #: Why mail about a change has not left yet, where it could not.


_SELECT = """
SELECT s.*, a.name AS submitter,
  (SELECT count(*) FROM findings f WHERE f.submission = s.number AND f.status != 'closed') AS open_findings
FROM submissions s JOIN accounts a ON a.id = s.account
"""
_COLUMNS = tuple(
    name
    for name in SubmissionRecord.model_fields
    if name not in ("id", "superseded_by", "figures", "configuration")
)


def found(connection: sqlite3.Connection, where: str, values: tuple[Any, ...] = ()) -> list[SubmissionRecord]:
    """The submissions that a condition on ``s`` holds of, oldest first."""
    rows = connection.execute(f"{_SELECT} WHERE {where} ORDER BY s.number", values).fetchall()
    figures: dict[int, list[FoundFigure]] = {}
    numbers = f"SELECT s.number FROM submissions s WHERE {where}"
    for one in connection.execute(
        f"SELECT * FROM figures WHERE submission IN ({numbers}) ORDER BY submission, position", values
    ):
        figure = FoundFigure(metric=one["metric"], unit=one["unit"], value=one["value"], shown=one["shown"])
        figures.setdefault(one["submission"], []).append(figure)
    return [_record(row, figures.get(row["number"], [])) for row in rows]


def one(connection: sqlite3.Connection, number: int) -> SubmissionRecord:
    """The submission of a number. Raises ``InputError`` where there is none."""
    records = found(connection, "s.number = ?", (number,))
    if not records:
        raise InputError("not-found", identifier(number), "no such submission")
    return records[0]


def entry(connection: sqlite3.Connection, number: int) -> RegistryEntry:
    """A submission with its findings. Raises ``InputError`` where there is none."""
    return RegistryEntry(submission=one(connection, number), findings=findings(connection, number))


def findings(connection: sqlite3.Connection, number: int) -> list[ReviewFinding]:
    """The findings of a submission, oldest first."""
    rows = connection.execute("SELECT * FROM findings WHERE submission = ? ORDER BY number", (number,))
    return [ReviewFinding(**{**dict(row), "submission": identifier(number)}) for row in rows]


def _record(row: sqlite3.Row, figures: list[FoundFigure]) -> SubmissionRecord:
    successor = row["superseded_by"]
    return SubmissionRecord(
        id=identifier(row["number"]),
        superseded_by=None if successor is None else identifier(successor),
        configuration=json.loads(row["configuration"]),
        figures=figures,
        **{name: row[name] for name in _COLUMNS},
    )
