"""Storage under test: its free space, sets in files, volumes, snapshots, and reading them back."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from iowatt.base.errors import InputError
from iowatt.base.units import format_bytes
from iowatt.emerald.com.dataset import CHUNK, DataSet
from iowatt.emerald.com.result import size_text

_COMMAND_S: Final = 120.0  #: How long a command of the user may take.


class UnsettledError(InputError):
    """Free space still changes: something else writes there, or it takes longer."""


class FreeSpace(Protocol):
    """Where free space is read."""

    def free(self) -> int:
        """Bytes that are free now. Raises ``InputError`` where it cannot be read."""


@dataclass(frozen=True)
class FileSystemSpace:
    """Free blocks of a file system, after everything was written out."""

    path: Path

    def free(self) -> int:
        """Bytes free, those reserved for root included."""
        try:
            os.sync()
            found = os.statvfs(self.path)
        except OSError as error:
            text = f"free space cannot be read: {error.strerror}"
            raise InputError("unreadable", str(self.path), text) from None
        return found.f_bfree * found.f_frsize


@dataclass(frozen=True)
class CommandSpace:
    """A command that prints free bytes, as an array's own command line does."""

    command: str

    def free(self) -> int:
        """The number that the command prints."""
        printed = _run(self.command, {}).strip()
        try:
            return int(printed)
        except ValueError:
            text = f"the command printed {printed[:80]!r}; expected the free bytes as a whole number"
            raise InputError("tool-output", self.command, text) from None


@dataclass(frozen=True)
class Patience:
    """How long to wait until free space changes by no more than ``within`` bytes between two readings."""

    most_s: float = 300.0
    pause_s: float = 0.5
    within: int = 64 * 1024

    def settled(self, space: FreeSpace) -> tuple[int, float]:
        """Free space once it has settled, and the wait in s.

        Arrays and file systems reclaim and reduce in the background. Raises ``UnsettledError`` where it still
        changes after ``most_s``.
        """
        began, before = time.monotonic(), space.free()
        while True:
            time.sleep(self.pause_s)
            now = space.free()
            waited = time.monotonic() - began
            if abs(now - before) <= self.within:
                return now, waited
            if waited > self.most_s:
                change = format_bytes(abs(now - before), binary=True)
                text = f"the free space still changes by {change} in {self.pause_s:g} s after {waited:.0f} s"
                hint = "something else writes there, or it needs longer: `patience=`"
                raise UnsettledError("unstable", None, text, hint=hint)
            before = now


