"""The logs of fio's jobs: where they are, and their rows.

A row is ``time in ms, value, direction (0 read, 1 write, 2 trim), block size, offset``, and in newer
versions more.
With ``log_avg_msec`` a row is a window's mean and its block size 0, otherwise a request.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from iowatt.base.errors import InputError
from iowatt.sources.fio.document import FioJob

#: Of one log: some three million requests, of which a job's four columns are 100 MB.
MOST_BYTES: Final = 128 << 20
#: Of a replay, which has a row for each request of its trace and no windows.
_REPLAY_BYTES: Final = 1 << 30
_CHUNK_BYTES: Final = 4 << 20
#: Before this a time in ms is no date but counted from the start of the job: 1973.
_EPOCH_MS: Final = 10**11
_OPTION: Final = {
    "iops": "write_iops_log",
    "bw": "write_bw_log",
    "lat": "write_lat_log",
    "clat": "write_lat_log",
    "clat_hist": "write_hist_log",
}

Column = npt.NDArray[np.int64]
Columns = tuple[Column, Column, Column, Column]


@dataclass(frozen=True)
class Rows:
    """A log's rows of reads and writes, in order of time."""

    path: Path
    time_ms: npt.NDArray[np.int64]
    value: npt.NDArray[np.int64]
    direction: npt.NDArray[np.int64]
    block: npt.NDArray[np.int64]
    cut: bool  #: Whether its last row was cut short and left out.

    def of(self, direction: str) -> Rows:
        """The rows of ``read`` or ``write``."""
        keep = self.direction == ("read", "write").index(direction)
        return Rows(
            self.path, self.time_ms[keep], self.value[keep], self.direction[keep], self.block[keep], self.cut
        )

    @property
    def absolute(self) -> bool:
        """Whether its times are Unix time."""
        return self.time_ms.size == 0 or int(self.time_ms.min()) >= _EPOCH_MS

    @property
    def windowed(self) -> bool:
        """Whether a row is a window; where it is, fio writes 0 for the block size."""
        return self.block.size > 0 and not self.block.any()


def find(folder: Path, job: FioJob, kind: str) -> Path | None:
    """The log of ``kind`` (iops, bw, lat, clat, clat_hist) of a job; ``None`` where there is none.

    Raises ``InputError``: there are logs with the job's number and none has the name that the job writes to,
    or several have.
    """
    said = job.options.get(_OPTION[kind])
    prefix = Path(said).name if said else ""
    if said and said.endswith(("/", "\\")):
        prefix = ""
    number = re.escape(str(job.number))
    shape = re.compile(rf"(.*)_{kind}\.{number}\.log(?:\.fz)?", re.ASCII | re.DOTALL)
    there = {
        match[1]: file
        for file in sorted(folder.iterdir())
        if (match := shape.fullmatch(file.name)) is not None and file.is_file()
    }
    path = there.get(prefix)
    if path is None and there and prefix:
        message = (
            f"a log of another run: job {job.name!r} (number {job.number}) logs under the name {prefix!r}"
        )
        hint = "put each run's output into a separate directory"
        raise InputError("not-comparable", str(next(iter(there.values()))), message, hint=hint)
    if path is None and len(there) > 1:
        listed = ", ".join(path.name for path in there.values())
        message = f"several logs may be those of job {job.name!r}: {listed}"
        hint = "put each run's output into a separate directory"
        raise InputError("ambiguous", str(folder), message, hint=hint)
    if path is None and there:
        path = next(iter(there.values()))
    if path is not None and path.name.endswith(".fz"):
        message = "the log is compressed by fio"
        hint = "fio --inflate-log=FILE, or no log_compression"
        raise InputError("unsupported", str(path), message, hint=hint)
    return path


def strangers(folder: Path, jobs: Sequence[FioJob]) -> list[Path]:
    """Logs in the folder whose number no job has."""
    shape = re.compile(r".*_(?:iops|bw|lat|clat|slat|clat_hist)\.([0-9]{1,9})\.log", re.ASCII | re.DOTALL)
    numbers = {job.number for job in jobs}
    return [
        path
        for path in sorted(folder.iterdir())
        if (match := shape.fullmatch(path.name)) and int(match[1]) not in numbers
    ]


