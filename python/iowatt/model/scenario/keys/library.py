"""Keys of libraries: cartridges that robots put into tape drives. See docs/models/library.md."""

from __future__ import annotations

from typing import ClassVar

from iowatt.base.quantity import Duration
from iowatt.base.strict import Name, ShortForm, Strict, key
from iowatt.model.library.tape import MediaLibraryFigures, TapeDriveFigures


class _TapePartChoice(ShortForm):
    """A part of the library with changed figures, or all figures of another part."""

    SHORT_MEANS: ClassVar[str] = "A name of the library, without changes."

    name: str | None = key(
        "A name of the library (`iowatt explain` lists them); the other keys change its figures.",
        unset="what the other keys describe",
        example="ibm-lto-9",
        min_length=1,
    )


class TapeDriveChoice(TapeDriveFigures, _TapePartChoice):
    """A tape drive with its cartridges."""


class RoboticsChoice(MediaLibraryFigures, _TapePartChoice):
    """A library without its drives."""


class LibraryKeys(Strict):
    """A library: cartridges in slots, tape drives, and robots that move cartridges between them.

    Its cartridges lie one after another in its address space.
    """

    name: Name = key("Its name in results, in `array.volume.pool` and in `--set` paths.", example="tapes")
    drive: TapeDriveChoice = key(
        "The tape drives: a library name, or a table of figures.",
        accepts="a library name, or a table of figures (docs/models/library.md)",
        example="ibm-lto-9",
    )
    robotics: RoboticsChoice = key(
        "Frame and robots: a library name, or a table of figures.",
        accepts="a library name, or a table with the keys name, move, frame, robot_idle, robot_moving",
        example="ibm-ts4500",
    )
    drives: int = key("Number of tape drives.", within=(1, 10_000), example=4)
    robots: int = key(
        "Number of robots; each moves one cartridge at a time.", default=1, within=(1, 100), example=2
    )
    cartridges: int = key(
        "Number of cartridges, each in a slot of its own.", within=(1, 1_000_000), example=40
    )
    compression: float = key(
        "Bytes of hosts for one byte on tape. Capacity and speeds grow with it, up to the drive's "
        "`compressed_rate`.",
        default=1.0,
        within=(1, 100),
        example=2.5,
    )
    hold: Duration = key(
        "Time without a request after which a drive gives up its cartridge where another waits for a drive.",
        default=1.0,
        unit="s",
        example="10s",
        le=1e6,
    )
    unload_after: Duration | None = key(
        "Time without a request after which a drive unloads its cartridge, whether or not another waits.",
        unset="it keeps it until the drive is wanted",
        example="15min",
        le=1e8,
    )