def _run(command: str, words: dict[str, str], *, most_s: float = _COMMAND_S) -> str:
    """The output of a command of the user, with ``{source}`` and the like replaced, quoted.

    It is run without a shell, for at most ``most_s``. Raises ``InputError`` where it fails, with its last
    line.
    """
    try:
        text = command.format(**{name: shlex.quote(value) for name, value in words.items()})
        done = subprocess.run(
            shlex.split(text),
            capture_output=True,
            text=True,
            timeout=most_s,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (KeyError, IndexError, AttributeError) as error:
        known = ", ".join(f"{{{name}}}" for name in words) or "nothing in braces"
        message = f"there is no placeholder {error}; expected {known}"
        raise InputError("unknown-name", command, message) from None
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise InputError("tool-failed", command, f"the command cannot be run: {error}") from None
    if done.returncode != 0:
        lines = (done.stderr.strip() or done.stdout.strip()).splitlines()
        text = f"the command ended with code {done.returncode}: {lines[-1] if lines else ''}"
        raise InputError("tool-failed", command, text)
    return done.stdout


@dataclass(frozen=True)
class Commands:
    """Commands that make snapshots and volumes on this storage; tests without their command are skipped."""

    #: Makes the folder to snapshot: ``btrfs subvolume create {target}``. A plain folder without it.
    create: str | None = None
    #: Makes a read-only snapshot of the folder ``{source}`` that appears at ``{target}``.
    snapshot: str | None = None
    clone: str | None = None  #: Makes a writeable one.
    remove: str | None = None  #: Removes what the others made at ``{target}``.
    #: Makes a volume (a file) of ``{size}`` bytes at ``{target}``. A sparse file without it.
    volume: str | None = None
    #: Run after each write, with ``{source}``: reduces data, where storage does not do so itself.
    reduce: str | None = None


class Store:
    """A folder on the storage under test, with its free space."""

    def __init__(self, place: Path, space: FreeSpace, commands: Commands, patience: Patience) -> None:
        self.place = place
        self.space = space
        self.commands = commands
        self.patience = patience

    def free(self) -> tuple[int, float]:
        """Free bytes once they no longer change, and the wait in s."""
        if self.commands.reduce is not None:
            _run(self.commands.reduce, {"source": str(self.place)}, most_s=self.patience.most_s)
        return self.patience.settled(self.space)

    def folder(self, name: str) -> Path:
        """A new folder of which a snapshot can be taken."""
        path = self.place / name
        if self.commands.create is None:
            path.mkdir()
        else:
            _run(self.commands.create, {"target": str(path)})
        return path

    def write(self, path: Path, data: DataSet, *, at: int = 0, count: int | None = None) -> None:
        """Write a set, or its first ``count`` bytes, to a file, and sync it."""
        left = data.size if count is None else count
        try:
            with path.open("r+b" if path.exists() else "wb", buffering=0) as file:
                file.seek(at)
                for chunk in data.chunks():
                    if left <= 0:
                        break
                    piece = memoryview(chunk)[: min(left, len(chunk))]
                    while piece:
                        piece = piece[file.write(piece) :]
                    left -= len(chunk)
                os.fsync(file.fileno())
        except OSError as error:
            raise InputError("unwritable", str(path), f"cannot be written: {error.strerror}") from None

    def holds(
        self, path: Path, data: DataSet, *, at: int = 0, start: int = 0, until: int | None = None
    ) -> bool:
        """Whether a file holds bytes ``start`` to ``until`` of a set, from ``at + start`` on.

        The page cache drops the file first.
        """
        end = data.size if until is None else until
        with path.open("rb", buffering=0) as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            position = start
            while position < end:
                number, skip = divmod(position, CHUNK)
                count = min(CHUNK - skip, end - position)
                file.seek(at + position)
                if _read(file, count) != data.chunk(number)[skip : skip + count]:
                    return False
                position += count
        return True

    def volume(self, name: str, size: int) -> Path:
        """A volume of ``size`` bytes, never written."""
        path = self.place / name
        if self.commands.volume is not None:
            _run(self.commands.volume, {"target": str(path), "size": str(size)})
        else:
            with path.open("wb") as file:
                file.truncate(size)
                os.fsync(file.fileno())
        return path

    def copy(self, command: str, source: Path, name: str) -> Path:
        """A snapshot of a folder by one of the commands."""
        target = self.place / name
        _run(command, {"source": str(source), "target": str(target)})
        if not target.exists():
            raise InputError("tool-failed", command, f"the command made nothing at {target}")
        return target

    def clear(self) -> None:
        """Remove everything that was made."""
        for path in sorted(self.place.iterdir(), reverse=True):
            if self.commands.remove is not None and path.is_dir():
                _run(self.commands.remove, {"target": str(path)})
            elif path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()


@contextmanager
def opened(
    folder: Path, space: FreeSpace, commands: Commands, patience: Patience, *, needed: int
) -> Iterator[Store]:
    """A store in a new folder below ``folder``, removed at the end with all that it holds.

    Raises ``InputError`` where there is no such folder, it cannot be written, or fewer than ``needed`` bytes
    are free.
    """
    if not folder.is_dir():
        raise InputError("not-found", str(folder), "no such directory")
    free = space.free()
    if free < needed:
        text = f"{size_text(free)} are free and the tests need {size_text(needed)}"
        raise InputError("infeasible", str(folder), text, hint="give a smaller `size=`")
    try:
        place = Path(tempfile.mkdtemp(prefix="iowatt-com-", dir=folder))
    except OSError as error:
        raise InputError("unwritable", str(folder), f"cannot be written: {error.strerror}") from None
    store = Store(place, space, commands, patience)
    try:
        yield store
    except BaseException as error:
        try:
            store.clear()
            place.rmdir()
        except (InputError, OSError) as left:
            # The user must see the first error; the folder that is left is a note to it.
            error.add_note(f"{place} could not be removed: {left}")
        raise
    store.clear()
    place.rmdir()


def _read(file: object, count: int) -> bytes:
    """Exactly ``count`` bytes, or what there is."""
    parts: list[bytes] = []
    while count:
        piece = file.read(count)  # type: ignore[attr-defined]
        if not piece:
            break
        parts.append(piece)
        count -= len(piece)
    return b"".join(parts)
