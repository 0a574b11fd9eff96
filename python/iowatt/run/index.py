"""The SQLite index of a workspace: one row per bundle, beside the bundles.

A convenience, rebuilt from the bundles at any time: it is written after the bundle is in place, and
where it cannot be written (locked, read-only, damaged) a warning says so and the run stands.
"""

from __future__ import annotations

import json
import logging
import os
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

FILE_NAME = "iowatt.sqlite"
LOCK_TIMEOUT_S = 30.0

#: Columns with the path of their value in run.json.
COLUMNS: dict[str, tuple[str, tuple[str, ...]]] = {
    "name": ("TEXT", ("name",)),
    "source": ("TEXT", ("source",)),
    "started_at": ("TEXT", ("provenance", "started_at")),
    "scenario_sha256": ("TEXT", ("provenance", "scenario_sha256")),
    "seed": ("INTEGER", ("provenance", "seed")),
    "duration_s": ("REAL", ("window", "duration_s")),
    "requests": ("INTEGER", ("requests", "count")),
    "iops": ("REAL", ("throughput", "iops")),
    "mib_per_s": ("REAL", ("throughput", "mib_per_s")),
    "response_mean_ms": ("REAL", ("response_time_ms", "all", "mean")),
    "response_p95_ms": ("REAL", ("response_time_ms", "all", "p95")),
    "response_p99_ms": ("REAL", ("response_time_ms", "all", "p99")),
    "energy_total_j": ("REAL", ("energy", "total_j")),
    "energy_per_request_j": ("REAL", ("energy", "per_request_j")),
    "energy_delay_js": ("REAL", ("energy", "energy_delay_js")),
    "power_mean_w": ("REAL", ("power_w", "mean")),
    "iops_per_w": ("REAL", ("efficiency", "iops_per_w")),
    "raw_gb_per_w": ("REAL", ("efficiency", "raw_gb_per_w")),
}

_CREATE = (
    "CREATE TABLE IF NOT EXISTS runs (path TEXT PRIMARY KEY, "
    + ", ".join(f"{name} {kind}" for name, (kind, _) in COLUMNS.items())
    + ", summary TEXT NOT NULL) STRICT"
)
_INSERT = (
    f"INSERT OR REPLACE INTO runs (path, {', '.join(COLUMNS)}, summary) "
    f"VALUES ({', '.join('?' * (len(COLUMNS) + 2))})"
)

_log = logging.getLogger(__name__)


class Index:
    """The runs of one directory, queryable by their key figures."""

    def __init__(self, directory: str | os.PathLike[str]) -> None:
        self.directory = Path(directory)
        self.file = self.directory / FILE_NAME

    def add(self, bundle: Path, summary: Mapping[str, Any]) -> None:
        """Add or replace the row of a bundle in this directory. Raises ``sqlite3.Error``."""
        path = os.path.relpath(bundle, self.directory)
        values = [_at(summary, keys) for _, keys in COLUMNS.values()]
        text = json.dumps(summary, ensure_ascii=False)
        with closing(sqlite3.connect(self.file, timeout=LOCK_TIMEOUT_S)) as connection, connection:
            # The write lock before anything is read: a writer that asks for it later, holding a read
            # lock, is refused at once instead of waiting its turn. No WAL, which network file systems
            # do not carry and whose switching on is refused while another connection is open.
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(_CREATE)
            connection.execute(_INSERT, [path, *values, text])

    def runs(self) -> list[dict[str, Any]]:
        """Rows of the bundles that still exist, oldest first; ``summary`` is the whole ``run.json``.

        An empty list where there is no index. Raises ``sqlite3.Error`` where it is damaged.
        """
        if not self.file.is_file():
            return []
        with closing(sqlite3.connect(self.file, timeout=LOCK_TIMEOUT_S)) as connection:
            connection.row_factory = sqlite3.Row
            rows = connection.execute("SELECT * FROM runs ORDER BY started_at, path").fetchall()
        return [
            {**dict(row), "summary": json.loads(row["summary"])}
            for row in rows
            if (self.directory / row["path"] / "run.json").is_file()
        ]


def register(bundle: Path, summary: Mapping[str, Any]) -> None:
    """Add a bundle to the index of its parent directory; a warning where that cannot be done."""
    index = Index(bundle.parent)
    try:
        index.add(bundle, summary)
    except sqlite3.Error as error:
        _log.warning("iowatt: the run is complete, but %s was not updated: %s", index.file, error)


def _at(summary: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    value: Any = summary
    for key in keys:
        value = value[key]
    return value
