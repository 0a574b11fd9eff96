"""Figures of idle periods: how long they are (the study's Figure 5), what policies would save and at which
price (Figure 6), and how one follows another (Figure 4).
"""

from __future__ import annotations

import math
from typing import Any, Final

from iowatt.lenses.idle.result import (
    DriveAutocorrelation,
    FittedLengthLaw,
    IdlePeriods,
    LawName,
    PolicyOutcome,
)
from iowatt.render import numbers, palette, plot
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
        plot.curve(curve.length_s, [row[1] for row in rows], "Periods", COLOURS[0], "%"),
        plot.curve(curve.length_s, [row[2] for row in rows], "Idle time", COLOURS[1], "%", dash="dash"),
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
        plot.spec(data, _axes(shapes=shapes)),
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
            data.append(plot.curve(curve.length_s, shares, name, colour, "%", dash=dash))
        zipped = zip(curve.length_s, curve.periods, curve.idle_time, strict=True)
        rows += [[curve.name, length, 100 * periods, 100 * time] for length, periods, time in zipped]
    columns = [
        Column("Drive", text=True), Column("Up to", "s"), Column("Periods", "%"), Column("Idle time", "%"),
    ]  # fmt: skip
    return Figure(
        "two-disks",
        "Drives with fewest and most periods",
        _UPTO,
        Table(columns, rows),
        plot.spec(data, _axes()),
    )


def longer(idle: IdlePeriods) -> Figure | None:
    """Long periods as a table."""
    if not idle.periods:
        return None
    rows: list[list[Cell]] = [
        [
            row.length_s, row.periods, 100 * row.share_of_periods, 100 * row.share_of_idle_time,
            100 * row.share_of_time,
        ]
        for row in idle.longer
    ]  # fmt: skip
    columns = [
        Column("Longer than", "s"), Column("Periods"), Column("Of periods", "%"),
        Column("Of idle time", "%"), Column("Of all time", "%"),
    ]  # fmt: skip
    return Figure(
        "longer",
        "Long periods",
        "Over all drives. 41 s: stop and start of the 2002 study's disk.",
        Table(columns, rows),
    )


def laws(idle: IdlePeriods) -> Figure | None:
    """The measured distribution and the laws fitted to it by maximum likelihood."""
    if not idle.fits:
        return None
    curve = idle.distribution.all
    floor = max(1e-4, 50 / max(1, idle.periods))

    def left(shares: list[float]) -> list[float | None]:
        return [100 * (1 - share) if 100 * (1 - share) >= floor else None for share in shares]

    data = [plot.curve(curve.length_s, left(curve.periods), "Measured", palette.ALL, "%")]
    dashes = ("dash", "dot", "dashdot", "longdash", "dash", "dot")
    for at, fit in enumerate(idle.fits):
        data.append(
            plot.curve(curve.length_s, left(fit.curve), LAWS[fit.law], COLOURS[at], "%", dash=dashes[at])
        )
    rows: list[list[Cell]] = [
        [LAWS[fit.law], fit.ks_distance, fit.log_likelihood, fit.aic, fit.mean_s, _parameters(fit)]
        for fit in idle.fits
    ]
    columns = [
        Column("Law", text=True), Column("KS distance"), Column("Log-likelihood"), Column("AIC"),
        Column("Mean", "s"), Column("Parameters", text=True),
    ]  # fmt: skip
    return Figure(
        "laws",
        f"Best: {LAWS[idle.fits[0].law]}",
        "Share of the periods that are longer, measured and by laws fitted to the whole periods of all "
        "drives by maximum likelihood; the best has the least Akaike information criterion (AIC). KS: "
        "greatest distance between the distribution functions.",
        Table(columns, rows),
        plot.chart(
            data,
            axis("Length (s, log scale)", type="log"),
            axis("Longer (%, log scale)", type="log", range=[math.log10(floor), 2.05], dtick=1),
            showlegend=True,
        ),
        wide=True,
    )


