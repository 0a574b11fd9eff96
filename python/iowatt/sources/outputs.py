"""What was measured elsewhere, whichever program wrote it: output of a load generator, or a trace."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal

from iowatt.base.errors import InputError
from iowatt.sources import fio, iometer, specstorage, trace, vdbench
from iowatt.sources.observation import Observation

#: Up to here a run has intervals of a second, above of a minute.
_SHORT_S = 300.0
#: Names of the logs of fio's jobs.
_LOG: Final = re.compile(r".*_(?:iops|bw|lat|clat|slat|clat_hist)\.[0-9]{1,9}\.log(?:\.fz)?", re.DOTALL)
#: What fio says of requests that failed, before its JSON where both go to one file.
_MESSAGE: Final = re.compile(rb"^(?:fio: |verify: )", re.MULTILINE)
#: Of a file, to see whether fio wrote it.
_HEAD_BYTES: Final = 1 << 16


OutputKind = Literal["iometer", "specstorage", "trace", "vdbench", "fio"]


def recognised(path: Path) -> OutputKind:
    """What wrote an output, by its name and first bytes; what nothing else claims is fio's or a trace.

    Raises ``InputError`` where it cannot be read, or is output of fio that has no figures.
    """
    if path.is_file():
        head = _head(path)
        if iometer.is_iometer(head):
            return "iometer"
        if specstorage.is_summary(path, head):
            return "specstorage"
    if _is_trace(path):
        return "trace"
    return "vdbench" if path.name.endswith(".html") or (path.is_dir() and _of_vdbench(path)) else "fio"


def read_output(
    path: Path,
    *,
    interval_s: float | None = None,
    time_zone: str | None = None,
    options: Mapping[str, Any] | None = None,
    progress: Callable[[float | None, int], None] | None = None,
) -> Sequence[Observation]:
    """Observations in the output of fio (a JSON file, or a folder with one), vdbench (a folder or report),
    Iometer (its result file) or SPECstorage (its summary), or a trace.

    ``interval_s``: of fio's or a trace's intervals; a minute, of short runs a second, where it is None.
    ``time_zone``: of the stamps that vdbench or Iometer wrote. ``options``: of a trace spec; with any of them
    the file is taken for a trace. ``progress``: called while a trace is read.

    Raises ``InputError`` where it is none of these, damaged, or a trace without response times.
    """
    if not path.exists() and not trace.recording_files(path):
        raise InputError("not-found", str(path), "no such file or directory")
    kind = "trace" if options else recognised(path)
    if kind == "iometer":
        return iometer.read(path, time_zone=time_zone)
    if kind == "specstorage":
        return specstorage.read(path)
    if kind == "trace":
        asked = trace.TraceRequest(path, interval_s=interval_s, options=options or {})
        return [trace.read(asked, progress)]
    if kind == "vdbench":
        return vdbench.read(path, time_zone=time_zone)
    if path.is_dir() and not any(path.glob("*.json")):
        message = "there is no output of fio (*.json) or of vdbench (flatfile.html, summary.html)"
        raise InputError("empty", str(path), message)
    if _LOG.fullmatch(path.name):
        raise InputError("wrong-kind", str(path), "this is a fio log; give the fio JSON next to it")
    found = fio.read_groups(path, interval_s=interval_s or 1.0)
    long = [interval_s is None and one.end - one.start > _SHORT_S for one in found]
    if any(long):
        by_minute = fio.read_groups(path)
        found = [
            other if is_long else one for one, other, is_long in zip(found, by_minute, long, strict=True)
        ]
    return found


def _is_trace(path: Path) -> bool:
    """Whether a file is neither of vdbench, by its name, nor of fio, by its name or its first bytes."""
    if path.is_dir() or path.suffix in (".html", ".json") or _LOG.fullmatch(path.name):
        return False
    if not path.is_file():
        return True
    head = _head(path)
    if b'"fio version"' in head:
        return False
    fio.refuse_other_formats(head.decode("utf-8", "replace"), path)
    # Messages may stand before fio's JSON, more of them than these bytes.
    return bool(head.strip()) and _MESSAGE.search(head) is None


def _head(path: Path) -> bytes:
    """The first bytes of a file."""
    try:
        with path.open("rb") as file:
            return file.read(_HEAD_BYTES)
    except OSError as error:
        raise InputError("unreadable", str(path), error.strerror or "cannot be read") from None


def interval_s(observation: Observation) -> float:
    """The interval that suits an observation's Run: a minute where its own divides one, else its own."""
    if observation.tool == "trace":
        return max(part.end - part.start for part in observation.intervals)
    own = max((part.end - part.start for part in observation.intervals[:1]), default=60.0)
    if observation.end - observation.start <= _SHORT_S or own > 60:
        return own
    return 60.0


def _of_vdbench(folder: Path) -> bool:
    return any(any(folder.glob(f"*{name}")) for name in ("flatfile.html", "summary.html"))
