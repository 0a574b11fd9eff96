"""The course over time: requests, bytes, working set; the daily and weekly envelope."""

from __future__ import annotations

from typing import Any

from iowatt.pages.description.figures.draw import line
from iowatt.render import numbers, palette
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout
from iowatt.trace.description import Description

_SCALES = ((2 * 86_400.0, 86_400.0, "d"), (2 * 3600.0, 3600.0, "h"), (300.0, 60.0, "min"))
_MIB = 1024.0**2


def _starts(found: Description) -> tuple[list[float], str]:
    """Starts of the windows in a unit that suits the span."""
    width, count = found.over_time.window_s, len(found.over_time.reads)
    factor, unit = next(((f, u) for least, f, u in _SCALES if width * count >= least), (1.0, "s"))
    return [i * width / factor for i in range(count)], unit


def _widths(found: Description) -> list[float]:
    """Widths of the windows in seconds; the last one ends with the trace."""
    width, count = found.over_time.window_s, len(found.over_time.reads)
    last = found.span.duration_s - (count - 1) * width
    # A last window with next to nothing of it covered would have any rate.
    return [width] * (count - 1) + [last if last > 0.1 * width else width]


def _figure(
    found: Description,
    key: str,
    title: str,
    caption: str,
    *,
    unit: str,
    series: list[tuple[str, list[float], str]],
    y_title: str,
    **more: Any,
) -> Figure | None:
    starts, of = _starts(found)
    if found.span.duration_s <= 0 or len(starts) < 2:
        return None
    rows: list[list[Cell]] = [
        [start, *(values[i] for _, values, _ in series)] for i, start in enumerate(starts)
    ]
    table = Table([Column("From", of), *(Column(name, unit) for name, _, _ in series)], rows)
    data = [line(starts, values, name, colour, unit, line={"width": 1.5}) for name, values, colour in series]
    window = numbers.duration(found.over_time.window_s)
    return Figure(
        key,
        title,
        f"{caption} In windows of {window} from the first request on.",
        table,
        {
            "data": data,
            "layout": layout(
                axis(f"Time ({of})"),
                axis(y_title, rangemode="tozero"),
                hovermode="x unified",
                showlegend=True,
            ),
        },
        **more,
    )


def rates(found: Description) -> Figure | None:
    """Reads and writes per second."""
    over = found.over_time
    widths = _widths(found)

    def per_second(name: str) -> list[float]:
        return [n / width for n, width in zip(getattr(over, name), widths, strict=True)]

    return _figure(
        found,
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


def bandwidth(found: Description) -> Figure | None:
    """Bytes per second."""
    over = found.over_time
    widths = _widths(found)

    def per_second(name: str) -> list[float]:
        return [n / width / _MIB for n, width in zip(getattr(over, name), widths, strict=True)]

    return _figure(
        found,
        "bandwidth",
        "Data over time",
        "Bytes asked for per second.",
        unit="MiB/s",
        series=[
            ("Read", per_second("bytes_read"), palette.READ),
            ("Written", per_second("bytes_written"), palette.WRITE),
        ],
        y_title="Data rate (MiB/s)",
    )


def working_set(found: Description) -> Figure | None:
    """Distinct bytes touched in each window."""
    values = found.over_time.working_set_bytes
    if not values:
        return None
    count = len(found.over_time.reads)
    mib = [value / _MIB for value in values[:count]] + [0.0] * (count - len(values))
    return _figure(
        found,
        "working-set",
        "Working set over time",
        "Distinct data touched.",
        unit="MiB",
        series=[("Touched", mib, palette.P95)],
        y_title="Distinct data (MiB)",
    )


_DAYS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh"]


def envelope(found: Description) -> Figure | None:
    """Mean rate by hour of the day."""
    hours = found.envelope.hour_of_day
    if hours is None:
        return None
    rows: list[list[Cell]] = [[hour, factor] for hour, factor in enumerate(hours)]
    days = found.envelope.day_of_week
    remarks = []
    if days is not None:
        remarks = [
            "By day of the week: "
            + ", ".join(f"{name} {factor:.2f}" for name, factor in zip(_DAYS, days, strict=True))
            + "."
        ]
    bar = {
        "type": "bar",
        "name": "Factor",
        "x": list(range(24)),
        "y": hours,
        "marker": {"color": palette.BAR},
        "hovertemplate": "hour %{x}: %{y:.3~r}<extra></extra>",
    }
    return Figure(
        "envelope",
        "Daily envelope",
        "Mean rate by hour of the day, over the mean of all; hours count from the first request.",
        Table([Column("Hour"), Column("Rate over mean")], rows),
        {
            "data": [bar],
            "layout": layout(axis("Hour of the day"), axis("Rate over mean", rangemode="tozero")),
        },
        remarks,
    )