def _parameters(fit: FittedLengthLaw) -> str:
    """The parameters of a law: ``shape 0.6, scale 500 ms``."""
    return ", ".join(
        f"{_PARAMETERS[name]} {' and '.join(_shown(name, one) for one in values)}"
        for name, given in fit.parameters.items()
        for values in (given if isinstance(given, list) else [given],)
    )


def _shown(name: str, value: float) -> str:
    return numbers.duration(value) if name.endswith("_s") else numbers.significant(value)


def table(idle: IdlePeriods) -> Figure | None:
    """All figures of each policy, the oracles first."""
    rows: list[list[Cell]] = [
        [
            row.title, 100 * row.saved_share,
            None if row.saved_share_of_total is None else 100 * row.saved_share_of_total, row.saved_j / 1e3,
            row.delayed, 100 * row.delayed_share,
            None if row.added_delay_per_access_s is None else 1e3 * row.added_delay_per_access_s,
            row.added_delay_of_delayed_s, row.added_delay_max_s, row.start_stops,
        ]
        for row in idle.policies
    ]  # fmt: skip
    columns = [
        Column("Policy", text=True), Column("Saved", "%"), Column("Saved of total", "%", rank=3),
        Column("Saved energy", "kJ", rank=4), Column("Delayed arrivals", rank=1),
        Column("Delayed", "%", rank=2), Column("Mean delay", "ms"), Column("If delayed", "s"),
        Column("Longest", "s", rank=5), Column("Start-stops"),
    ]  # fmt: skip
    if not rows:
        return None
    return Figure(
        "policies",
        "Every policy",
        "Saved: of the energy of idling through every period, and of all that the drives draw. Delayed: "
        "arrivals that wait for a spin-up, and their share of those that end a period. Mean delay: over "
        "all operations, a lower bound. Periods are taken as recorded: a wait does not shift later arrivals.",
        Table(columns, rows),
        wide=True,
        brief=True,
    )


def saved(idle: IdlePeriods) -> Figure | None:
    """Saving of each policy, the oracles first."""
    policies = idle.policies
    if not policies:
        return None
    rows: list[list[Cell]] = [[row.title, 100 * row.saved_share] for row in policies]
    oracle = [row.oracle for row in policies]
    bar = plot.bar(
        [row[1] for row in rows],
        [row[0] for row in rows],
        colour=[palette.RUNS[0] if known else palette.RUNS[2] for known in oracle],
        hover="%{y}: %{x:,.4~r} % saved<extra></extra>",
        orientation="h",
    )
    return Figure(
        "saved",
        "Energy saved by policy",
        "Against idling (spinning) through every period; below zero a policy loses. Oracles know how long "
        "a period will be: no two-state policy saves more than the one by energy.",
        Table([Column("Policy", text=True), Column("Saved", "% of idling")], rows),
        plot.chart(
            [bar],
            axis("Saved (% of the energy of idling)"),
            axis("", type="category", autorange="reversed"),
            showlegend=False,
            bargap=0.3,
        ),
        wide=True,
    )


def price(idle: IdlePeriods) -> Figure | None:
    """Saving against the delay that it costs."""
    known = [
        (row, row.added_delay_per_access_s)
        for row in idle.policies
        if row.added_delay_per_access_s is not None
    ]
    if not any(row.delayed for row, _ in known):
        return None
    rows: list[list[Cell]] = [
        [row.title, 1e3 * delay_s, 100 * row.saved_share, row.start_stops] for row, delay_s in known
    ]
    columns = [
        Column("Policy", text=True), Column("Mean delay, at least", "ms"), Column("Saved", "% of idling"),
        Column("Start-stops"),
    ]  # fmt: skip
    kinds: dict[str, list[list[Cell]]] = {
        "Oracles": [],
        "Learning, competitive": [],
        "Predicting": [],
        "Fixed thresholds": [],
    }
    for (policy, _), row in zip(known, rows, strict=True):
        kinds[_kind(policy)].append(row)
    data = [
        {
            "type": "scatter",
            # Never is the fixed threshold that does not come.
            "mode": "lines+markers" if kind == "Fixed thresholds" else "markers",
            "name": kind,
            "x": [row[1] for row in members],
            "y": [row[2] for row in members],
            "customdata": [row[0] for row in members],
            "marker": {"size": 10, "color": palette.RUNS[colour], "symbol": symbol},
            "line": {"width": 1, "dash": "dot", "color": palette.RUNS[colour]},
            "hovertemplate": "%{customdata}: %{x:,.4~r} ms for %{y:,.4~r} %<extra></extra>",
        }
        for (kind, members), colour, symbol in zip(
            kinds.items(), (0, 2, 3, 1), ("diamond", "circle", "star", "square"), strict=True
        )
    ]
    return Figure(
        "price",
        "Energy saved against delay",
        "Up and to the left is better. The delay is added to the response time of the drives' operations, on "
        "average.",
        Table(columns, rows),
        plot.chart(
            data,
            axis("Mean delay, at least (ms)", rangemode="tozero"),
            axis("Saved (% of idling)"),
            showlegend=True,
        ),
    )


