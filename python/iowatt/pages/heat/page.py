"""What ``iowatt heat`` shows: how much I/O the hottest space takes, where it is, and whether it stays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from iowatt.lenses.heat import analyse, of_run
from iowatt.lenses.heat.result import HeatResult
from iowatt.pages.heat import figures
from iowatt.render import numbers
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Figure
from iowatt.render.headline import Headline

if TYPE_CHECKING:
    from iowatt.run.bundle import Run


def document(heat: HeatResult) -> Document:
    """The document of heat."""
    first = heat.points[0]
    stability, spaces = figures.stability(heat), figures.spaces(heat)
    return Document(
        key="heat",
        kind="heat",
        title=heat.run,
        meta=f"{numbers.count(first.reads + first.writes)} requests in {numbers.duration(heat.window_s)} · "
        f"extents of {numbers.binary(first.extent_bytes)}",
        verdict=list(_verdict(heat)),
        chart=figures.curve(heat),
        headlines=list(_headlines(heat)),
        sections=[
            Section("skew", "Skew", [figures.figures_of_skew(heat), figures.density(heat)]),
            Section("spaces", "Address spaces", [spaces] if spaces else []),
            Section("address", "By address", figures.by_address(heat)),
            Section(
                "time",
                "Over time",
                [*figures.over_time(heat), *([stability] if stability else [])],
                list(_stability(heat)),
            ),
            Section("ways", "Reads and writes", figures.directions(heat), folded=True),
        ],
        caveats=[Caveat(note.text, note.decides) for note in heat.notes],
    )


def curve_of_run(run: Run) -> Figure | None:
    """Cumulative share of the I/O over share of the space, for the page of a Run that recorded heat."""
    if not run.has("heat") or not run.table("heat").height:
        return None
    curve = figures.curve(analyse(of_run(run), run.name))
    return replace(curve, key="heat-curve", remarks=["`iowatt heat` shows density, course and stability"])


def _verdict(heat: HeatResult) -> Iterator[str]:
    for point in heat.points:
        share = numbers.percent(point.skew.on_hottest(figures.HOT))
        yield (
            f"{figures.title(point)} ({figures.WHERE[point.point]}): the hottest {100 * figures.HOT:g} % of "
            f"the {figures.space(heat)} gets {share} of the I/O."
        )
    behind = heat.behind_cache
    if behind is not None:
        yield (
            f"The back end gets {numbers.percent(behind.io)} of the front end's I/O: "
            f"{numbers.percent(behind.reads)} of its reads and {numbers.percent(behind.writes)} of its "
            "writes."
        )


def _stability(heat: HeatResult) -> Iterator[str]:
    for point in heat.points:
        stable = point.stability
        if stable is None:
            continue
        yield (
            f"{figures.title(point)}: the hottest {100 * stable.hot_share:g} % of one period "
            f"({numbers.duration(stable.period_s)}) gets {numbers.percent(stable.caught)} of the I/O of the "
            f"next; the best possible is {numbers.percent(stable.possible)}."
        )


def _headlines(heat: HeatResult) -> Iterator[Headline]:
    for point in heat.points:
        name, key, skew = figures.title(point), point.point, point.skew
        base = point.capacity_bytes if heat.shares_over == "capacity" else point.touched_bytes
        yield Headline(
            f"{key}-density", f"{name}: density", point.iops_per_gb, "IOPS/GB",
            f"{numbers.significant(point.iops)} IOPS on {numbers.with_unit(float(base), 'B')}",
        )  # fmt: skip
        yield Headline(
            f"{key}-hot",
            f"{name}: on the hottest {100 * figures.HOT:g} %",
            100 * skew.on_hottest(figures.HOT),
            "% of I/O",
            f"skew point {figures.skew_point(skew.skew_point)}",
        )
        yield Headline(
            f"{key}-k", f"{name}: k of the law", skew.law.k, "",
            f"within {100 * skew.law.max_error:.2g} points of the curve; Gini {skew.gini:.2f}",
        )  # fmt: skip
    if heat.behind_cache is not None:
        ratio = heat.behind_cache.io
        yield Headline(
            "behind", "I/O behind the cache", None if ratio is None else 100 * ratio, "% of the front end's",
            "destages included",
        )  # fmt: skip
