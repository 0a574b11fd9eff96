"""Both distributions of one drive, measured and simulated, as a figure with its table."""

from __future__ import annotations

import numpy as np

from iowatt.report.figures import palette
from iowatt.report.figures.figure import Cell, Column, Figure, Table, axis, layout, plain
from iowatt.validation.compare import Comparison, Times, quantiles
from iowatt.validation.replay import Validation
from iowatt.validation.text import disksim

_SHARES = np.concatenate([np.arange(0.5, 99, 0.5), np.arange(99, 99.95, 0.1), [99.95, 99.99]]) / 100


def distributions(validation: Validation) -> Figure:
    """Share of requests that finished within a response time, reads and writes apart."""
    rows: list[list[Cell]] = []
    data = []
    write = validation.write
    for title, mask, colour in (("Reads", ~write, palette.READ), ("Writes", write, palette.WRITE)):
        if not mask.any():
            continue
        for who, times, dash in (
            ("measured", validation.measured_ms, "solid"),
            ("simulated", validation.simulated_ms, "dot"),
        ):
            line = _line(times[mask])
            name = f"{title}, {who}"
            rows += [[name, ms, share] for ms, share in line]
            data.append(
                {
                    "type": "scatter",
                    "mode": "lines",
                    "name": plain(name),
                    "x": [ms for ms, _ in line],
                    "y": [share for _, share in line],
                    "line": {"color": colour, "width": 2, "dash": dash},
                    "hovertemplate": "%{x:,.4~r} ms: %{y:.4~r} %<extra>%{fullData.name}</extra>",
                }
            )
    x, y = axis("Response time (ms)"), axis("Finished within (%)", range=[0, 101])
    return Figure(
        f"distribution-{validation.drive.name}",
        "Distribution of response times",
        "Share of requests that finished within a response time. The demerit is the root mean square of the "
        "horizontal distance between the measured and the simulated line of all requests.",
        Table(
            [
                Column("Requests", text=True),
                Column("Response time up to", "ms"),
                Column("Finished within", "%"),
            ],
            rows,
        ),
        {"data": data, "layout": layout(x, y, showlegend=True)},
        wide=True,
    )


def _line(times: Times) -> list[tuple[float, float]]:
    found = quantiles(times, _SHARES)
    return [(float(ms), float(100 * share)) for ms, share in zip(found, _SHARES, strict=True)]


def overview(found: list[Validation]) -> Figure:
    """All drives, one line each for all requests, reads and writes."""
    columns = [
        Column("Drive", text=True),
        Column("Requests", text=True),
        Column("Number"),
        Column("Measured mean", "ms"),
        Column("Simulated mean", "ms"),
        Column("Error", "%"),
        Column("Demerit", "ms"),
        Column("Demerit", "%"),
        Column("Paired RMSE", "ms"),
        Column("DiskSim's error", "%"),
        Column("DiskSim's demerit", "ms"),
        Column("DiskSim's paired RMSE", "ms"),
    ]
    rows: list[list[Cell]] = []
    for validation in found:
        theirs = disksim(validation)
        beside: list[Cell] = [None, None, None]
        if theirs is not None:
            beside = [100 * theirs["mean_error"], theirs["demerit_ms"], theirs["paired_rmse_ms"]]
        rows.append([validation.drive.title, "all", *_cells(validation.every), *beside])
        for kind, part in (("reads", validation.reads), ("writes", validation.writes)):
            if part is not None:
                rows.append([validation.drive.title, kind, *_cells(part), None, None, None])
    return Figure(
        "overview",
        "Measured and simulated",
        "Error and demerit in percent are of the measured mean. DiskSim's figures are of the same trace.",
        Table(columns, rows),
        wide=True,
    )


def _cells(part: Comparison) -> list[Cell]:
    return [
        part.requests,
        part.measured_mean_ms,
        part.simulated_mean_ms,
        100 * part.mean_error,
        part.demerit_ms,
        100 * part.demerit_fraction,
        part.paired_rmse_ms,
    ]
