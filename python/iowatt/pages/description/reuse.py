"""Figures of reuse and space: miss ratios, reuse distances, working sets, footprint, density, skew."""

from __future__ import annotations

from iowatt.pages.description.requests import OPERATIONS, SHARES
from iowatt.render import numbers, palette, plot
from iowatt.render.figure import Cell, Column, Figure, Table, axis
from iowatt.trace.description import Description

_MIB = 1024.0**2


def _basis(trace: Description) -> list[str]:
    sample = trace.reuse.sample
    if sample.method == "exact":
        return []
    return [
        f"Sampled: {numbers.significant(100 * sample.rate)} % of the address space, "
        f"{numbers.count(sample.regions)} regions of 16 blocks."
    ]


def miss_ratio(trace: Description) -> Figure | None:
    """The miss-ratio curve of an LRU cache, by requests and by bytes, of all and of reads."""
    curve = trace.reuse.miss_ratio
    sizes = [b / _MIB for b in curve.cache_bytes]
    if not sizes:
        return None
    lines = [
        ("Requests", curve.requests, palette.RUNS[0], "solid"),
        ("Bytes", curve.bytes, palette.RUNS[1], "dash"),
    ]
    if curve.read_requests and curve.write_requests:
        lines += [
            ("Reads", curve.read_requests, palette.READ, "dot"),
            ("Bytes read", curve.read_bytes, palette.READ, "dashdot"),
        ]
    rows: list[list[Cell]] = []
    for i, size in enumerate(sizes):
        row: list[Cell] = [size, *(100 * values[i] for _, values, _, _ in lines)]
        row += [100 * curve.requests_standard_error[i], 100 * curve.bytes_standard_error[i]]
        rows.append(row)
    columns = [Column("Cache", "MiB"), *(Column(name, "%") for name, _, _, _ in lines)]
    columns += [Column("Standard error, requests", "points"), Column("Standard error, bytes", "points")]
    data = [
        plot.curve(sizes, [100 * value for value in values], name, colour, "%", dash=dash)
        for name, values, colour, dash in lines
    ]
    return Figure(
        "miss-ratio",
        "Miss ratio of a cache",
        "An LRU cache that reads and writes both fill. A request misses when any of its blocks does; the "
        "line ends level with the first touches, which no size saves.",
        Table(columns, rows),
        plot.chart(
            data,
            axis("Cache (MiB, log scale)", type="log"),
            axis("Miss ratio (%)", range=[0, 103]),
            showlegend=True,
        ),
        _basis(trace),
        wide=True,
    )


def distances(trace: Description) -> Figure | None:
    """Reuse distances by powers of two, and the first touches."""
    histogram, block = trace.reuse.histogram, trace.options.block_bytes
    first = trace.reuse.first_touch
    bins: dict[int, list[float]] = {}
    for i, to in enumerate(histogram.to_blocks):
        share = bins.setdefault((to - 1).bit_length(), [0.0, 0.0])
        share[0] += 100 * histogram.read_share[i]
        share[1] += 100 * histogram.write_share[i]
    labels = [numbers.binary((1 << octave) * block) for octave in sorted(bins)]
    rows: list[list[Cell]] = [
        [label, *bins[octave]] for label, octave in zip(labels, sorted(bins), strict=True)
    ]
    # The remaining references of a direction are first touches.
    rest: list[Cell] = [
        None
        if getattr(first, f"{op}_requests") is None
        else max(0.0, 100 - sum(share[at] for share in bins.values()))
        for at, (_, op, _) in enumerate(OPERATIONS)
    ]
    rows.append(["First touch", *rest])
    data = [
        plot.bar(
            [row[0] for row in rows], [row[1 + at] for row in rows], name=title, colour=colour,
            hover="%{x}: %{y:.4~r} %<extra>%{fullData.name}</extra>",
        )
        for at, (title, op, colour) in enumerate(OPERATIONS)
        if getattr(first, f"{op}_requests") is not None
    ]  # fmt: skip
    return Figure(
        "reuse-distances",
        "Reuse distances",
        "Distinct data touched since the block was touched last, itself included; shares of the block "
        "references of reads and of writes. A bar goes up to the size that it names.",
        Table([Column("Up to", text=True), Column("Reads", "%"), Column("Writes", "%")], rows),
        plot.chart(
            data,
            axis("Reuse distance", type="category", nticks=16),
            axis("Share (%)", rangemode="tozero"),
            barmode="group",
            showlegend=True,
        ),
        _basis(trace),
    )


