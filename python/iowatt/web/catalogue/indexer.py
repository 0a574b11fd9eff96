"""Keeps the catalogue of a workspace true, in a process of its own.

``python -m iowatt.web.catalogue.indexer DIR``: a line on standard input asks for a look at the folders; its
end ends the process. Lines on standard output say ``busy`` and ``idle``. Heads of folders are read where they
changed; Runs are priced afterwards, newest first, because a price takes a hundred times as long.
"""

from __future__ import annotations

import os
import sqlite3
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from iowatt.base import input_file
from iowatt.base.errors import InputError
from iowatt.run.record import observed_how
from iowatt.run.workspace import HEADS, entry_of, result_folders
from iowatt.web.catalogue.record import FORM, NAMES, opened
from iowatt.web.dollars import dollars_of

BATCH: Final = 200
"""Rows written at once."""
_GB_PER_TB: Final = 1000.0

_INSERT: Final = (
    f"INSERT OR REPLACE INTO results ({', '.join(NAMES)}, modified_ns, size, priced, form) "
    f"VALUES ({', '.join('?' * (len(NAMES) + 4))})"
)


def scan(connection: sqlite3.Connection, root: Path) -> None:
    """Read heads that are new or changed, and forget those that are gone."""
    query = "SELECT path, modified_ns, size FROM results WHERE form = ?"
    known = {path: (modified, size) for path, modified, size in connection.execute(query, (FORM,))}
    found: set[str] = set()
    rows: list[tuple[Any, ...]] = []
    for folder, heads in result_folders(root):
        for name in heads:
            path = os.path.relpath(folder, root)
            try:
                stat = (folder / name).stat()
            except OSError:
                continue  # gone meanwhile
            found.add(path)
            if known.get(path) == (stat.st_mtime_ns, stat.st_size):
                continue
            row = _row(root, folder, name)
            if row is not None:
                priced = 0 if row["kind"] == "run" else 1
                values = [row.get(one) for one in NAMES]
                rows.append((*values, stat.st_mtime_ns, stat.st_size, priced, FORM))
        if len(rows) >= BATCH:
            _write(connection, rows)
    _write(connection, rows)
    gone = [(path,) for (path,) in connection.execute("SELECT path FROM results") if path not in found]
    if gone:
        with _transaction(connection):
            connection.executemany("DELETE FROM results WHERE path = ?", gone)


def price_next(connection: sqlite3.Connection, root: Path) -> bool:
    """Price the newest Run that has no price; whether there was one."""
    query = "SELECT path, modified_ns FROM results WHERE priced = 0 ORDER BY at DESC, path LIMIT 1"
    row = connection.execute(query).fetchone()
    if row is None:
        return False
    path, modified = row
    found = dollars_of(root / path)
    with _transaction(connection):
        connection.execute(
            "UPDATE results SET usd = ?, usd_per_tb = ?, late = ?, note = ?, priced = 1 "
            "WHERE path = ? AND modified_ns = ?",
            (found.usd, found.usd_per_tb, found.late, found.unpriced, path, modified),
        )
    return True


def _row(root: Path, folder: Path, name: str) -> dict[str, Any] | None:
    try:
        head = input_file.json_object(folder / name)
        entry = entry_of(root, folder, name, head)
    except InputError as error:
        kind = HEADS[name][1]
        path = os.path.relpath(folder, root)
        return {
            "path": path,
            "kind": kind,
            "name": folder.name,
            "measured": 0,
            "note": error.message,
            "at": "",
        }
    if entry is None:
        return None
    row: dict[str, Any] = {
        "path": entry.path, "kind": entry.kind, "name": entry.name, "source": entry.source, "at": entry.at,
        "system": entry.system, "iops": entry.iops, "p95_ms": entry.response_p95_ms,
        "watts": entry.power_mean_w, "measured": int(entry.kind == "measurement"),
    }  # fmt: skip
    if entry.kind == "run":
        times = _table(head, "response_time_ms", "all")
        usable = _table(head, "capacity_gb").get("usable")
        row |= {
            "measured": int(observed_how(entry.source or "") == "measured"),
            "mean_ms": times.get("mean"),
            "p99_ms": times.get("p99"),
            "watts_of": "drives" if _table(head, "power_w").get("wall_mean") is None else "wall",
            "usable_tb": None if usable is None else usable / _GB_PER_TB,
        }
    return row


def _table(head: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
    value: Any = head
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def _write(connection: sqlite3.Connection, rows: list[tuple[Any, ...]]) -> None:
    if rows:
        with _transaction(connection):
            connection.executemany(_INSERT, rows)
        rows.clear()


def _transaction(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Begin a transaction that asks for the write lock at once; the connection ends it as a context."""
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("UPDATE catalogue_version SET number = number + 1")
    return connection


def main(root: Path) -> None:
    """Look when asked, price what is new, until standard input ends."""
    asked = threading.Event()

    def listen() -> None:
        for _ in sys.stdin:
            asked.set()
        os._exit(0)

    threading.Thread(target=listen, daemon=True).start()
    os.nice(10)
    connection = opened(root)
    while True:
        asked.wait()
        print("busy", flush=True)  # noqa: T201 - the protocol
        while True:
            if asked.is_set():
                asked.clear()
                scan(connection, root)
            if not price_next(connection, root) and not asked.is_set():
                break
        print("idle", flush=True)  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]))
