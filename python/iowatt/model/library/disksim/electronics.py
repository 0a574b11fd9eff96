"""The electronics of a DiskSim drive: its side of the bus, its overheads, its on-board buffer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from iowatt.model.library.disksim.parameter import (
    PRINTING,
    Table,
    caching,
    duration,
    flag,
    ignored,
    numbered,
    part,
    real,
    seconds,
    stored,
    table_of,
    used,
    whole,
)

READ_AHEAD: Final = {0: "none", 1: "track", 2: "cylinder", 3: "segment", 4: "track-ahead"}
FAST_WRITE: Final = {0: "none", 1: "contiguous", 2: "across-reads"}
_SNEAKY = "only full hits are served while the media are busy"


@dataclass(frozen=True)
class DiskSimInterface:
    """The drive's use of its bus.

    sector_s: Seconds to move one block across its own side of the bus; the bus and the controller may be
        slower. Negative in some files: then these decide alone.
    hold_bus_for_read, hold_bus_for_write: The bus is kept until the whole request has passed, also while the
        media are waited for.
    never_disconnects: The bus is kept from the command to its completion.
    disconnects_write_to_seek: A write gives the bus up before its data have come, if it has to seek.
    max_queue_length: Requests that the drive takes at once, the one in service included; 0 and 1: no command
        queueing.
    preseeking: 0 none, 1 and 2: the arm moves for the next request before its turn.
    """

    sector_s: float = stored("Bulk sector transfer time", seconds)
    hold_bus_for_read: bool = stored("Hold bus entire read xfer", flag)
    hold_bus_for_write: bool = stored("Hold bus entire write xfer", flag)
    never_disconnects: bool = stored("Never disconnect", flag)
    disconnects_write_to_seek: bool = stored("Disconnect write if seek", flag)
    max_queue_length: int = stored("Max queue length", whole())
    preseeking: int = stored(
        "Preseeking level",
        whole(0, 2),
        ignored="the arm moves when the request is served, never on suspicion",
        neutral=0,
    )


@dataclass(frozen=True)
class Overheads:
    """Seconds that the electronics take, the file's scale applied.

    per_request_s: For every request.
    read_hit_after_read_s ... write_miss_after_write_s: Before data move (hit) or the arm moves (miss), by the
        direction of this request and of the one before it. A write is a hit where it completes in the buffer
        (``fast_write``).
    read_completion_s, write_completion_s: Before the completion message.
    data_preparation_s: Before data pass over the bus.
    first_reselect_s, other_reselect_s: To take the bus again, for the first time in a request and later.
    read_disconnect_after_read_s, read_disconnect_after_write_s, write_disconnect_s: To give the bus up.
    extra_write_disconnect: Some writes disconnect once more (HP C2247A); then
    extra_command_s, extra_disconnect_s, extra_inter_disconnect_s, extra_second_disconnect_s: are its command
        overhead, its first disconnect, the time between, and the second disconnect;
    extra_seek_delta_s: its seek starts this much later (or earlier, where negative).
    minimum_seek_delay_s: A write's seek starts at least this much after the command.
    """

    per_request_s: float = stored("Per-request overhead time", duration)
    read_hit_after_read_s: float = stored("Read hit over. after read", duration)
    read_hit_after_write_s: float = stored("Read hit over. after write", duration)
    read_miss_after_read_s: float = stored("Read miss over. after read", duration)
    read_miss_after_write_s: float = stored("Read miss over. after write", duration)
    write_hit_after_read_s: float = stored("Write hit over. after read", duration)
    write_hit_after_write_s: float = stored("Write hit over. after write", duration)
    write_miss_after_read_s: float = stored("Write miss over. after read", duration)
    write_miss_after_write_s: float = stored("Write miss over. after write", duration)
    read_completion_s: float = stored("Read completion overhead", duration)
    write_completion_s: float = stored("Write completion overhead", duration)
    data_preparation_s: float = stored("Data preparation overhead", duration)
    first_reselect_s: float = stored("First reselect overhead", duration)
    other_reselect_s: float = stored("Other reselect overhead", duration)
    read_disconnect_after_read_s: float = stored("Read disconnect afterread", duration)
    read_disconnect_after_write_s: float = stored("Read disconnect afterwrite", duration)
    write_disconnect_s: float = stored("Write disconnect overhead", duration)
    extra_write_disconnect: bool = stored("Extra write disconnect", flag)
    extra_command_s: float = stored("Extradisc command overhead", duration)
    extra_disconnect_s: float = stored("Extradisc disconnect overhead", duration)
    extra_inter_disconnect_s: float = stored("Extradisc inter-disconnect delay", duration)
    extra_second_disconnect_s: float = stored("Extradisc 2nd disconnect overhead", duration)
    extra_seek_delta_s: float = stored("Extradisc seek delta", seconds)
    minimum_seek_delay_s: float = stored("Minimum seek delay", duration)


@dataclass(frozen=True)
class DiskSimBuffer:
    """The on-board buffer. Sizes in sectors of 512 bytes.

    Fields with the name of a key of a device file's ``buffer`` mean the same. Of the others:

    read_ahead_over_requested: Whether read-ahead may overwrite requested data in the segment: -1 never, 0
        those already sent, 1 always.
    reads_directly_to_buffer: Media data go to the segment while it still sends other data.
    low_water, high_water: Fractions: a write asks for more data when its buffer is emptier than
        ``low_water``; a read takes the bus when the buffer is fuller than ``high_water``.
    water_marks_by_request: They are fractions of the request, else of the segment.
    """

    segments: int = stored("Number of buffer segments", whole())
    write_segments: int = stored("Maximum number of write segments", whole())
    segment_sectors: int = stored("Segment size (in blks)", whole())
    dedicated_write_segment: bool = stored("Use separate write segment", flag)
    caching: bool = stored("Enable caching in buffer", caching)
    read_ahead: str = stored("Buffer continuous read", numbered(READ_AHEAD))
    min_read_ahead: int = stored("Minimum read-ahead (blks)", whole())
    max_read_ahead: int = stored("Maximum read-ahead (blks)", whole())
    read_ahead_over_requested: int = stored("Read-ahead over requested", whole(-1, 1))
    read_ahead_on_hit: bool = stored("Read-ahead on idle hit", flag)
    read_free_sectors: bool = stored("Read any free blocks", flag)
    fast_write: str = stored("Fast write level", numbered(FAST_WRITE))
    zero_latency_read: bool = stored("Immediate buffer read", flag)
    zero_latency_write: bool = stored("Immediate buffer write", flag)
    combine_writes: bool = stored("Combine seq writes", flag)
    stop_in_sector: bool = stored("Stop prefetch in sector", flag)
    write_hit_stops_prefetch: bool = stored("Write hit stop prefetch", flag)
    reads_directly_to_buffer: bool = stored("Read directly to buffer", flag)
    partial_hit_at_once: bool = stored("Immed transfer partial hit", flag)
    read_hits_on_writes: bool = stored("Allow read hits on write data", flag)
    low_water: float = stored("Low (write) water mark", real(0, 1))
    high_water: float = stored("High (read) water mark", real(0, 1))
    water_marks_by_request: bool = stored("Set watermark by reqsize", flag)
    almost_hits: bool = stored("Allow almost read hits", flag)
    sneaky_hits: bool = stored("Allow sneaky full read hits", flag)
    sneaky_partial_read_hits: bool = stored(
        "Allow sneaky partial read hits", flag, ignored=_SNEAKY, neutral=False
    )
    sneaky_intermediate_read_hits: bool = stored(
        "Allow sneaky intermediate read hits", flag, ignored=_SNEAKY, neutral=False
    )
    write_prebuffering: bool = stored("Allow write prebuffering", flag)


DISK: Table = {
    **table_of(DiskSimInterface),
    "Time scale for overheads": used("overhead_scale", real(low=0)),
    "Model": part(),
    "Scheduler": part(),
    "Print stats": ignored(PRINTING),
    "Avg sectors per cylinder": ignored(
        "iowatt's schedulers use the layout itself, not an average", neutral=0
    ),
    "Calc sector by sector": ignored(
        "it has had no effect since DiskSim 3.0; iowatt computes in closed form"
    ),
}
"""``disksim_disk``: what is not in `OVERHEADS` or `BUFFER`."""

OVERHEADS: Table = table_of(Overheads)
"""``disksim_disk``: times that the drive's electronics take."""

BUFFER: Table = table_of(DiskSimBuffer)
"""``disksim_disk``: the on-board buffer."""

DISKS_OWN: Table = {**DISK, **OVERHEADS, **BUFFER}
"""All of ``disksim_disk``."""
