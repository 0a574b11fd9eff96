"""The electronics of a DiskSim drive: its side of the bus, its overheads, its on-board buffer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Interface:
    """How the drive uses its bus.

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

    sector_s: float
    hold_bus_for_read: bool
    hold_bus_for_write: bool
    never_disconnects: bool
    disconnects_write_to_seek: bool
    max_queue_length: int
    preseeking: int


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

    per_request_s: float
    read_hit_after_read_s: float
    read_hit_after_write_s: float
    read_miss_after_read_s: float
    read_miss_after_write_s: float
    write_hit_after_read_s: float
    write_hit_after_write_s: float
    write_miss_after_read_s: float
    write_miss_after_write_s: float
    read_completion_s: float
    write_completion_s: float
    data_preparation_s: float
    first_reselect_s: float
    other_reselect_s: float
    read_disconnect_after_read_s: float
    read_disconnect_after_write_s: float
    write_disconnect_s: float
    extra_write_disconnect: bool
    extra_command_s: float
    extra_disconnect_s: float
    extra_inter_disconnect_s: float
    extra_second_disconnect_s: float
    extra_seek_delta_s: float
    minimum_seek_delay_s: float


@dataclass(frozen=True)
class Buffer:
    """The on-board buffer. Sizes in sectors of 512 bytes.

    segments, segment_sectors: Its number of segments and their size.
    write_segments, separate_write_segment: How many segments writes may use; whether one is kept for them
        alone.
    caching: Whether data of earlier requests can be hit.
    read_ahead: ``none``; to the end of the ``track`` or ``cylinder``; until the ``segment`` is full;
        ``track-ahead``: the next track too if the one before was read.
    min_read_ahead_sectors, max_read_ahead_sectors: Bounds of it.
    read_ahead_over_requested: Whether read-ahead may overwrite requested data in the segment: -1 never, 0
        those already sent, 1 always.
    read_ahead_on_idle_hit: A hit on an idle drive starts read-ahead again.
    reads_any_free_sectors: Sectors that pass under the head before the requested ones are taken into the
        buffer.
    fast_write: ``none``; ``contiguous``: writes complete in the buffer if they continue the one there;
        ``contiguous-across-reads``: even with reads between.
    zero_latency_read, zero_latency_write: The transfer starts wherever the head lands inside the request.
    combines_sequential_writes: Writes in the buffer that continue each other go to the media as one.
    stops_prefetch_in_sector: Read-ahead ends in the middle of a sector when a request comes, not at its end.
    write_hit_stops_prefetch: A write that goes to the buffer ends read-ahead.
    reads_directly_to_buffer: Media data go to the segment while it still sends other data.
    partial_hit_at_once: What is in the buffer is sent before the rest is read.
    read_hits_on_write_data: Reads can hit data that were written.
    low_water, high_water: Fractions: a write asks for more data when its buffer is emptier than
        ``low_water``; a read takes the bus when the buffer is fuller than ``high_water``.
    water_marks_by_request: They are fractions of the request, else of the segment.
    almost_read_hits, sneaky_full_read_hits, sneaky_partial_read_hits, sneaky_intermediate_read_hits: Data
        that will be in the buffer count as hits, in four ways.
    write_prebuffering: Write data are taken before the request is the drive's turn.
    """

    segments: int
    write_segments: int
    segment_sectors: int
    separate_write_segment: bool
    caching: bool
    read_ahead: str
    min_read_ahead_sectors: int
    max_read_ahead_sectors: int
    read_ahead_over_requested: int
    read_ahead_on_idle_hit: bool
    reads_any_free_sectors: bool
    fast_write: str
    zero_latency_read: bool
    zero_latency_write: bool
    combines_sequential_writes: bool
    stops_prefetch_in_sector: bool
    write_hit_stops_prefetch: bool
    reads_directly_to_buffer: bool
    partial_hit_at_once: bool
    read_hits_on_write_data: bool
    low_water: float
    high_water: float
    water_marks_by_request: bool
    almost_read_hits: bool
    sneaky_full_read_hits: bool
    sneaky_partial_read_hits: bool
    sneaky_intermediate_read_hits: bool
    write_prebuffering: bool
