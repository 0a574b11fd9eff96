"""Databases with a table of rows, to be killed: SQLite as a file, PostgreSQL as a server of its own.

One row is one commit. A client writes down which were acknowledged, in a file that outlives the database.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path
from typing import Protocol

import needs
from kernel_disk import PATIENCE_S, KernelDisk, ran, until

USER = "nobody"  # PostgreSQL does not run as root
POSTGRES = "/usr/lib/postgresql/15/bin"
MOST = 20_000  # rows that PostgreSQL's client has for one go

# Arguments: database, file of what was acknowledged, first number.
SQLITE_CLIENT = """
import hashlib, os, sqlite3, sys
database, number = sys.argv[1], int(sys.argv[3])
acknowledged = os.open(sys.argv[2], os.O_WRONLY | os.O_APPEND)
connection = sqlite3.connect(database, isolation_level=None)
# Without a log a commit is the removal of a file: only "extra" makes the folder durable with it.
connection.execute("pragma journal_mode = " + ("wal" if number % 2 else "delete"))
connection.execute("pragma synchronous = extra")
while True:
    key = hashlib.md5(str(number).encode()).hexdigest()
    connection.execute("insert into rows values (?, ?, ?)", (number, key, key * (1 + number % 50)))
    os.write(acknowledged, b"%d\\n" % number)
    number += 1
