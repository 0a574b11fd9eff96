"""When requests arrive: gaps with the laws fitted to them, dispersion over scales, the Hurst exponent."""

from __future__ import annotations

import math

from iowatt.pages.description.figures.draw import line, positive
from iowatt.pages.description.words import METHODS
from iowatt.render import numbers, palette
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout
from iowatt.trace.description import Description

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


def gaps(found: Description) -> Figure | None:
    """Share of gaps that are longer, measured and by the laws."""
    arrivals = found.inter_arrival
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
    data = [line(milliseconds, positive(longer), "Measured", palette.ALL, "%")]
    data += [
        line(milliseconds, [s if s >= floor else None for s in share], name, colour, "%", dash=dash)
        for name, colour, dash, share in laws
    ]
    return Figure(
        "gaps",
        "Gaps between arrivals",
        "Share of inter-arrival times that are longer. On these axes a power law is straight and "
        "an exponential bends down.",
        Table([*columns, *(Column(f"{law[0]}, longer", "%") for law in laws)], rows),
        {
            "data": data,
            "layout": layout(
                axis("Gap (ms, log scale)", type="log"),
                axis("Longer (%, log scale)", type="log", range=[math.log10(floor), 2.05], dtick=1),
                showlegend=True,
            ),
        },
        wide=True,
    )


def dispersion(found: Description) -> Figure | None:
    """Index of dispersion for counts, and the peak rate, by the width of the window."""
    scales = [scale for scale in found.burstiness.scales if scale.windows >= 8]
    if len(scales) < 2:
        return None
    rows: list[list[Cell]] = [[s.window_s, s.windows, s.mean, s.idc, s.peak / s.window_s] for s in scales]
    columns = [
        Column("Window", "s"),
        Column("Windows"),
        Column("Mean count"),
        Column("Index of dispersion"),
        Column("Peak rate", "IOPS"),
    ]
    widths = [s.window_s for s in scales]
    data = [
        line(widths, positive([s.idc for s in scales]), "Measured", palette.ALL, "", mode="lines+markers"),
        line([widths[0], widths[-1]], [1, 1], "Poisson arrivals", palette.RUNS[5], "", dash="dot"),
    ]
    return Figure(
        "dispersion",
        "Burstiness over scales",
        "Index of dispersion: variance over mean of the requests in windows of a width. Bursts lift it; it "
        "goes on rising where there are bursts of every length.",
        Table(columns, rows),
        {
            "data": data,
            "layout": layout(
                axis("Window (s, log scale)", type="log", dtick=1),
                axis("Variance over mean (log scale)", type="log", dtick=1),
                showlegend=True,
            ),
        },
    )


def laws(found: Description) -> Figure | None:
    """Moments and percentiles of the gaps, and what the laws make of them."""
    arrivals = found.inter_arrival
    if arrivals is None:
        return None
    named = arrivals.percentiles_s
    rows: list[list[Cell]] = [
        ["Measured", 1e3 * arrivals.mean_s, arrivals.cv, 1e3 * named["p99"], None, ""],
    ]
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
    return Figure(
        "laws",
        "Laws of the gaps",
        "KS: largest distance between the distribution functions (Kolmogorov-Smirnov).",
        Table(
            [
                Column("Law", text=True),
                Column("Mean", "ms"),
                Column("CV"),
                Column("p99", "ms"),
                Column("KS"),
                Column("Phases", text=True),
            ],
            rows,
        ),
        None,
        remarks,
        wide=True,
    )


def hurst(found: Description) -> Figure | None:
    """The Hurst estimates with their ranges."""
    estimates = found.burstiness.hurst
    if not estimates:
        return None
    return Figure(
        "hurst",
        "Hurst exponent",
        "0.5: no memory beyond the finest scales; towards 1: bursts of every length. Two methods, because a "
        "trend misleads the first and a burst of one scale the second.",
        Table(
            [
                Column("Method", text=True),
                Column("H"),
                Column("Standard error"),
                Column("From", "s"),
                Column("To", "s"),
                Column("Octaves"),
            ],
            [
                [
                    METHODS[h.method].capitalize(),
                    h.hurst,
                    h.standard_error,
                    h.from_s,
                    h.to_s,
                    h.octaves,
                ]
                for h in estimates
            ],
        ),
    )
