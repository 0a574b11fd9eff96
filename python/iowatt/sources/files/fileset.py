"""The files that operations are made on, in a directory that is made for them and goes with them."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from iowatt import core
from iowatt.base.errors import Argument, InputError
from iowatt.model.library.files import FileWorkload

FILE_SET: Final = "iowatt-files"
"""Name of the directory that is made in the target."""
MOST_FILES: Final = 50_000_000  #: Each is known in memory.
_LEAST_BYTES: Final = 4096


@dataclass(frozen=True)
class SetRequest:
    """Files for a workload."""

    target: Path
    workload: FileWorkload
    size_bytes: int
    threads: int
    seed: int = 1
    name: str = FILE_SET

    @property
    def path(self) -> Path:
        """The directory that is made."""
        return self.target / self.name

    @property
    def files(self) -> int:
        """Files of each thread."""
        return max(1, round(self.size_bytes / (self.threads * self.workload.mean_bytes)))

    @property
    def shrunk(self) -> float:
        """Size of a file over the workload's: below 1 where not even one of each thread would fit else."""
        return min(1.0, self.size_bytes / (self.threads * self.workload.mean_bytes))

    @property
    def sizes(self) -> list[tuple[int, int]]:
        """Bytes of files and their shares in percent."""
        least = min(self.workload.transfer, _LEAST_BYTES)
        return [
            (
                one.size if self.shrunk == 1 or not one.size else max(least, int(one.size * self.shrunk)),
                one.percent,
            )
            for one in self.workload.sizes
        ]

    @property
    def total_bytes(self) -> int:
        """Of all files, about."""
        mean = sum(size * percent for size, percent in self.sizes) / 100
        return round(self.files * self.threads * mean)

    def make(self) -> core.FileSet:
        """Make and fill it. Raises ``InputError``; nothing is left then."""
        check_target(self.target)
        self._check_room()
        try:
            return self._at(create=True)
        except InputError as error:
            if error.code != "exists":
                raise
            hint = f"another run uses it, or one that was killed left it: then remove {self.path}"
            raise InputError("exists", error.place, error.message, hint=hint) from None

    def _check_room(self) -> None:
        """Before memory is taken for each file; the core looks again when it knows the sizes."""
        count, needed = self.files * self.threads, self.total_bytes
        free = shutil.disk_usage(self.target).free
        if needed > free:
            hint = "give it more room, or ask for less with `size=...`"
            message = f"{needed} bytes do not fit: the file system has {free} left"
            raise InputError("unwritable", str(self.target), message, hint=hint)
        if count > MOST_FILES:
            message = f"these are {count:,} files, more than {MOST_FILES:,}"
            raise InputError("too-large", Argument("size"), message)

    def open(self) -> core.FileSet:
        """Open what was made by the same request. Raises ``InputError``."""
        return self._at(create=False)

    def _at(self, *, create: bool) -> core.FileSet:
        return core.FileSet.at(
            str(self.path),
            threads=self.threads,
            files=self.files,
            sizes=self.sizes,
            transfer=self.workload.transfer,
            durable=self.workload.durable,
            seed=self.seed,
            create=create,
        )


def check_target(target: Path) -> None:
    """Raises ``InputError`` where the target is no directory."""
    if not target.exists():
        raise InputError("not-found", str(target), "no such directory")
    if not target.is_dir():
        message = "is not a directory; file operations need one on the file system under test"
        raise InputError("wrong-kind", str(target), message)


@contextlib.contextmanager
def file_set(request: SetRequest) -> Iterator[core.FileSet]:
    """The files as a context; they are removed at its end.

    Raises ``InputError`` where they cannot be made, or something of others lies between them at the end.
    """
    made = request.make()
    try:
        yield made
    finally:
        left = made.remove()
    if left:
        message = f"{left} things in it are not of iowatt and were left"
        raise InputError("unsafe-target", str(request.path), message)
