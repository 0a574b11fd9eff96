"""What the tests do on real storage: sets in files, volumes, snapshots, and reading them back."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from iowatt.base.errors import InputError
from iowatt.emerald.com.dataset import CHUNK, DataSet
from iowatt.emerald.com.result import shown
from iowatt.emerald.com.space import Space, run, settled


@dataclass(frozen=True)
class Commands:
    """How this storage makes what files cannot say; each may be left out, and its tests are not done then."""

    #: Makes the folder that is snapshot: ``btrfs subvolume create {target}``. A plain folder without it.
    create: str | None = None
    #: Makes a read-only snapshot of the folder ``{source}`` that appears at ``{target}``.
    snapshot: str | None = None
    #: Makes a writeable one.
    clone: str | None = None
    #: Removes what the others made at ``{target}``.
    remove: str | None = None
    #: Makes a volume (a file) of ``{size}`` bytes at ``{target}``. A sparse file without it.
    volume: str | None = None
    #: Run after each write, with ``{source}``: what reduces data afterwards, where that is not by itself.
    reduce: str | None = None


@dataclass(frozen=True)
class Patience:
    """How free space is waited for."""

    most_s: float = 300.0
    pause_s: float = 0.5
    within: int = 64 * 1024


class Store:
    """A folder on the storage under test, with its free space."""

    def __init__(self, place: Path, space: Space, commands: Commands, patience: Patience) -> None:
        self.place = place
        self.space = space
        self.commands = commands
        self.patience = patience

    def free(self) -> tuple[int, float]:
        """Free bytes once they stand still, and how long that took in s."""
        if self.commands.reduce is not None:
            run(self.commands.reduce, {"source": str(self.place)}, most_s=self.patience.most_s)
        wait = self.patience
        return settled(self.space, patience_s=wait.most_s, pause_s=wait.pause_s, within=wait.within)

    def folder(self, name: str) -> Path:
        """A new folder, of the kind that can be snapshot."""
        path = self.place / name
        if self.commands.create is None:
            path.mkdir()
        else:
            run(self.commands.create, {"target": str(path)})
        return path

    def write(self, path: Path, data: DataSet, *, at: int = 0, count: int | None = None) -> None:
        """Write a set, or its first ``count`` bytes, to a file; it is on the storage when this returns."""
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

        The page cache is asked to let go of the file first.
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
        """A volume of ``size`` bytes that nothing was written to."""
        path = self.place / name
        if self.commands.volume is not None:
            run(self.commands.volume, {"target": str(path), "size": str(size)})
        else:
            with path.open("wb") as file:
                file.truncate(size)
                os.fsync(file.fileno())
        return path

    def copy(self, command: str, source: Path, name: str) -> Path:
        """A snapshot of a folder by one of the commands."""
        target = self.place / name
        run(command, {"source": str(source), "target": str(target)})
        if not target.exists():
            raise InputError("tool-failed", command, f"the command made nothing at {target}")
        return target

    def clear(self) -> None:
        """Remove everything that was made."""
        for path in sorted(self.place.iterdir(), reverse=True):
            if self.commands.remove is not None and path.is_dir():
                run(self.commands.remove, {"target": str(path)})
            elif path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()


@contextmanager
def opened(
    folder: Path, space: Space, commands: Commands, patience: Patience, *, needed: int
) -> Iterator[Store]:
    """A store in a new folder below ``folder``; all that was made is removed at the end.

    Raises ``InputError`` where the folder is none, cannot be written, or less than ``needed`` bytes are free.
    """
    if not folder.is_dir():
        raise InputError("not-found", str(folder), "there is no such directory")
    free = space.free()
    if free < needed:
        raise InputError(
            "infeasible",
            str(folder),
            f"{shown(free)} are free and the tests need {shown(needed)}",
            hint="give a smaller `size=`",
        )
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
            # What went wrong first is what the user must see; what is left is named beside it.
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
