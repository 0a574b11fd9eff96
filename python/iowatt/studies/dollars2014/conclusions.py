"""Published throughput, hits and wear, compared with ours.

Published ranges are over configurations that are not known. So ours are over those configurations whose hit
ratios lie within the published ones (:func:`comparable`; over all where none is, which is said), and a range
agrees where their median lies within it, give or take :data:`POINTS`. Systems are the study's as told;
nothing but hit ratios was fitted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Final

from iowatt.render import numbers
from iowatt.studies.dollars2014.money import stated
from iowatt.studies.dollars2014.points import HybridPoint, Pair, last_part, last_quarters, of, pairs
from iowatt.studies.dollars2014.published import PRINTED, TEXT, Range
from iowatt.studies.dollars2014.systems import BUSY_LIMIT, WORKS, HybridWork
from iowatt.studies.result import ClaimVerdict

POINTS: Final = 3.0
"""How far, in percentage points, ours may lie outside a published range; two decimals were not published."""


def verdicts(points: list[HybridPoint]) -> list[ClaimVerdict]:
    """All of them, workload by workload."""
    found: list[ClaimVerdict] = []
    for work in WORKS.values():
        found += [*hits(points, work), *throughput(points, work), *wear(points, work)]
    return found


def comparable(found: Sequence[Pair], work: str) -> list[Pair]:
    """The configurations with the published hit ratios of both."""
    published = PRINTED.workloads[work]
    return [
        (caching, tiering)
        for caching, tiering in found
        if inside(_hits(caching), published.hit_caching) and inside(_hits(tiering), published.hit_tiering)
    ]


@dataclass(frozen=True)
class ComparedPairs:
    """The configurations that are compared with the published figures."""

    pairs: list[Pair]
    #: How they were chosen, in words.
    how: str


def compared(found: Sequence[Pair], work: str) -> ComparedPairs:
    """Those that are :func:`comparable`; all where none is, as in work too short for caches to be warm."""
    kept = comparable(found, work)
    if not kept:
        how = f"none of {len(found)} configurations has the published hit ratios, so all are compared"
        return ComparedPairs(list(found), how)
    if len(kept) < len(found):
        return ComparedPairs(
            kept, f"{len(kept)} of {len(found)} configurations have the published hit ratios"
        )
    return ComparedPairs(kept, f"{len(kept)} configurations, all with the published hit ratios")


def inside(value: float, published: Range) -> bool:
    """Whether a figure in percent lies within a published range, give or take :data:`POINTS`."""
    return published[0] - POINTS <= value <= published[1] + POINTS


def gain(pair: Pair) -> float:
    """Throughput of caching against tiering, percent."""
    return 100 * (pair[0].iops / pair[1].iops - 1)


def last_gain(points: list[HybridPoint], work: str, chosen: Callable[[HybridPoint], bool]) -> list[float]:
    """The same in the last quarter of the work."""
    return [
        100 * (ours.iops / theirs.iops - 1)
        for (caching, _), (ours, theirs) in last_quarters(points, work)
        if chosen(caching)
    ]


def throughput(points: list[HybridPoint], work: HybridWork) -> list[ClaimVerdict]:
    """Caching against tiering, as published: by threshold, or over all; and at extents of 4 KiB."""
    found = []
    every = pairs(points, work.key)
    for threshold, published in PRINTED.workloads[work.key].throughput.items():
        here = [one for one in every if _has_threshold(threshold, one[0])]
        if not here:
            continue
        kept = compared(here, work.key)
        ours = [gain(one) for one in kept.pairs]
        at = "at all thresholds" if threshold is None else f"threshold {threshold}"
        found.append(
            TEXT.judge(
                f"throughput-{_kind(work)}",
                f"{work.title}, {at}: {kept.how}",
                published=signed_range(*published),
                ours=spread(ours) + _by_limit(kept.pairs),
                agrees=inside(median(ours), published),
                experiment=_experiments(points, work, partial(_has_threshold, threshold)),
            )
        )
    smallest = [one for one in every if one[0].at is not None and one[0].at[0] == PRINTED.smallest_kib]
    if smallest and None in PRINTED.workloads[work.key].throughput:
        found.append(_smallest(points, work, smallest))
    return found


def _smallest(points: list[HybridPoint], work: HybridWork, smallest: list[Pair]) -> ClaimVerdict:
    """Extents of 4 KiB: the published extreme."""
    ours = [gain(one) for one in smallest]
    other = [gain(one) for one in pairs(points, work.key) if one not in smallest]
    return TEXT.judge(
        "smallest-extent",
        f"{work.title}, extents of {PRINTED.smallest_kib} KiB: {len(smallest)} configurations",
        ours=f"{spread(ours)}{_by_limit(smallest)}; larger extents {spread(other)}",
        agrees=abs(median(ours) - PRINTED.smallest_throughput) <= POINTS and median(ours) <= median(other),
        published=signed(PRINTED.smallest_throughput),
        experiment=_experiments(
            points, work, lambda one: one.at is not None and one.at[0] == PRINTED.smallest_kib
        )
        + "; write-backs a request: "
        + ", ".join(
            f"{kib:,} KiB {median(values):.2g}" for kib, values in sorted(_write_backs(points, work).items())
        ),
    )


def _by_limit(found: Sequence[Pair]) -> str:
    """The median by migrations at a time, where that varies."""
    limits = sorted({one.at[2] for one, _ in found if one.at})
    if len(limits) < 2:
        return ""
    each = [
        f"{limit}: {signed(median([gain(p) for p in found if p[0].at and p[0].at[2] == limit]))}"
        for limit in limits
    ]
    return f"; by migrations at a time {', '.join(each)}"


def _write_backs(points: list[HybridPoint], work: HybridWork) -> dict[int, list[float]]:
    found: dict[int, list[float]] = {}
    for one in of(points, work.key, "caching"):
        if one.at is not None:
            found.setdefault(one.at[0], []).append(one.write_backs / one.requests)
    return found


def _kind(work: HybridWork) -> str:
    return "reads" if work.key == "web-search" else "writes"


def _experiments(points: list[HybridPoint], work: HybridWork, at: Callable[[HybridPoint], bool]) -> str:
    """The same comparison with one thing changed, as numbers."""
    shown = []
    for title, found in variations(points, work.key).items():
        ours = [gain(one) for one in found if at(one[0])]
        if ours:
            shown.append(f"{title} {spread(ours)}")
    last = last_gain(points, work.key, at)
    if last:
        shown.append(f"only the last quarter of the work {spread(last)}")
    return "; ".join(shown)


def variations(points: list[HybridPoint], work: str) -> dict[str, list[Pair]]:
    """The experiments with one thing changed, by what that is."""
    found = {"tiering from a cold start": pairs(points, work, tiering="cold")}
    for title, experiment in (
        ("the other skew", "skewed"),
        ("twice the requests", "longer"),
        ("four requests in flight", "crowd"),
        ("other seeds", "seeds"),
        ("four times the space", "wide"),
        (f"{BUSY_LIMIT} write-backs and migrations at a time", "busy"),
    ):
        found[title] = pairs(points, work, experiment)
    found["no write-back while the work goes on"] = pairs(points, work, caching="clean", tiering="")
    return found


def hits(points: list[HybridPoint], work: HybridWork) -> list[ClaimVerdict]:
    """SSD hit ratios; those of linear and caching are set by the fit, and say so."""
    published = PRINTED.workloads[work.key]
    every = pairs(points, work.key)
    fitted = [one for one in every if _fitted(one[0], work)] or every
    linear = [_hits(one) for one in of(points, work.key, "linear")]
    caching = [_hits(one) for one, _ in fitted]
    tiering = [_hits(one) for _, one in fitted]
    where = (
        f"{work.title}, extents of {_listed(work.extents_kib)} KiB, thresholds of {_listed(work.thresholds)}"
    )
    others = (
        f"over all configurations caching {_low_high([_hits(one) for one, _ in every])}, tiering "
        f"{_low_high([_hits(one) for _, one in every])}"
    )
    also = f"{others}{_last_hits(points, work)}"
    exactly = (published.hit_linear, published.hit_linear)
    return [
        _hit("linear", work.title, exactly, linear, others),
        _hit("caching", where, published.hit_caching, caching, also),
        _hit("tiering", where, published.hit_tiering, tiering, also),
    ]


def _hits(point: HybridPoint) -> float:
    """Hits of the SSD, percent."""
    return 100 * (point.hit or 0.0)


def _last_hits(points: list[HybridPoint], work: HybridWork) -> str:
    shown = []
    for system in ("caching", "tiering"):
        early = {one.at: one for one in of(points, work.key, system, "early")}
        found = [last_part(one, early[one.at]).hit for one in of(points, work.key, system) if one.at in early]
        shares = [100 * one for one in found if one is not None]
        if shares:
            shown.append(f"{system} {_low_high(shares)}")
    return f"; in the last quarter of the work {', '.join(shown)}" if shown else ""


def _hit(system: str, case: str, published: Range, ours: Sequence[float], experiment: str) -> ClaimVerdict:
    low, high = published
    return TEXT.judge(
        f"hits-{system}",
        case,
        published=f"{low:g} %" if low == high else f"{low:g} to {high:g} %",
        ours=_low_high(ours),
        agrees=bool(ours) and abs(low - min(ours)) <= POINTS and abs(high - max(ours)) <= POINTS,
        experiment=experiment,
    )


def wear(points: list[HybridPoint], work: HybridWork) -> list[ClaimVerdict]:
    """Whose SSD wears faster: the study's reason for the cost of the long run."""
    caching_more = work.key == "fiu-online"
    kept = compared(pairs(points, work.key), work.key)
    ours = [more_wear(pair) for pair in kept.pairs]
    written = [100 * (c.ssd_written_gb / t.ssd_written_gb - 1) for c, t in kept.pairs if t.ssd_written_gb]
    cold = [more_wear(pair) for pair in pairs(points, work.key, tiering="cold")]
    clean = [more_wear(pair) for pair in pairs(points, work.key, caching="clean", tiering="")]
    verdict = TEXT.judge(
        f"wear-{_kind(work)}",
        f"{work.title}, bytes written and a tenth of those read: {kept.how}",
        ours=f"caching's SSD {spread(ours)} against tiering's; bytes written alone "
        f"{spread(written) if written else 'none'}",
        agrees=(median(ours) > 0) == caching_more,
        experiment=f"tiering from a cold start {spread(cold)}"
        + (f"; no write-backs {spread(clean)}" if clean else ""),
    )
    return [verdict]


