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

INTERVALS: dict[str, type[pl.DataType]] = {
    "start_s": pl.Float64,
    "end_s": pl.Float64,
    "arrivals": pl.UInt64,
    "completions": pl.UInt64,
    "reads": pl.UInt64,
    "writes": pl.UInt64,
    "bytes_read": pl.UInt64,
    "bytes_written": pl.UInt64,
    "response_mean_ms": pl.Float64,
    "response_p50_ms": pl.Float64,
    "response_p95_ms": pl.Float64,
    "response_p99_ms": pl.Float64,
    "response_max_ms": pl.Float64,
    "in_flight_mean": pl.Float64,
    "queue_length_mean": pl.Float64,
    "power_w": pl.Float64,
    **{f"{state}_j": pl.Float64 for state in STATES},
    "parts_j": pl.Float64,
    "supply_loss_j": pl.Float64,
    "wall_w": pl.Float64,
}

LATENCY: dict[str, type[pl.DataType]] = {
    "workload": pl.String,
    "volume": pl.String,
    "op": pl.String,
    "low_ns": pl.UInt64,
    "high_ns": pl.UInt64,
    "count": pl.UInt64,
}

ENERGY: dict[str, type[pl.DataType]] = {
    "component": pl.String,
    "kind": pl.String,
    "state": pl.String,
    "time_s": pl.Float64,
    "power_w": pl.Float64,
    "energy_j": pl.Float64,
}

DEVICES: dict[str, type[pl.DataType]] = {
    "name": pl.String,
    "model": pl.String,
    "pool": pl.String,
    "utilisation": pl.Float64,
    "queue_length_mean": pl.Float64,
    "queue_length_seen": pl.Float64,
    "queue_length_mean_host": pl.Float64,
    "queue_length_mean_drive": pl.Float64,
    "accesses": pl.UInt64,
    "reads": pl.UInt64,
    "writes": pl.UInt64,
    "background_accesses": pl.UInt64,
    "buffer_hits": pl.UInt64,
    "seeks": pl.UInt64,
    "seek_distance_mean_cylinders": pl.Float64,
    "seek_s": pl.Float64,
    "rotation_s": pl.Float64,
    "transfer_s": pl.Float64,
    "service_time_mean_ms": pl.Float64,
    "response_time_mean_ms": pl.Float64,
    "spin_ups": pl.UInt64,
    "spin_downs": pl.UInt64,
    "level_changes": pl.UInt64,
    "delayed_accesses": pl.UInt64,
    "delay_s": pl.Float64,
    "batch_delay_s": pl.Float64,
    "bytes_read": pl.UInt64,
    "bytes_written": pl.UInt64,
    "wear_fraction": pl.Float64,
    **{f"time_{state}_s": pl.Float64 for state in STATES},
    **{f"energy_{state}_j": pl.Float64 for state in STATES},
    "energy_total_j": pl.Float64,
    **{f"cause_{cause}_j": pl.Float64 for cause in CAUSES},
}

#: Operations on flash that energy is counted for.
FLASH_OPERATIONS = ("read", "program", "erase", "transfer", "command")

#: Columns of devices that are of SSDs, null for disks, named flash_ and the key of ``flash`` in ``run.json``.
FLASH: dict[str, type[pl.DataType]] = {
    "modelled": pl.Boolean,
    "write_amplification": pl.Float64,
    "host_bytes_written": pl.UInt64,
    "flash_bytes_written": pl.UInt64,
    "host_pages_written": pl.Float64,
    "flash_pages_written": pl.Float64,
    "gc_pages_moved": pl.Float64,
    "wear_levelling_pages_moved": pl.Float64,
    "pages_read": pl.UInt64,
    "gc_pages_read": pl.UInt64,
    "erases": pl.UInt64,
    "erase_count_mean": pl.Float64,
    "erase_count_max": pl.UInt64,
    "erase_count_min": pl.UInt64,
    "pe_cycles_fraction": pl.Float64,
    "free_blocks": pl.UInt64,
    "live_bytes": pl.UInt64,
    "raw_bytes": pl.UInt64,
    "trims": pl.UInt64,
    "trimmed_bytes": pl.UInt64,
    "buffer_hits": pl.UInt64,
    "suspends": pl.UInt64,
    **{f"energy_{operation}_j": pl.Float64 for operation in FLASH_OPERATIONS},
}
DEVICES |= {f"flash_{key}": kind for key, kind in FLASH.items()}

#: States of what is no drive: parts of the array that idle and work, and what its supplies lose.
ARRAY_STATES = ("parts_idle", "parts_active", "supply_loss")

#: Columns of intervals that are null where the array's own power is neither modelled nor metered.
ARRAY_COLUMNS = ("parts_j", "supply_loss_j", "wall_w")

#: All columns that may be left out, and are null then.
NULLABLE = (*ARRAY_COLUMNS, *(f"flash_{key}" for key in FLASH))

#: By ``drive`` (row of ``devices``) in order of time; see docs/reference/run.md.
IDLE: dict[str, type[pl.DataType]] = {
    "drive": pl.UInt32,
    "start_ns": pl.UInt64,
    "length_ns": pl.UInt64,
    "cut": pl.Boolean,
}

#: Idle periods that are too many to be rows of ``idle``, counted by drive and length (``low_ns`` to
#: ``high_ns``, both included): shorter than all of those there that are known whole.
IDLE_SHORT: dict[str, type[pl.DataType]] = {
    "drive": pl.UInt32,
    "low_ns": pl.UInt64,
    "high_ns": pl.UInt64,
    "count": pl.UInt64,
    "sum_ns": pl.UInt64,
}

#: Rows that hold nothing are left out; see docs/reference/run.md.
HEAT: dict[str, type[pl.DataType]] = {
    "point": pl.String,
    "space": pl.String,
    "extent": pl.UInt64,
    "start_s": pl.Float64,
    "reads": pl.UInt64,
    "writes": pl.UInt64,
    "bytes_read": pl.UInt64,
    "bytes_written": pl.UInt64,
}

#: Only where instruments recorded. Of a quantity (watts, volts, hertz, power_factor, celsius ...) of an
#: instrument in an interval; mean, minimum and maximum are of valid samples, null without any.
INSTRUMENTS: dict[str, type[pl.DataType]] = {
    "instrument": pl.String,
    "quantity": pl.String,
    "start_s": pl.Float64,
    "end_s": pl.Float64,
    "samples": pl.UInt64,
    "expected": pl.Float64,
    "not_available": pl.UInt64,
    "out_of_range": pl.UInt64,
    "longest_gap_s": pl.Float64,
    "mean": pl.Float64,
    "minimum": pl.Float64,
    "maximum": pl.Float64,
}

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
PLACES = ("host", "fabric", "port", "controller", "storage", "drive")

#: Only where requests go by a path, or where it was measured: where the time of requests went, by bin of
#: their response time.
HOPS: dict[str, type[pl.DataType]] = {
    "path": pl.String,
    "workload": pl.String,
    "op": pl.String,
    "low_ns": pl.UInt64,
    "high_ns": pl.UInt64,
    "hop": pl.String,
    "place": pl.String,
    "way": pl.String,
    "requests": pl.UInt64,
    "wait_ns": pl.UInt64,
    "service_ns": pl.UInt64,
}

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
    return pl.DataFrame({key: pl.Series(key, columns[key], dtype=schema[key]) for key in schema})
