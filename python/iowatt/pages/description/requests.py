"""Figures of the requests: sizes, alignment, sequential runs, jumps; by device and by stream."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Final

from iowatt.render import numbers, palette, plot
from iowatt.render.figure import Cell, Column, Figure, Table, axis
from iowatt.trace.description import Breakdown, Description

OPERATIONS: Final = (("Reads", "read", palette.READ), ("Writes", "write", palette.WRITE))
SHARES: Final = (
    ("Requests", "request", palette.RUNS[0], "solid"),
    ("Bytes", "byte", palette.RUNS[1], "dash"),
)
"""Shares of requests and of bytes are shown together: titles, keys, colours and dashes."""

_MARKS: Final = {"marks": True, "marker": {"size": 4}}


def sizes(trace: Description) -> Figure:
    """Share of requests and of bytes up to a size."""
    histogram = trace.sizes.histogram
    kib = [size / 1024 for size in histogram.bytes]
    columns, data = [Column("Size", "bytes")], []
    cells: list[Sequence[Cell]] = [histogram.bytes]
    for title, key, colour in OPERATIONS:
        counts = getattr(histogram, f"{key}s")
        moved = [count * size for count, size in zip(counts, histogram.bytes, strict=True)]
        columns += [Column(title), Column("Of requests", "%"), Column("Of bytes", "%")]
        shares = [_percent(amounts, sum(amounts)) for amounts in (counts, moved)]
        cells += [counts, *shares]
        if sum(counts):
            # A step to the left of the first size, so that a single size gives a line.
            data += [
                plot.curve(
                    kib, list(accumulate(share or 0.0 for share in part)), f"{title}, of {kind}", colour, "%",
                    dash=dash, shape="hv", **_MARKS,
                )
                for part, kind, dash in zip(shares, ("requests", "bytes"), ("solid", "dash"), strict=True)
            ]  # fmt: skip
    return Figure(
        "sizes",
        "Request sizes",
        "Share of requests, and of their bytes, up to a size; a step is a size that many requests have.",
        Table(columns, [list(row) for row in zip(*cells, strict=True)]),
        plot.chart(
            data,
            axis("Size (KiB, log scale)", type="log"),
            axis("Up to the size (%)", range=[0, 103]),
            showlegend=True,
        ),
        [] if trace.sizes.exact else ["Sizes were rounded down to 1 %, because there are very many."],
    )


def _percent(amounts: list[int], total: int) -> list[float | None]:
    return [100 * amount / total if total else None for amount in amounts]


def alignment(trace: Description) -> Figure:
    """Share of offsets, and of whole requests, aligned to each power of two."""
    labels = [numbers.binary(level.bytes) for level in trace.alignment]
    shares = {
        f"{title}, of {kind}s": (
            [100 * getattr(level, f"{key}_{kind}_share") for level in trace.alignment], colour, dash
        )
        for title, key, colour in (
            ("Offset", "offset", palette.RUNS[0]), ("Offset and size", "whole", palette.RUNS[1])
        )
        for kind, dash in (("request", "solid"), ("byte", "dash"))
    }  # fmt: skip
    hover = "%{x}: %{y:.4~r} %<extra>%{fullData.name}</extra>"
    data = [
        plot.curve(labels, values, name, colour, "%", dash=dash, marks=True, hover=hover)
        for name, (values, colour, dash) in shares.items()
    ]
    rows = [list(row) for row in zip(labels, *(values for values, _, _ in shares.values()), strict=True)]
    return Figure(
        "alignment",
        "Alignment",
        "Share whose offset, and whose offset and size, are multiples of a power of two. Below the block of "
        "a drive, writes become read-modify-write.",
        Table([Column("Multiple of", text=True), *(Column(name, "%") for name in shares)], rows),
        plot.chart(
            data, axis("Multiple of", type="category"), axis("Share (%)", range=[0, 103]), showlegend=True
        ),
    )


def runs(trace: Description) -> Figure | None:
    """Share of requests and bytes in runs of a length or longer."""
    data, rows = [], []
    for title, key, colour in OPERATIONS:
        lengths = getattr(trace.sequential, f"{key}_runs").histogram
        for kind, dash in (("requests", "solid"), ("bytes", "dash")):
            amounts = getattr(lengths, kind)
            if not (total := sum(amounts)):
                continue
            before = accumulate(amounts[:-1], initial=0)
            longer = [100 * (total - shorter) / total for shorter in before]
            name = f"{title}, of {kind}"
            data.append(plot.curve(lengths.from_requests, longer, name, colour, "%", dash=dash, **_MARKS))
            bins = zip(lengths.from_requests, lengths.to_requests, lengths.runs, longer, strict=True)
            rows += [[name, *cells] for cells in bins]
    if not data:
        return None
    options = trace.options
    gap = f", at most {numbers.binary(options.gap_bytes)} further on" if options.gap_bytes else ""
    columns = [
        Column("Share", text=True), Column("Requests, from"), Column("Requests, to"), Column("Runs"),
        Column("In these or longer", "%"),
    ]  # fmt: skip
    return Figure(
        "runs",
        "Sequential runs",
        "Share of requests and bytes in runs of so many requests or more. A request continues a run when "
        f"it starts where that ended{gap}; {options.lookback} runs of each device and direction stay "
        "open, so that interleaved streams do not break each other.",
        Table(columns, rows),
        plot.chart(
            data,
            axis("Length of a run (requests, log scale)", type="log", dtick=1),
            axis("In runs as long or longer (%)", range=[0, 103]),
            showlegend=True,
        ),
        wide=True,
    )


def run_figures(trace: Description) -> Figure:
    """Sequential shares and run lengths by each definition of sequential."""
    sequential = trace.sequential
    shares = [sequential.consecutive_request_share, sequential.consecutive_byte_share]
    rows: list[list[Cell]] = [
        ["After the last of the device", *(100 * share for share in shares), *([None] * 5)]
    ]
    in_stream = sequential.consecutive_in_stream_request_share
    in_stream_bytes = sequential.consecutive_in_stream_byte_share
    if in_stream is not None and in_stream_bytes is not None:
        rows.append(["After the last of the stream", 100 * in_stream, 100 * in_stream_bytes, *([None] * 5)])
    for name, part in {
        "Runs, all": sequential.runs,
        "Runs of reads": sequential.read_runs,
        "Runs of writes": sequential.write_runs,
        "Runs in streams": sequential.stream_runs,
    }.items():
        if part is None or part.length_requests is None or part.length_bytes is None:
            continue
        lengths = part.length_requests
        both = [100 * part.sequential_request_share, 100 * part.sequential_byte_share]
        spread = [lengths.mean, lengths.p99, lengths.max, part.length_bytes.mean / 1024]
        rows.append([name, *both, part.runs, *spread])
    columns = [
        Column("Definition", text=True), Column("Of requests", "%"), Column("Of bytes", "%"), Column("Runs"),
        Column("Mean length", "requests"), Column("p99", "requests"), Column("Longest", "requests"),
        Column("Mean length", "KiB"),
    ]  # fmt: skip
    return Figure(
        "run-figures",
        "Sequentiality by definition",
        "Share that starts where another request ended: the last one of its device, of its stream, or any "
        "open run of its direction.",
        Table(columns, rows),
        wide=True,
    )


def jumps(trace: Description) -> Figure | None:
    """Signed distance from the end of the device's last request."""
    table = trace.jumps
    if not table.requests:
        return None
    signs = {"zero": "", "forward": "+", "backward": "−"}
    labels = [
        f"{signs[direction]}{numbers.binary(least)}" if signs[direction] else "0"
        for direction, least in zip(table.direction, table.from_bytes, strict=True)
    ]
    shares = {kind: [100 * share for share in getattr(table, f"{kind}_share")] for _, kind, _, _ in SHARES}
    names = ["none" if direction == "zero" else direction for direction in table.direction]
    rows = zip(names, table.from_bytes, table.below_bytes, *shares.values(), strict=True)
    hover = "%{x}: %{y:.4~r} %<extra>%{fullData.name}</extra>"
    data = [
        plot.bar(labels, shares[kind], name=title, colour=colour, hover=hover)
        for title, kind, colour, _ in SHARES
    ]
    columns = [
        Column("Direction", text=True), Column("From", "bytes"), Column("Below", "bytes"),
        Column("Of requests", "%"), Column("Of bytes", "%"),
    ]  # fmt: skip
    return Figure(
        "jumps",
        "Jumps",
        "Distance from the end of the device's last request to the start of the next, backward and forward; "
        "a bar is a power of two of bytes and is named by its least distance.",
        Table(columns, [list(row) for row in rows]),
        plot.chart(
            data,
            axis("Distance", type="category", nticks=24),
            axis("Share (%)", rangemode="tozero"),
            barmode="group",
            showlegend=True,
        ),
        wide=True,
    )