def working_sets(trace: Description) -> Figure | None:
    """Distinct bytes in windows of every width."""
    sets = trace.working_set
    if len(sets) < 2:
        return None
    rows: list[list[Cell]] = [
        [
            numbers.duration(s.window_s),
            s.windows,
            *(
                getattr(s, f"{which}_{kind}bytes") / _MIB
                for kind in ("", "read_", "written_")
                for which in ("mean", "max")
            ),
        ]
        for s in sets
    ]
    names = [f"{kind}, {which}" for kind in ("Touched", "Read", "Written") for which in ("mean", "largest")]
    colours = [palette.ALL, palette.READ, palette.WRITE]
    data = [
        plot.curve(
            [s.window_s for s in sets], plot.positive([row[2 + at] for row in rows]), name, colours[at // 2],
            "MiB", dash="solid" if at % 2 == 0 else "dot", marks=True,
        )
        for at, name in enumerate(names)
    ]  # fmt: skip
    return Figure(
        "working-sets",
        "Working set by window",
        "Distinct data touched in windows of a width: the mean of the windows and the largest.",
        Table(
            [Column("Window", text=True), Column("Windows"), *(Column(name, "MiB") for name in names)], rows
        ),
        plot.chart(
            data,
            axis("Window (s, log scale)", type="log"),
            axis("Distinct data (MiB, log scale)", type="log"),
            showlegend=True,
        ),
        _basis(trace),
    )


def footprint(trace: Description) -> Figure:
    """Distinct bytes of the whole trace."""
    sizes = trace.footprint
    names = (("Touched", "total"), ("Read", "read"), ("Written", "written"), ("Both", "both"))
    total = sizes.total_bytes
    rows: list[list[Cell]] = [
        [
            name,
            getattr(sizes, f"{key}_bytes") / 1e9,
            100 * getattr(sizes, f"{key}_bytes") / total if total else None,
        ]
        for name, key in names
    ]
    remarks = _basis(trace)
    if sizes.standard_error_bytes:
        error = numbers.with_unit(sizes.standard_error_bytes, "B")
        remarks.append(f"Standard error of what is touched: {error}.")
    return Figure(
        "footprint",
        "Footprint",
        f"Distinct data of the whole trace, in blocks of {numbers.binary(trace.options.block_bytes)}.",
        Table([Column("Data", text=True), Column("Size", "GB"), Column("Of all", "%")], rows),
        None,
        remarks,
    )


def rewrites(trace: Description) -> Figure | None:
    """Time from one write of a block to the next."""
    intervals = trace.rewrites.intervals
    if not intervals.to_s:
        return None
    data, columns = [], [Column("Up to", "s")]
    shares = []
    for title, key, colour, dash in (
        ("Blocks", "block_share", *SHARES[0][2:]),
        ("Bytes", "byte_share", *SHARES[1][2:]),
    ):
        total, share = 0.0, []
        for part in getattr(intervals, key):
            total += 100 * part
            share.append(total)
        shares.append(share)
        columns.append(Column(f"{title} overwritten within", "%"))
        data.append(plot.curve(intervals.to_s, share, title, colour, "%", dash=dash))
    rows: list[list[Cell]] = [[to, *(share[i] for share in shares)] for i, to in enumerate(intervals.to_s)]
    return Figure(
        "write-intervals",
        "Write intervals",
        "Of what is overwritten within the trace, the share that is overwritten within a time.",
        Table(columns, rows),
        plot.chart(
            data,
            axis("Since the last write (s, log scale)", type="log"),
            axis("Overwritten within (%)", range=[0, 103]),
            showlegend=True,
        ),
        _basis(trace),
        wide=True,
    )


def shares(trace: Description) -> Figure:
    """First touches, overwrites and reads of what was written, by requests and by bytes."""
    first, again = trace.reuse.first_touch, trace.rewrites
    named = (
        ("First touches", first.requests, first.bytes),
        ("First touches among reads", first.read_requests, first.read_bytes),
        ("First touches among writes", first.write_requests, first.write_bytes),
        ("Overwrites among writes", again.overwrite_request_share, again.overwrite_byte_share),
        (
            "Reads of what the trace wrote",
            again.read_of_written_request_share,
            again.read_of_written_byte_share,
        ),
    )
    rows: list[list[Cell]] = [
        [name, *(None if share is None else 100 * share for share in both)] for name, *both in named
    ]
    return Figure(
        "touches",
        "New and again",
        "A request counts as a first touch when any of its blocks is, as an overwrite (a read of what the "
        "trace wrote) when all of them are.",
        Table([Column("Share", text=True), Column("Of requests", "%"), Column("Of bytes", "%")], rows),
        None,
        _basis(trace),
    )


_MOST_BARS = 2000
_GB = 1e9


def density(trace: Description) -> Figure:
    """Requests by extent; devices follow each other."""
    space = trace.density
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
            extents.device[i], extents.offset_bytes[i] / _GB, extents.reads[i], extents.writes[i],
            extents.bytes_read[i] / 1024**2, extents.bytes_written[i] / 1024**2,
        ]
        for i in range(len(place))
    ]  # fmt: skip
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
            plot.bar(
                [(at + width / 2) / _GB for at in place], getattr(extents, f"{op}s"), name=title,
                hover="%{x:,.4~r} GB: %{y:,} %{fullData.name}<extra></extra>", width=width / _GB,
                marker={"color": colour, "line": {"width": 0}},
            )
            for title, op, colour in OPERATIONS
        ]  # fmt: skip
    else:
        remarks.append(f"More than {_MOST_BARS} extents: the table has them all.")
    spec = data and plot.chart(
        data,
        axis("Address (GB)"),
        axis("Requests", rangemode="tozero"),
        barmode="stack",
        bargap=0,
        showlegend=True,
    )
    columns = [
        Column("Device", text=True), Column("From", "GB"), Column("Reads"), Column("Writes"),
        Column("Read", "MiB"), Column("Written", "MiB"),
    ]  # fmt: skip
    return Figure(
        "density",
        "I/O density",
        f"Requests by extents of {numbers.binary(width)}, in the order of addresses.",
        Table(columns, rows),
        spec or None,
        remarks,
        wide=True,
    )


