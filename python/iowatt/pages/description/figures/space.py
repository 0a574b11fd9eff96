"""Where the I/O goes: its density over addresses, and how unevenly it spreads."""

from __future__ import annotations

from iowatt.pages.description.figures.draw import OPS, SHARE_OF, line
from iowatt.render import numbers
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout
from iowatt.trace.description import Description

_MOST_BARS = 2000
_GB = 1e9


def density(found: Description) -> Figure:
    """Requests by extent; devices follow each other."""
    space = found.density
    extents, width = space.extents, space.extent_bytes
    base, before = 0, None
    place: list[int] = []
    starts: list[tuple[str, int]] = []
    for device, offset in zip(extents.device, extents.offset_bytes, strict=True):
        if device != before:
            base = place[-1] + width if place else 0
            before = device
            starts.append((device, base))
        place.append(base + offset)
    rows: list[list[Cell]] = [
        [
            extents.device[i],
            extents.offset_bytes[i] / _GB,
            extents.reads[i],
            extents.writes[i],
            extents.bytes_read[i] / 1024**2,
            extents.bytes_written[i] / 1024**2,
        ]
        for i in range(len(place))
    ]
    remarks = [
        f"{numbers.count(space.touched)} of {numbers.count(space.spanned)} extents between the first "
        "and the last of each device are touched."
    ]
    if len(starts) > 1:
        shown = ", ".join(f"{device} from {numbers.with_unit(at, 'B')}" for device, at in starts[:8])
        more = f", {len(starts) - 8} more" if len(starts) > 8 else ""
        remarks.append(f"Devices follow each other: {shown}{more}.")
    data = None
    if len(place) <= _MOST_BARS:
        data = [
            {
                "type": "bar",
                "name": title,
                "x": [(at + width / 2) / _GB for at in place],
                "y": getattr(extents, f"{op}s"),
                "width": width / _GB,
                "marker": {"color": colour, "line": {"width": 0}},
                "hovertemplate": "%{x:,.4~r} GB: %{y:,} %{fullData.name}<extra></extra>",
            }
            for title, op, colour in OPS
        ]
    else:
        remarks.append(f"More than {_MOST_BARS} extents: the table has them all.")
    spec = data and {
        "data": data,
        "layout": layout(
            axis("Address (GB)"),
            axis("Requests", rangemode="tozero"),
            barmode="stack",
            bargap=0,
            showlegend=True,
        ),
    }
    return Figure(
        "density",
        "I/O density",
        f"Requests by extents of {numbers.binary(width)}, in the order of addresses.",
        Table(
            [
                Column("Device", text=True),
                Column("From", "GB"),
                Column("Reads"),
                Column("Writes"),
                Column("Read", "MiB"),
                Column("Written", "MiB"),
            ],
            rows,
        ),
        spec or None,
        remarks,
        wide=True,
    )


def skew(found: Description) -> Figure | None:
    """Share of the I/O on the hottest part of what is touched."""
    extents, blocks = found.density.skew, found.block_skew
    if not extents or not blocks:
        return None
    width = numbers.binary(found.density.extent_bytes)
    block = numbers.binary(found.options.block_bytes)
    rows: list[list[Cell]] = [
        [
            100 * point.hottest,
            100 * point.request_share,
            100 * point.byte_share,
            100 * point.read_share,
            100 * fine.reference_share,
        ]
        for point, fine in zip(extents, blocks, strict=True)
    ]
    parts = [row[0] for row in rows]
    data = [
        line(
            parts,
            [row[1 + at] for row in rows],
            f"{title}, extents",
            colour,
            "%",
            dash=dash,
            mode="lines+markers",
        )
        for at, (title, _, colour, dash) in enumerate(SHARE_OF)
    ]
    data.append(
        line(parts, [row[4] for row in rows], f"References, blocks of {block}", "#009e73", "%", dash="dot")
    )
    data.append(line(parts, parts, "Even", "#a9b2bc", "%", line={"width": 1}))
    return Figure(
        "skew",
        "Skew",
        f"Share of the I/O on the hottest part of the touched extents ({width}) and blocks. Each line ranks "
        "by its own measure.",
        Table(
            [
                Column("Hottest", "%"),
                Column("Of requests", "%"),
                Column("Of bytes", "%"),
                Column("Reads among these requests", "%"),
                Column("Of block references", "%"),
            ],
            rows,
        ),
        {
            "data": data,
            "layout": layout(
                axis("Hottest part of what is touched (%, log scale)", type="log"),
                axis("Share of the I/O (%)", range=[0, 103]),
                showlegend=True,
            ),
        },
        wide=True,
    )
