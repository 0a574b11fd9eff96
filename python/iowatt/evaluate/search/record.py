"""Records of points: rows, which are small in memory because there may be tens of thousands; and errors."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

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
    """Whether a value is what ``as_record`` makes."""
    return (
        isinstance(value, dict)
        and value.keys() == set(ERROR_KEYS)
        and all(isinstance(value[key], str) for key in ("code", "message"))
        and all(isinstance(value[key], str | None) for key in ("place", "hint"))
    )


def error_text(error: ErrorRecord) -> str:
    """A recorded error in one line, for a cell of the table: ``[code] place: message (hint: ...)``."""
    place = f"{error['place']}: " if error["place"] else ""
    hint = f" (hint: {error['hint']})" if error["hint"] else ""
    return " ".join(f"[{error['code']}] {place}{error['message']}{hint}".split())


def error_at_point(error: ErrorRecord, point: str) -> InputError:
    """A recorded error raised for a whole search: at its point, and there at its own place."""
    place = error["place"]
    if isinstance(place, Argument) and place.name == "over":
        place = place.detail
    return InputError(
        error["code"] or "internal",
        f"{point}: {place}" if place else point,
        error["message"] or "",
        hint=error["hint"],
    )


def load_record(text: str | bytes) -> dict[str, Any]:
    """A record of a journal. Raises ``ValueError`` where it is not a JSON object."""
    record = json.loads(text)
    if not isinstance(record, dict):
        raise ValueError("not a JSON object")
    if isinstance(record.get("row"), dict):
        record["row"] = CompactRow(record["row"])
    return record
