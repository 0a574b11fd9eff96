"""The folder of a measurement: `emerald run` writes it as it proceeds; here are its names and its journal.

    measurement.json        schema, name, versions, host, digest of the plan
    plan.json               the plan, with the rates that were run
    journal.jsonl           one event a line, on the disk before the next step begins
    settings-before.json    settings-after.json
    stages/HB-warmup/       the load generator's own output; attempt-2/ ... in it after a crash
    meters/pdu1.csv         samples as they came (iowatt.sources.meters.recording)
    runs/HB/                Run bundles, made by `emerald analyze`

Times in the journal are Unix seconds, UTC.
"""

from __future__ import annotations

import json
import math
import os
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

from iowatt.base.atomic_path import sync
from iowatt.base.errors import InputError

MEASUREMENT_SCHEMA: Final = "iowatt.measurement/1"
MANIFEST: Final = "measurement.json"
JOURNAL: Final = "journal.jsonl"
STAGES: Final = "stages"
LONGEST: Final = 1 << 20  #: Longest line of a journal that is read, in bytes.

_NUMBER: Final = (int, float)
_NULL: Final = type(None)
#: Events of the journal with their further keys, and what these are.
EVENTS: Final[Mapping[str, Mapping[str, tuple[type, ...]]]] = {
    "begun": {"source": (str,), "version": (str,)},
    # Earlier attempts at this stage and later ones do not count; after: s since the last event.
    "resumed": {"stage": (str,), "after": _NUMBER, "compliant": (bool,), "why": (str,)},
    # gap_s: since the stage before ended; null for the first of a session.
    "stage-started": {
        "stage": (str,),
        "attempt": (int,),
        "folder": (str,),
        "rate_iops": (*_NUMBER, _NULL),
        "gap_s": (*_NUMBER, _NULL),
    },
    "stage-ended": {"stage": (str,), "attempt": (int,)},
    "stage-failed": {"stage": (str,), "attempt": (int,), "text": (str,)},
    "meter-failed": {"meter": (str,), "text": (str,)},
    "meter-back": {"meter": (str,), "seconds": _NUMBER},
    "host-lost": {"host": (str,), "stage": (str,), "text": (str,)},
    "host-back": {"host": (str,), "seconds": _NUMBER},
    "settings-changed": {"what": (str,)},
    "deviation": {"stage": (str, _NULL), "text": (str,)},
    "interrupted": {"stage": (str, _NULL)},
    # Of each seam: the stage, and seconds without a request before it.
    "finished": {"seams": (list,)},
}


@dataclass(frozen=True)
class Event:
    """A line of the journal."""

    at: float
    event: str
    values: dict[str, Any]


class MeasurementJournal:
    """The journal of a measurement, open for appending; several threads may."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / JOURNAL
        self._lock = threading.Lock()

    def append(self, event: str, **values: Any) -> Event:
        """Write an event; it is on the disk when this returns.

        A line that a crash has left unfinished is cut off first. Raises ``OSError`` where the event cannot be
        written whole; the journal is then as it was.
        """
        if event not in EVENTS:
            raise ValueError(f"there is no event {event!r}")
        at = time.time()
        line = json.dumps({"at": at, "event": event, **values}, ensure_ascii=False, allow_nan=False)
        with self._lock, self._path.open("a+b") as file:
            whole = _whole_bytes(file)
            file.truncate(whole)
            try:
                file.write(line.encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())
                if not whole:  # the journal's name, too
                    sync(self._path.parent)
            except OSError:
                os.truncate(self._path, whole)
                raise
        return Event(at, event, values)


def _whole_bytes(file: BinaryIO) -> int:
    """Bytes up to the last line break of an open file; its position is its end afterwards."""
    end = at = file.seek(0, os.SEEK_END)
    while at > 0:
        size = min(at, 4096)
        at = file.seek(at - size)
        found = file.read(size).rfind(b"\n")
        if found >= 0:
            end = at + found + 1
            break
        end = at
    file.seek(0, os.SEEK_END)
    return end


def events(folder: Path) -> Iterator[Event]:
    """The events of a journal, oldest first. A last line that a crash cut short is skipped.

    Raises ``InputError`` where there is no journal, or a line in it is not an event.
    """
    path = folder / JOURNAL
    hint = "create one with `iowatt emerald run`"
    try:
        file = path.open("rb")
    except OSError as error:
        raise InputError("unreadable", str(path), f"cannot be read: {error.strerror}", hint=hint) from None
    number = 0
    with file:
        while line := _line(file, path):
            number += 1
            if len(line) > LONGEST:
                raise InputError("too-large", f"{path}:{number}", f"the line is longer than {LONGEST} bytes")
            if not line.endswith(b"\n"):
                return  # a crash cut the last line short
            yield _event(line, f"{path}:{number}")


def _line(file: BinaryIO, path: Path) -> bytes:
    try:
        return file.readline(LONGEST + 1)
    except OSError as error:
        raise InputError("unreadable", str(path), f"cannot be read: {error.strerror}") from None


def _event(line: bytes, where: str) -> Event:
    try:
        values = json.loads(line.decode())
        at, event = float(values.pop("at")), values.pop("event")
        if not math.isfinite(at):
            raise ValueError
    except (ValueError, TypeError, AttributeError, KeyError, OverflowError, RecursionError):
        raise InputError("wrong-format", where, "the line is not an event of a measurement") from None
    keys = EVENTS.get(event) if isinstance(event, str) else None
    if keys is None:
        raise InputError("unknown-name", f"{where}: event", f"this version of iowatt has no event {event!r}")
    for key, kinds in keys.items():
        value = values.get(key, _MISSING)
        # A bool is an int in Python, but not a number here.
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            text = f"the key of the event {event!r} is missing or has a wrong type"
            raise InputError("damaged", f"{where}: {key}", text)
    return Event(at, event, values)


_MISSING: Final = object()
