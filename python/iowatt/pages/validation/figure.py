"""Both distributions of one drive, measured and simulated, as a figure with its table."""

from __future__ import annotations

import numpy as np

from iowatt.evaluate.validation.compare import Comparison, Times, quantiles
from iowatt.evaluate.validation.replay import Compared, Validation
from iowatt.pages.validation.text import disksim, kinds
from iowatt.render import palette
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain

_SHARES = np.concatenate([np.arange(0.5, 99, 0.5), np.arange(99, 99.95, 0.1), [99.95, 99.99]]) / 100


def distributions(validation: Validation) -> Figure:
    """Share of requests that finished within a response time, reads and writes apart."""
    return _distribution(
        validation,
        f"distribution-{validation.key}",
        "Distribution of response times",
        "Share of requests that finished within a response time.",
        "Response time",
        # Queueing stretches a few responses far beyond the others.
        stretched=validation.service is not None,
    )


def services(validation: Validation) -> Figure | None:
    """The same for service times, where they were compared as well."""
    if validation.service is None:
        return None
    return _distribution(
        validation.service,
        f"services-{validation.key}",
        "Distribution of service times",
        "Share of requests that the drive served within a time, one at a time, the queue left out.",
        "Service time",
    )


def _distribution(
    found: Compared, key: str, title: str, caption: str, what: str, *, stretched: bool = False
) -> Figure:
    rows: list[list[Cell]] = []
    data = []
    write = found.write
    for way, mask, colour in (("Reads", ~write, palette.READ), ("Writes", write, palette.WRITE)):
        if not mask.any():
            continue
        for who, times, dash in (
            ("measured", found.measured_ms, "solid"),
            ("simulated", found.simulated_ms, "dot"),
        ):
            line = _line(times[mask])
            name = f"{way}, {who}"
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
    x = axis(f"{what} (ms)", **({"type": "log"} if stretched else {}))
    y = axis("Finished within (%)", range=[0, 101])
    return Figure(
        key,
        title,
        f"{caption} The demerit is the root mean square of the "
        "horizontal distance between the measured and the simulated line of all requests.",
        Table(
            [
                Column("Requests", text=True),
                Column(f"{what} up to", "ms"),
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
    """All drives, one line each for all requests, reads and writes; the same of services where compared."""
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
        for kind, part in kinds(validation):
            theirs_too = beside if kind == "all" else [None, None, None]
            rows.append([validation.title, kind, *_cells(part), *theirs_too])
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
