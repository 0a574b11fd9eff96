"""The study's tables: published, ours, difference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iowatt.render import plot
from iowatt.render.figure import Cell, Figure, axis, layout
from iowatt.studies.figures import colour, series_table
from iowatt.studies.hotband2013.conclusions import agrees
from iowatt.studies.hotband2013.points import HotBandPoint, HotBandPoints
from iowatt.studies.hotband2013.published import PRINTED, TEXT
from iowatt.studies.hotband2013.systems import ArrayScale, without

if TYPE_CHECKING:
    from iowatt.lenses.heat.result import HeatResult


def arrays(points: HotBandPoints, scale: ArrayScale) -> Figure:
    """Rates and response times of the three arrays; rates of a smaller run are scaled up by its size."""
    small, large, tiered = PRINTED.small, PRINTED.cached, PRINTED.tiered
    given: list[tuple[str, str, HotBandPoint, float | None, float | None]] = []
    for random in points.of("small-random"):
        hot = points.one("small-hot", cache=random.cache)
        name = f"{small.name}, {random.cache} of cache"
        given += [
            (name, "random", random, small.random_iops, small.random_ms),
            (name, "hot band", hot, small.hot_iops, small.hot_ms),
        ]
    bare = points.one("large-hot-caches", cache="0GB")
    given += [
        (large.name, "random", points.cached("large-random"), large.random_iops, large.random_ms),
        (large.name, "hot band", points.cached("large-hot"), large.hot_iops, large.hot_ms),
        (large.name, "hot band, sequential streams apart", points.cached("large-hot-apart"), None, None),
        ("large array, no cache", "hot band", bare, None, None),
        (tiered.name, "hot band", points.cached("tiered-hot"), tiered.hot_iops, tiered.hot_ms),
    ]
    rows: list[list[Cell]] = []
    for name, workload, one, iops, ms in given:
        rate = one.iops / scale.size
        slide = name == large.name and workload.startswith("hot band")
        theirs = (PRINTED.hot_band.read_hits, PRINTED.hot_band.write_hits) if slide else (None, None)
        ratios = (one.hit_ratio, one.read_hit_ratio, theirs[0], one.write_hit_ratio, theirs[1])
        hits = [None if ratio is None else 100 * ratio for ratio in ratios]
        difference = None if iops is None else 100 * (rate / iops - 1)
        rows.append([name, workload, rate, iops, difference, one.ms, ms, *hits, one.p99_ms])
    return TEXT.figure("arrays", rows)


def per_watt(points: HotBandPoints) -> Figure:
    """IOPS per watt, with both readings of the row that the slides call initial."""
    bare = points.one("large-hot-caches", cache="0GB")
    random, hot = points.cached("large-random"), points.cached("large-hot")
    tiered = points.cached("tiered-hot")
    given: list[tuple[str, HotBandPoint, float | None]] = [
        (
            "initial, first reading: uniform random on the cached array (what the slide's 18,410 is)",
            random,
            1.0,
        ),
        ("initial, second reading: the hot band on the array without its cache", bare, None),
        ("cache: the hot band on the cached array", hot, PRINTED.per_watt.cache_over_initial),
        (
            "tiered: the hot band, SSDs for some of the disks",
            tiered,
            PRINTED.per_watt.tiered_over_initial,
        ),
    ]
    rows: list[list[Cell]] = [
        [
            name, one.iops, one.wall_w, one.iops_per_w, one.iops_per_w / random.iops_per_w,
            one.iops_per_w / bare.iops_per_w, theirs,
        ]
        for name, one, theirs in given
    ]  # fmt: skip
    return TEXT.figure("per-watt", rows)


def assist(points: HotBandPoints, scale: ArrayScale) -> Figure:
    """The hot band against the size of the cache."""
    found = [*points.of("large-hot-caches"), points.cached("large-hot")]
    sized = sorted(
        ((float(one.cache.removesuffix("GB")) / scale.span_gb, one) for one in found), key=lambda x: x[0]
    )
    rows: list[list[Cell]] = [
        [100 * size, one.iops, one.ms, None if one.hit_ratio is None else 100 * one.hit_ratio]
        for size, one in sized
    ]
    shares, rates = [row[0] for row in rows], [row[1] for row in rows]
    trace = plot.line(shares, rates, name="hot band", colour=colour(0), marks=True)
    spec = plot.spec([trace], layout(axis("Cache (% of the span)"), axis("Rate (1/s)", rangemode="tozero")))
    return TEXT.figure("assist", rows, spec)


def read_ahead(points: HotBandPoints) -> Figure:
    """The ratios of rates with disks that read ahead, as is assumed, and with disks that do not."""
    slow = PRINTED.small
    assist = PRINTED.cached.hot_iops / (PRINTED.cached.random_iops or 1.0)
    given = [
        ("hot band over random, small array without a cache", "small-hot", "small-random",
         slow.hot_iops / (slow.random_iops or 1.0)),
        ("cache over random, streams at one place", "large-hot", "large-random", assist),
        ("cache over random, streams apart", "large-hot-apart", "large-random", assist),
        ("tiering over cache", "tiered-hot", "large-hot", PRINTED.tiered.hot_iops / PRINTED.cached.hot_iops),
        ("tiering alone, hot band", "tiered-hot", "untiered-hot", PRINTED.tiering_alone["hot-band"]),
        ("tiering alone, SPC-1-like", "tiered-spc", "untiered-spc", PRINTED.tiering_alone["spc-1-like"]),
    ]  # fmt: skip
    rows: list[list[Cell]] = []
    for name, over, under, published in given:
        found: list[Cell] = []
        said = []
        for kind in (str, without):
            pair = [_at_its_cache(points, kind(one)) for one in (over, under)]
            ratio = pair[0].iops / pair[1].iops
            found.append(ratio)
            capped = any(one.capped for one in pair)
            said.append("limit" if capped else "agree" if agrees(ratio, published) else "differ")
        rows.append([name, published, *found, said[0] if said[0] == said[1] else ", ".join(said)])
    return TEXT.figure("read-ahead", rows)


def _at_its_cache(points: HotBandPoints, kind: str) -> HotBandPoint:
    """The point with the published share of cache; of the small array, that without a cache."""
    return points.one(kind, cache="0B") if kind.startswith("small") else points.cached(kind)


def coms(points: HotBandPoints, scale: ArrayScale) -> Figure:
    """The table of capacity optimisation methods."""
    mirrored = points.one("com", level=10)
    plain, packed = points.one("com-plain"), points.one("com-compressed")
    # Compression was tried on a tenth of the span: its ratios, on the whole array.
    gain, fits = packed.iops / plain.iops, packed.effective_gb / packed.usable_gb
    ours = {"raid10": (mirrored, 1.0, 1.0), "raid5": (points.one("com", level=5), 1.0, 1.0)}
    ours["compressed"] = (mirrored, gain, fits)
    rows: list[list[Cell]] = []
    for key, (one, faster, larger) in ours.items():
        theirs = PRINTED.coms[key]
        rows.append(
            [
                theirs.name, larger * one.usable_gb / scale.size, theirs.capacity_gb, one.idle_w,
                larger * one.usable_gb / one.idle_w, theirs.gb_per_w, faster * one.iops / scale.size,
                theirs.iops, faster * one.iops_per_w, theirs.iops_per_w,
            ]
        )  # fmt: skip
    return TEXT.figure("coms", rows)


def calculator() -> Figure:
    """The power calculator's point, and the effect of its slip on the slide of IOPS per watt."""
    idle, active = 2_072.0, 2_386.0
    rows: list[list[Cell]] = [
        ["idle", idle, idle, "W"],
        ["active", active, active, "W"],
        ["heat, idle", idle * PRINTED.per_watt.sheet_factor, idle * 3.412142, "BTU/h"],
        ["heat, active", active * PRINTED.per_watt.sheet_factor, active * 3.412142, "BTU/h"],
        [
            "what the slide divides by, cache",
            PRINTED.per_watt.btu_cached,
            PRINTED.per_watt.btu_cached / PRINTED.per_watt.sheet_factor,
            "BTU/h, W",
        ],
        [
            "what the slide divides by, tiered",
            PRINTED.per_watt.btu_tiered,
            PRINTED.per_watt.btu_tiered / PRINTED.per_watt.sheet_factor,
            "BTU/h, W",
        ],
    ]
    return TEXT.figure("calculator", rows)


def density(heat: HeatResult) -> Figure:
    """I/O density before and after the cache: cumulative share of I/O over share of the space."""
    spaces = [100 * share for share in heat.points[0].curve.space_share]
    curves = {f"{one.point} end": [100 * share for share in one.curve.io_share] for one in heat.points}
    traces = [
        plot.line(spaces, curve, name=name, colour=colour(number))
        for number, (name, curve) in enumerate(curves.items())
    ]
    drawn = layout(axis("Hottest share of the space (%)"), axis("Share of the I/O (%)"), showlegend=True)
    return TEXT.figure(
        "density",
        series_table(
            "Share of the space (%)", spaces, {f"I/O, {name}": one for name, one in curves.items()}, "%"
        ),
        plot.spec(traces, drawn),
    )
