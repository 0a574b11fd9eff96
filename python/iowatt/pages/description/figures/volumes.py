"""The breakdown by device and by stream."""

from __future__ import annotations

from iowatt.render import numbers
from iowatt.render.figure import Cell, Column, Figure, Table
from iowatt.trace.description import Breakdown, Description


def devices(found: Description) -> Figure:
    """One row for each device."""
    return _table(found.devices, "devices", "Devices", "Device")


def streams(found: Description) -> Figure | None:
    """One row for each stream, where streams are named."""
    if not found.streams.count:
        return None
    return _table(found.streams, "streams", "Streams", "Stream")


def _table(breakdown: Breakdown, key: str, title: str, kind: str) -> Figure:
    rows: list[list[Cell]] = []
    with_footprint = key == "devices"
    for volume in breakdown.listed:
        row: list[Cell] = [
            volume.name,
            volume.requests,
            100 * volume.request_share,
            100 * volume.byte_share,
            100 * volume.read_request_share,
            100 * volume.read_byte_share,
            *(
                None if mean is None else mean / 1024
                for mean in (volume.mean_read_bytes, volume.mean_write_bytes)
            ),
            volume.iops,
            volume.inter_arrival_cv,
            100 * volume.sequential_request_share,
            100 * volume.sequential_byte_share,
        ]
        rows.append(
            row
            + (
                [None if volume.footprint_bytes is None else volume.footprint_bytes / 1e9]
                if with_footprint
                else []
            )
        )
    remarks = []
    rest = breakdown.count - len(breakdown.listed)
    if rest:
        share = numbers.percent(breakdown.unlisted_request_share)
        moved = numbers.percent(breakdown.unlisted_byte_share)
        remarks = [f"{numbers.count(rest)} more with {share} of requests and {moved} of bytes."]
    return Figure(
        key,
        title,
        "The busiest first. CV is of the gaps between its own requests; sequential is what starts where its "
        "own last request ended.",
        Table(
            [
                Column(kind, text=True),
                Column("Requests"),
                Column("Of requests", "%"),
                Column("Of bytes", "%"),
                Column("Reads, of requests", "%"),
                Column("Reads, of bytes", "%"),
                Column("Mean read", "KiB"),
                Column("Mean write", "KiB"),
                Column("Rate", "IOPS"),
                Column("CV"),
                Column("Sequential, of requests", "%"),
                Column("Sequential, of bytes", "%"),
                *([Column("Footprint", "GB")] if with_footprint else []),
            ],
            rows,
        ),
        None,
        remarks,
        wide=True,
    )
