"""Every parameter of DiskSim 4.0's disks: used as which field, or ignored and why. The one table of it.

Names and meanings are DiskSim's own (its manual and parameter declarations); units there are milliseconds and
512-byte blocks. `system_parameters` has the tables of the components around the disk.
"""

from __future__ import annotations

from typing import Final

from iowatt.model.library.disksim.parameter import (
    Table,
    caching,
    duration,
    flag,
    ignored,
    numbered,
    numbers,
    one_of,
    part,
    real,
    seconds,
    unmodelled,
    used,
    whole,
    whole_numbers,
    word,
)

PRINTING = "it chooses what DiskSim prints; iowatt reports all it observes"

READ_AHEAD: Final = {0: "none", 1: "track", 2: "cylinder", 3: "segment", 4: "track-ahead"}
FAST_WRITE: Final = {0: "none", 1: "contiguous", 2: "contiguous-across-reads"}
POLICIES: Final = {
    1: "fcfs",
    2: "elevator-lbn",
    3: "cycle-lbn",
    4: "sstf-lbn",
    5: "elevator-cylinder",
    6: "cycle-cylinder",
    7: "sstf-cylinder",
    8: "sptf",
    9: "spctf",
    10: "satf",
    11: "wptf",
    12: "wpctf",
    13: "watf",
    14: "asptf",
    15: "aspctf",
    16: "asatf",
    17: "vscan-lbn",
    18: "vscan-cylinder",
    19: "priority-vscan-lbn",
    20: "priority-asptf",
    21: "priority-aspctf",
    22: "sdf-approximate",
    23: "sdf-exact",
    24: "sptf-rotation",
    25: "sptf-rotation-weight",
    26: "sptf-seek-weight",
    27: "tsps",
    28: "batch-fcfs",
}

DISK: Table = {
    "Model": part(),
    "Scheduler": part(),
    "Bulk sector transfer time": used("sector_s", seconds),
    "Hold bus entire read xfer": used("hold_bus_for_read", flag),
    "Hold bus entire write xfer": used("hold_bus_for_write", flag),
    "Never disconnect": used("never_disconnects", flag),
    "Disconnect write if seek": used("disconnects_write_to_seek", flag),
    "Max queue length": used("max_queue_length", whole()),
    "Time scale for overheads": used("overhead_scale", real(low=0)),
    "Preseeking level": unmodelled(
        "preseeking", whole(0, 2), "the arm moves when the request is served, never on suspicion", neutral=0
    ),
    "Print stats": ignored(PRINTING),
    "Avg sectors per cylinder": ignored(
        "iowatt's schedulers use the layout itself, not an average", neutral=0
    ),
    "Calc sector by sector": ignored(
        "it has had no effect since DiskSim 3.0; iowatt computes in closed form"
    ),
}
"""``disksim_disk``: what is not in `OVERHEADS` or `BUFFER`."""

OVERHEADS: Table = {
    "Per-request overhead time": used("per_request_s", duration),
    "Read hit over. after read": used("read_hit_after_read_s", duration),
    "Read hit over. after write": used("read_hit_after_write_s", duration),
    "Read miss over. after read": used("read_miss_after_read_s", duration),
    "Read miss over. after write": used("read_miss_after_write_s", duration),
    "Write hit over. after read": used("write_hit_after_read_s", duration),
    "Write hit over. after write": used("write_hit_after_write_s", duration),
    "Write miss over. after read": used("write_miss_after_read_s", duration),
    "Write miss over. after write": used("write_miss_after_write_s", duration),
    "Read completion overhead": used("read_completion_s", duration),
    "Write completion overhead": used("write_completion_s", duration),
    "Data preparation overhead": used("data_preparation_s", duration),
    "First reselect overhead": used("first_reselect_s", duration),
    "Other reselect overhead": used("other_reselect_s", duration),
    "Read disconnect afterread": used("read_disconnect_after_read_s", duration),
    "Read disconnect afterwrite": used("read_disconnect_after_write_s", duration),
    "Write disconnect overhead": used("write_disconnect_s", duration),
    "Extra write disconnect": used("extra_write_disconnect", flag),
    "Extradisc command overhead": used("extra_command_s", duration),
    "Extradisc disconnect overhead": used("extra_disconnect_s", duration),
    "Extradisc inter-disconnect delay": used("extra_inter_disconnect_s", duration),
    "Extradisc 2nd disconnect overhead": used("extra_second_disconnect_s", duration),
    "Extradisc seek delta": used("extra_seek_delta_s", seconds),
    "Minimum seek delay": used("minimum_seek_delay_s", duration),
}
"""``disksim_disk``: times that the drive's electronics take."""

