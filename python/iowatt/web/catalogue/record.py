"""A row of the catalogue, and the table that holds it."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final

from iowatt.base.results import Result

STATE_FILE: Final = ".iowatt/serve.sqlite"
"""The server's own state, in the workspace."""
LOCK_S: Final = 30.0

_COLUMNS: Final = {
    "path": "TEXT PRIMARY KEY", "kind": "TEXT NOT NULL", "name": "TEXT NOT NULL", "source": "TEXT",
    "measured": "INTEGER NOT NULL", "system": "TEXT", "iops": "REAL", "mean_ms": "REAL", "p95_ms": "REAL",
    "p99_ms": "REAL", "watts": "REAL", "watts_of": "TEXT", "usable_tb": "REAL", "usd": "REAL",
    "usd_per_tb": "REAL", "late": "INTEGER", "note": "TEXT", "at": "TEXT NOT NULL",
}  # fmt: skip
CREATE: Final = (
    "CREATE TABLE IF NOT EXISTS results ("
    + ", ".join(f"{name} {kind}" for name, kind in _COLUMNS.items())
    # What the head was when it was read, and the form of these rows.
    + ", modified_ns INTEGER NOT NULL, size INTEGER NOT NULL, priced INTEGER NOT NULL, form INTEGER NOT NULL)"
    " STRICT"
)
FORM: Final = 2
"""Rises when rows hold something new: older ones are read again."""
NAMES: Final = tuple(_COLUMNS)


class CatalogueRow(Result):
    """One result. Figures are those of a Run, None where it lacks them or another kind has none."""

    path: str  #: Of the folder, relative to the workspace.
    kind: str
    name: str
    source: str | None
    measured: bool
    system: str | None
    iops: float | None
    mean_ms: float | None
    p95_ms: float | None
    p99_ms: float | None
    watts: float | None
    watts_of: str | None  #: wall or drives
    usable_tb: float | None
    usd: float | None  #: Over the default cost book's horizon, 5 years.
    usd_per_tb: float | None
    late: bool | None  #: The system did not keep up with its load; None while it is not priced.
    note: str | None  #: Why there is no price.
    at: str


class CataloguePoints(Result):
    """The Runs as columns, for a chart: row by row, newest first."""

    path: list[str]
    name: list[str]
    system: list[str | None]
    measured: list[bool]
    late: list[bool | None]
    mean_ms: list[float | None]
    p95_ms: list[float | None]
    p99_ms: list[float | None]
    watts: list[float | None]
    watts_of: list[str | None]
    usd_per_tb: list[float | None]


class CatalogueState(Result):
    """How far the index is."""

    results: int
    runs: int
    unpriced: int  #: Runs that have no price yet, but will be looked at.
    indexing: bool
    version: int  #: Changes with every change of the catalogue.


class ResultsPage(Result):
    """A part of the table."""

    total: int
    results: list[CatalogueRow]


def opened(root: Path) -> sqlite3.Connection:
    """A connection to the state of a workspace, its tables made."""
    file = root / STATE_FILE
    file.parent.mkdir(mode=0o700, exist_ok=True)
    connection = sqlite3.connect(file, timeout=LOCK_S, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute(CREATE)
    connection.execute("CREATE TABLE IF NOT EXISTS catalogue_version (number INTEGER NOT NULL) STRICT")
    connection.execute(
        "INSERT INTO catalogue_version SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM catalogue_version)"
    )
    connection.execute("CREATE INDEX IF NOT EXISTS results_at ON results (at DESC, path)")
    return connection
