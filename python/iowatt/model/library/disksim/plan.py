"""From a DiskSim drive to the tables of a device file, and so to the ``hdd`` of a plan.

Imported files and files that a scenario names go the same way: through the tables, which have all that the
plan needs. Times go over exactly; figures of a mechanism that the drive lacks are left out.
"""

from __future__ import annotations

import re
from typing import Any

from iowatt.model.library.disksim import rules
from iowatt.model.library.disksim.drives import SECTOR_BYTES, DiskSimDrive
from iowatt.model.library.disksim.electronics import Overheads
from iowatt.model.library.disksim.layout import G1Layout, G4Layout
from iowatt.model.library.disksim.parameter import duration_text
from iowatt.model.library.electronics import DriveBuffer


def tables(drive: DiskSimDrive, sector_s: tuple[float, float], name: str) -> dict[str, Any]:
    """The raw tables of a device file named ``name``, without its sources.

    ``sector_s`` is the time of one sector on the way to the host, read and write: the slowest of the buses
    and controllers; the drive's own figure is looked at here. An irregular layout is named
    ``NAME.layout.json.gz``; `indexed` makes what belongs in it.
    """
    mechanics = drive.model.mechanics
    return {
        "name": name,
        "kind": "hdd",
        "title": re.sub(r"_validate$", "", drive.name).replace("_", " "),
        "capacity": f"{drive.raw_bytes}B",
        "sector_size": SECTOR_BYTES,
        "rpm": mechanics.rpm,
        "head_switch": duration_text(mechanics.head_switch_s),
        "write_settle": duration_text(rules.write_settle_s(drive)),
        "geometry": _geometry(drive, name),
        "seek": drive.model.mechanics.seek,
        "controller": _controller(drive, sector_s),
        "buffer": _buffer(drive),
        **({"command_queue": held} if (held := rules.command_queue(drive)) else {}),
    }


def _geometry(drive: DiskSimDrive, name: str) -> dict[str, Any]:
    model, layout = drive.model, drive.model.layout
    if isinstance(layout, G4Layout):
        return {
            "surfaces": model.surfaces,
            "cylinders": model.cylinders,
            "layout": f"{name}.layout.json.gz",
        }
    shared: dict[str, Any] = {"surfaces": model.surfaces}
    if model.cylinders > layout.cylinders:
        shared["cylinders"] = model.cylinders
    if layout.sparing == "per-range":
        shared["range_cylinders"] = layout.range_cylinders
    return {**shared, "mapping": layout.mapping, "sparing": layout.sparing, "zones": _zones(layout)}


def _zones(layout: G1Layout) -> list[dict[str, Any]]:
    zones, free = [], 0
    for zone in layout.zones:
        first = zone.first_cylinder
        optional = {
            "first_cylinder": first if first != free else 0,
            "first_sector_offset": zone.first_sector_offset,
            "reserved_sectors": zone.reserved_sectors,
            "spares": zone.spares,
            "slips": list(zone.slips),
            "remaps": [list(pair) for pair in zone.remaps],
        }
        shape = {
            "cylinders": zone.last_cylinder - first + 1,
            "sectors_per_track": zone.sectors_per_track,
            "track_skew": zone.track_skew,
            "cylinder_skew": zone.cylinder_skew,
        }
        zones.append({**shape, **{key: value for key, value in optional.items() if value}})
        free = zone.last_cylinder + 1
    return zones


def indexed(layout: G4Layout) -> dict[str, Any]:
    """``IndexedPlan`` of an irregular layout."""
    return {
        "tracks": [[p.first, p.last, p.sectors_per_track] for p in layout.patterns],
        "nodes": [
            [
                {
                    "lbn": run.lbn,
                    "cylinder": run.cylinder,
                    "offset_rev": run.angle,
                    "len": run.sectors,
                    "cylinder_len": run.cylinders,
                    "skew_rev": run.angle_step,
                    "run": run.run_sectors,
                    "descending": run.run_cylinders < 0,
                    "child": run.child,
                    "head": run.head,
                }
                for run in node
            ]
            for node in layout.nodes
        ],
        "slips": [list(slip) for slip in layout.slips],
        "remaps": [
            [r.lbn, r.sectors, r.cylinder, r.head, r.sector, r.sectors_per_track] for r in layout.remaps
        ],
    }


def _controller(drive: DiskSimDrive, sector_s: tuple[float, float]) -> dict[str, Any]:
    times, interface, buffer = rules.overheads(drive), drive.interface, drive.buffer
    drive_s = max(0.0, interface.sector_s)
    single = {
        "per_request": times.per_request_s,
        "data_preparation": times.data_preparation_s,
        "write_disconnect": times.write_disconnect_s,
        "minimum_seek": times.minimum_seek_delay_s,
    }
    double = {
        "read_hit": (times.read_hit_after_read_s, times.read_hit_after_write_s),
        "read_miss": (times.read_miss_after_read_s, times.read_miss_after_write_s),
        "write_hit": (times.write_hit_after_read_s, times.write_hit_after_write_s),
        "write_miss": (times.write_miss_after_read_s, times.write_miss_after_write_s),
        "completion": (times.read_completion_s, times.write_completion_s),
        "reselect": (times.first_reselect_s, times.other_reselect_s),
        "read_disconnect": (times.read_disconnect_after_read_s, times.read_disconnect_after_write_s),
        "sector": (max(drive_s, sector_s[0]), max(drive_s, sector_s[1])),
    }
    table: dict[str, Any] = {"extraction": rules.extraction(drive)}
    table |= {key: duration_text(time) for key, time in single.items() if time}
    table |= {key: [duration_text(time) for time in pair] for key, pair in double.items() if any(pair)}
    if times.extra_write_disconnect:
        table["extra_disconnect"] = _extra(times)
    table |= _meaningful(
        {
            "never_disconnect": interface.never_disconnects,
            "hold_bus": [interface.hold_bus_for_read, interface.hold_bus_for_write],
            "read_watermark": buffer.high_water,
            "write_watermark": buffer.low_water,
            "watermark_by_request": buffer.water_marks_by_request,
        }
    )
    return table


def _extra(times: Overheads) -> dict[str, str]:
    figures = {
        "command": times.extra_command_s,
        "disconnect": times.extra_disconnect_s,
        "between": times.extra_inter_disconnect_s,
        "second": times.extra_second_disconnect_s,
        "seek_delta": times.extra_seek_delta_s,
    }
    return {key: duration_text(value) for key, value in figures.items()}


def _buffer(drive: DiskSimDrive) -> dict[str, Any]:
    buffer = drive.buffer
    ruled = {
        "read_ahead": rules.read_ahead(drive),
        "requested": rules.requested(drive),
        "read_free_sectors": rules.keeps_passing_sectors(drive),
        "zero_latency": [buffer.zero_latency_read, buffer.zero_latency_write],
    }
    names = [name for name in DriveBuffer.model_fields if name != "partial_hit_at_once"]
    figures = {name: ruled[name] if name in ruled else getattr(buffer, name) for name in names}
    return {**_meaningful(figures), "partial_hit_at_once": buffer.partial_hit_at_once}


def _meaningful(figures: dict[str, Any]) -> dict[str, Any]:
    """Without those whose value is that of a key left out."""
    plain = (0, False, [False, False], "none", "keep")
    return {key: value for key, value in figures.items() if value not in plain}
