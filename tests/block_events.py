"""Recordings of blktrace, made from events: what its binary files hold."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

#: Lower half of an action and its category.
ACTIONS = {
    "Q": 1 | 1 << 20,
    "M": 2 | 1 << 20,
    "F": 3 | 1 << 20,
    "R": 6 | 1 << 21,
    "D": 7 | 1 << 22,
    "C": 8 | 1 << 23,
    "X": 13 | 1 << 20,
}
CLOCK = 1 | 1 << 26


@dataclass(frozen=True)
class Event:
    """An event of a read or a write; sectors of 512 bytes."""

    time_ns: int
    action: str
    sector: int
    sectors: int = 8
    write: bool = False
    cpu: int = 0
    device: int = 8 << 20
    error: int = 0
    #: Events that are lost before it.
    lost: int = 0


def recording(events: Iterable[Event], unix_s: int | None = None) -> dict[int, bytes]:
    """The file of each CPU."""
    files: dict[int, bytearray] = {}
    numbers: dict[int, int] = {}
    if unix_s is not None:
        clock = struct.pack("<IIQQIIIIIHH", 0x65617407, 0, 0, 0, 0, CLOCK, 0, 8 << 20, 0, 0, 8)
        files[0] = bytearray(clock + struct.pack("<II", unix_s, 0))
    for event in events:
        numbers[event.cpu] = numbers.get(event.cpu, 0) + 1 + event.lost
        action = ACTIONS[event.action] | (1 << 17 if event.write else 1 << 16)
        files.setdefault(event.cpu, bytearray()).extend(
            struct.pack(
                "<IIQQIIIIIHH",
                0x65617407,
                numbers[event.cpu],
                event.time_ns,
                event.sector,
                event.sectors * 512,
                action,
                42,
                event.device,
                event.cpu,
                event.error,
                0,
            )
        )
    return {cpu: bytes(data) for cpu, data in files.items()}


def written(base: Path, events: Iterable[Event], unix_s: int | None = None) -> Path:
    """The same as files ``base.blktrace.N``; returns ``base``."""
    for cpu, data in recording(events, unix_s).items():
        base.with_name(f"{base.name}.blktrace.{cpu}").write_bytes(data)
    return base