def skew(trace: Description) -> Figure | None:
    """Share of the I/O on the hottest part of what is touched."""
    extents, blocks = trace.density.skew, trace.block_skew
    if not extents or not blocks:
        return None
    width = numbers.binary(trace.density.extent_bytes)
    block = numbers.binary(trace.options.block_bytes)
    rows: list[list[Cell]] = [
        [
            100 * point.hottest, 100 * point.request_share, 100 * point.byte_share, 100 * point.read_share,
            100 * fine.reference_share,
        ]
        for point, fine in zip(extents, blocks, strict=True)
    ]  # fmt: skip
    parts = [row[0] for row in rows]
    data = [
        plot.curve(
            parts, [row[1 + at] for row in rows], f"{title}, extents", colour, "%", dash=dash, marks=True,
        )
        for at, (title, _, colour, dash) in enumerate(SHARES)
    ]  # fmt: skip
    data.append(
        plot.curve(
            parts, [row[4] for row in rows], f"References, blocks of {block}", "#009e73", "%", dash="dot"
        )
    )
    data.append(plot.curve(parts, parts, "Even", "#a9b2bc", "%", width=1))
    columns = [
        Column("Hottest", "%"), Column("Of requests", "%"), Column("Of bytes", "%"),
        Column("Reads among these requests", "%"), Column("Of block references", "%"),
    ]  # fmt: skip
    return Figure(
        "skew",
        "Skew",
        f"Share of the I/O on the hottest part of the touched extents ({width}) and blocks. Each line ranks "
        "by its own measure.",
        Table(columns, rows),
        plot.chart(
            data,
            axis("Hottest part of what is touched (%, log scale)", type="log"),
            axis("Share of the I/O (%)", range=[0, 103]),
            showlegend=True,
        ),
        wide=True,
    )