def _kind(policy: PolicyOutcome) -> str:
    if policy.oracle:
        return "Oracles"
    if policy.policy.startswith(("arima", "law-driven")):
        return "Predicting"
    fixed = policy.policy.startswith("fixed") or policy.policy == "never"
    return "Fixed thresholds" if fixed else "Learning, competitive"


def bound(idle: IdlePeriods) -> Figure | None:
    """The oracles against the time that transitions take."""
    points = idle.oracle_bound
    if not points:
        return None
    whole = points[0].energy_saved_share_of_total is not None
    unit = "% of total" if whole else "% of idling"
    rows: list[list[Cell]] = [
        [point.transition_s, *(None if share is None else 100 * share for share in shares)]
        for point in points
        for shares in [
            (point.energy_saved_share_of_total, point.latency_saved_share_of_total)
            if whole
            else (point.energy_saved_share, point.latency_saved_share)
        ]
    ]
    columns = [
        Column("Stop and start", "s"), Column("Oracle by energy", unit), Column("Oracle by latency", unit),
    ]  # fmt: skip
    lengths = [row[0] for row in rows]
    data = [
        plot.curve(lengths, [row[1] for row in rows], "Oracle by energy", palette.RUNS[0], "%"),
        plot.curve(lengths, [row[2] for row in rows], "Oracle by latency", palette.RUNS[1], "%", dash="dash"),
    ]
    return Figure(
        "bound",
        "Oracle bound against transition time",
        "What perfect knowledge saves if stopping and starting took this long together, at the same watts. "
        "By latency: stops in every period that leaves time for both, and so may lose.",
        Table(columns, rows),
        plot.chart(
            data,
            axis("Stop and start together (s, log scale)", type="log"),
            axis(f"Saved ({unit})"),
            showlegend=True,
        ),
    )


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
    data = [band, plot.curve(lags, mean, "Mean over drives", palette.ALL, "")]
    for disk, colour, role in zip(disks, (palette.RUNS[2], palette.RUNS[3]), _roles(disks), strict=False):
        name = f"{plain(disk.name)}{role}"
        data.append(plot.curve(lags, disk.r, name, colour, "", width=1))
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
        plot.chart(data, axis("Lag (periods)"), axis("Autocorrelation"), showlegend=True),
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
            row.name, row.periods, row.mean_s, row.cv, row.longest_s, 100 * row.idle_share,
            100 * row.over_60s_share,
        ]
        for row in idle.devices
    ]  # fmt: skip
    columns = [
        Column("Drive", text=True), Column("Periods"), Column("Mean", "s"), Column("CV"),
        Column("Longest", "s"), Column("Idle", "%"), Column("In periods > 60 s", "%", rank=1),
    ]  # fmt: skip
    return Figure(
        "disks",
        "Idle periods by drive",
        "Mean and coefficient of variation (CV: standard deviation over mean; 1 for exponential) are of "
        "periods that are known whole.",
        Table(columns, rows),
        wide=True,
        brief=len(rows) <= _MOST_BRIEF,
    )
