"""Figures of tape drives and libraries, and the files that have them."""

from __future__ import annotations

from functools import cache
from typing import Any, Final, Literal

from iowatt.base.errors import InputError
from iowatt.base.quantity import Capacity, Duration, Power, Rate
from iowatt.base.strict import Strict, key
from iowatt.model.library.folders import LibraryFolder
from iowatt.model.library.source import FigureSource

TAPE: Final = LibraryFolder("tape", "tape drive or library", "`iowatt explain array.library.drive`")
NAME_PATTERN: Final = r"^[a-z0-9]+(-[a-z0-9]+)*$"


def _figure(description: str, **more: Any) -> Any:
    """A key that may be left out where the file of the library has it."""
    return key(description, default=None, unset="as in its file", **more)


class TapeDrivePower(Strict):
    """Watts of a tape drive by what it does."""

    unloaded: Power | None = _figure("Without a cartridge.", example="18W")
    idle: Power | None = _figure("With a cartridge, the tape standing still.", example="18W")
    load: Power | None = _figure("Loading and unloading.", example="37W")
    locate: Power | None = _figure("Locating, rewinding and repositioning.", example="37W")
    read: Power | None = _figure("Reading.", example="37W")
    write: Power | None = _figure("Writing.", example="37W")


class TapeDriveFigures(Strict):
    """Figures of a tape drive with its cartridges. Bytes are those on tape, after compression."""

    capacity: Capacity | None = _figure("Bytes of a cartridge.", gt=0, example="18TB")
    wraps: int | None = _figure(
        "Passes of the tape, there and back in turn, over which its bytes are spread.",
        within=(1, 100_000),
        example=280,
    )
    rate: Rate | None = _figure(
        "Speed of reading and writing at the fastest tape speed.", gt=0, example="400MB/s"
    )
    slowest: Rate | None = _figure(
        "The same at the slowest one that it matches a host with.", gt=0, example="177MB/s"
    )
    compressed_rate: Rate | None = _figure(
        "Most host bytes a second that it compresses or expands.", gt=0, example="750MB/s"
    )
    interface: Rate | None = _figure("Most bytes a second between host and buffer.", gt=0, example="800MB/s")
    buffer: Capacity | None = _figure("Its buffer.", ge=2**16, example="1GiB")
    load: Duration | None = _figure("From a cartridge in the drive to ready.", example="17s")
    unload: Duration | None = _figure("Of a rewound cartridge, until the robot can take it.", example="30s")
    locate: Duration | None = _figure(
        "Mean time to locate a byte from the beginning of the tape.", gt=0, example="45s"
    )
    locate_overhead: Duration | None = _figure(
        "Of that, what the shortest locate takes: start, stop, and the change of wraps.", example="3s"
    )
    reposition: Duration | None = _figure(
        "Until a tape that has stopped for lack of data is back where it stopped (backhitch).", example="3s"
    )
    flush: Duration | None = _figure(
        "Time without a write after which it writes out what is buffered.", example="5s"
    )
    power: TapeDrivePower = key("Watts.", default=TapeDrivePower())


class MediaLibraryFigures(Strict):
    """Figures of a library without its drives."""

    move: Duration | None = _figure(
        "Time in which a robot brings a cartridge from its slot to a drive, or back.", example="5s"
    )
    frame: Power | None = _figure(
        "Watts of frame, controller, fans and supplies, without drives and robots.", example="112W"
    )
    robot_idle: Power | None = _figure("Watts of a robot that waits.", example="24W")
    robot_moving: Power | None = _figure("Watts of a robot that moves.", example="85W")


class _TapeFile(Strict):
    """Keys of every file."""

    name: str = key("Lower-case name with dashes.", pattern=NAME_PATTERN, max_length=64)
    title: str = key("What it is, as people write it.", min_length=1)
    assumptions: list[str] = key("Statements that a reader of its results must see.", default=[])
    notes: list[str] = key("Remarks on the figures, for whoever looks at them.", default=[])
    source: list[FigureSource] = key("Where the figures come from.", min_length=1)


class TapeDriveFile(TapeDriveFigures, _TapeFile):
    """A tape drive of the library."""

    kind: Literal["tape-drive"] = key("What it is.")


class MediaLibraryFile(MediaLibraryFigures, _TapeFile):
    """A tape library, without its drives."""

    kind: Literal["tape-library"] = key("What it is.")


@cache
def names(kind: str) -> tuple[str, ...]:
    """Names of the files of one kind, sorted."""
    return tuple(name for name in TAPE.names() if TAPE.document(name).raw.get("kind") == kind)


def tape_drive(name: str) -> TapeDriveFile:
    """The tape drive ``name``; raises ``InputError`` where there is none, with the nearest names."""
    if name not in names("tape-drive"):
        raise _unknown(name, "tape drive", "tape-drive")
    return TAPE.document(name).validate(TapeDriveFile)


def media_library(name: str) -> MediaLibraryFile:
    """The library ``name``; raises ``InputError`` where there is none, with the nearest names."""
    if name not in names("tape-library"):
        raise _unknown(name, "tape library", "tape-library")
    return TAPE.document(name).validate(MediaLibraryFile)


def _unknown(name: str, item: str, kind: str) -> InputError:
    known = names(kind)
    return TAPE.unknown(name, f"one of {', '.join(known)}", item=item, known=known)
