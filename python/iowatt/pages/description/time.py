"""Figures of arrivals: rates over time, gaps and the laws fitted to them, bursts."""

from __future__ import annotations

import math
from typing import Any

from iowatt.pages.description.sentences import METHODS
from iowatt.render import numbers, palette, plot
from iowatt.render.figure import Cell, Column, Figure, Table, axis
from iowatt.trace.description import Description

_SCALES = ((2 * 86_400.0, 86_400.0, "d"), (2 * 3600.0, 3600.0, "h"), (300.0, 60.0, "min"))
_MIB = 1024.0**2


def _starts(trace: Description) -> tuple[list[float], str]:
    """Starts of the windows in a unit that suits the span."""
    width, count = trace.over_time.window_s, len(trace.over_time.reads)
    factor, unit = next(((f, u) for least, f, u in _SCALES if width * count >= least), (1.0, "s"))
    return [i * width / factor for i in range(count)], unit


def _widths(trace: Description) -> list[float]:
    """Widths of the windows in seconds; the last one ends with the trace."""
    width, count = trace.over_time.window_s, len(trace.over_time.reads)
    last = trace.span.duration_s - (count - 1) * width
    # The rate of a last window that is hardly covered would be arbitrary.
    return [width] * (count - 1) + [last if last > 0.1 * width else width]


def _figure(
    trace: Description,
    key: str,
    title: str,
    caption: str,
    *,
    unit: str,
    series: list[tuple[str, list[float], str]],
    y_title: str,
    **more: Any,
) -> Figure | None:
    starts, of = _starts(trace)
    if trace.span.duration_s <= 0 or len(starts) < 2:
        return None
    rows: list[list[Cell]] = [
        [start, *(values[i] for _, values, _ in series)] for i, start in enumerate(starts)
    ]
    table = Table([Column("From", of), *(Column(name, unit) for name, _, _ in series)], rows)
    data = [plot.curve(starts, values, name, colour, unit, width=1.5) for name, values, colour in series]
    window = numbers.duration(trace.over_time.window_s)
    return Figure(
        key,
        title,
        f"{caption} In windows of {window} from the first request on.",
        table,
        plot.chart(
            data,
            axis(f"Time ({of})"),
            axis(y_title, rangemode="tozero"),
            hovermode="x unified",
            showlegend=True,
        ),
        **more,
    )


def rates(trace: Description) -> Figure | None:
    """Reads and writes per second."""
    over = trace.over_time
    widths = _widths(trace)

    def per_second(name: str) -> list[float]:
        return [n / width for n, width in zip(getattr(over, name), widths, strict=True)]

    return _figure(
        trace,
        "rates",
        "Requests over time",
        "Arrivals per second.",
        unit="IOPS",
        series=[
            ("Reads", per_second("reads"), palette.READ),
            ("Writes", per_second("writes"), palette.WRITE),
        ],
        y_title="Requests per second (IOPS)",
        wide=True,
    )


def bandwidth(trace: Description) -> Figure | None:
    """Bytes per second."""
    over = trace.over_time
    widths = _widths(trace)

    def per_second(name: str) -> list[float]:
        return [n / width / _MIB for n, width in zip(getattr(over, name), widths, strict=True)]

    return _figure(
        trace,
        "bandwidth",
        "Data over time",
        "Bytes requested per second.",
        unit="MiB/s",
        series=[
            ("Read", per_second("bytes_read"), palette.READ),
            ("Written", per_second("bytes_written"), palette.WRITE),
        ],
        y_title="Data rate (MiB/s)",
    )


def working_set(trace: Description) -> Figure | None:
    """Distinct bytes touched in each window."""
    values = trace.over_time.working_set_bytes
    if not values:
        return None
    count = len(trace.over_time.reads)
    mib = [value / _MIB for value in values[:count]] + [0.0] * (count - len(values))
    return _figure(
        trace,
        "working-set",
        "Working set over time",
        "Distinct data touched.",
        unit="MiB",
        series=[("Touched", mib, palette.P95)],
        y_title="Distinct data (MiB)",
    )


_DAYS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh"]


def envelope(trace: Description) -> Figure | None:
    """Mean rate by hour of the day."""
    hours = trace.envelope.hour_of_day
    if hours is None:
        return None
    rows: list[list[Cell]] = [[hour, factor] for hour, factor in enumerate(hours)]
    days = trace.envelope.day_of_week
    remarks = []
    if days is not None:
        remarks = [
            "By day of the week: "
            + ", ".join(f"{name} {factor:.2f}" for name, factor in zip(_DAYS, days, strict=True))
            + "."
        ]
    bar = plot.bar(
        list(range(24)), hours, name="Factor", colour=palette.BAR, hover="hour %{x}: %{y:.3~r}<extra></extra>"
    )
    return Figure(
        "envelope",
        "Daily envelope",
        "Mean rate by hour of the day, over the mean of all; hours count from the first request.",
        Table([Column("Hour"), Column("Rate over mean")], rows),
        plot.chart([bar], axis("Hour of the day"), axis("Rate over mean", rangemode="tozero")),
        remarks,
    )


_LAWS = {
    ("exponential", "mean"): ("Exponential of the same mean", palette.RUNS[5], "dot"),
    ("hyper-exponential", "balanced-means"): (
        "Hyper-exponential, balanced means",
        palette.RUNS[4],
        "dashdot",
    ),
    ("hyper-exponential", "maximum-likelihood"): (
        "Hyper-exponential, maximum likelihood",
        palette.RUNS[1],
        "dash",
    ),
}


