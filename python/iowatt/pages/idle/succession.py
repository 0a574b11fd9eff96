"""One idle period after another: autocorrelation (the study's Figure 4), and every drive in numbers."""

from __future__ import annotations

from typing import Final

from iowatt.lenses.idle.result import DriveAutocorrelation, IdlePeriods
from iowatt.pages.description.figures.draw import line
from iowatt.render import palette
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain

_MOST_BRIEF: Final = 16
"""Drives beyond which a terminal does not list them."""


def autocorrelation(idle: IdlePeriods) -> Figure | None:
    """Mean and standard deviation over drives by lag, and two drives."""
    given = idle.autocorrelation
    lags = given.lags
    if not lags:
        return None
    mean, sigma = given.mean, given.sigma
    disks = [disk for disk in given.disks if any(r is not None for r in disk.r)]
    rows: list[list[Cell]] = [
        [lag, mean[at], sigma[at], given.drives[at], *(disk.r[at] for disk in disks)]
        for at, lag in enumerate(lags)
    ]
    columns = [Column("Lag"), Column("Mean"), Column("Standard deviation"), Column("Drives")]
    columns += [Column(disk.name) for disk in disks]
    band = {
        "type": "scatter",
        "mode": "lines",
        "name": "Mean ± standard deviation",
        "x": [*lags, *reversed(lags)],
        "y": [
            *(m + s for m, s in zip(mean, sigma, strict=True)),
            *(m - s for m, s in reversed(list(zip(mean, sigma, strict=True)))),
        ],
        "fill": "toself",
        "line": {"width": 0, "color": palette.BAR},
        "fillcolor": "rgba(79, 124, 168, 0.25)",
        "hoverinfo": "skip",
    }
    data = [band, line(lags, mean, "Mean over drives", palette.ALL, "")]
    for disk, colour, role in zip(disks, (palette.RUNS[2], palette.RUNS[3]), _roles(disks), strict=False):
        name = f"{plain(disk.name)}{role}"
        data.append(line(lags, disk.r, name, colour, "", line={"width": 1}))
    noise = given.noise_95
    remarks = []
    if noise is not None:
        remarks.append(
            f"Of independent periods, 95 of 100 coefficients of the drive with fewest periods lie "
            f"within ±{noise:.3f}."
        )
    return Figure(
        "autocorrelation",
        "Autocorrelation of successive periods",
        "Correlation of a drive's period with the one that comes so many periods later.",
        Table(columns, rows),
        {
            "data": data,
            "layout": layout(axis("Lag (periods)"), axis("Autocorrelation"), showlegend=True),
        },
        remarks,
        wide=True,
    )


def _roles(disks: list[DriveAutocorrelation]) -> list[str]:
    return [" (fewest)", " (most)"] if len(disks) == 2 else [""] * len(disks)


def disks(idle: IdlePeriods) -> Figure | None:
    """Every drive in numbers."""
    if not idle.devices:
        return None
    rows: list[list[Cell]] = [
        [
            row.name,
            row.periods,
            row.mean_s,
            row.cv,
            row.longest_s,
            100 * row.idle_share,
            100 * row.over_60s_share,
        ]
        for row in idle.devices
    ]
    columns = [
        Column("Drive", text=True),
        Column("Periods"),
        Column("Mean", "s"),
        Column("CV"),
        Column("Longest", "s"),
        Column("Idle", "%"),
        Column("In periods > 60 s", "%", rank=1),
    ]
    return Figure(
        "disks",
        "Idle periods by drive",
        "Mean and coefficient of variation (CV: standard deviation over mean; 1 for exponential) are of "
        "periods that are known whole.",
        Table(columns, rows),
        wide=True,
        brief=len(rows) <= _MOST_BRIEF,
    )
