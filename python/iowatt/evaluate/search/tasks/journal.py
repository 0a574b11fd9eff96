"""Records of finished points, and the journal that an interrupted search resumes from.

One JSON record a line, written by one call and flushed to the disk. A line cut short by a crash can only be
the last one, and is dropped on reading. A lock keeps two searches from writing the same journal."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from iowatt.base import input_file
from iowatt.base.errors import Argument, InputError, IowattError
from iowatt.evaluate.search.axes import Cell

_COLUMNS: dict[tuple[str, ...], dict[str, int]] = {}


class CompactRow(Mapping[str, Cell | None]):
    """The row of a point, read only. Rows of the same columns share their names, which dicts do not."""

    __slots__ = ("_places", "_values")

    def __init__(self, row: Mapping[str, Cell | None]) -> None:
        names = tuple(row)
        self._places = _COLUMNS.setdefault(names, {name: at for at, name in enumerate(names)})
        self._values = tuple(row.values())

    def __getitem__(self, name: str) -> Cell | None:
        return self._values[self._places[name]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"Row({dict(self)!r})"


ErrorRecord = Mapping[str, str | None]
"""Why a point has no figures: the ``ERROR_KEYS`` of an ``IowattError``."""

ERROR_KEYS: Final = ("code", "place", "message", "hint")


def error_record(error: IowattError) -> dict[str, str | None]:
    """An error as plain data."""
    return {key: getattr(error, key) for key in ERROR_KEYS}


def is_error_record(value: Any) -> bool:
    """Whether a value is what :func:`error_record` makes."""
    return (
        isinstance(value, dict)
        and value.keys() == set(ERROR_KEYS)
        and all(isinstance(value[key], str) for key in ("code", "message"))
        and all(isinstance(value[key], str | None) for key in ("place", "hint"))
    )


def error_text(error: IowattError | ErrorRecord) -> str:
    """An error in one line, for a cell of a table: ``[code] place: message (hint: ...)``."""
    if isinstance(error, IowattError):
        error = error_record(error)
    place = f"{error['place']}: " if error["place"] else ""
    hint = f" (hint: {error['hint']})" if error["hint"] else ""
    return " ".join(f"[{error['code']}] {place}{error['message']}{hint}".split())


def error_at_point(error: ErrorRecord, point: str) -> InputError:
    """A recorded error raised for a whole search: at its point, and there at its own place."""
    place = error["place"]
    if isinstance(place, Argument) and place.name == "over":
        place = place.detail
    message = error["message"] or ""
    return InputError(
        error["code"] or "internal", f"{point}: {place}" if place else point, message, hint=error["hint"]
    )


def load_record(text: str | bytes) -> dict[str, Any]:
    """A record of a journal. Raises ``ValueError`` where it is not a JSON object."""
    record = json.loads(text)
    if not isinstance(record, dict):
        raise ValueError("not a JSON object")
    if isinstance(record.get("row"), dict):
        record["row"] = CompactRow(record["row"])
    return record


def read_journal(file: Path) -> dict[str, dict[str, Any]]:
    """The records by key; empty where there is no journal."""
    return _parsed(file)[0]


def has_records(file: Path) -> bool:
    """Whether at least one record was finished."""
    try:
        return b"\n" in file.read_bytes()
    except FileNotFoundError:
        return False


def _parsed(file: Path) -> tuple[dict[str, dict[str, Any]], int]:
    """The records, and the bytes up to the end of the last whole one."""
    if not file.exists():
        return {}, 0
    content = input_file.whole(file, "a journal of points", input_file.LOG_BYTES)
    whole = content.rfind(b"\n") + 1
    found: dict[str, dict[str, Any]] = {}
    for number, line in enumerate(content[:whole].splitlines(), 1):
        try:
            record = load_record(line)
            if not _is_record(record):
                raise ValueError
            found[record["key"]] = record
        except (ValueError, RecursionError):
            message = (
                "not the record of a point: an object with a key, and a row, an error, figures or an outcome"
            )
            hint = "remove the line, and the point is run again"
            raise InputError("wrong-format", f"{file}:{number}", message, hint=hint) from None
    return found, whole


def _is_record(record: Any) -> bool:
    """Whether a value is a record: what was found at a point, by its key, or why nothing was."""
    if not isinstance(record, dict) or not isinstance(record.get("key"), str):
        return False
    if "error" in record:
        return is_error_record(record["error"])
    if "row" in record:
        row = record["row"]
        return isinstance(row, Mapping) and all(isinstance(cell, _CELL) for cell in row.values())
    return any(isinstance(record.get(key), dict) for key in ("figures", "outcome"))


_CELL: Final = (str, int, float, bool, type(None))


class SearchJournal:
    """A journal that is being written."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        try:
            self._lock()
            self.records, whole = _parsed(file)
            os.ftruncate(self._descriptor, whole)
        except BaseException:
            os.close(self._descriptor)
            raise

    def append(self, record: dict[str, Any]) -> dict[str, Any]:
        """Keep a record; returns it as a later reader will see it."""
        line = json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n"
        data = memoryview(line.encode())
        try:
            while data:
                data = data[os.write(self._descriptor, data) :]
            os.fsync(self._descriptor)
        except OSError as error:
            raise InputError("unwritable", str(self._file), f"cannot be written: {error.strerror}") from None
        again = load_record(line)
        self.records[again["key"]] = again
        return again

    def clear(self) -> None:
        """Forget all records."""
        os.ftruncate(self._descriptor, 0)
        self.records.clear()

    def close(self) -> None:
        """Let others write."""
        os.close(self._descriptor)

    def _lock(self) -> None:
        try:
            import fcntl
        except ImportError:  # not on every platform; there two sweeps have to be kept apart by their user
            return
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            message = "another sweep is writing here now"
            hint = "wait for it, or choose another `output=`"
            raise InputError("in-use", str(self._file.parent), message, hint=hint) from None
        except OSError:  # a file system without locks
            return