def gaps(trace: Description) -> Figure | None:
    """Share of gaps longer than a time, measured and by the fitted laws."""
    arrivals = trace.inter_arrival
    if arrivals is None or arrivals.mean_s == 0:
        return None
    histogram = arrivals.histogram
    ends, total = histogram.to_s, arrivals.count
    left, longer = total, []
    for count in histogram.count:
        left -= count
        longer.append(100 * left / total)
    laws = []
    for fit in arrivals.fits:
        phases = list(zip(fit.probability, fit.mean_s, strict=True))
        share = [100 * sum(p * math.exp(-end / mean) for p, mean in phases) for end in ends]
        laws.append((*_LAWS[fit.law, fit.method], share))
    rows: list[list[Cell]] = [
        [1e3 * end, histogram.count[i], longer[i], *(law[3][i] for law in laws)] for i, end in enumerate(ends)
    ]
    columns = [Column("Up to", "ms"), Column("Gaps"), Column("Measured, longer", "%")]
    floor = max(100 / total / 2, 1e-6)
    milliseconds = [1e3 * end for end in ends]
    data = [plot.curve(milliseconds, plot.positive(longer), "Measured", palette.ALL, "%")]
    data += [
        plot.curve(milliseconds, [s if s >= floor else None for s in share], name, colour, "%", dash=dash)
        for name, colour, dash, share in laws
    ]
    return Figure(
        "gaps",
        "Gaps between arrivals",
        "Share of inter-arrival times that are longer. On these axes a power law is straight and "
        "an exponential bends down.",
        Table([*columns, *(Column(f"{law[0]}, longer", "%") for law in laws)], rows),
        plot.chart(
            data,
            axis("Gap (ms, log scale)", type="log"),
            axis("Longer (%, log scale)", type="log", range=[math.log10(floor), 2.05], dtick=1),
            showlegend=True,
        ),
        wide=True,
    )


def dispersion(trace: Description) -> Figure | None:
    """Index of dispersion for counts, and the peak rate, by the width of the window."""
    scales = [scale for scale in trace.burstiness.scales if scale.windows >= 8]
    if len(scales) < 2:
        return None
    rows: list[list[Cell]] = [[s.window_s, s.windows, s.mean, s.idc, s.peak / s.window_s] for s in scales]
    columns = [
        Column("Window", "s"), Column("Windows"), Column("Mean count"), Column("Index of dispersion"),
        Column("Peak rate", "IOPS"),
    ]  # fmt: skip
    widths = [s.window_s for s in scales]
    data = [
        plot.curve(widths, plot.positive([s.idc for s in scales]), "Measured", palette.ALL, "", marks=True),
        plot.curve([widths[0], widths[-1]], [1, 1], "Poisson arrivals", palette.RUNS[5], "", dash="dot"),
    ]
    return Figure(
        "dispersion",
        "Burstiness over scales",
        "Index of dispersion: variance over mean of the requests in windows of a width. Bursts lift it; it "
        "goes on rising where there are bursts of every length.",
        Table(columns, rows),
        plot.chart(
            data,
            axis("Window (s, log scale)", type="log", dtick=1),
            axis("Variance over mean (log scale)", type="log", dtick=1),
            showlegend=True,
        ),
    )


def laws(trace: Description) -> Figure | None:
    """Moments and percentiles of the gaps, measured and by the fitted laws."""
    arrivals = trace.inter_arrival
    if arrivals is None:
        return None
    named = arrivals.percentiles_s
    rows: list[list[Cell]] = [["Measured", 1e3 * arrivals.mean_s, arrivals.cv, 1e3 * named["p99"], None, ""]]
    for fit in arrivals.fits:
        phases = zip(fit.probability, fit.mean_s, strict=True)
        shown = ", ".join(
            f"{numbers.significant(100 * p)} % of mean {numbers.with_unit(1e3 * m, 'ms')}" for p, m in phases
        )
        mean = sum(p * m for p, m in zip(fit.probability, fit.mean_s, strict=True))
        name = _LAWS[fit.law, fit.method][0]
        rows.append([name, 1e3 * mean, fit.cv, 1e3 * fit.p99_s, fit.ks_distance, shown])
    lag = arrivals.lag1_autocorrelation
    remarks = [f"{numbers.percent(arrivals.zero_share)} of gaps are zero."]
    if lag is not None:
        remarks.append(f"Correlation of a gap with the next: {lag:.3f}.")
    columns = [
        Column("Law", text=True), Column("Mean", "ms"), Column("CV"), Column("p99", "ms"), Column("KS"),
        Column("Phases", text=True),
    ]  # fmt: skip
    return Figure(
        "laws",
        "Laws of the gaps",
        "KS: largest distance between the distribution functions (Kolmogorov-Smirnov).",
        Table(columns, rows),
        None,
        remarks,
        wide=True,
    )


def hurst(trace: Description) -> Figure | None:
    """The Hurst estimates with their ranges."""
    estimates = trace.burstiness.hurst
    if not estimates:
        return None
    columns = [
        Column("Method", text=True), Column("H"), Column("Standard error"), Column("From", "s"),
        Column("To", "s"), Column("Octaves"),
    ]  # fmt: skip
    return Figure(
        "hurst",
        "Hurst exponent",
        "0.5: no memory beyond the finest scales; towards 1: bursts of every length. Two methods, because a "
        "trend misleads the first and a burst of one scale the second.",
        Table(
            columns,
            [
                [METHODS[h.method].capitalize(), h.hurst, h.standard_error, h.from_s, h.to_s, h.octaves]
                for h in estimates
            ],
        ),
    )