_SNEAKY = "only full hits are served while the media are busy"

BUFFER: Table = {
    "Number of buffer segments": used("segments", whole()),
    "Maximum number of write segments": used("write_segments", whole()),
    "Segment size (in blks)": used("segment_sectors", whole()),
    "Use separate write segment": used("separate_write_segment", flag),
    "Enable caching in buffer": used("caching", caching),
    "Buffer continuous read": used("read_ahead", numbered(READ_AHEAD)),
    "Minimum read-ahead (blks)": used("min_read_ahead_sectors", whole()),
    "Maximum read-ahead (blks)": used("max_read_ahead_sectors", whole()),
    "Read-ahead over requested": used("read_ahead_over_requested", whole(-1, 1)),
    "Read-ahead on idle hit": used("read_ahead_on_idle_hit", flag),
    "Read any free blocks": used("reads_any_free_sectors", flag),
    "Fast write level": used("fast_write", numbered(FAST_WRITE)),
    "Immediate buffer read": used("zero_latency_read", flag),
    "Immediate buffer write": used("zero_latency_write", flag),
    "Combine seq writes": used("combines_sequential_writes", flag),
    "Stop prefetch in sector": used("stops_prefetch_in_sector", flag),
    "Write hit stop prefetch": used("write_hit_stops_prefetch", flag),
    "Read directly to buffer": used("reads_directly_to_buffer", flag),
    "Immed transfer partial hit": used("partial_hit_at_once", flag),
    "Allow read hits on write data": used("read_hits_on_write_data", flag),
    "Low (write) water mark": used("low_water", real(0, 1)),
    "High (read) water mark": used("high_water", real(0, 1)),
    "Set watermark by reqsize": used("water_marks_by_request", flag),
    "Allow almost read hits": used("almost_read_hits", flag),
    "Allow sneaky full read hits": used("sneaky_full_read_hits", flag),
    "Allow sneaky partial read hits": unmodelled("sneaky_partial_read_hits", flag, _SNEAKY, neutral=False),
    "Allow sneaky intermediate read hits": unmodelled(
        "sneaky_intermediate_read_hits", flag, _SNEAKY, neutral=False
    ),
    "Allow write prebuffering": used("write_prebuffering", flag),
}
"""``disksim_disk``: the on-board buffer."""

DISKS_OWN: Table = {**DISK, **OVERHEADS, **BUFFER}
"""All of ``disksim_disk``."""

MODEL: Table = {
    "Block count": used("sectors", whole(1)),
    "Number of data surfaces": used("surfaces", whole(1, 1000)),
    "Number of cylinders": used("cylinders", whole(1, 2**31)),
    "Layout Model": part(),
    "Mechanical Model": part(),
}
"""``dm_disk``."""

SEEK_TYPES: Final = ("linear", "curve", "constant", "hpl", "hplplus10", "extracted")

MECHANICS: Table = {
    "Access time type": used("access_time", one_of("constant", "averageRotation", "trackSwitchPlusRotation")),
    "Constant access time": used("constant_access_s", duration, required=False),
    "Seek type": used("seek_type", one_of(*SEEK_TYPES)),
    "Average seek time": used("average", duration, required=False),
    "Constant seek time": used("constant", duration, required=False),
    "Single cylinder seek time": used("single", duration, required=False),
    "Full strobe seek time": used("full", duration, required=False),
    "Full seek curve": used("curve_file", word, required=False),
    "First ten seek times": used("first_ten", numbers, required=False),
    "HPL seek equation values": used("hpl", numbers, required=False),
    "Add. write settling delay": used("write_settle_s", seconds),
    "Head switch time": used("head_switch_s", duration),
    "Rotation speed (in rpms)": used("rpm", real(above=0, high=1e6)),
    "Percent error in rpms": ignored(
        "DiskSim 4.0 reads it and does not use it (rpm randomization is disabled); neither does iowatt",
        neutral=0,
    ),
}
"""``dm_mech_g1``. Which of the seek parameters count depends on the seek type; the others are reported."""

G1: Table = {
    "LBN-to-PBN mapping scheme": used("mapping", whole(0, 2)),
    "Sparing scheme used": used("sparing", whole(0, 10)),
    "Rangesize for sparing": used("range_cylinders", whole()),
    "Skew units": used("skew_units", one_of("sectors", "revolutions"), required=False),
    "Zones": part(),
}
"""``dm_layout_g1``."""

