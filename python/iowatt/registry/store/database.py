"""The registry's database: one file of SQLite, one transaction a change, on the disk when it returns."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from iowatt.base.errors import InputError

DATABASE: Final = "registry.sqlite"
_VERSION: Final = 1
_WAIT_S: Final = 30.0
_SCHEMA: Final = Path(__file__).with_name("schema.sql")


def create(file: Path) -> None:
    """Make an empty database. Raises ``InputError`` where it cannot be written."""
    try:
        with contextlib.closing(_connected(file)) as connection:
            connection.executescript(f"BEGIN;\n{_SCHEMA.read_text('utf-8')}\nCOMMIT;")
    except sqlite3.Error as error:
        raise InputError("unwritable", str(file), f"cannot be written: {error}") from None


def is_registry(folder: Path) -> bool:
    """Whether a folder holds a registry of any version."""
    return (folder / DATABASE).is_file()


def check(file: Path) -> None:
    """Raise ``InputError`` where there is no database of this version."""
    if not file.is_file():
        hint = f"create one with `iowatt registry init {file.parent}`"
        raise InputError("not-found", str(file.parent), "there is no registry", hint=hint)
    with _reading(file) as connection:
        found = connection.execute("PRAGMA user_version").fetchone()[0]
    if found != _VERSION:
        text = f"the registry is of version {found}; this iowatt has {_VERSION}"
        raise InputError("unsupported", str(file), text)


def integrity(file: Path) -> list[str]:
    """What SQLite's own check finds wrong, references between tables included."""
    with _reading(file) as connection:
        found = [str(row[0]) for row in connection.execute("PRAGMA integrity_check")]
        found += [
            f"{row[0]}: a row refers to none in {row[2]}"
            for row in connection.execute("PRAGMA foreign_key_check")
        ]
    return [one for one in found if one != "ok"]


@contextlib.contextmanager
def reading(file: Path) -> Iterator[sqlite3.Connection]:
    """A connection that sees one state of the database throughout."""
    with _reading(file) as connection:
        connection.execute("BEGIN")
        yield connection


@contextlib.contextmanager
def writing(file: Path) -> Iterator[sqlite3.Connection]:
    """A transaction: all of the block is done, and on the disk, or none of it."""
    with contextlib.closing(_connected(file)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield connection
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")


@contextlib.contextmanager
def _reading(file: Path) -> Iterator[sqlite3.Connection]:
    try:
        with contextlib.closing(_connected(file)) as connection:
            yield connection
    except sqlite3.DatabaseError as error:
        raise InputError("damaged", str(file), f"the database cannot be read: {error}") from None


def _connected(file: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(file, timeout=_WAIT_S, isolation_level=None)
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    return connection
