"""The requests themselves: sizes, alignment, sequential runs, jumps."""

from __future__ import annotations

from iowatt.pages.description.figures.draw import OPS, SHARE_OF, cumulated, line
from iowatt.render import numbers, palette
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout
from iowatt.trace.description import Description


def sizes(found: Description) -> Figure:
    """Share of requests and of bytes up to a size."""
    histogram = found.sizes.histogram
    at = histogram.bytes
    totals = {op: sum(getattr(histogram, f"{op}s")) for _, op, _ in OPS}
    moved = {
        op: sum(n * b for n, b in zip(getattr(histogram, f"{op}s"), at, strict=True)) for _, op, _ in OPS
    }
    rows: list[list[Cell]] = []
    for i, b in enumerate(at):
        row: list[Cell] = [b]
        for _, op, _ in OPS:
            n = getattr(histogram, f"{op}s")[i]
            row += [
                n,
                100 * n / totals[op] if totals[op] else None,
                100 * n * b / moved[op] if moved[op] else None,
            ]
        rows.append(row)
    columns = [Column("Size", "bytes")]
    data = []
    for at_op, (title, op, colour) in enumerate(OPS):
        columns += [Column(title), Column("Of requests", "%"), Column("Of bytes", "%")]
        if totals[op]:
            for share, dash, which in ((2, "solid", "requests"), (3, "dash", "bytes")):
                y = cumulated([float(row[3 * at_op + share] or 0) for row in rows])
                kib = [b / 1024 for b in at]
                # A step to the left of the first size, or a single size would be no line.
                steps = {
                    "line": {"shape": "hv"},
                    "dash": dash,
                    "mode": "lines+markers",
                    "marker": {"size": 4},
                }
                data.append(line(kib, y, f"{title}, of {which}", colour, "%", **steps))
    return Figure(
        "sizes",
        "Request sizes",
        "Share of requests, and of their bytes, up to a size; a step is a size that is often asked for.",
        Table(columns, rows),
        {
            "data": data,
            "layout": layout(
                axis("Size (KiB, log scale)", type="log"),
                axis("Up to the size (%)", range=[0, 103]),
                showlegend=True,
            ),
        },
        [] if found.sizes.exact else ["Sizes were rounded down to 1 %: there are very many."],
    )


def alignment(found: Description) -> Figure:
    """What is a multiple of which power of two."""
    rows: list[list[Cell]] = [
        [
            numbers.binary(level.bytes),
            100 * level.offset_request_share,
            100 * level.offset_byte_share,
            100 * level.whole_request_share,
            100 * level.whole_byte_share,
        ]
        for level in found.alignment
    ]
    labels = [str(row[0]) for row in rows]
    names = (
        "Offset, of requests",
        "Offset, of bytes",
        "Offset and size, of requests",
        "Offset and size, of bytes",
    )
    styles = ((palette.RUNS[0], "solid"), (palette.RUNS[0], "dash"), (palette.RUNS[1], "solid"))
    data = [
        line(labels, [row[1 + i] for row in rows], name, colour, "%", dash=dash, mode="lines+markers")
        for i, (name, (colour, dash)) in enumerate(
            zip(names, (*styles, (palette.RUNS[1], "dash")), strict=True)
        )
    ]
    for drawn in data:
        drawn["hovertemplate"] = "%{x}: %{y:.4~r} %<extra>%{fullData.name}</extra>"
    return Figure(
        "alignment",
        "Alignment",
        "Share whose offset, and whose offset and size, are multiples of a power of two. Below the block of "
        "a drive, writes become read-modify-write.",
        Table([Column("Multiple of", text=True), *(Column(name, "%") for name in names)], rows),
        {
            "data": data,
            "layout": layout(
                axis("Multiple of", type="category"), axis("Share (%)", range=[0, 103]), showlegend=True
            ),
        },
    )


