"""What the systems did, as tables and figures: throughput, hits, moves, wear."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from iowatt.render import plot
from iowatt.render.figure import Cell, Figure, axis, layout
from iowatt.studies.dollars2014 import systems
from iowatt.studies.dollars2014.conclusions import (
    counted_writes_gb,
    gain,
    more_wear,
    signed_range,
    variations,
)
from iowatt.studies.dollars2014.cost_conclusions import five
from iowatt.studies.dollars2014.money import stated, years
from iowatt.studies.dollars2014.points import HybridPoint, Pair, last_quarters, of, pairs
from iowatt.studies.dollars2014.published import PRINTED, TEXT
from iowatt.studies.dollars2014.systems import NAMES, WORKS, DollarsScale
from iowatt.studies.figures import colour


def five_systems(points: list[HybridPoint], scale: DollarsScale) -> Figure:
    """All five under each workload."""
    limit_gb = 1e3 * stated("wear.ssd_tbw")
    titles = {key: work.title for key, work in WORKS.items()}
    rows: list[list[Cell]] = []
    for work in (*titles, "captured"):
        for system, one in five(points, work, scale).items():
            rows.append(
                [
                    titles.get(work, "captured: a database (TPC-C-like)"), NAMES[system], one.requests,
                    one.iops, one.ms, None if one.hit is None else 100 * one.hit, one.power_w,
                    one.ssd_written_gb if system != "hdd" else None,
                    one.ssd_read_gb if system != "hdd" else None,
                    1e6 * counted_writes_gb(one) / limit_gb if system != "hdd" else None,
                    100 * one.hdd_busy if system != "ssd" else None, years(one, PRINTED.long_run),
                ]
            )  # fmt: skip
    said = "; ".join(
        "{}: extents of {:,} KiB, threshold {}, {} migrations at a time".format(
            titles.get(work, "captured"), *systems.reference(work, scale)
        )
        for work in titles
    )
    return TEXT.figure("systems", rows, said=said, limit_tb=limit_gb / 1e3)


def throughput(points: list[HybridPoint], work: str) -> Figure:
    """Caching against tiering, at every configuration."""
    rows: list[list[Cell]] = []
    for caching, tiering in pairs(points, work):
        assert caching.at is not None
        rows.append(
            [
                *caching.at, caching.iops, tiering.iops, gain((caching, tiering)),
                100 * (caching.hit or 0.0), 100 * (tiering.hit or 0.0), caching.migrations,
                tiering.migrations, caching.write_backs, caching.ssd_written_gb, tiering.ssd_written_gb,
                caching.power_w, tiering.power_w,
            ]
        )  # fmt: skip
    traces = [
        _line(
            f"extents of {kib:,} KiB",
            [(c.at[1], gain((c, t))) for c, t in _last(points, work, kib) if c.at],
            n,
        )
        for n, kib in enumerate(_extents(points, work))
    ]
    published = PRINTED.workloads[work].throughput
    said = "; ".join(
        f"{'threshold ' + str(at) if at else 'all thresholds'} {signed_range(low, high)}"
        for at, (low, high) in published.items()
    )
    return TEXT.figure(
        "throughput",
        rows,
        plot.spec(traces, layout(_thresholds(points), axis("Caching against tiering (%)"))),
        part=work,
        title=WORKS[work].title,
        said=said,
    )


def hits(points: list[HybridPoint], work: str) -> Figure:
    """SSD hit ratios against the threshold, by extent."""
    rows: list[list[Cell]] = []
    traces = []
    for number, kib in enumerate(_extents(points, work)):
        for at, (system, dash) in enumerate((("caching", "solid"), ("tiering", "dot"))):
            found = [pair[at] for pair in _last(points, work, kib)]
            shown = [(one.at[1], 100 * (one.hit or 0.0)) for one in found if one.at]
            rows += [[system, kib, threshold, hit] for threshold, hit in shown]
            traces.append(_line(f"{system}, {kib:,} KiB", shown, number, dash))
    for one in of(points, work, "linear"):
        rows.append(["linear", None, None, 100 * (one.hit or 0.0)])
    published = PRINTED.workloads[work]
    return TEXT.figure(
        "hits",
        rows,
        plot.spec(traces, layout(_thresholds(points), axis("SSD hits (%)", rangemode="tozero"))),
        part=work,
        title=WORKS[work].title,
        caching_low=published.hit_caching[0],
        caching_high=published.hit_caching[1],
        tiering_low=published.hit_tiering[0],
        tiering_high=published.hit_tiering[1],
        hit_linear=published.hit_linear,
    )


def experiments(points: list[HybridPoint]) -> Figure:
    """Every experiment, with what it varies."""
    rows: list[list[Cell]] = []
    for work in WORKS:
        varied = variations(points, work)
        seeds = varied.pop("other seeds")
        every = {
            "as in the study": pairs(points, work),
            **varied,
            "SSD of other watts": pairs(points, work, "watts"),
            "other seeds": seeds,
        }
        tried = {one.at for one, _ in every["tiering from a cold start"]}
        for title, found in every.items():
            for caching, tiering in found:
                if title == "as in the study" and caching.at not in tried:
                    continue
                name = f"{title}: {caching.variation}" if caching.variation else title
                rows.append([work, name, *_compared(caching, tiering)])
        rows += _last_quarters(points, work)
    return TEXT.figure("experiments", rows)


def _compared(caching: HybridPoint, tiering: HybridPoint) -> list[Cell]:
    assert caching.at is not None
    wear = more_wear((caching, tiering)) if counted_writes_gb(tiering) else None
    return [
        caching.at[0], caching.at[1], caching.iops, tiering.iops, gain((caching, tiering)),
        100 * (caching.hit or 0.0), 100 * (tiering.hit or 0.0), wear, caching.power_w, tiering.power_w,
    ]  # fmt: skip


def _last_quarters(points: list[HybridPoint], work: str) -> list[list[Cell]]:
    return [
        [
            work, "the last quarter of the work", *caching.at[:2], ours.iops, theirs.iops,
            100 * (ours.iops / theirs.iops - 1), 100 * (ours.hit or 0.0), 100 * (theirs.hit or 0.0),
            None, None, None,
        ]
        for (caching, _), (ours, theirs) in last_quarters(points, work)
        if caching.at is not None
    ]  # fmt: skip


def _last(points: list[HybridPoint], work: str, kib: int) -> list[Pair]:
    """The configurations of an extent with the most migrations at a time."""
    found = [pair for pair in pairs(points, work) if pair[0].at is not None and pair[0].at[0] == kib]
    most = max((pair[0].at[2] for pair in found if pair[0].at), default=0)
    return [pair for pair in found if pair[0].at and pair[0].at[2] == most]


def _extents(points: list[HybridPoint], work: str) -> list[int]:
    return sorted({one.at[0] for one in of(points, work, "caching") if one.at})


def _thresholds(points: list[HybridPoint]) -> dict[str, Any]:
    at = sorted({one.at[1] for one in points if one.at})
    return axis("Promotion threshold (accesses)", type="log", tickvals=at, ticktext=[str(one) for one in at])


def _line(name: str, shown: Sequence[tuple[int, float]], number: int, dash: str = "") -> dict[str, Any]:
    x, y = [x for x, _ in shown], [y for _, y in shown]
    return plot.line(x, y, name=name, colour=colour(number), marks=True, dash=dash)