G1_ZONE: Table = {
    "First cylinder number": used("first_cylinder", whole(0, 2**31)),
    "Last cylinder number": used("last_cylinder", whole(0, 2**31)),
    "Blocks per track": used("sectors_per_track", whole(1, 2**31)),
    "Offset of first block": used("first_sector_offset", real()),
    "Skew units": used("skew_units", one_of("sectors", "revolutions"), required=False),
    "Empty space at zone front": used("empty_front_sectors", whole()),
    "Skew for track switch": used("track_skew", real(), required=False),
    "Skew for cylinder switch": used("cylinder_skew", real(), required=False),
    "Number of spares": used("spares", whole()),
    "slips": used("slips", whole_numbers),
    "defects": used("defects", whole_numbers),
}
"""``dm_layout_g1_zone``."""

G4: Table = {"TP": part(), "IDX": part(), "Slips": part(required=False), "Remaps": part(required=False)}
"""``dm_layout_g4``."""

_NO_STREAMS = "iowatt's queues serve each request as it came: none are merged or ordered by stream"
_TIMEOUT, _PRIORITY = "Scheduling timeout scheme", "Scheduling priority scheme"
_SEQUENTIAL = "Sequential stream scheme"
_ONE_QUEUE = "iowatt keeps one queue per device: none for requests that waited long or are urgent"

SCHEDULER: Table = {
    "Scheduling policy": used("policy", numbered(POLICIES)),
    "Cylinder mapping strategy": used("cylinder_mapping", whole(0, 6)),
    "Write initiation delay": used("write_initiation_s", duration),
    "Read initiation delay": used("read_initiation_s", duration),
    _SEQUENTIAL: ignored(_NO_STREAMS, neutral=0),
    "Maximum concat size": ignored(_NO_STREAMS, only_with=_SEQUENTIAL),
    "Sequential stream diff maximum": ignored(_NO_STREAMS, only_with=_SEQUENTIAL),
    "Overlapping request scheme": ignored("overlapping requests are served like all others", neutral=0),
    _TIMEOUT: ignored(_ONE_QUEUE, neutral=0),
    "Timeout time/weight": ignored(_ONE_QUEUE, only_with=_TIMEOUT),
    "Timeout scheduling": ignored(_ONE_QUEUE, only_with=_TIMEOUT),
    _PRIORITY: ignored(_ONE_QUEUE, neutral=0),
    "Priority scheduling": ignored(_ONE_QUEUE, only_with=_PRIORITY),
}
"""``disksim_ioqueue``, in a disk, a controller or the driver."""


BUS_TYPES: Final = {1: "tenured", 2: "interleaved"}
ARBITRATION: Final = {1: "slot-priority", 2: "fcfs"}
CONTROLLER_TYPES: Final = {1: "pass-through", 2: "53c700", 3: "smart"}
WRITE_SCHEMES: Final = {1: "synchronous", 2: "write-through", 3: "write-back"}
FLUSH_POLICIES: Final = {0: "on-demand", 1: "periodic"}
REPLACEMENT: Final = {1: "fifo", 2: "segmented-lru", 3: "random", 4: "lifo"}
PREFETCH: Final = {0: "none", 1: "front-of-line", 2: "back-of-line", 3: "full-line"}
ROTATIONS: Final = {1: "left-symmetric", 2: "left-asymmetric", 3: "right-asymmetric", 4: "right-symmetric"}
COPY_CHOICES: Final = {
    1: "primary",
    2: "random",
    3: "round-robin",
    4: "shortest-seek",
    5: "shortest-queue",
    6: "shortest-queue-then-seek",
}

DRIVER: Table = {
    "type": ignored("DiskSim has only one driver type", neutral=1),
    "Constant access time": used("constant_access_s", seconds),
    "Scheduler": part(),
    "Use queueing in subsystem": used("uses_queues_below", flag),
}
"""``disksim_iodriver``."""

BUS: Table = {
    "type": used("type", numbered(BUS_TYPES)),
    "Arbitration type": used("arbitration", numbered(ARBITRATION)),
    "Arbitration time": used("arbitration_s", duration),
    "Read block transfer time": used("read_sector_s", duration),
    "Write block transfer time": used("write_sector_s", duration),
    "Print stats": ignored(PRINTING),
}
"""``disksim_bus``."""

CONTROLLER: Table = {
    "type": used("type", numbered(CONTROLLER_TYPES)),
    "Scale for delays": used("delay_scale", real(low=0)),
    "Bulk sector transfer time": used("sector_s", duration),
    "Maximum queue length": used("max_queue_length", whole()),
    "Print stats": ignored(PRINTING),
    "Scheduler": part(required=False),
    "Cache": part(required=False),
    "Max per-disk pending count": used("max_pending_per_drive", whole(), required=False),
}
"""``disksim_ctlr``."""

