"""How long idle periods are: distribution functions (the study's Figure 5), long ones, and fitted laws."""

from __future__ import annotations

import math
from typing import Any, Final

from iowatt.lenses.idle.result import FittedLaw, IdlePeriods, LawName
from iowatt.pages.description.figures.draw import line
from iowatt.render import numbers, palette
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain

COLOURS = palette.RUNS
LAWS: Final[dict[LawName, str]] = {
    "exponential": "Exponential",
    "hyper-exponential": "Hyper-exponential, 2 phases",
    "weibull": "Weibull",
    "log-normal": "Log-normal",
    "pareto": "Pareto",
    "bounded-pareto": "Bounded Pareto",
}
_PARAMETERS: Final = {
    "mean_s": "mean",
    "probability": "probability",
    "shape": "shape",
    "scale_s": "scale",
    "median_s": "median",
    "sigma": "sigma",
    "alpha": "alpha",
    "least_s": "from",
    "most_s": "to",
}
_UPTO = "Share of the periods that are no longer, and of the idle time in them."


def _axes(**more: Any) -> dict[str, Any]:
    return layout(
        axis("Length (s, log scale)", type="log"), axis("Share (%)", range=[0, 103]), showlegend=True, **more
    )


def all_disks(idle: IdlePeriods) -> Figure | None:
    """The distribution over all drives."""
    curve = idle.distribution.all
    if not curve.length_s:
        return None
    rows: list[list[Cell]] = [
        [length, 100 * periods, 100 * time]
        for length, periods, time in zip(curve.length_s, curve.periods, curve.idle_time, strict=True)
    ]
    columns = [Column("Up to", "s"), Column("Periods", "%"), Column("Idle time", "%")]
    data = [
        line(curve.length_s, [row[1] for row in rows], "Periods", COLOURS[0], "%"),
        line(curve.length_s, [row[2] for row in rows], "Idle time", COLOURS[1], "%", dash="dash"),
    ]
    drives = idle.drives
    shapes = []
    if len(drives) == 1 and drives[0].break_even_s:
        shapes.append(_break_even(drives[0].break_even_s))
    return Figure(
        "all-disks",
        "Lengths, all drives",
        _UPTO + (" The dotted line is the drive's break-even time." if shapes else ""),
        Table(columns, rows),
        {"data": data, "layout": _axes(shapes=shapes)},
    )


def _break_even(seconds: float) -> dict[str, Any]:
    return {
        "type": "line",
        "x0": seconds,
        "x1": seconds,
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "line": {"color": palette.RUNS[6], "dash": "dot", "width": 1.5},
    }


def two_disks(idle: IdlePeriods) -> Figure | None:
    """The drives with fewest and with most periods."""
    given = idle.distribution
    if len({curve.name for curve in given.extremes.values()}) < 2:
        return None
    data = []
    rows: list[list[Cell]] = []
    for (role, curve), colour in zip(given.extremes.items(), COLOURS[2:], strict=False):
        for values, title, dash in (
            (curve.periods, "periods", "solid"),
            (curve.idle_time, "idle time", "dash"),
        ):
            shares = [100 * value for value in values]
            name = f"{plain(curve.name)} ({role}), {title}"
            data.append(line(curve.length_s, shares, name, colour, "%", dash=dash))
        zipped = zip(curve.length_s, curve.periods, curve.idle_time, strict=True)
        rows += [[curve.name, length, 100 * periods, 100 * time] for length, periods, time in zipped]
    columns = [
        Column("Drive", text=True),
        Column("Up to", "s"),
        Column("Periods", "%"),
        Column("Idle time", "%"),
    ]
    return Figure(
        "two-disks",
        "Drives with fewest and most periods",
        _UPTO,
        Table(columns, rows),
        {"data": data, "layout": _axes()},
    )


def longer(idle: IdlePeriods) -> Figure | None:
    """Long periods as a table."""
    if not idle.periods:
        return None
    rows: list[list[Cell]] = [
        [
            row.length_s,
            row.periods,
            100 * row.share_of_periods,
            100 * row.share_of_idle_time,
            100 * row.share_of_time,
        ]
        for row in idle.longer
    ]
    columns = [
        Column("Longer than", "s"),
        Column("Periods"),
        Column("Of periods", "%"),
        Column("Of idle time", "%"),
        Column("Of all time", "%"),
    ]
    return Figure(
        "longer",
        "Long periods",
        "Over all drives. 41 s: stop and start of the 2002 study's disk.",
        Table(columns, rows),
    )


def laws(idle: IdlePeriods) -> Figure | None:
    """Laws fitted by maximum likelihood beside what was measured."""
    if not idle.fits:
        return None
    curve = idle.distribution.all
    floor = max(1e-4, 50 / max(1, idle.periods))

    def left(shares: list[float]) -> list[float | None]:
        return [100 * (1 - share) if 100 * (1 - share) >= floor else None for share in shares]

    data = [line(curve.length_s, left(curve.periods), "Measured", palette.ALL, "%")]
    dashes = ("dash", "dot", "dashdot", "longdash", "dash", "dot")
    for at, fit in enumerate(idle.fits):
        data.append(line(curve.length_s, left(fit.curve), LAWS[fit.law], COLOURS[at], "%", dash=dashes[at]))
    rows: list[list[Cell]] = [
        [
            LAWS[fit.law],
            fit.ks_distance,
            fit.log_likelihood,
            fit.aic,
            fit.mean_s,
            _parameters(fit),
        ]
        for fit in idle.fits
    ]
    columns = [
        Column("Law", text=True),
        Column("KS distance"),
        Column("Log-likelihood"),
        Column("AIC"),
        Column("Mean", "s"),
        Column("Parameters", text=True),
    ]
    return Figure(
        "laws",
        f"Best: {LAWS[idle.fits[0].law]}",
        "Share of the periods that are longer, measured and by laws fitted to the whole periods of all "
        "drives by maximum likelihood; the best has the least Akaike information criterion (AIC). KS: "
        "greatest distance between the distribution functions.",
        Table(columns, rows),
        {
            "data": data,
            "layout": layout(
                axis("Length (s, log scale)", type="log"),
                axis("Longer (%, log scale)", type="log", range=[math.log10(floor), 2.05], dtick=1),
                showlegend=True,
            ),
        },
        wide=True,
    )


def _parameters(fit: FittedLaw) -> str:
    """The parameters of a law: ``shape 0.6, scale 500 ms``."""
    return ", ".join(
        f"{_PARAMETERS[name]} {' and '.join(_shown(name, one) for one in values)}"
        for name, given in fit.parameters.items()
        for values in (given if isinstance(given, list) else [given],)
    )


def _shown(name: str, value: float) -> str:
    return numbers.duration(value) if name.endswith("_s") else numbers.significant(value)
