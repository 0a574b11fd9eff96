"""What the server reads of the catalogue, and the indexer that it keeps running."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from iowatt.base.errors import InputError
from iowatt.web.catalogue.record import (
    NAMES,
    CataloguePoints,
    CatalogueRow,
    CatalogueState,
    ResultsPage,
    opened,
)
from iowatt.web.jobs import RUNS

SORTS: Final = ("at", "name", "kind", "source", "iops", "mean_ms", "p95_ms", "p99_ms", "watts", "usable_tb",
                "usd", "usd_per_tb")  # fmt: skip
"""Columns that the table can be sorted by."""
LOOK_S: Final = 5.0
"""Seconds between two looks at the folders that pages ask for."""
_WHAT_IF: Final = f"{RUNS}/"
_POINTS: Final = tuple(CataloguePoints.model_fields)


class ResultsCatalogue:
    """The results of a workspace. Methods may be called from any thread."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._local = threading.local()
        self._indexer: subprocess.Popen[str] | None = None
        self._lock = threading.Lock()
        self._busy = False
        self._looked = 0.0
        self._points: tuple[int, CataloguePoints] | None = None
        opened(root).close()

    def start(self) -> None:
        """Start the indexer and have it look at the folders."""
        command = [sys.executable, "-m", "iowatt.web.catalogue.indexer", str(self._root)]
        self._indexer = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        threading.Thread(target=self._follow, args=(self._indexer,), daemon=True).start()
        self.look(now=True)

    def stop(self) -> None:
        """End the indexer."""
        indexer, self._indexer = self._indexer, None
        if indexer is not None:
            indexer.terminate()
            indexer.wait()

    def look(self, *, now: bool = False) -> None:
        """Have the folders looked at: at once, or where that is some seconds ago."""
        with self._lock:
            if self._indexer is None or (not now and time.monotonic() - self._looked < LOOK_S):
                return
            self._looked = time.monotonic()
            assert self._indexer.stdin is not None
            try:
                self._indexer.stdin.write("look\n")
                self._busy = True
            except OSError:
                self._indexer = None

    def _follow(self, indexer: subprocess.Popen[str]) -> None:
        assert indexer.stdout is not None
        for line in indexer.stdout:
            self._busy = line.strip() == "busy"
        self._busy = False

    def state(self) -> CatalogueState:
        """How many results there are, and whether more are coming."""
        with self._read() as connection:
            query = (
                "SELECT count(*), coalesce(sum(kind = 'run'), 0), coalesce(sum(priced = 0), 0) FROM results"
            )
            results, runs, unpriced = connection.execute(query).fetchone()
            version = self._version(connection)
        return CatalogueState(
            results=results, runs=runs, unpriced=unpriced, indexing=self._busy, version=version
        )

    def points(self) -> CataloguePoints:
        """The Runs for the chart. The same object until the catalogue changes."""
        with self._read() as connection:
            version = self._version(connection)
            kept = self._points
            if kept is not None and kept[0] == version:
                return kept[1]
            query = f"SELECT {', '.join(_POINTS)} FROM results WHERE kind = 'run' ORDER BY at DESC, path"
            rows = connection.execute(query).fetchall()
        columns: dict[str, Any] = dict(zip(_POINTS, map(list, zip(*rows, strict=True)), strict=False))
        for name in ("measured", "late"):
            columns[name] = [None if one is None else bool(one) for one in columns.get(name, [])]
        found = CataloguePoints.model_construct(**{name: columns.get(name, []) for name in _POINTS})
        self._points = (version, found)
        return found

    def page(
        self, *, text: str = "", kind: str = "", sort: str = "at", descending: bool = True, offset: int = 0,
        limit: int = 50, what_if: bool = True, keep: Sequence[str] = (),
    ) -> ResultsPage:  # fmt: skip
        """A part of the table: rows whose name, path or system has ``text``.

        Without ``what_if`` only those of the folder what-if are there that ``keep`` names. Raises
        ``InputError`` for a column that it cannot be sorted by.
        """
        if sort not in SORTS:
            raise InputError("not-accepted", "sort", f"{sort!r} is not one of {', '.join(SORTS)}")
        conditions: list[str] = ["1"]
        values: list[str] = []
        if not what_if:
            marks = ", ".join("?" * len(keep))
            conditions.append(f"(substr(path, 1, {len(_WHAT_IF)}) <> ? OR path IN ({marks}))")
            values += [_WHAT_IF, *keep]
        for word in text.replace("\0", "").split()[:8]:
            conditions.append("instr(lower(name || ' ' || path || ' ' || coalesce(system, '') || ' ' || "
                              "coalesce(source, '')), lower(?)) > 0")  # fmt: skip
            values.append(word)
        if kind:
            conditions.append("kind = ?")
            values.append(kind.replace("\0", ""))
        where = " AND ".join(conditions)
        order = f"{sort} IS NULL, {sort} {'DESC' if descending else 'ASC'}, path"
        with self._read() as connection:
            (total,) = connection.execute(f"SELECT count(*) FROM results WHERE {where}", values).fetchone()
            rows = connection.execute(
                f"SELECT {', '.join(NAMES)} FROM results WHERE {where} ORDER BY {order} LIMIT ? OFFSET ?",
                (*values, limit, offset),
            ).fetchall()
        return ResultsPage(total=total, results=[_row(one) for one in rows])

    def row(self, path: str) -> CatalogueRow | None:
        """The row of a folder."""
        with self._read() as connection:
            query = f"SELECT {', '.join(NAMES)} FROM results WHERE path = ?"
            found = connection.execute(query, (path,)).fetchone()
        return None if found is None else _row(found)

    @contextmanager
    def _read(self) -> Iterator[sqlite3.Connection]:
        """A connection of this thread, and one view of the data while it is used."""
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = opened(self._root)
        connection.execute("BEGIN")
        try:
            yield connection
        finally:
            connection.execute("ROLLBACK")

    def _version(self, connection: sqlite3.Connection) -> int:
        (number,) = connection.execute("SELECT number FROM catalogue_version").fetchone()
        return int(number)


def _row(values: tuple[Any, ...]) -> CatalogueRow:
    return CatalogueRow.model_validate(dict(zip(NAMES, values, strict=True)))
