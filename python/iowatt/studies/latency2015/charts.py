"""The four figures of the source, published and ours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from iowatt.render import palette, plot
from iowatt.render.figure import Cell, Figure, axis, layout
from iowatt.studies.figures import crosses, series_table
from iowatt.studies.latency2015.base import Base
from iowatt.studies.latency2015.points import LatencyPoints, MemberHopTime
from iowatt.studies.latency2015.published import BY_KEY, PRINTED, TEXT

BEFORE: Final = palette.RUNS[0]
AFTER: Final = palette.RUNS[1]
PUBLISHED: Final = palette.ALL
#: Limits of shares, in ms: quarters of octaves, and the published one.
BINS_MS: Final = tuple(sorted({0.12, *(0.0625 * 2 ** (n / 4) for n in range(25))}))
_TICKS_MS: Final = (0.0625, 0.125, 0.25, 0.5, 1, 2, 4)
#: Places on a request's way from the host, in the order of the stack, with their names.
PLACES: Final = {
    "host": "Host and HBA",
    "fabric": "Links and switch",
    "port": "Target port",
    "waiting": "Controller, waiting for a processor",
    "controller": "Controller, at work",
    "copy": "Copy to the partner",
    "storage": "Array behind the cache",
    "drive": "Drives",
}


def over_time(points: LatencyPoints, kind: str, member: str) -> Figure:
    """Write latency over time, before and after."""
    before, after = points.pair(kind, member)
    rows: list[list[Cell]] = [
        [one.start_s, one.mean_ms, other.mean_ms, one.writes, other.writes]
        for one, other in zip(before.seconds, after.seconds, strict=True)
    ]
    starts = [row[0] for row in rows]
    ends = [starts[0], starts[-1]] if starts else []
    limits = (
        ("published before", PRINTED.before_ms, "dot"),
        ("published after", PRINTED.after_ms, "dash"),
        ("limit of spikes after", PRINTED.spike_ms, "dashdot"),
    )
    traces = [
        plot.line(starts, [row[1] for row in rows], name="before, ours", colour=BEFORE),
        plot.line(starts, [row[2] for row in rows], name="after, ours", colour=AFTER),
        *(
            plot.line(ends, [value] * len(ends), name=name, colour=PUBLISHED, dash=dash)
            for name, value, dash in limits
        ),
    ]
    drawn = layout(axis("Time (s)"), axis("Mean latency of writes (ms)", rangemode="tozero"), showlegend=True)
    return TEXT.figure(f"over-time-{kind}", rows, plot.spec(traces, drawn), title=BY_KEY[member].title)


def installed_base(base: Base) -> Figure:
    """The histogram of the installed base."""
    printed = {one.within_ms: one for one in (PRINTED.installed_base, PRINTED.storeserv_10400)}
    rows: list[list[Cell]] = []
    for ms in BINS_MS:
        one = printed.get(ms)
        theirs = [100 * one.before, 100 * one.after, one.name] if one else [None, None, ""]
        rows.append([ms, 100 * base.before.share_within(ms), 100 * base.after.share_within(ms), *theirs])
    times = list(BINS_MS)
    traces = [
        plot.line(times, [row[1] for row in rows], name="before, ours", colour=BEFORE),
        plot.line(times, [row[2] for row in rows], name="after, ours", colour=AFTER),
        crosses("before, published", [(ms, 100 * one.before) for ms, one in sorted(printed.items())], 0),
        crosses("after, published", [(ms, 100 * one.after) for ms, one in sorted(printed.items())], 1),
    ]
    law = base.law
    law_text = (
        "No lognormal law has both published shares; all visits have the same weight here."
        if law is None
        else f"Visits of its arrays' processors are lognormal, median {law.median_us:.0f} us, sigma "
        f"{law.sigma:.2f} (set by the two published shares at 0.12 ms); half of its writes find "
        "processors 20 % busy before, half 50 %."
    )
    return TEXT.figure("installed-base", rows, plot.spec(traces, _shares()), law_text=law_text)


def histograms(points: LatencyPoints) -> Figure:
    """The members' histograms: the same mean, another shape."""
    series: dict[str, list[float]] = {}
    traces = []
    for member, shade in zip(points.members, palette.RUNS, strict=False):
        pair = points.pair("steady", member.key)
        for point, word, dash in zip(pair, ("before", "after"), ("dot", "solid"), strict=True):
            name = f"{member.title}, {word}"
            series[name] = [100 * point.writes.share_within(ms) for ms in BINS_MS]
            traces.append(plot.line(list(BINS_MS), series[name], name=name, colour=shade, dash=dash))
    return TEXT.figure(
        "member-histograms", series_table("Within (ms)", BINS_MS, series, "%"), plot.spec(traces, _shares())
    )


