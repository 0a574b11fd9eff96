"""What libraries did, as tables: mounts, where their time went, and where that of requests went."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from iowatt.render import numbers
from iowatt.render.figure import Cell, Column, Table

_MOUNT_PARTS: Final = {
    "drive": "for a drive",
    "clear": "for it to rewind and unload",
    "robot": "for a robot",
    "move": "moving cartridges",
    "load": "loading",
}
_REQUEST_PARTS: Final = {
    "mount_s": "mount",
    "queue_s": "queue",
    "locate_s": "locate",
    "transfer_s": "transfer",
}


def tables(summary: Mapping[str, Any]) -> Iterator[tuple[str, Table]]:
    """Titled tables of each library of a Run."""
    for library in summary.get("libraries") or ():
        yield f"Mounts of {library['name']}", _mounts(library)
        yield f"Requests to {library['name']}", _requests(library)


def _mounts(library: Mapping[str, Any]) -> Table:
    waits = library["mount_wait_s"]
    parts: list[list[Cell]] = [
        [f"of that, {title}", _time(waits["parts"][part])] for part, title in _MOUNT_PARTS.items()
    ]
    rows: list[list[Cell]] = [
        ["Mounts", numbers.count(library["mounts"])],
        ["Cartridges put back", numbers.count(library["dismounts"])],
        ["Wait for a mount, mean", _time(waits["mean"])],
        *parts,
        ["Median", _time(waits["p50"])],
        ["95 %", _time(waits["p95"])],
        ["Longest", _time(waits["max"])],
        ["Locates", numbers.count(library["locates"])],
        ["Repositions (backhitches)", numbers.count(library["repositions"])],
    ]
    return Table([Column("What", text=True), Column("Amount", text=True)], rows)


def _requests(library: Mapping[str, Any]) -> Table:
    rows: list[list[Cell]] = [
        [title, way["requests"], *(way[part] for part in _REQUEST_PARTS)]
        for title, way in (("read", library["read"]), ("write", library["write"]))
    ]
    parts = [Column(f"Mean {title}", "s") for title in _REQUEST_PARTS.values()]
    return Table([Column("Op", text=True), Column("Requests"), *parts], rows)


def _time(seconds: float | None) -> str:
    return "-" if seconds is None else numbers.duration(seconds)
