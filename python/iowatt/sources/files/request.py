"""What is asked of a run of file operations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from iowatt.base.errors import Argument, InputError
from iowatt.model.library.files import FileWorkload


@dataclass(frozen=True)
class FilesRequest:
    """A workload of file operations on a directory, with meters beside."""

    target: Path  #: An existing directory of the file system under test.
    workload: FileWorkload
    rate: float  #: Operations per second.
    duration_s: float
    size_bytes: int  #: Of all files together, about.
    output: Path
    depth: int = 16  #: Operations at once, each on a thread of its own.
    warmup_s: float = 0.0  #: Operations made before the first that counts.
    seed: int = 1
    meters: Sequence[str] = ()
    meter_interval_s: float = 1.0
    interval_s: float | None = None
    name: str = "files"
    raw_bytes: int | None = None
    force: bool = False
    command: str | None = None

    def check(self) -> None:
        """Raises ``InputError`` where a number is outside its range."""
        for name, number, least in (
            ("rate", self.rate, 0.0),
            ("duration", self.duration_s, 0.0),
            ("size", self.size_bytes, 0.0),
        ):
            if not math.isfinite(number) or number <= least:
                raise InputError("out-of-range", Argument(name, number), "more than 0 is accepted")
        if not 1 <= self.depth <= 256:
            raise InputError("out-of-range", Argument("depth", self.depth), "1 to 256 are accepted")
        if not math.isfinite(self.warmup_s) or self.warmup_s < 0:
            raise InputError("out-of-range", Argument("warmup", self.warmup_s), "0 and more are accepted")