def devices(trace: Description) -> Figure:
    """One row for each device."""
    return _by_volume(trace.devices, "devices", "Devices", "Device")


def streams(trace: Description) -> Figure | None:
    """One row for each stream, where streams are named."""
    if not trace.streams.count:
        return None
    return _by_volume(trace.streams, "streams", "Streams", "Stream")


def _by_volume(breakdown: Breakdown, key: str, title: str, kind: str) -> Figure:
    columns = [
        Column(kind, text=True), Column("Requests"), Column("Of requests", "%"), Column("Of bytes", "%"),
        Column("Reads, of requests", "%"), Column("Reads, of bytes", "%"), Column("Mean read", "KiB"),
        Column("Mean write", "KiB"), Column("Rate", "IOPS"), Column("CV"),
        Column("Sequential, of requests", "%"), Column("Sequential, of bytes", "%"),
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [
            volume.name, volume.requests, 100 * volume.request_share, 100 * volume.byte_share,
            100 * volume.read_request_share, 100 * volume.read_byte_share,
            _over(volume.mean_read_bytes, 1024), _over(volume.mean_write_bytes, 1024), volume.iops,
            volume.inter_arrival_cv, 100 * volume.sequential_request_share,
            100 * volume.sequential_byte_share,
        ]
        for volume in breakdown.listed
    ]  # fmt: skip
    if key == "devices":
        columns.append(Column("Footprint", "GB"))
        for row, volume in zip(rows, breakdown.listed, strict=True):
            row.append(_over(volume.footprint_bytes, 1e9))
    remarks = []
    if rest := breakdown.count - len(breakdown.listed):
        share = numbers.percent(breakdown.unlisted_request_share)
        moved = numbers.percent(breakdown.unlisted_byte_share)
        remarks = [f"{numbers.count(rest)} more with {share} of requests and {moved} of bytes."]
    return Figure(
        key,
        title,
        "The busiest first. CV is of the gaps between its own requests; sequential is what starts where its "
        "own last request ended.",
        Table(columns, rows),
        None,
        remarks,
        wide=True,
    )


def _over(value: float | None, divisor: float) -> float | None:
    return None if value is None else value / divisor
