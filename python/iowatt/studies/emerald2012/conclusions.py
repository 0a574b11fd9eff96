"""The training's claims, from the points alone: agree or differ.

A metric agrees within :data:`TOLERANCE`, a number of whole shelves where it is the same, the ratio of the
levels within :data:`RATIO_TOLERANCE`. A number of single drives agrees where it does not differ significantly
from the best. A peak with nothing beyond it was not tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from iowatt.render import numbers
from iowatt.studies.emerald2012 import compare, knee, published
from iowatt.studies.emerald2012.causes import Why, why, why_peak
from iowatt.studies.emerald2012.compare import FamilyFigure, FamilyPeak
from iowatt.studies.emerald2012.points import FamilyPoints
from iowatt.studies.emerald2012.published import PRINTED, TEXT
from iowatt.studies.result import ClaimVerdict

TOLERANCE: Final = 0.05
RATIO_TOLERANCE: Final = 0.03


def all_of(points: FamilyPoints) -> list[ClaimVerdict]:
    """Every verdict."""
    return [
        *peaks(points), by_drive(points), *curves(points), levels(points), *idle(points), *submission(points),
        *baseline(points), swing(points),
    ]  # fmt: skip


def peaks(points: FamilyPoints) -> list[ClaimVerdict]:
    """So many drives at each peak."""
    found = []
    for one in compare.peaks(points):
        figure, ours = one.figure, one.ours
        case = f"{published.metric_name(figure.metric)}, {published.level_name(figure.raid)}, by "
        case += ("single drives" if figure.peak == "drive" else "whole shelves") + _braces(figure.braces)
        if not one.inside:
            found.append(TEXT.judge("peak", case, ours=_edge(one), tried=False, drives=figure.drives))
            continue
        if figure.peak == "drive":
            found.append(_knee(points, one, case))
            continue
        near = [
            f"{other.value / ours.value - 1:+.1%} at {other.drives}"
            for other in (one.below, one.above)
            if other
        ]
        found.append(
            TEXT.judge(
                "peak",
                case,
                ours=f"{ours.drives} drives ({', '.join(near)})",
                agrees=ours.drives == figure.drives,
                why=why_peak(points, figure.metric, figure.raid),
                drives=figure.drives,
            )
        )
    return found


def _edge(one: FamilyPeak) -> str:
    """Why a reduced curve shows no peak."""
    fewest, most = one.tried
    if fewest == most:
        return f"nothing beside {most} drives was tried"
    side = "more" if one.above is None else "fewer"
    return f"highest at {one.ours.drives} of {fewest} to {most} drives: nothing {side} was tried"


def _knee(points: FamilyPoints, one: FamilyPeak, case: str) -> ClaimVerdict:
    """The peak by single drives, which the fit has chosen and which is flat."""
    drives = one.figure.drives
    case = f"{case}; fitted: combinations of constants with another peak were dropped"
    flat = knee.near(points.of(knee.FINE))
    wide = f"{flat[0].drives} to {flat[-1].drives}"
    curve = f"{one.ours.drives} drives, {wide} within {100 * knee.NEAR:.1f} % of it"
    if drives not in knee.counts(points) or len(knee.seeds(points)) < 2:
        short = f"{curve}; one seed does not tell them apart"
        return TEXT.judge("peak", case, ours=short, tried=False, drives=drives)
    alike = knee.alike(points)
    highest = knee.top(points)
    how = "the best" if highest == drives else f"{knee.gap(points, drives, highest)} from {highest}"
    return TEXT.judge(
        "peak",
        case,
        ours=f"{curve}; the same 125 drives differ by {100 * knee.lengths(points):.1f} % between runs of two "
        f"lengths. Over {len(knee.seeds(points))} more seeds {drives} is {how} in the mean, the best of each "
        f"are {_listed(knee.tops(points))}, and chance does not tell {_listed(alike)} apart",
        agrees=drives in alike,
        why=why_peak(points, one.figure.metric, one.figure.raid),
        drives=drives,
    )


def _listed(values: Sequence[int]) -> str:
    return ", ".join(str(value) for value in values)


def by_drive(points: FamilyPoints) -> ClaimVerdict:
    """Single drives find a higher peak than whole shelves: by more than chance, over seeds."""
    claim, case = "single-drives", "mixed 70/30, RAID-5"
    try:
        lead = knee.gap(points, 120, 125)
    except LookupError:
        return TEXT.judge(claim, case, ours="one seed does not tell them apart", tried=False)
    high, low = (numbers.significant(knee.mean(points, drives), 4) for drives in (120, 125))
    return TEXT.judge(
        claim,
        case,
        ours=f"{high} at 120 against {low} at 125, means of {len(knee.seeds(points))} seeds: {lead}",
        agrees=lead.mean > lead.half,
        why=why_peak(points, "MW1", "raid-5"),
    )


def curves(points: FamilyPoints) -> list[ClaimVerdict]:
    """The metric at the printed numbers of drives."""
    return [
        _compared("metric", one, why(points, "curve", figure.metric, figure.raid))
        for one, figure in zip(compare.figures(points), compare.figures_of(points), strict=True)
    ]


def levels(points: FamilyPoints) -> ClaimVerdict:
    """RAID-5 over RAID-10."""
    ours, theirs = compare.ratio(points), published.RAID5_OVER_RAID10
    return TEXT.judge(
        "levels",
        "125 drives",
        ours=f"{ours:.3f} ({ours / theirs - 1:+.1%})",
        agrees=abs(ours / theirs - 1) <= RATIO_TOLERANCE,
        why=why(points, "curve", "MW1", "raid-10"),
        theirs=theirs,
        counted=published.COUNTED_RATIO,
    )


def idle(points: FamilyPoints) -> list[ClaimVerdict]:
    """Ready idle."""
    return [_compared("idle", one, why(points, "idle")) for one in compare.idle(points)]


def submission(points: FamilyPoints) -> list[ClaimVerdict]:
    """What is predicted of the 50 drives at the response times that were measured."""
    return [
        _compared("submission", one, why(points, "submission", one.metric))
        for one in compare.submission(points)
    ]


def baseline(points: FamilyPoints) -> list[ClaimVerdict]:
    """The untuned baseline."""
    return [
        _compared("baseline", one, why(points, "baseline", one.metric)) for one in compare.baseline(points)
    ]


def swing(points: FamilyPoints) -> ClaimVerdict:
    """Performance moves the metric more than power."""
    known = [points.at(metric, "raid-5", 50) for metric in ("MW1", "RR", "RW", "SR", "SW")]
    watts = [one.wall_w for one in known]
    ours = max(watts) / min(watts) - 1
    idle_w = known[0].idle_w
    return TEXT.judge(
        "swing",
        "50 drives, RAID-5, five profiles",
        ours=f"{100 * ours:.0f} %, from {min(watts):,.0f} to {max(watts):,.0f} W (idle {idle_w:,.0f} W)",
        agrees=ours <= PRINTED.power_swing,
        swing=100 * PRINTED.power_swing,
        idle_w=idle_w,
    )


def _compared(key: str, one: FamilyFigure, reason: Why) -> ClaimVerdict:
    return TEXT.judge(
        key,
        f"{one.title}{_braces(one.braces)}; {'fitted' if one.fitted else 'predicted'}",
        published=f"{one.published:,.5g} {one.unit}",
        ours=f"{numbers.significant(one.ours, 4)} {one.unit} ({one.error:+.1%})",
        agrees=abs(one.error) <= TOLERANCE,
        why=reason,
    )


def _braces(printed: bool) -> str:
    return " (printed in braces)" if printed else ""