def _shares() -> dict[str, Any]:
    """The layout of shares within a time."""
    ticks = {"tickvals": list(_TICKS_MS), "ticktext": [f"{ms:g}" for ms in _TICKS_MS]}
    return layout(
        axis("Latency of a write (ms)", type="log", **ticks),
        axis("Share of writes (%)", range=[0, 100]),
        showlegend=True,
    )


def bandwidth(points: LatencyPoints) -> Figure:
    """Read and write bandwidth before and after."""
    rows: list[list[Cell]] = []
    for member in points.members:
        before, after = points.pair("steady", member.key)
        rows.append(
            [
                member.title, before.read_mib_s, after.read_mib_s,
                100 * (after.read_mib_s / before.read_mib_s - 1), before.write_mib_s, after.write_mib_s,
                100 * (after.write_mib_s / before.write_mib_s - 1),
            ]
        )  # fmt: skip
    names = [row[0] for row in rows]
    bars = (
        ("read, before", 1, palette.RUNS[0]),
        ("read, after", 2, palette.RUNS[5]),
        ("write, before", 4, palette.RUNS[1]),
        ("write, after", 5, palette.RUNS[4]),
    )
    traces = [plot.bar(names, [row[at] for row in rows], name=name, colour=shade) for name, at, shade in bars]
    drawn = layout(axis("", type="category"), axis("Bandwidth (MiB/s)"), barmode="group", showlegend=True)
    return TEXT.figure("bandwidth", rows, plot.spec(traces, drawn))


def path(points: LatencyPoints, member: str) -> Figure:
    """Contributors along the path."""
    before, after = points.pair("steady", member)
    requests = {
        "write, before": before.write_hops,
        "write, after": after.write_hops,
        "read, before": before.read_hops,
        "read, after": after.read_hops,
    }
    rows: list[list[Cell]] = [
        [name, _place(hop), hop.name, hop.way, hop.wait_us, hop.service_us, hop.us]
        for name, hops in requests.items()
        for hop in hops
    ]
    names = list(requests)
    traces = [
        plot.bar(times, names, name=title, colour=shade, orientation="h")
        for (place, title), shade in zip(PLACES.items(), palette.RUNS, strict=False)
        if any(times := [_time_us(hops, place) for hops in requests.values()])
    ]
    down = axis("", type="category", autorange="reversed", dtick=1)
    drawn = layout(axis("Mean time (us)"), down, barmode="stack", showlegend=True)
    return TEXT.figure("path", rows, plot.spec(traces, drawn), title=BY_KEY[member].title)


def _place(hop: MemberHopTime) -> str:
    return "Controller" if hop.place == "controller" else PLACES[hop.place]


def _time_us(hops: Sequence[MemberHopTime], place: str) -> float:
    """Mean time at a place; the controller's is split into waiting, work and copy."""
    if place not in ("waiting", "controller", "copy"):
        return sum(hop.us for hop in hops if hop.place == place)
    inside = [hop for hop in hops if hop.place == "controller"]
    copy = sum(hop.us for hop in inside if hop.name == "mirror link")
    work = sum(hop.service_us for hop in inside if hop.name != "mirror link")
    return {"copy": copy, "controller": work, "waiting": sum(hop.us for hop in inside) - copy - work}[place]