"""


class Database(Protocol):
    """A database with the table ``rows``: number, its MD5 sum, that so many times over."""

    def __init__(self, disk: KernelDisk) -> None:
        """It is to lie on this disk."""

    def create(self) -> None:
        """Make it, on a file system that is empty."""

    def insert(self, first: int, acknowledged: Path) -> subprocess.Popen[bytes]:
        """Insert rows from ``first`` on without end, and write down each number when it is acknowledged."""

    def kill(self) -> None:
        """Kill what has files of it open, and the client."""

    def recover(self) -> tuple[int, int]:
        """Open it again and check it: its rows, and how many of them are wrong."""

    def stop(self) -> None:
        """Close it."""


class Sqlite:
    """A file."""

    def __init__(self, disk: KernelDisk) -> None:
        self._file = disk.mount / "rows.db"
        self._client: subprocess.Popen[bytes] | None = None

    def create(self) -> None:
        with closing(sqlite3.connect(self._file)) as connection:
            connection.execute("create table rows (number integer primary key, key text, content text)")
            connection.execute("create index keys on rows (key)")

    def insert(self, first: int, acknowledged: Path) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", SQLITE_CLIENT, str(self._file), str(acknowledged), str(first)]
        self._client = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return self._client

    def kill(self) -> None:
        _kill(self._client)

    def recover(self) -> tuple[int, int]:
        with closing(sqlite3.connect(self._file)) as connection:
            assert connection.execute("pragma integrity_check").fetchone() == ("ok",)
            rows = connection.execute("select number, key, content from rows order by number").fetchall()
        wrong = sum(row != _row(number) for number, row in enumerate(rows, 1))
        return len(rows), wrong

    def stop(self) -> None:
        pass


class Postgres:
    """A server of its own, on a socket in the disk's folder."""

    def __init__(self, disk: KernelDisk) -> None:
        self._data, self._sockets = disk.mount / "data", disk.folder
        self._log = disk.folder / "postgres.log"
        self._server: subprocess.Popen[bytes] | None = None
        self._client: subprocess.Popen[bytes] | None = None

    def create(self) -> None:
        needs.program("psql", "postgresql-client")
        self._data.mkdir()
        shutil.chown(self._data, USER)
        initdb = needs.program("initdb", "postgresql", POSTGRES)
        options = ["-A", "trust", "-U", USER, "--wal-segsize=1"]
        ran(initdb, "-D", str(self._data), *options, user=USER, cwd="/")
        shutil.chown(self._sockets, USER)
        self._start()
        self._asked("create table rows (number int primary key, key text, content text)")
        self._asked("create index keys on rows (key)")
        self._asked(
            "create function add(n int) returns int language sql as "
            "$$insert into rows values (n, md5(n::text), repeat(md5(n::text), 1 + n % 50)) returning number$$"
        )

    def insert(self, first: int, acknowledged: Path) -> subprocess.Popen[bytes]:
        rows = self._sockets / "rows.sql"
        rows.write_text("".join(f"select add({number});\n" for number in range(first, first + MOST)))
        with rows.open("rb") as statements, acknowledged.open("ab") as answers:
            self._client = subprocess.Popen(
                self._psql(), stdin=statements, stdout=answers, stderr=subprocess.DEVNULL
            )
        return self._client

    def kill(self) -> None:
        _kill(self._server)
        until(self._nobody)
        if self._server is not None:
            _remove_memory(self._server.pid)
        _kill(self._client)

    def _nobody(self) -> bool:
        """Whether none of the server's processes is left, all of which work in the folder of its data."""
        left = [
            int(process.name) for process in Path("/proc").glob("[0-9]*") if _works_in(process, self._data)
        ]
        for process in left:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        return not left

    def recover(self) -> tuple[int, int]:
        self._start()
        rows = int(self._asked("select count(*) from rows"))
        self._asked("create extension if not exists amcheck")
        self._asked("select bt_index_check(indexrelid, true) from pg_index where indrelid = 'rows'::regclass")
        wrong = self._asked(
            f"select count(*) from generate_series(1, {rows}) n left join rows on number = n "
            "where number is null or key <> md5(n::text) or content <> repeat(md5(n::text), 1 + n % 50)"
        )
        return rows, int(wrong)

    def stop(self) -> None:
        assert self._server is not None
        self._server.send_signal(signal.SIGINT)
        assert self._server.wait(PATIENCE_S) == 0

    def _start(self) -> None:
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": str(self._sockets),
            "dynamic_shared_memory_type": "mmap",  # files of its folder: a kill leaves nothing behind
            "shared_buffers": "16MB",
            "min_wal_size": "2MB",
            "max_wal_size": "4MB",  # checkpoints all the time
        }
        postgres = needs.program("postgres", "postgresql", POSTGRES)
        chosen = [text for name, value in settings.items() for text in ("-c", f"{name}={value}")]
        with self._log.open("ab") as log:
            self._server = subprocess.Popen(
                [postgres, "-D", str(self._data), *chosen], user=USER, cwd="/", stdout=log, stderr=log
            )
        until(self._answers)

    def _psql(self) -> list[str]:
        return [
            "psql",
            "-X",
            "-q",
            "-A",
            "-t",
            "-v",
            "ON_ERROR_STOP=1",
            "-h",
            str(self._sockets),
            "-U",
            USER,
            "postgres",
        ]

    def _answers(self) -> bool:
        assert self._server is not None
        assert self._server.poll() is None, self._log.read_text()
        asked = subprocess.run([*self._psql(), "-c", "select 1"], check=False, capture_output=True)
        return asked.returncode == 0

    def _asked(self, question: str) -> str:
        return ran(*self._psql(), "-c", question).strip()


def _row(number: int) -> tuple[int, str, str]:
    key = hashlib.md5(str(number).encode()).hexdigest()
    return number, key, key * (1 + number % 50)


def _kill(process: subprocess.Popen[bytes] | None) -> None:
    if process is not None:
        process.kill()
        process.wait()


def _remove_memory(creator: int) -> None:
    """Remove the shared memory that a process made by which PostgreSQL knows its like; a kill leaves it."""
    names, *segments = (line.split() for line in Path("/proc/sysvipc/shm").read_text().splitlines())
    for segment in (dict(zip(names, values, strict=True)) for values in segments):
        if int(segment["cpid"]) == creator:
            ran("ipcrm", "-m", segment["shmid"])


def _works_in(process: Path, folder: Path) -> bool:
    try:
        return (process / "cwd").readlink() == folder
    except OSError:  # it has ended
        return False
