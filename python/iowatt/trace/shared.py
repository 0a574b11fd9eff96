"""Decoded traces kept for further readers: a sweep opens and decodes a Parquet trace only once.

Outside of :func:`sharing` nothing is kept. Inside it, a trace that fits into what is left of the budget is
kept whole, as it is decoded; others are read as always, in bounded memory.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np

Opened = TypeVar("Opened")

ROW_BYTES: Final = 8 + 4 + 1 + 8 + 4 + 8 + 4
"""Bytes of a decoded request: time, device, op, offset, size, response, stream."""
SHARED_BYTES: Final = 1 << 30
"""Most memory in which a search keeps decoded traces for all its points."""


class Slice(NamedTuple):
    """Decoded rows of a trace, and the names of devices and streams up to their end."""

    columns: dict[str, np.ndarray]
    devices: list[str]
    streams: list[str]


class Slices:
    """The slices of one trace, decoded in order by the first reader that needs one."""

    def __init__(self, decode_next: Callable[[], Slice]) -> None:
        self._decode_next = decode_next
        self._decoded: list[Slice] = []
        self._lock = threading.Lock()

    def at(self, index: int) -> Slice:
        """Slice ``index``; other readers wait while it is decoded. Raises what decoding raises."""
        with self._lock:
            while len(self._decoded) <= index:
                found = self._decode_next()
                for column in found.columns.values():
                    column.flags.writeable = False
                self._decoded.append(found)
            return self._decoded[index]


@dataclass
class _Store:
    left_bytes: int
    opened: dict[Hashable, Any] = field(default_factory=dict)
    traces: dict[Hashable, Slices] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)


_stores: list[_Store] = []


@contextmanager
def sharing(budget_bytes: int) -> Iterator[None]:
    """Keep decoded traces, up to ``budget_bytes`` of them, until the block is left."""
    store = _Store(budget_bytes)
    _stores.append(store)
    try:
        yield
    finally:
        _stores.remove(store)


def opened(key: Hashable, open_trace: Callable[[], Opened]) -> Opened:
    """What ``open_trace`` returns, or returned for an earlier reader of the same trace."""
    if not _stores:
        return open_trace()
    store = _stores[-1]
    with store.lock:
        if key not in store.opened:
            store.opened[key] = open_trace()
        found: Opened = store.opened[key]
        return found


def slices(key: Hashable, rows: int, decoder: Callable[[], Callable[[], Slice]]) -> Slices | None:
    """The kept slices of the trace of so many ``rows``; ``None`` where it is not kept.

    ``key`` tells traces apart, their content included; ``decoder`` makes what decodes one slice after
    another.
    """
    if not _stores:
        return None
    store = _stores[-1]
    with store.lock:
        if key not in store.traces:
            if rows * ROW_BYTES > store.left_bytes:
                return None
            store.left_bytes -= rows * ROW_BYTES
            store.traces[key] = Slices(decoder())
        return store.traces[key]
