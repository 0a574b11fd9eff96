"""A disk's controller and on-board buffer in a device file: overheads, bus side, segments, read-ahead.

A figure that is left out has the value of a drive without that mechanism. ``plan`` gives the simulator's
tables; docs/models/disk.md describes the mechanisms.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BeforeValidator

from iowatt.base.errors import BadValueError
from iowatt.base.quantity import Duration, Share, SignedDuration
from iowatt.base.strict import Strict, key


def _two(value: Any) -> Any:
    if isinstance(value, list | tuple) and len(value) == 2:
        return tuple(value)
    raise BadValueError("wrong-type", None, "expected a list of two")


Durations = Annotated[tuple[Duration, Duration], BeforeValidator(_two)]
Flags = Annotated[tuple[bool, bool], BeforeValidator(_two)]
NO_TIME: Final = (0.0, 0.0)


def _time(description: str) -> Any:
    return key(description, default=0.0, unit="s")


def _times(description: str) -> Any:
    accepts = 'a list of two durations, such as ["0.1ms", "0.4ms"]'
    return key(description, default=NO_TIME, unit="s", accepts=accepts)


def _flag(description: str) -> Any:
    return key(description, default=False)


def _sectors(description: str) -> Any:
    return key(description, default=0, unit="sectors", within=(0, 2**40))


class ExtraDisconnect(Strict):
    """The extra disconnection of a write that follows a write elsewhere (HP C2247A)."""

    command: Duration = _time("Command overhead of such a write.")
    disconnect: Duration = _time("First disconnection.")
    between: Duration = _time("From there to the reconnection.")
    second: Duration = _time("Second disconnection.")
    seek_delta: SignedDuration = _time("Added before the seek; may be negative.")

    def plan(self) -> dict[str, float]:
        """``ExtraDisconnectPlan``."""
        return {f"{name}_s": getattr(self, name) for name in type(self).model_fields}


class DriveController(Strict):
    """Overheads of the drive's electronics and its side of the bus."""

    extraction: Literal["separate", "commands"] = key(
        "How the figures were obtained, which decides what they contain. separate: seek times are without "
        "command processing, hit overheads are means over a workload. commands: seek times are those of "
        "whole SEEK commands, miss overheads the remainder, hit overheads those of a drive that reads ahead "
        "(after a read) and that rests (after a write); DIXtrac's procedure.",
        default="separate",
    )
    per_request: Duration = _time("Before anything else.")
    read_hit: Durations = _times("Overhead of reads from the buffer: after a read, after a write.")
    read_miss: Durations = _times("Of reads from the media, likewise.")
    write_hit: Durations = _times("Of writes that complete in the buffer, likewise.")
    write_miss: Durations = _times("Of writes to the media, likewise.")
    completion: Durations = _times("Before the completion message: of a read, of a write.")
    data_preparation: Duration = _time("Before the first data of a transfer.")
    reselect: Durations = _times("Taking the bus again: for the first time in a request, later.")
    read_disconnect: Durations = _times("Giving the bus up, in a read: after a read, after a write.")
    write_disconnect: Duration = _time("Giving the bus up, in a write.")
    extra_disconnect: ExtraDisconnect | None = key("Some writes disconnect once more.", unset="they do not")
    minimum_seek: Duration = _time("Least positioning time of a write.")
    sector: Durations = _times("Time of one sector on the drive's bus: read, write. 0: no limit.")
    never_disconnect: bool = _flag(
        "The drive does not give the bus up in a request: no reselection, and hold_bus of both kinds."
    )
    hold_bus: Flags = key(
        "The drive keeps the bus from the first data to the last, also while the media are waited for: of a "
        "read, of a write.",
        default=(False, False),
        accepts="a list of two, such as [true, false]",
    )
    read_watermark: Share = key(
        "Part of a request that is in the buffer before a read's transfer starts.", default=0.0
    )
    write_watermark: Share = key(
        "Part of a request that is in the buffer before the media start to write.", default=0.0
    )
    watermark_by_request: bool = _flag("The watermarks are fractions of the request, not of the segment.")

    def plan(self) -> dict[str, Any]:
        """``ControllerPlan``."""
        plain = {
            "extraction", "never_disconnect", "hold_bus",
            "read_watermark", "write_watermark", "watermark_by_request",
        }  # fmt: skip
        plan: dict[str, Any] = {}
        for name in type(self).model_fields:
            value = getattr(self, name)
            if name == "extra_disconnect":
                plan[name] = value and value.plan()
            else:
                key = name if name in plain else f"{name}_s"
                plan[key] = list(value) if isinstance(value, tuple) else value
        return plan


