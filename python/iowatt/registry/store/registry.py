"""The folder of a registry.

registry.toml       settings of the operator
registry.sqlite     accounts, submissions, states, findings, log, outbox
registry.key        private key that signs the log; only its owner may read it
registry.key.pub    its public key
bundles/            SHA256.zip, read-only, never changed
incoming/           uploads that are not accepted yet, and scratch of analyses
"""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from iowatt.base.errors import InputError
from iowatt.registry.bundle import SigningKey
from iowatt.registry.store import database, log, settings

KEY: Final = "registry.key"
BUNDLES: Final = "bundles"
INCOMING: Final = "incoming"
_OLD_S: Final = 86_400
_TIME: Final = "%Y-%m-%dT%H:%M:%SZ"


class RegistryStore:
    """A registry that exists.

    Raises ``InputError``: there is none in ``folder``, or its settings or its key are wrong.
    """

    def __init__(self, folder: Path, *, clock: Callable[[], datetime] | None = None) -> None:
        self.folder = folder
        self.file = folder / database.DATABASE
        database.check(self.file)
        self.settings = settings.read(folder)
        self.key = SigningKey(folder / KEY)
        self.bundles = folder / BUNDLES
        self.incoming = folder / INCOMING
        self._clock = clock or (lambda: datetime.now(UTC))

    @property
    def moment(self) -> datetime:
        """Now, UTC."""
        return self._clock().astimezone(UTC)

    @property
    def now(self) -> str:
        """Now as the registry writes it: UTC, to the second."""
        return written(self.moment)

    @property
    def public_key(self) -> str:
        """The key that its log is signed by."""
        return self.key.public

    def note(
        self,
        connection: sqlite3.Connection,
        event: str,
        *,
        actor: str = "registry",
        role: str = "registry",
        submission: int | None = None,
        **values: object,
    ) -> None:
        """Add a signed entry to the log, in the transaction of what it is about."""
        log.append(
            connection,
            self.key,
            at=self.now,
            actor=actor,
            role=role,
            event=event,
            submission=submission,
            values=values,
        )

    def bundle(self, sha256: str) -> Path:
        """Where the bundle of a submission lies."""
        return self.bundles / f"{sha256}.zip"

    def sweep(self) -> None:
        """Remove what a killed process left a day ago: uploads, scratch, bundles that were not recorded."""
        old = self.moment.timestamp() - _OLD_S
        with database.reading(self.file) as connection:
            kept = {row["sha256"] for row in connection.execute("SELECT sha256 FROM submissions")}
        for path in self.bundles.glob("*.zip"):
            with contextlib.suppress(OSError):
                if path.stem not in kept and path.lstat().st_ctime < old:
                    path.unlink()
        for path in self.incoming.iterdir():
            with contextlib.suppress(OSError):
                if path.lstat().st_mtime < old:
                    shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


def written(moment: datetime) -> str:
    """A moment as the registry writes it."""
    return moment.astimezone(UTC).strftime(_TIME)


def identifier(number: int) -> str:
    """The public id of a submission: iow-000123."""
    return f"iow-{number:06d}"


def number_of(text: str) -> int:
    """The number in an id. Raises ``InputError`` where the text is none."""
    digits = text.removeprefix("iow-")
    if text == digits or not digits.isascii() or not digits.isdecimal() or not 6 <= len(digits) <= 15:
        raise InputError("not-found", text[:40], "no such submission", hint="ids read iow-000123")
    return int(digits)
