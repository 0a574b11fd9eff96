"""The files that a task reads, by place and content, so that wherever it runs the same files are read."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from iowatt.base.errors import InputError
from iowatt.evaluate.search.tasks.executor import MachineError
from iowatt.run.provenance import BLOCK_BYTES
from iowatt.run.summary_schema import Input


@dataclass(frozen=True)
class InputFile:
    """A file by name, place and content."""

    name: str
    path: str
    size: int
    sha256: str

    def as_input(self) -> Input:
        """For the provenance of a Run."""
        return Input(path=self.name, size=self.size, sha256=self.sha256)


# Digests of this process by path, size and time of change: a worker digests a file once, not at every point.
_known: dict[tuple[Path, int, int], str] = {}
_lock = threading.Lock()


def file_digests(paths: Iterable[Path]) -> dict[Path, str]:
    """SHA-256 of each file."""
    return {path: _sha256(path) for path in dict.fromkeys(paths)}


def described_files(
    files: Sequence[tuple[str, Path]], digests: Mapping[Path, str] | None = None
) -> tuple[InputFile, ...]:
    """Name, place, size and digest of each file; ``digests`` are those that are known already."""
    digests = file_digests(path for _, path in files) if digests is None else digests
    names = {path: name for name, path in reversed(files)}
    return tuple(
        InputFile(name, str(path.resolve()), path.stat().st_size, digests[path])
        for path, name in reversed(names.items())
    )


def verify_files(files: Sequence[InputFile]) -> None:
    """Raise ``MachineError`` where a file is not there, or differs from the one at the start of the sweep."""
    for file in files:
        try:
            found = _sha256(Path(file.path))
        except InputError as error:
            raise MachineError(error.code, error.place, error.message) from None
        if found != file.sha256:
            raise MachineError("changed", file.name, "has changed since the sweep was begun")


def _sha256(path: Path) -> str:
    try:
        stat = path.stat()
        key = (path.resolve(), stat.st_size, stat.st_mtime_ns)
        with _lock:
            if key not in _known:
                digest = hashlib.sha256()
                with path.open("rb") as file:
                    while block := file.read(BLOCK_BYTES):
                        digest.update(block)
                _known[key] = digest.hexdigest()
            return _known[key]
    except OSError as error:
        raise InputError("unreadable", str(path), f"cannot be read: {error.strerror}") from None
