"""The study's claims, from the points alone: agree or differ.

A ratio agrees within :data:`TOLERANCE` of the published one: the arrays are assembled and not the study's, so
that no more can be asked of them.
"""

from __future__ import annotations

from typing import Any, Final

from iowatt.render import numbers
from iowatt.studies.hotband2013 import published, systems
from iowatt.studies.hotband2013.points import HotBandPoint, HotBandPoints
from iowatt.studies.hotband2013.published import PRINTED, TEXT
from iowatt.studies.result import ClaimVerdict

TOLERANCE: Final = 0.2
"""How far a ratio may be from the published one, as a share of it."""

COUNTING_TOLERANCE: Final = 0.01
"""How far RAID-5 : RAID-10 may be from back-end counting (the issue of this project that asks for it)."""


def ratio(
    key: str,
    case: str,
    ours: float,
    theirs: float,
    *,
    capped: tuple[bool, bool] = (False, False),
    otherwise: float | None = None,
    **values: Any,
) -> ClaimVerdict:
    """A ratio beside the published one; ``values`` as :meth:`iowatt.studies.text.StudyText.judge` takes
    them.

    ``capped`` says whether the assumed controller sets the upper and the lower figure of ours. Then ours is a
    bound, and judged only where it lies beyond the published one on the side that it bounds. ``otherwise`` is
    ours with the other choice of an assumption: where that turns the verdict, there is none.
    """
    off = ours / theirs - 1
    decided = otherwise is not None and agrees(ours, theirs) != agrees(otherwise, theirs)
    beyond = (capped == (True, False) and off > TOLERANCE) or (capped == (False, True) and off < -TOLERANCE)
    ceiling = ""
    if any(capped) and not beyond:
        ceiling = f"the assumed controller's {systems.CEILING_IOPS:,.0f} requests a second set a rate of ours"
    elif decided:
        ceiling = f"whether drives read ahead, which is assumed, decides it: without it is x{otherwise:.3g}"
    return TEXT.judge(
        key,
        case,
        published=f"x{theirs:g}",
        ours=f"x{ours:.3g} ({percent(off)})",
        agrees=not ceiling and agrees(ours, theirs),
        ceiling=ceiling,
        **values,
    )


def agrees(ours: float, published: float) -> bool:
    """Whether a ratio is near enough to the published one."""
    return abs(ours / published - 1) <= TOLERANCE


def percent(share: float) -> str:
    """A share with its sign."""
    return f"{100 * share:+.1f} %"


def in_words(point: HotBandPoint) -> str:
    """A point in a few words."""
    return f"{point.iops:,.0f} IOPS, {numbers.significant(point.ms)} ms"


def cache_assist(points: HotBandPoints) -> list[ClaimVerdict]:
    """The hot band lives from the cache, uniform requests do not: both readings of the row called initial."""
    random = points.cached("large-random")
    hot = points.cached("large-hot")
    apart = points.cached("large-hot-apart")
    theirs = PRINTED.cached.hot_iops / (PRINTED.cached.random_iops or 1.0)
    places = ((hot, "all eight sequential streams begin at one place"), (apart, "each at a place of its own"))
    streams = (
        f"hit ratio {share(hot.hit_ratio)} where they begin at one place, {share(apart.hit_ratio)} "
        f"where each has its own: x{hot.iops / random.iops:.3g} and x{apart.iops / random.iops:.3g}"
    )
    found = [
        ratio(
            "cache-assist",
            f"first reading of 'initial': uniform random requests on the same cached array; {where}",
            one.iops / random.iops,
            round(theirs, 3),
            capped=(one.capped, random.capped),
            experiment=streams,
        )
        for one, where in places
    ]
    return [
        *found,
        ratio(
            "cache-per-watt",
            "first reading of 'initial'",
            hot.iops_per_w / random.iops_per_w,
            PRINTED.per_watt.cache_over_initial,
            capped=(hot.capped, random.capped),
            experiment=streams,
            power=percent(hot.wall_w / random.wall_w - 1),
        ),
    ]


def small_array(points: HotBandPoints) -> list[ClaimVerdict]:
    """A small array is as fast under the hot band as under random requests."""
    found = []
    for random in points.of("small-random"):
        hot = points.one("small-hot", cache=random.cache)
        same = points.one("small-hot-8k")
        found.append(
            ratio(
                "small-array",
                f"small array, {random.cache} of cache",
                hot.iops / random.iops,
                round(PRINTED.small.hot_iops / (PRINTED.small.random_iops or 1.0), 3),
                ratio=same.iops / random.iops,
            )
        )
    return found