def more_wear(pair: Pair) -> float:
    """How much faster caching's SSD wears than tiering's, percent."""
    return 100 * (counted_writes_gb(pair[0]) / counted_writes_gb(pair[1]) - 1)


def counted_writes_gb(point: HybridPoint) -> float:
    """GB that count against the study's limit of writes: written, and a tenth of what is read."""
    return point.ssd_written_gb + stated("wear.reads") * point.ssd_read_gb


def _fitted(point: HybridPoint, work: HybridWork) -> bool:
    return point.at is not None and point.at[0] in work.extents_kib and point.at[1] in work.thresholds


def _has_threshold(threshold: int | None, point: HybridPoint) -> bool:
    """Whether a point has this threshold; each has None."""
    return threshold is None or (point.at is not None and point.at[1] == threshold)


def signed(value: float) -> str:
    """Percent with its sign."""
    return f"{value:+.3g} %" if abs(value) >= 0.05 else "0 %"


def signed_range(low: float, high: float) -> str:
    """A published range of differences."""
    return "equal" if low == high == 0 else f"{signed(low)} to {signed(high)}"


def spread(values: Sequence[float]) -> str:
    """The median of differences and their range."""
    if not values:
        return numbers.NO_VALUE
    if len(values) == 1:
        return signed(values[0])
    low, high = signed(min(values)), signed(max(values))
    return low if low == high else f"{signed(median(values))} (from {low} to {high})"


def _low_high(values: Sequence[float]) -> str:
    if not values:
        return numbers.NO_VALUE
    low, high = (f"{100 * numbers.rounded_to(one / 100, 3):.3g}" for one in (min(values), max(values)))
    return f"{low} %" if low == high else f"{low} to {high} %"


def _listed(values: Sequence[int]) -> str:
    return ", ".join(f"{value:,}" for value in values)
