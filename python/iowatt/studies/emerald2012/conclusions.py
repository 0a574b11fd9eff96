"""The training's claims, from the points alone: agree or differ.

A metric agrees within :data:`TOLERANCE`, a number of whole shelves where it is the same, the ratio of the
levels within :data:`RATIO_TOLERANCE`. A number of single drives agrees where it does not differ significantly
from the best. A peak with nothing beyond it was not tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from iowatt.render import numbers
from iowatt.studies.emerald2012 import causes, compare, knee, published
from iowatt.studies.emerald2012.causes import Why
from iowatt.studies.emerald2012.compare import Compared, Peak
from iowatt.studies.emerald2012.points import FamilyPoints
from iowatt.studies.result import Verdict, judge, untried

TOLERANCE: Final = 0.05
RATIO_TOLERANCE: Final = 0.03
_PEAK: Final = ("peak", "Each metric has its peak at a number of drives well below the largest configuration")


def all_of(points: FamilyPoints) -> list[Verdict]:
    """Every verdict."""
    return [
        *peaks(points), by_drive(points), *curves(points), levels(points), *idle(points), *submission(points),
        *baseline(points), swing(points),
    ]  # fmt: skip


def peaks(points: FamilyPoints) -> list[Verdict]:
    """So many drives at each peak."""
    found = []
    for one in compare.peaks(points):
        figure, ours = one.figure, one.ours
        case = f"{compare.metric_name(figure.metric)}, {compare.level_name(figure.raid)}, by "
        case += ("single drives" if figure.peak == "drive" else "whole shelves") + _braces(figure.braces)
        if not one.inside:
            found.append(untried(*_PEAK, case, published=f"{figure.drives} drives", ours=_edge(one)))
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
            judge(
                *_PEAK,
                case,
                published=f"{figure.drives} drives",
                ours=f"{ours.drives} drives ({', '.join(near)})",
                agrees=ours.drives == figure.drives,
                why=causes.of_peak(points, figure.metric, figure.raid).found,
            )
        )
    return found


def _edge(one: Peak) -> str:
    """Why a reduced curve shows no peak."""
    fewest, most = one.tried
    if fewest == most:
        return f"nothing beside {most} drives was tried"
    side = "more" if one.above is None else "fewer"
    return f"highest at {one.ours.drives} of {fewest} to {most} drives: nothing {side} was tried"


def _knee(points: FamilyPoints, one: Peak, case: str) -> Verdict:
    """The peak by single drives, which the fit has chosen and which is flat."""
    drives = one.figure.drives
    case = f"{case}; fitted: combinations of constants with another peak were dropped"
    flat = knee.near(points.of(knee.FINE))
    wide = f"{flat[0].drives} to {flat[-1].drives}"
    curve = f"{one.ours.drives} drives, {wide} within {100 * knee.NEAR:.1f} % of it"
    if drives not in knee.counts(points) or len(knee.seeds(points)) < 2:
        short = f"{curve}; one seed does not tell them apart"
        return untried(*_PEAK, case, published=f"{drives} drives", ours=short)
    alike = knee.alike(points)
    highest = knee.top(points)
    how = "the best" if highest == drives else f"{knee.gap(points, drives, highest)} from {highest}"
    return judge(
        *_PEAK,
        case,
        published=f"{drives} drives",
        ours=f"{curve}; the same 125 drives differ by {100 * knee.lengths(points):.1f} % between runs of two "
        f"lengths. Over {len(knee.seeds(points))} more seeds {drives} is {how} in the mean, the best of each "
        f"are {_listed(knee.tops(points))}, and chance does not tell {_listed(alike)} apart",
        agrees=drives in alike,
        why=causes.of_peak(points, one.figure.metric, one.figure.raid).found,
    )


def _listed(values: Sequence[int]) -> str:
    return ", ".join(str(value) for value in values)


def by_drive(points: FamilyPoints) -> Verdict:
    """Single drives find a higher peak than whole shelves: by more than chance, over seeds."""
    claim = ("single-drives", "Adding single drives finds a better point than adding whole shelves")
    case, theirs = "mixed 70/30, RAID-5", "13.03 at 120 drives against 12.7 at 125: +2.6 %"
    try:
        lead = knee.gap(points, 120, 125)
    except LookupError:
        return untried(*claim, case, published=theirs, ours="one seed does not tell them apart")
    high, low = (numbers.significant(knee.mean(points, drives), 4) for drives in (120, 125))
    return judge(
        *claim,
        case,
        published=theirs,
        ours=f"{high} at 120 against {low} at 125, means of {len(knee.seeds(points))} seeds: {lead}",
        agrees=lead.mean > lead.half,
        why=causes.of_peak(points, "MW1", "raid-5").found,
    )


def curves(points: FamilyPoints) -> list[Verdict]:
    """The metric at the printed numbers of drives."""
    claim = "The metric at the printed number of drives"
    return [
        _compared("metric", claim, one, causes.of_figure(points, figure.metric, figure.raid))
        for one, figure in zip(compare.figures(points), compare.figures_of(points), strict=True)
    ]


def levels(points: FamilyPoints) -> Verdict:
    """RAID-5 over RAID-10."""
    ours, theirs = compare.ratio(points), published.RAID5_OVER_RAID10
    return judge(
        "levels",
        "RAID-5 : RAID-10 at 70/30 follows from the operations of drives that a write takes",
        "125 drives",
        published=f"{theirs:.3f}; counting gives {1.3 / 1.9:.3f}",
        ours=f"{ours:.3f} ({ours / theirs - 1:+.1%})",
        agrees=abs(ours / theirs - 1) <= RATIO_TOLERANCE,
        why=causes.of_figure(points, "MW1", "raid-10").found,
    )


def idle(points: FamilyPoints) -> list[Verdict]:
    """Ready idle."""
    why = Why(
        "the training names classes of drives and no models: the watts of the 2 TB and of the 600 GB drives "
        "are those of the library's, the last extrapolated",
        lambda: "the two points that pair and shelf were computed from come out within 0.1 %",
    )
    claim = "Ready idle follows from controllers, shelves and drives"
    return [_compared("idle", claim, one, why) for one in compare.idle(points)]


def submission(points: FamilyPoints) -> list[Verdict]:
    """What is predicted of the 50 drives at the response times that were measured."""
    claim = (
        "The measured submission is what its 50 drives are predicted to give at the measured response times"
    )
    return [
        _compared("submission", claim, one, causes.of_submission(points, one.metric))
        for one in compare.submission(points)
    ]


def baseline(points: FamilyPoints) -> list[Verdict]:
    """The untuned baseline."""
    claim = "The baseline, before any tuning"
    return [
        _compared("baseline", claim, one, causes.of_baseline(points, one.metric))
        for one in compare.baseline(points)
    ]


def swing(points: FamilyPoints) -> Verdict:
    """Performance moves the metric more than power."""
    known = [points.at(metric, "raid-5", 50) for metric in ("MW1", "RR", "RW", "SR", "SW")]
    watts = [one.wall_w for one in known]
    ours = max(watts) / min(watts) - 1
    idle_w = known[0].idle_w
    return judge(
        "swing",
        "Power over all workloads varies little: performance moves the metric more than power does",
        "50 drives, RAID-5, five profiles",
        published=f"about {100 * published.POWER_SWING:.0f} %",
        ours=f"{100 * ours:.0f} %, from {min(watts):,.0f} to {max(watts):,.0f} W (idle {idle_w:,.0f} W)",
        agrees=ours <= published.POWER_SWING,
        cause="the drives are busier under some profiles",
        experiment=f"idle {idle_w:,.0f} W",
    )


def _compared(key: str, claim: str, one: Compared, why: Why) -> Verdict:
    return judge(
        key,
        claim,
        f"{one.title}{_braces(one.braces)}; {'fitted' if one.fitted else 'predicted'}",
        published=f"{one.published:,.5g} {one.unit}",
        ours=f"{numbers.significant(one.ours, 4)} {one.unit} ({one.error:+.1%})",
        agrees=abs(one.error) <= TOLERANCE,
        why=why.found,
    )


def _braces(printed: bool) -> str:
    return " (printed in braces)" if printed else ""