FAST_WRITE: Final = ("none", "contiguous", "across-reads")


class DriveBuffer(Strict):
    """The on-board buffer. Sizes in sectors."""

    segments: int = key("Number of segments.", default=0, within=(0, 2**20))
    segment_sectors: int = _sectors("Size of one.")
    write_segments: int = key(
        "Segments that may hold unwritten data, with write_prebuffering; at least 1, and 1 is left to reads.",
        default=0,
        within=(0, 2**20),
    )
    dedicated_write_segment: bool = _flag("One segment serves writes only.")
    caching: bool = _flag("Data is kept after its request.")
    read_hits_on_writes: bool = _flag("Reads find data that writes left.")
    read_ahead: Literal["none", "track", "cylinder", "segment", "track-ahead", "history"] = key(
        "How far the drive reads on after a read: not at all, to the end of the track or cylinder, until the "
        "segment is full; track-ahead: to the end of the track, and of the next one if the one before was "
        "read; history: until the segment is full, but only after a read that goes on where the one before "
        "it ended.",
        default="none",
    )
    min_read_ahead: int = _sectors("Least read-ahead before the media serve another request.")
    max_read_ahead: int = _sectors("Most; 0: the segment.")
    requested: Literal["keep", "release", "discard"] = key(
        "What becomes of sectors that the host has read. keep: they stay until the segment is used for "
        "something else; release: read-ahead takes their place; discard: they leave at once.",
        default="keep",
    )
    read_ahead_on_hit: bool = _flag("A full hit restarts the read-ahead.")
    read_free_sectors: bool = _flag("Sectors that pass before the wanted one are kept.")
    almost_hits: bool = _flag(
        "A read that begins with the sector that read-ahead delivers next has the overheads of a hit (with "
        "partial_hit_at_once), not of a miss. Read-ahead goes on in both cases."
    )
    sneaky_hits: bool = _flag("Full read hits are served while the media are busy writing.")
    zero_latency: Flags = key(
        "Transfer starts wherever the head lands in the request: of reads, of writes.",
        default=(False, False),
        accepts="a list of two, such as [true, false]",
    )
    fast_write: Literal["none", "contiguous", "across-reads"] = key(
        "Whether writes complete in the buffer. contiguous: those that continue the data being written; "
        "across-reads: even with reads between.",
        default="none",
    )
    write_prebuffering: bool = _flag(
        "Writes that complete in the buffer are taken while the media still write others, as far as the "
        "write_segments have room. If not, they wait for the media."
    )
    combine_writes: bool = _flag("Writes that follow the data being written join it.")
    stop_in_sector: bool = _flag("Read-ahead stops within a sector when a request comes.")
    write_hit_stops_prefetch: bool = _flag("A write to prefetched data ends the read-ahead there.")
    partial_hit_at_once: bool = key(
        "The part of a read that is in the buffer is sent at once. If not, and below the watermark of reads, "
        "the read is a miss to the host.",
        default=True,
    )

    def plan(self) -> dict[str, Any]:
        """``BufferPlan``."""
        return {
            **self.model_dump(),
            "zero_latency": list(self.zero_latency),
            "fast_write": FAST_WRITE.index(self.fast_write),
        }


Discipline = Literal["fcfs", "sstf", "scan", "look", "elevator", "c-look", "sptf", "spctf"]


def _canonical(discipline: Discipline) -> Discipline:
    return "look" if discipline == "elevator" else discipline


Scheduler = Annotated[Discipline, AfterValidator(_canonical)]
"""A queue discipline; ``elevator`` is read as ``look``."""


class CommandQueue(Strict):
    """Command queueing inside the drive (tagged queueing, NCQ). How much of it is used, a scenario says."""

    depth: int | None = key(
        "Most commands that the drive holds, the one in service included.",
        unset="not known; a scenario may ask for any",
        within=(1, 2**20),
    )
    scheduler: Scheduler = key(
        "Order in which the drive serves the commands that it holds; the names are those of "
        "`array.pool.scheduler` in a scenario.",
        default="fcfs",
    )
