"""From a DiskSim drive to the tables of a device file, and so to the ``hdd`` of a plan.

There is one way for imported files and for files that a scenario names: the tables, which say all that the
plan says. Times go over exactly; figures of a mechanism that the drive lacks are left out.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any, Final

from iowatt.model.library.disksim import rules
from iowatt.model.library.disksim.drives import SECTOR_BYTES, DiskSimDrive
from iowatt.model.library.disksim.electronics import Overheads
from iowatt.model.library.disksim.layout import G1Layout, G1Zone, G4Layout
from iowatt.model.library.disksim.seek import ConstantSeek, CurveSeek, HplCurve, LinearSeek, MeasuredCurve

_SPARING: Final = {
    "none": "none",
    "tracks-at-zone-end": "tracks",
    "sectors-per-cylinder": "per-cylinder",
    "sectors-per-track": "per-track",
    "sectors-per-cylinder-slip-to-end": "per-cylinder-to-end",
    "sectors-per-cylinder-front": "per-cylinder-front",
    "sectors-per-cylinder-front-slip-to-end": "per-cylinder-front-to-end",
    "tracks-at-disk-end": "at-end",
    "sectors-per-cylinder-range": "per-range",
    "sectors-per-zone": "per-zone",
    "sectors-per-zone-slip-to-end": "per-zone",
}
_MAPPING: Final = {
    "normal": "normal",
    "serpentine-by-zone": "serpentine-by-zone",
    "serpentine-by-cylinder": "serpentine-by-disk",
}
_FAST_WRITE: Final = {"none": "none", "contiguous": "contiguous", "contiguous-across-reads": "across-reads"}


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
        "head_switch": duration(mechanics.head_switch_s),
        "write_settle": duration(rules.write_settle_s(drive)),
        "geometry": _geometry(drive, name),
        "seek": _seek(drive),
        "controller": _controller(drive, sector_s),
        "buffer": _buffer(drive),
        **({"command_queue": held} if (held := rules.command_queue(drive)) else {}),
    }


def milliseconds(seconds: float) -> float:
    """Exactly the number of which ``seconds`` is the thousandth part."""
    return float(Decimal(repr(seconds)).scaleb(3))


def duration(seconds: float) -> str:
    """A time as device files have it."""
    return f"{Decimal(repr(milliseconds(seconds))):f}ms"


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
    sparing = _SPARING[layout.sparing]
    if sparing == "per-range":
        shared["range_cylinders"] = layout.range_cylinders
    return {
        **shared,
        "mapping": _MAPPING[layout.mapping],
        "sparing": sparing,
        "zones": _zones(layout),
    }


def _zones(layout: G1Layout) -> list[dict[str, Any]]:
    made, free = [], 0
    for zone in layout.zones:
        made.append(_zone(zone, free))
        free = zone.last_cylinder + 1
    return made


def _zone(zone: G1Zone, free: int) -> dict[str, Any]:
    optional = {
        "first_cylinder": zone.first_cylinder if zone.first_cylinder != free else 0,
        "first_sector_offset": zone.first_sector_offset,
        "reserved_sectors": zone.empty_front_sectors,
        "spares": zone.spares,
        "slips": list(zone.slips),
        "remaps": [list(pair) for pair in zone.defects],
    }
    return {
        "cylinders": zone.cylinders,
        "sectors_per_track": zone.sectors_per_track,
        "track_skew": zone.track_skew,
        "cylinder_skew": zone.cylinder_skew,
        **{key: value for key, value in optional.items() if value},
    }


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


def _seek(drive: DiskSimDrive) -> dict[str, Any]:
    seek = drive.model.mechanics.seek
    if isinstance(seek, MeasuredCurve):
        columns = [map(milliseconds, seek.read_s)]
        if seek.write_s and seek.write_s != seek.read_s:
            columns.append(map(milliseconds, seek.write_s))
        return {"points_ms": [list(row) for row in zip(seek.distances, *columns, strict=True)]}
    if isinstance(seek, HplCurve):
        single = seek.first_s[0] if len(seek.first_s) == 1 else None
        times = (seek.root_s, seek.root_slope_s, seek.line_s, seek.line_slope_s)
        hpl = [seek.boundary, *map(milliseconds, times), -1.0 if single is None else milliseconds(single)]
        first = [] if single is not None else [milliseconds(time) for time in seek.first_s]
        return {"hpl_ms": hpl, **({"first_ms": first} if first else {})}
    if isinstance(seek, CurveSeek):
        figures = {
            "single_cylinder": seek.single_s, "average": seek.average_s, "full_stroke": seek.full_s,
        }  # fmt: skip
        return {key: duration(value) for key, value in figures.items()}
    if isinstance(seek, LinearSeek):
        stroke = max(2, drive.model.cylinders - 1)
        third = min(max(2, round(stroke / 3)), stroke)
        points = {1: seek.single_s, third: seek.average_s, stroke: seek.full_s}
        return {"points_ms": [[distance, milliseconds(time)] for distance, time in points.items()]}
    assert isinstance(seek, ConstantSeek)
    return {"points_ms": [[1, milliseconds(seek.time_s)]]}


def _controller(drive: DiskSimDrive, sector_s: tuple[float, float]) -> dict[str, Any]:
    times, interface, buffer = rules.overheads(drive), drive.interface, drive.buffer
    own = max(0.0, interface.sector_s)
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
        "sector": (max(own, sector_s[0]), max(own, sector_s[1])),
    }
    made: dict[str, Any] = {"extraction": rules.extraction(drive)}
    made |= {key: duration(time) for key, time in single.items() if time}
    made |= {key: [duration(time) for time in pair] for key, pair in double.items() if any(pair)}
    if times.extra_write_disconnect:
        made["extra_disconnect"] = _extra(times)
    made |= _said(
        {
            "never_disconnect": interface.never_disconnects,
            "hold_bus": [interface.hold_bus_for_read, interface.hold_bus_for_write],
            "read_watermark": buffer.high_water,
            "write_watermark": buffer.low_water,
            "watermark_by_request": buffer.water_marks_by_request,
        }
    )
    return made


def _extra(times: Overheads) -> dict[str, str]:
    figures = {
        "command": times.extra_command_s,
        "disconnect": times.extra_disconnect_s,
        "between": times.extra_inter_disconnect_s,
        "second": times.extra_second_disconnect_s,
        "seek_delta": times.extra_seek_delta_s,
    }
    return {key: duration(value) for key, value in figures.items()}


def _buffer(drive: DiskSimDrive) -> dict[str, Any]:
    buffer = drive.buffer
    return _said(
        {
            "segments": buffer.segments,
            "segment_sectors": buffer.segment_sectors,
            "write_segments": buffer.write_segments,
            "dedicated_write_segment": buffer.separate_write_segment,
            "caching": buffer.caching,
            "read_hits_on_writes": buffer.read_hits_on_write_data,
            "read_ahead": rules.read_ahead(drive),
            "min_read_ahead": buffer.min_read_ahead_sectors,
            "max_read_ahead": buffer.max_read_ahead_sectors,
            "requested": rules.requested(drive),
            "read_ahead_on_hit": buffer.read_ahead_on_idle_hit,
            "read_free_sectors": rules.keeps_passing_sectors(drive),
            "almost_hits": buffer.almost_read_hits,
            "sneaky_hits": buffer.sneaky_full_read_hits,
            "zero_latency": [buffer.zero_latency_read, buffer.zero_latency_write],
            "fast_write": _FAST_WRITE[buffer.fast_write],
            "write_prebuffering": buffer.write_prebuffering,
            "combine_writes": buffer.combines_sequential_writes,
            "stop_in_sector": buffer.stops_prefetch_in_sector,
            "write_hit_stops_prefetch": buffer.write_hit_stops_prefetch,
        }
    ) | {"partial_hit_at_once": buffer.partial_hit_at_once}


def _said(figures: dict[str, Any]) -> dict[str, Any]:
    """Without those that say what leaving them out says, too."""
    plain = (0, False, [False, False], "none", "keep")
    return {key: value for key, value in figures.items() if value not in plain}
