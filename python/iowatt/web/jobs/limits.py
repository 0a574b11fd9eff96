"""What a server allows its jobs and uploads."""

from __future__ import annotations

import json
import os
import resource
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class JobLimits:
    """Limits of a server; sizes in bytes.

    Parameters
    ----------
    queued:
        Jobs that may wait.
    listeners:
        Browsers that may listen to events at once.
    upload_bytes:
        Size of an uploaded file.
    spare_bytes:
        Free space that an upload leaves on the disk.
    upload_cpu_s:
        Processor time of a job that reads an upload.
    upload_memory_bytes:
        Address space that such a job may add to that of its process.
    cpu_s:
        Processor time of a job that simulates or searches, of each of its processes.
    memory_bytes:
        Address space that such a job may add to that of each of its processes.
    file_bytes:
        Size of a file that a job writes.
    description_bytes:
        Size of the description of an upload.
    """

    queued: int = 200
    listeners: int = 100
    upload_bytes: int = 2 << 30
    spare_bytes: int = 256 << 20
    upload_cpu_s: int = 900
    upload_memory_bytes: int = 4 << 30
    cpu_s: int = 24 * 3600
    memory_bytes: int = field(default_factory=lambda: max(4 << 30, _physical_memory() // 2))
    file_bytes: int = 4 << 30
    description_bytes: int = 1 << 20

    def as_json(self) -> str:
        """The limits for a worker's command line."""
        return json.dumps(asdict(self))

    @classmethod
    def of_json(cls, text: str) -> JobLimits:
        """The limits of :meth:`as_json`."""
        return cls(**json.loads(text))


def reading_an_upload(limits: JobLimits) -> AbstractContextManager[None]:
    """Limit this process while it reads a file that anybody may have written; see :func:`_limited`."""
    return _limited(limits.upload_cpu_s, limits.upload_memory_bytes, limits.file_bytes)


def simulating(limits: JobLimits) -> AbstractContextManager[None]:
    """Limit this process and those that it starts while it simulates; see :func:`_limited`."""
    return _limited(limits.cpu_s, limits.memory_bytes, limits.file_bytes)


@contextmanager
def _limited(cpu_s: int, memory_bytes: int, file_bytes: int) -> Iterator[None]:
    """Limit what this process may use from now on.

    Processor time beyond the limit ends the process (SIGXCPU); a file beyond it is an ``OSError``, memory a
    ``MemoryError`` or, in the compiled core, the end of the process (SIGABRT).
    """
    used = resource.getrusage(resource.RUSAGE_SELF)
    wanted = {
        resource.RLIMIT_CPU: int(used.ru_utime + used.ru_stime) + cpu_s + 1,
        resource.RLIMIT_AS: _address_space() + memory_bytes,
        resource.RLIMIT_FSIZE: file_bytes,
        resource.RLIMIT_CORE: 0,
    }
    before = {kind: resource.getrlimit(kind) for kind in wanted}
    try:
        for kind, value in wanted.items():
            soft, hard = before[kind]
            known = [most for most in (value, soft, hard) if most != resource.RLIM_INFINITY]
            resource.setrlimit(kind, (min(known), hard))
        yield
    finally:
        for kind, limit in before.items():
            with suppress(OSError, ValueError):
                resource.setrlimit(kind, limit)


def _address_space() -> int:
    pages = Path("/proc/self/statm").read_text("ascii").split()[0]
    return int(pages) * resource.getpagesize()


def _physical_memory() -> int:
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