def runs(found: Description) -> Figure | None:
    """Share of requests and bytes in runs of a length or longer."""
    sequential = found.sequential
    data, rows = [], []
    for title, op, colour in OPS:
        lengths = getattr(sequential, f"{op}_runs").histogram
        for kind, dash in (("requests", "solid"), ("bytes", "dash")):
            total = sum(getattr(lengths, kind))
            if not total:
                continue
            left, longer = total, []
            for amount in getattr(lengths, kind):
                longer.append(100 * left / total)
                left -= amount
            name = f"{title}, of {kind}"
            data.append(
                line(lengths.from_requests, longer, name, colour, "%", dash=dash, mode="lines+markers")
            )
            rows += [
                [name, first, last, number, share]
                for first, last, number, share in zip(
                    lengths.from_requests, lengths.to_requests, lengths.runs, longer, strict=True
                )
            ]
    if not data:
        return None
    for drawn in data:
        drawn["marker"] = {"size": 4}
    options = found.options
    gap = f", at most {numbers.binary(options.gap_bytes)} further on" if options.gap_bytes else ""
    return Figure(
        "runs",
        "Sequential runs",
        "Share of requests and bytes in runs of so many requests or more. A request continues a run when "
        f"it starts where that ended{gap}; {options.lookback} runs of each device and direction stay "
        "open, so that interleaved streams do not break each other.",
        Table(
            [
                Column("Share", text=True),
                Column("Requests, from"),
                Column("Requests, to"),
                Column("Runs"),
                Column("In these or longer", "%"),
            ],
            rows,
        ),
        {
            "data": data,
            "layout": layout(
                axis("Length of a run (requests, log scale)", type="log", dtick=1),
                axis("In runs as long or longer (%)", range=[0, 103]),
                showlegend=True,
            ),
        },
        wide=True,
    )


def run_figures(found: Description) -> Figure:
    """The same in numbers, by every definition."""
    sequential = found.sequential
    rows: list[list[Cell]] = [
        [
            "After the last of the device",
            100 * sequential.consecutive_request_share,
            100 * sequential.consecutive_byte_share,
            *([None] * 5),
        ]
    ]
    in_stream = sequential.consecutive_in_stream_request_share
    in_stream_bytes = sequential.consecutive_in_stream_byte_share
    if in_stream is not None and in_stream_bytes is not None:
        rows.append(
            [
                "After the last of the stream",
                100 * in_stream,
                100 * in_stream_bytes,
                *([None] * 5),
            ]
        )
    for name, figures in (
        ("Runs, all", sequential.runs),
        ("Runs of reads", sequential.read_runs),
        ("Runs of writes", sequential.write_runs),
        ("Runs in streams", sequential.stream_runs),
    ):
        if figures is None or figures.length_requests is None or figures.length_bytes is None:
            continue
        lengths, moved = figures.length_requests, figures.length_bytes
        rows.append(
            [
                name,
                100 * figures.sequential_request_share,
                100 * figures.sequential_byte_share,
                figures.runs,
                lengths.mean,
                lengths.p99,
                lengths.max,
                moved.mean / 1024,
            ]
        )
    return Figure(
        "run-figures",
        "Sequentiality by definition",
        "Share that starts where another request ended: the last one of its device, of its stream, or any "
        "open run of its direction.",
        Table(
            [
                Column("Definition", text=True),
                Column("Of requests", "%"),
                Column("Of bytes", "%"),
                Column("Runs"),
                Column("Mean length", "requests"),
                Column("p99", "requests"),
                Column("Longest", "requests"),
                Column("Mean length", "KiB"),
            ],
            rows,
        ),
        wide=True,
    )


def jumps(found: Description) -> Figure | None:
    """Distance from the end of the device's last request, with its sign."""
    table = found.jumps
    if not table.requests:
        return None
    rows: list[list[Cell]] = []
    labels = []
    for i, direction in enumerate(table.direction):
        low = numbers.binary(table.from_bytes[i])
        label = "0" if direction == "zero" else f"{'−' if direction == 'backward' else '+'}{low}"
        labels.append(label)
        rows.append(
            [
                {"zero": "none", "forward": "forward", "backward": "backward"}[direction],
                table.from_bytes[i],
                table.below_bytes[i],
                100 * table.request_share[i],
                100 * table.byte_share[i],
            ]
        )
    data = [
        {
            "type": "bar",
            "name": title,
            "x": labels,
            "y": [row[3 + at] for row in rows],
            "marker": {"color": colour},
            "hovertemplate": "%{x}: %{y:.4~r} %<extra>%{fullData.name}</extra>",
        }
        for at, (title, _, colour, _) in enumerate(SHARE_OF)
    ]
    return Figure(
        "jumps",
        "Jumps",
        "Distance from the end of the device's last request to the start of the next, backward and forward; "
        "a bar is a power of two of bytes and is named by its least distance.",
        Table(
            [
                Column("Direction", text=True),
                Column("From", "bytes"),
                Column("Below", "bytes"),
                Column("Of requests", "%"),
                Column("Of bytes", "%"),
            ],
            rows,
        ),
        {
            "data": data,
            "layout": layout(
                axis("Distance", type="category", nticks=24),
                axis("Share (%)", rangemode="tozero"),
                barmode="group",
                showlegend=True,
            ),
        },
        wide=True,
    )
