"""Every parameter of the components around DiskSim's disks: used as which field, or ignored and why."""

from __future__ import annotations

from typing import Final

from iowatt.model.library.disksim.kinds import duration, flag, numbered, one_of, real, seconds, whole, word
from iowatt.model.library.disksim.parameter import Table, ignored, part, unmodelled, used
from iowatt.model.library.disksim.parameters import PRINTING

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

TRACE: Table = {
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