def tiering(points: HotBandPoints) -> list[ClaimVerdict]:
    """SSDs instead of some of the disks."""
    hot, tiered = points.cached("large-hot"), points.cached("tiered-hot")
    random = points.cached("large-random")
    theirs = PRINTED.tiered.hot_iops / PRINTED.cached.hot_iops
    watts = f"{tiered.wall_w:,.0f} W against {hot.wall_w:,.0f} W"
    limit = (
        f"the tiered array with {PRINTED.tiered.outstanding('hot-band')} requests in flight (Little's "
        f"law of its published figures) is at {numbers.significant(tiered.ms)} ms, its disks "
        f"{100 * tiered.busy:.0f} % busy"
    )
    found = [
        ratio(
            "tiering-rate",
            "same cache, SSDs for some of the disks",
            tiered.iops / hot.iops,
            round(theirs, 3),
            capped=(tiered.capped, hot.capped),
            experiment=limit,
        ),
        TEXT.judge(
            "tiering-response",
            "same cache, SSDs for some of the disks",
            ours=f"{numbers.significant(hot.ms)} to {numbers.significant(tiered.ms)} ms",
            agrees=tiered.ms < hot.ms,
            experiment=limit,
            hot_ms=PRINTED.cached.hot_ms,
            tiered_ms=PRINTED.tiered.hot_ms,
        ),
        ratio(
            "tiering-per-watt",
            watts,
            tiered.iops_per_w / hot.iops_per_w,
            PRINTED.per_watt.tiered_over_cache,
            capped=(tiered.capped, hot.capped),
            experiment=limit,
        ),
        ratio(
            "tiering-over-initial",
            "first reading of 'initial': uniform random requests on the cached array",
            tiered.iops_per_w / random.iops_per_w,
            PRINTED.per_watt.tiered_over_initial,
            capped=(tiered.capped, random.capped),
            ratio=tiered.iops_per_w / hot.iops_per_w,
        ),
    ]
    for workload, kinds in (
        ("hot-band", ("tiered-hot", "untiered-hot")),
        ("spc-1-like", ("tiered-spc", "untiered-spc")),
    ):
        with_ssds, without = (points.cached(kind) for kind in kinds)
        alone = ""
        if workload == "hot-band":
            bare = points.of("tiered-hot-alone")[0].iops / points.of("untiered-hot-alone")[0].iops
            alone = f"; without the cache x{bare:.3g}"
        found.append(
            ratio(
                "tiering-alone",
                f"{workload}: the same disks with and without the SSDs, both with the cache",
                with_ssds.iops / without.iops,
                PRINTED.tiering_alone[workload],
                capped=(with_ssds.capped, without.capped),
                otherwise=_without_read_ahead(points, kinds),
                without=in_words(without),
                with_ssds=in_words(with_ssds),
                alone=alone,
            )
        )
    return found


def _without_read_ahead(points: HotBandPoints, kinds: tuple[str, str]) -> float:
    """The ratio of the rates of two sweeps whose disks do not read ahead."""
    over, under = (points.cached(systems.without(kind)) for kind in kinds)
    return over.iops / under.iops


def coms(points: HotBandPoints) -> list[ClaimVerdict]:
    """Capacity optimisation methods at 70/30 random requests."""
    deep = [points.one("com-deep", level=level) for level in (5, 10)]
    shallow = [points.one("com", level=level) for level in (5, 10)]
    theory = published.RAID5_OVER_RAID10
    slide = PRINTED.coms["raid5"].iops / PRINTED.coms["raid10"].iops
    plain, compressed = points.one("com-plain"), points.one("com-compressed")
    gain = compressed.iops / plain.iops
    capacity = compressed.effective_gb / compressed.usable_gb
    found = []
    for (parity, mirrored), case in ((deep, "32"), (shallow, "5")):
        ours = parity.iops / mirrored.iops
        found.append(
            TEXT.judge(
                "raid5-rate",
                f"{case} requests in flight a disk, no cache",
                ours=f"{ours:.3f}: {percent(ours / theory - 1)} to counting, {percent(ours / slide - 1)} to "
                "the slide",
                agrees=abs(ours - theory) <= COUNTING_TOLERANCE,
                slide=slide,
                theory=theory,
                mirrored=in_words(mirrored),
                parity=in_words(parity),
                deep_ratio=deep[0].iops / deep[1].iops,
            )
        )
    return [
        *found,
        TEXT.judge(
            "compression",
            "2:1 on RAID-10, random requests of 8 KiB",
            ours=f"GB per watt x{capacity:.3g}, IOPS per watt "
            f"x{compressed.iops_per_w / plain.iops_per_w:.3g}",
            agrees=abs(gain - 2) <= TOLERANCE,
            plain=in_words(plain),
            compressed=in_words(compressed),
        ),
    ]


def share(value: float | None) -> str:
    """A hit ratio in words."""
    return numbers.NO_VALUE if value is None else f"{100 * value:.1f} %"
