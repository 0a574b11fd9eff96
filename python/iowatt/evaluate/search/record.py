"""Records of points in memory: of tens of thousands of them, each as small as its figures."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from iowatt.evaluate.search.over import Cell

_COLUMNS: dict[tuple[str, ...], dict[str, int]] = {}


class Row(Mapping[str, Cell | None]):
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


def loads(text: str | bytes) -> dict[str, Any]:
    """A record of a journal. Raises ``ValueError`` where it is no JSON object."""
    record = json.loads(text)
    if not isinstance(record, dict):
        raise ValueError("no JSON object")
    if isinstance(record.get("row"), dict):
        record["row"] = Row(record["row"])
    return record
