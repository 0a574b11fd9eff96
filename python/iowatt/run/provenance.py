"""Where a run came from: version, inputs with digests, machine, moment, command."""

from __future__ import annotations

import hashlib
import os
import platform
import threading
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path

from iowatt.base.errors import InputError
from iowatt.run.summary_schema import HostMachine, Input, Provenance

BLOCK_BYTES = 1 << 20


class Digest(threading.Thread):
    """SHA-256 of files in the background, beside the work that reads the same files.

    ``named`` are paths as the user wrote them, each with the file it means. Standard input (``-``) and
    pipes can be read once only, and the simulation does that: they are listed without a digest.
    """

    def __init__(self, named: Sequence[tuple[str, Path]]) -> None:
        super().__init__(name="iowatt-digest", daemon=True)
        self._named = named
        self._stop_early = threading.Event()
        self._inputs: list[Input] = []
        self._error: InputError | None = None
        self._cpu_s = 0.0

    @property
    def cpu_s(self) -> float:
        """Processor time of this thread so far: not the simulation's, so taken off its account."""
        return self._cpu_s

    def run(self) -> None:
        """Hash every file in turn."""
        seen: dict[Path, Input] = {}
        try:
            for name, path in self._named:
                if path in seen:
                    continue
                if name == "-" or not path.is_file():
                    seen[path] = Input(path=name, size=None, sha256=None)
                else:
                    seen[path] = self._digest(name, path)
                self._inputs.append(seen[path])
        except OSError as error:
            self._error = InputError(
                "unreadable", error.filename, f"the file cannot be read for its digest: {error.strerror}"
            )

    def _digest(self, name: str, path: Path) -> Input:
        digest, size, block = hashlib.sha256(), 0, bytearray(BLOCK_BYTES)
        with path.open("rb", buffering=0) as file:
            while (count := file.readinto(block)) and not self._stop_early.is_set():
                digest.update(memoryview(block)[:count])
                size += count
                self._cpu_s = time.thread_time()
        return Input(path=name, size=size, sha256=digest.hexdigest())

    def cancel(self) -> None:
        """Give up: the run that wanted the digests has failed."""
        self._stop_early.set()
        self.join()

    def inputs(self) -> list[Input]:
        """Wait for the digests; one entry per file, however often it is named.

        Raises :class:`InputError` where a file could not be read.
        """
        self.join()
        if self._error is not None:
            raise self._error
        return self._inputs


def now() -> str:
    """Now, in UTC to the second, as ``started_at`` records it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@cache
def _version() -> str:
    return version("iowatt")


def gather(
    *, seed: int, inputs: Sequence[Input], scenario_text: str, started_at: str, command: str | None
) -> Provenance:
    """Provenance of a run on this machine."""
    return Provenance(
        version=_version(),
        seed=seed,
        inputs=list(inputs),
        scenario_sha256=hashlib.sha256(scenario_text.encode()).hexdigest(),
        host=HostMachine(
            name=platform.node(),
            system=f"{platform.system()} {platform.release()}",
            machine=platform.machine(),
            cpus=os.cpu_count() or 1,
        ),
        started_at=started_at,
        python=platform.python_version(),
        command=command,
    )
