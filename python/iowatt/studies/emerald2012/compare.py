"""Every published figure beside ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from iowatt.studies.emerald2012 import published
from iowatt.studies.emerald2012.points import FamilyPoint, FamilyPoints, best
from iowatt.studies.emerald2012.published import PRINTED, level_name, metric_name, unit
from iowatt.studies.emerald2012.systems import SEQUENTIAL, SLOTS


@dataclass(frozen=True)
class FamilyFigure:
    """A published figure and ours."""

    group: str
    title: str
    metric: str
    unit: str
    published: float
    ours: float
    #: Whether a constant of the family was fitted to it.
    fitted: bool
    braces: bool = False

    @property
    def error(self) -> float:
        """Ours over the published one, less one."""
        return self.ours / self.published - 1


@dataclass(frozen=True)
class FamilyPeak:
    """A printed number of drives at a peak, and ours."""

    figure: published.PrintedFigure
    ours: FamilyPoint
    #: Ours at the next smaller and larger number that was simulated.
    below: FamilyPoint | None
    above: FamilyPoint | None
    #: The fewest and the most drives that were tried.
    tried: tuple[int, int]

    @property
    def inside(self) -> bool:
        """Whether fewer and more drives were tried, so that it is a peak; there is no less than one shelf."""
        fewest = self.below is not None or (self.figure.peak == "shelf" and self.ours.drives == SLOTS)
        return fewest and self.above is not None


def figures_of(points: FamilyPoints) -> list[published.PrintedFigure]:
    """The printed points that were simulated: all of them but in a reduced study."""
    return [one for one in PRINTED.figures if points.find(one.metric, one.raid, one.drives)]


def figures(points: FamilyPoints) -> list[FamilyFigure]:
    """The curves' printed points."""
    return [
        FamilyFigure(
            "curves",
            f"{metric_name(one.metric)}, {level_name(one.raid)}, {one.drives} drives",
            one.metric,
            unit(one.metric),
            one.value,
            points.at(one.metric, one.raid, one.drives).value,
            one.fitted,
            one.braces,
        )
        for one in figures_of(points)
    ]


def peaks(points: FamilyPoints) -> list[FamilyPeak]:
    """The printed peaks, by whole shelves and by single drives."""
    found = []
    for one in figures_of(points):
        if one.peak == "none":
            continue
        curve = points.of("mw1-single") if one.peak == "drive" else points.curve(one.metric, one.raid)
        top = best(curve)
        at = curve.index(top)
        below = curve[at - 1] if at else None
        above = curve[at + 1] if at + 1 < len(curve) else None
        found.append(FamilyPeak(one, top, below, above, (curve[0].drives, curve[-1].drives)))
    return found


def idle(points: FamilyPoints) -> list[FamilyFigure]:
    """Ready idle."""
    found = []
    for one in PRINTED.idle:
        ours = points.one(f"idle-{one.configuration}")
        found.append(FamilyFigure("idle", one.title, "RI", "GB/W", one.gb_per_w, ours.value, one.fitted))
        if one.watts is not None:
            found.append(
                FamilyFigure("idle", f"{one.title}, watts", "RI", "W", one.watts, ours.idle_w, one.fitted)
            )
    return found


def submission(points: FamilyPoints) -> list[FamilyFigure]:
    """The submission, which no constant knows: its 50 drives at the response times that were measured."""
    return [
        _submitted(one, "submission", measured_when(points, one), at_measured_response(points, one))
        for one in PRINTED.submission
    ]


def estimate(points: FamilyPoints) -> list[FamilyFigure]:
    """The submission beside the estimate of its drives: within 20 ms, or with its sequential load."""
    return [
        _submitted(one, "estimate", estimated_when(points, one.metric), predicted(points, one.metric))
        for one in PRINTED.submission
    ]


def _submitted(one: published.SubmittedFigure, group: str, when: str, ours: float) -> FamilyFigure:
    title = f"submission, {metric_name(one.metric)}, ours {when}"
    return FamilyFigure(group, title, one.metric, unit(one.metric), one.value, ours, False)


def measured_when(points: FamilyPoints, one: published.SubmittedFigure) -> str:
    """The load at which ours is compared with a line of the submission."""
    if one.metric == "MW2":
        return "at a quarter of the rate at 13 ms"
    if one.metric in SEQUENTIAL and not _reached(points, one):
        tried = points.some(f"submission-{one.metric.lower()}")
        least = min(tried, key=lambda point: point.ms or 0.0)
        return (
            f"{estimated_when(points, one.metric)}: with the fewest outstanding that were tried it takes "
            f"{least.ms:.1f} ms, not the measured {one.ms:g}"
        )
    return f"at {one.ms:g} ms, as measured"


def _reached(points: FamilyPoints, one: published.SubmittedFigure) -> bool:
    try:
        points.within(f"submission-{one.metric.lower()}", one.ms)
    except LookupError:
        return False
    return True


def at_measured_response(points: FamilyPoints, one: published.SubmittedFigure) -> float:
    """A metric of the submission's drives, RAID-5, at the response time that was measured.

    A quarter of MW1's rate is one of its rate at the measured 13 ms, whatever its response time. A sequential
    metric that no load brings to the measured time is that of the estimate's load.
    """
    kind = f"submission-{one.metric.lower()}"
    if one.metric == "MW2":
        return points.quarter(whole=points.one("submission-mw1"))
    if one.metric in SEQUENTIAL:
        return points.within(kind, one.ms) if _reached(points, one) else predicted(points, one.metric)
    return points.one(kind).value


def estimated_when(points: FamilyPoints, metric: str) -> str:
    """The load of our estimate."""
    if metric == "MW2":
        return "at a quarter of the rate at 20 ms"
    if metric in SEQUENTIAL:
        return f"with the estimate's load, at {points.at(metric, 'raid-5', 50).ms:.0f} ms"
    return "at the estimate's 20 ms"


def predicted(points: FamilyPoints, metric: str) -> float:
    """The estimate of a metric of the submission's drives, RAID-5."""
    return points.quarter() if metric == "MW2" else points.at(metric, "raid-5", 50).value


def baseline(points: FamilyPoints) -> list[FamilyFigure]:
    """The untuned baseline."""
    ours = {metric: points.one(f"baseline-{metric.lower()}") for metric in PRINTED.baseline}
    watts, theirs_w = "baseline, watts under random reads", PRINTED.baseline_read_w
    return [
        *(
            FamilyFigure(
                "baseline",
                f"baseline, {metric_name(metric)}",
                metric,
                unit(metric),
                value,
                ours[metric].value,
                False,
            )
            for metric, value in PRINTED.baseline.items()
        ),
        FamilyFigure("baseline", watts, "RR", "W", theirs_w, ours["RR"].wall_w, False),
    ]


def all_figures(points: FamilyPoints) -> list[FamilyFigure]:
    """All of them, each once: of the submission ours at the response times that were measured."""
    return [*figures(points), *idle(points), *submission(points), *baseline(points)]


def mean_error(compared: Sequence[FamilyFigure]) -> float | None:
    """The mean of the errors' sizes, as a share; None of none."""
    return sum(abs(one.error) for one in compared) / len(compared) if compared else None


def ratio(points: FamilyPoints, drives: int = 125) -> float:
    """RAID-5 over RAID-10 at 70/30."""
    return points.at("MW1", "raid-5", drives).value / points.at("MW1", "raid-10", drives).value