_LOCKS = "iowatt's cache has one request per line at a time by construction: there are no locks to wait for"

CACHE_MEMORY: Table = {
    "Cache size": used("sectors", whole()),
    "Line size": used("line_sectors", whole(1)),
    "Max request size": used("max_request_sectors", whole()),
    "Replacement policy": used("replacement", numbered(REPLACEMENT)),
    "SLRU segments": part(required=False),
    "Write scheme": used("write_scheme", numbered(WRITE_SCHEMES)),
    "Flush policy": used("flush_policy", numbered(FLUSH_POLICIES)),
    "Flush period": used("flush_period_s", seconds),
    "Flush idle delay": used("flush_idle_s", seconds),
    "Flush max line cluster": used("flush_max_lines", whole()),
    "Read prefetch type": used("read_prefetch", numbered(PREFETCH)),
    "Write prefetch type": used("write_prefetch", numbered(PREFETCH)),
    "Allocation policy": unmodelled(
        "clean_first", flag, "lines are taken in the order of the replacement policy", neutral=False
    ),
    "Line-by-line fetches": unmodelled(
        "line_by_line", flag, "the lines of a request are fetched together", neutral=False
    ),
    "Max gather": ignored("lines of one request that follow one another go to the drive as one"),
    "Bit granularity": ignored("validity is kept per sector", neutral=1),
    "Lock granularity": ignored(_LOCKS),
    "Shared read locks": ignored(_LOCKS),
}
"""``disksim_cachemem``."""

CACHE_DEVICE: Table = {
    "Cache size": used("sectors", whole()),
    "Max request size": used("max_request_sectors", whole()),
    "Write scheme": used("write_scheme", numbered(WRITE_SCHEMES)),
    "Flush policy": used("flush_policy", numbered(FLUSH_POLICIES)),
    "Flush period": used("flush_period_s", seconds),
    "Flush idle delay": used("flush_idle_s", seconds),
    "Cache device": used("cache_drive", word),
    "Cached device": used("cached_drive", word),
}
"""``disksim_cachedev``."""

_STAMPS = "DiskSim's time stamps never worked (it writes them nowhere); ask for [observe] interval"

ARRAY: Table = {
    "Addressing mode": used("addressing", one_of("Array", "Parts")),
    "Distribution scheme": used("distribution", one_of("Asis", "Striped", "Random", "Ideal")),
    "Redundancy scheme": used("redundancy", one_of("Noredun", "Shadowed", "Parity_disk", "Parity_rotated")),
    "devices": part(),
    "Stripe unit": used("stripe_unit_sectors", whole()),
    "Parity stripe unit": used("parity_stripe_unit_sectors", whole()),
    "Parity rotation type": used("rotation", numbered(ROTATIONS)),
    "Number of copies": used("copies", whole()),
    "Copy choice on read": used("copy_choice", numbered(COPY_CHOICES)),
    "RMW vs. reconstruct": used("rmw_threshold", real(0, 1)),
    "Synch writes for safety": used("synchronous_writes", flag),
    "Components": ignored("DiskSim knows whole disks only", neutral="Whole"),
    "Time stamp interval": ignored(_STAMPS, neutral=0),
    "Time stamp start time": ignored(_STAMPS, only_with="Time stamp interval"),
    "Time stamp stop time": ignored(_STAMPS, only_with="Time stamp interval"),
    "Time stamp file name": ignored(_STAMPS, only_with="Time stamp interval"),
}
"""``disksim_logorg``."""

TRACE_INPUT: Table = {
    "I/O Trace Time Scale": used("time_scale", real(above=0)),
    "I/O Mappings": part(required=False),
}
"""``disksim_iosim``."""

TRACE_DEVICE: Table = {
    "tracedev": used("traced", whole()),
    "simdev": used("drive", word),
    "locScale": used("address_scale", whole(1)),
    "sizeScale": used("size_scale", whole(1)),
    "offset": used("offset_sectors", whole(), required=False),
}
"""``disksim_iomap``."""

SYNCSET: Table = {"type": ignored("drives of a set turn in phase"), "devices": part()}
"""``disksim_syncset``."""

IGNORED_BLOCKS: Final = {
    "disksim_global": "a scenario has its own seed, and iowatt's observations are not switched one by one",
    "disksim_stats": PRINTING,
    "disksim_pf": "processors and processes of the host are not simulated",
    "disksim_synthio": "the workload comes from a scenario: a trace, or a profile with the same figures",
}
"""Types of block that say nothing about the storage, and why they are passed over as a whole."""
