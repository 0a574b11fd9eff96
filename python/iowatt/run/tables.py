"""Columns and types of the Parquet tables in a bundle: the contract with every reader.

Polars writes the same rows as the same bytes (no time stamps, no dependence on threads).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

#: States of a disk, in the order in which they are shown.
STATES = ("active", "positioning", "idle", "standby", "spin_up", "spin_down")

#: What joules are for.
CAUSES = (
    "host_read", "host_write", "redundancy", "rebuild", "background", "migration", "power_management", "idle",
    "low_power",
)  # fmt: skip

#: Columns of further power levels, by the name of the level, as Float64 after those below.
LEVEL_COLUMNS = {"intervals": ("{}_j",), "devices": ("time_{}_s", "energy_{}_j")}

_TYPES: dict[str, type[pl.DataType]] = {
    "f8": pl.Float64, "u4": pl.UInt32, "u8": pl.UInt64, "bool": pl.Boolean, "text": pl.String,
}  # fmt: skip


def _columns(*groups: str) -> dict[str, type[pl.DataType]]:
    """Columns with their types, in order, from groups of one type: ``"u8: reads writes"``."""
    return {
        column: _TYPES[kind]
        for kind, _, columns in (group.partition(": ") for group in groups)
        for column in columns.split()
    }


INTERVALS = _columns(
    "f8: start_s end_s",
    "u8: arrivals completions reads writes bytes_read bytes_written",
    "f8: response_mean_ms response_p50_ms response_p95_ms response_p99_ms response_max_ms in_flight_mean "
    "queue_length_mean power_w",
    "f8: " + " ".join(f"{state}_j" for state in STATES),
    "f8: parts_j supply_loss_j wall_w",
)

LATENCY = _columns("text: workload volume op", "u8: low_ns high_ns count")

ENERGY = _columns("text: component kind state", "f8: time_s power_w energy_j")

DEVICES = _columns(
    "text: name model pool",
    "f8: utilisation queue_length_mean queue_length_seen queue_length_mean_host queue_length_mean_drive",
    "u8: accesses reads writes background_accesses buffer_hits seeks",
    "f8: seek_distance_mean_cylinders seek_s rotation_s transfer_s service_time_mean_ms "
    "response_time_mean_ms",
    "u8: spin_ups spin_downs level_changes delayed_accesses",
    "f8: delay_s batch_delay_s",
    "u8: bytes_read bytes_written",
    "f8: wear_fraction",
    "f8: " + " ".join(f"time_{state}_s" for state in STATES),
    "f8: " + " ".join(f"energy_{state}_j" for state in STATES),
    "f8: energy_total_j",
    "f8: " + " ".join(f"cause_{cause}_j" for cause in CAUSES),
)

#: Operations on flash that energy is counted for.
FLASH_OPERATIONS = ("read", "program", "erase", "transfer", "command")

#: Columns of devices that are of SSDs, null for disks, named flash_ and the key of ``flash`` in ``run.json``.
FLASH = _columns(
    "bool: modelled",
    "f8: write_amplification",
    "u8: host_bytes_written flash_bytes_written",
    "f8: host_pages_written flash_pages_written gc_pages_moved wear_levelling_pages_moved",
    "u8: pages_read gc_pages_read erases",
    "f8: erase_count_mean",
    "u8: erase_count_max erase_count_min",
    "f8: pe_cycles_fraction",
    "u8: free_blocks live_bytes raw_bytes trims trimmed_bytes buffer_hits suspends",
    "f8: " + " ".join(f"energy_{operation}_j" for operation in FLASH_OPERATIONS),
)
DEVICES |= {f"flash_{key}": kind for key, kind in FLASH.items()}

#: States of what is no drive: parts of the array that idle and work, and what its supplies lose.
ARRAY_STATES = ("parts_idle", "parts_active", "supply_loss")

#: Columns of intervals that are null where the array's own power is neither modelled nor metered.
ARRAY_COLUMNS = ("parts_j", "supply_loss_j", "wall_w")

#: All columns that may be left out, and are null then.
NULLABLE = (*ARRAY_COLUMNS, *(f"flash_{key}" for key in FLASH))

#: By ``drive`` (row of ``devices``) in order of time; see docs/reference/run.md.
IDLE = _columns("u4: drive", "u8: start_ns length_ns", "bool: cut")

#: Idle periods that are too many to be rows of ``idle``, counted by drive and length (``low_ns`` to
#: ``high_ns``, both included): shorter than all of those there that are known whole.
IDLE_SHORT = _columns("u4: drive", "u8: low_ns high_ns count sum_ns")

#: Rows that hold nothing are left out; see docs/reference/run.md.
HEAT = _columns("text: point space", "u8: extent", "f8: start_s", "u8: reads writes bytes_read bytes_written")

#: Only where instruments recorded. Of a quantity (watts, volts, hertz, power_factor, celsius ...) of an
#: instrument in an interval; mean, minimum and maximum are of valid samples, null without any.
INSTRUMENTS = _columns(
    "text: instrument quantity",
    "f8: start_s end_s",
    "u8: samples",
    "f8: expected",
    "u8: not_available out_of_range",
    "f8: longest_gap_s mean minimum maximum",
)

#: Points of observation of ``series``, from the host on.
POINTS = ("host", "switch", "array")

#: Response times in blocks of time, by point, workload and op; every block of the window is there. Of bins
#: ``low_ns``, ``high_ns`` (both included) and ``bin_count`` are lists of equal length, ascending; empty where
#: only the sums of a block are known.
SERIES: dict[str, pl.DataType | type[pl.DataType]] = {
    "point": pl.String,
    "workload": pl.String,
    "op": pl.String,
    "start_s": pl.Float64,
    "end_s": pl.Float64,
    "count": pl.UInt64,
    "sum_ns": pl.UInt64,
    "max_ns": pl.UInt64,
    "low_ns": pl.List(pl.UInt64),
    "high_ns": pl.List(pl.UInt64),
    "bin_count": pl.List(pl.UInt64),
}

#: Places of hops, from the host on.
PLACES = ("host", "fabric", "port", "controller", "storage", "drive", "replication")

#: Only where requests go by a path, or where it was measured: where the time of requests went, by bin of
#: their response time.
HOPS = _columns(
    "text: path workload op", "u8: low_ns high_ns", "text: hop place way", "u8: requests wait_ns service_ns"
)

#: Every table of a bundle by name.
SCHEMAS: dict[str, Mapping[str, pl.DataType | type[pl.DataType]]] = {
    "intervals": INTERVALS,
    "latency": LATENCY,
    "energy": ENERGY,
    "devices": DEVICES,
    "idle": IDLE,
    "idle_short": IDLE_SHORT,
    "heat": HEAT,
    "instruments": INSTRUMENTS,
    "series": SERIES,
    "hops": HOPS,
}


def whole(intervals: pl.DataFrame) -> pl.DataFrame:
    """The intervals of full width: without the last one where the end of the window cut it short.

    Extremes are taken over these, because a mean over less time varies more.
    """
    width = pl.col("end_s") - pl.col("start_s")
    return intervals.filter(width > (1 - 1e-6) * width.max())


def levels(devices: pl.DataFrame) -> list[str]:
    """Power levels beyond the states that every drive has, from the ``devices`` table."""
    of_states = {f"time_{state}_s" for state in STATES}
    times = (name for name in devices.columns if name.startswith("time_") and name not in of_states)
    return [name.removeprefix("time_").removesuffix("_s") for name in times]


def frame(name: str, columns: Mapping[str, Any], levels: Sequence[str] = ()) -> pl.DataFrame:
    """A table of the bundle from its columns; ``levels`` names the power levels that it has columns for.

    Raises ``ValueError`` where the columns are not exactly those of the contract: a table that
    readers cannot rely on must not be written. Those of the array's own power and of flash may be left
    out, and are null.
    """
    more = [form.format(level) for level in levels for form in LEVEL_COLUMNS.get(name, ())]
    schema = {**SCHEMAS[name], **dict.fromkeys(more, pl.Float64)}
    left_out = [key for key in NULLABLE if key in schema and key not in columns]
    if left_out:
        rows = len(next(iter(columns.values()), ()))
        columns = {**columns, **{key: [None] * rows for key in left_out}}
    if set(columns) != set(schema):
        missing, strange = sorted(set(schema) - set(columns)), sorted(set(columns) - set(schema))
        raise ValueError(f"table {name!r}: missing columns {missing}, unknown columns {strange}")
    return pl.DataFrame([pl.Series(key, columns[key], dtype=schema[key]) for key in schema])