def read(path: Path, most_bytes: int = MOST_BYTES) -> Rows:
    """Read a log, piece by piece. A last line without its end, which a crash leaves, is passed over.

    Raises ``InputError`` with the line that is not a row, or where the log is longer than ``most_bytes``
    (128 MiB).
    """
    where = str(path)
    parts: list[Columns] = []
    lines = 0
    rest = b""
    try:
        if path.stat().st_size > most_bytes:
            message = f"the log is longer than {most_bytes >> 20} MiB"
            hint = (
                "log_avg_msec=500 makes logs short: a row then covers a window, not a request"
                if most_bytes == MOST_BYTES
                else "replay a shorter part of the trace"
            )
            raise InputError("too-large", where, message, hint=hint)
        with path.open("rb") as file:
            while piece := file.read(_CHUNK_BYTES):
                whole, newline, rest = (rest + piece).rpartition(b"\n")
                if not newline and len(rest) >= _CHUNK_BYTES:
                    raise _no_row(rest, where, lines)
                if whole.strip():
                    parts.append(_columns(whole, where, lines))
                lines += whole.count(b"\n") + len(newline)
    except OSError as error:
        raise InputError("unreadable", where, error.strerror or "cannot be read") from None
    none = np.zeros(0, dtype=np.int64)
    if not parts:
        return Rows(path, none, none, none, none, bool(rest))
    times = np.concatenate([part[0] for part in parts])
    order = np.argsort(times, kind="stable")
    values, directions, blocks = (np.concatenate([part[n] for part in parts])[order] for n in (1, 2, 3))
    return Rows(path, times[order], values, directions, blocks, bool(rest))


def read_replay_log(path: Path) -> Rows:
    """The log of a replay: as :func:`read`, up to 1 GiB."""
    return read(path, _REPLAY_BYTES)


def _columns(whole: bytes, where: str, before: int) -> Columns:
    """Times, values, directions and block sizes of whole lines, without trims; so many lines are before."""
    import polars as pl

    names = ["time", "value", "direction", "block"]
    try:
        table = pl.read_csv(
            whole.replace(b" ", b"").replace(b"\r", b""),
            has_header=False,
            infer_schema=False,
            quote_char=None,
            truncate_ragged_lines=True,
            encoding="utf8-lossy",
            raise_if_empty=False,
        )
    except (pl.exceptions.PolarsError, ValueError, IndexError):
        raise _no_row(whole, where, before) from None
    if table.width < 4:
        raise _no_row(whole, where, before)
    table = table.select(pl.col(old).alias(new) for old, new in zip(table.columns, names, strict=False))
    numbers = table.select(pl.col(names).cast(pl.Int64, strict=False))
    if sum(numbers.null_count().row(0)):
        raise _no_row(whole, where, before)
    times, values, directions, blocks = (numbers[name].to_numpy() for name in names)
    if (
        times.min() < 0
        or values.min() < 0
        or directions.min() < 0
        or blocks.min() < 0
        or times.max() > 1 << 52
    ):
        raise _no_row(whole, where, before)
    keep = directions < 2
    return times[keep], values[keep], directions[keep], blocks[keep]


def _no_row(data: bytes, where: str, before: int) -> InputError:
    """The error at the first line that is not a row; ``before`` lines precede ``data``."""
    for number, line in enumerate(data.split(b"\n"), before + 1):
        parts = [part.strip() for part in line.split(b",")]
        good = len(parts) >= 4 and all(part.isdigit() and len(part) <= 18 for part in parts[:4])
        if line.strip() and not good:
            said = line[:60].decode("utf-8", "replace")
            message = f"not a row of a fio log (time, value, direction, block size): {said!r}"
            return InputError("damaged", f"{where}:{number}", message)
    return InputError("damaged", where, "not a log of fio")
