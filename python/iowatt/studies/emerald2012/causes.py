"""Why a figure of ours differs from the published one, and which run shows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from iowatt.render import numbers
from iowatt.studies.emerald2012.points import FamilyPoint, FamilyPoints, best

#: Of a study at a scale that leaves the experiment out.
LEFT_OUT = "left out of the reduced study"


@dataclass(frozen=True)
class Why:
    """A cause, and the experiment that shows it."""

    cause: str
    shown: Callable[[], str]

    def found(self) -> tuple[str, str]:
        """The cause, and what was measured."""
        try:
            return self.cause, self.shown()
        except LookupError:
            return self.cause, LEFT_OUT


def of_figure(points: FamilyPoints, metric: str, raid: str) -> Why:
    """Of a point of a curve, or of its peak."""
    if metric in ("SR", "SW") and raid == "raid-10":
        return _mirrored_sequential(points, metric)
    if metric == "SR":
        return Why(
            "how many streams the driver kept, and how deep, is not published: 16 streams with 44 requests "
            "of 256 KiB outstanding were fitted to this very row",
            lambda: f"one stream with 56 outstanding on 50 drives: {show(points.one('exp-tuned-sr'))}",
        )
    if metric == "SW":
        return Why(
            "sequential writes stop at what the link between the controllers copies, which was fitted to "
            "this row",
            lambda: (
                "RAID-10, whose drives write everything twice, reaches "
                f"{show(points.at('SW', 'raid-10', 50))}"
            ),
        )
    if metric == "RW":
        return Why(
            "the number of destages that a cache has under way decides how fast random writes are, and where "
            "their peak is; it was fitted to the RAID-5 row",
            lambda: _deeper(points),
        )
    return Why(
        "one limit of 40,000 commands a second holds for reads, for the four of a RAID-5 write and for the "
        "two of a RAID-10 write alike; the published rows imply 38,000 to 41,500",
        lambda: _unlimited(points),
    )


def _deeper(points: FamilyPoints) -> str:
    top = best(points.some("exp-destages"))
    return f"with 640 destages in place of 320 the peak is {show(top)} at {top.drives} drives"


def _unlimited(points: FamilyPoints) -> str:
    top = best(points.some("exp-unlimited"))
    reads = points.at("RR", "raid-5", 100).iops / 100
    return (
        f"without the limit the best of 70/30 is {show(top)} at {top.drives} drives; a drive alone gives "
        f"{reads:.0f} random reads a second at 20 ms"
    )


#: Commands to drives that a request makes, by level and metric.
_COMMANDS = {"raid-5": {"MW1": 1.9, "60/40": 2.2, "80/20": 1.6}, "raid-10": {"MW1": 1.3}}


def of_peak(points: FamilyPoints, metric: str, raid: str) -> Why:
    """Of the number of drives at a peak."""
    if metric not in _COMMANDS[raid] or (metric, raid) == ("MW1", "raid-5"):
        return of_figure(points, metric, raid)
    return Why(
        "the estimate gives a drive the same commands a second in every mix and level; here destages are "
        "sorted, and a mirrored read goes to the copy with the shorter queue, then the nearer arm. Drives "
        "that do more each reach the back end's limit before 125 of them are there",
        lambda: _commands(points, metric, raid),
    )


def _commands(points: FamilyPoints, metric: str, raid: str) -> str:
    own = _COMMANDS[raid][metric] * points.at(metric, raid, 100).iops / 100
    other = 1.9 * points.at("MW1", "raid-5", 100).iops / 100
    reads = [points.at("RR", level, 100).iops / 100 for level in ("raid-10", "raid-5")]
    return (
        f"commands a second of a drive, 100 drives: {own:.0f}, against {other:.0f} of 70/30 in RAID-5; "
        f"random reads {reads[0]:.0f} in RAID-10 and {reads[1]:.0f} in RAID-5"
    )


def _mirrored_sequential(points: FamilyPoints, metric: str) -> Why:
    if metric == "SR":
        return Why(
            "which streams read which mirrors is not published; the figure stands in braces, under a heading "
            "that says 128K",
            lambda: (
                f"{_halves(points, metric)}; one stream with 56 outstanding: "
                f"{show(points.one('exp-tuned-sr-raid-10'))} at 50"
            ),
        )
    return Why(
        "the family's limit is on bytes that hosts write; one on bytes that drives write, where each "
        "mirrored byte counts twice, would be nearer to both levels. The figure stands in braces, under a "
        "heading that says 128K",
        lambda: f"with half of the limit {_each(points.some('exp-written'))}; {_halves(points, metric)}",
    )


def _halves(points: FamilyPoints, metric: str) -> str:
    return f"requests of 128 KiB: {_each(points.some(f'exp-128k-{metric.lower()}'))}"


def _each(points: list[FamilyPoint]) -> str:
    return ", ".join(f"{show(one)} at {one.drives} drives" for one in points)


def of_submission(points: FamilyPoints, metric: str) -> Why:
    """Of the measured submission."""
    if metric in ("RR", "MW1"):
        return Why(
            "level and tested share of the capacity are not published; seeks over half of it are that much "
            "shorter. With the 20 ms of the estimate ours comes near, but that is not what was measured",
            lambda: _shares(points, metric.lower()),
        )
    if metric == "MW2":
        return Why(
            "measured power at a quarter of MW1's rate is three quarters of that at the whole (0.25 x 10.501 "
            "/ 3.486), hardly above idle: a pair that draws its watts at work whatever the load is too much "
            "there",
            lambda: _resting(points),
        )
    if metric == "RW":
        return Why(
            "a product's cache is larger than the 128 MiB that stand for the estimate's, and sorts more; "
            "level and tested capacity are not published",
            lambda: (
                f"four times the cache and destages {show(points.one('exp-cache'))}; a quarter of the "
                f"capacity {show(points.one('exp-share-rw-25'))}; RAID-10 {show(points.one('exp-level-rw'))}"
            ),
        )
    if metric == "SR":
        return Why(
            "the submission was tuned for this metric, as its note says, and by Little's law had about 55 "
            "requests outstanding in its 6 ms; 16 streams that share 50 drives are ours. The training's own "
            "estimate for 50 drives, 1.54, is as far off",
            lambda: (
                f"one stream with 56 outstanding: {show(points.one('exp-tuned-sr'))}; 16 streams with 44: "
                f"{show(points.at('SR', 'raid-5', 50))}"
            ),
        )
    return Why(
        "the limit on written data is that of the training's own estimate for 50 drives, 1.00, and the "
        "submission beat it",
        lambda: f"one stream with 56 outstanding: {show(points.one('exp-tuned-sw'))}, at the limit",
    )


def _resting(points: FamilyPoints) -> str:
    there = points.quarter("exp-resting", whole=points.one("submission-mw1"))
    return (
        "with a pair that draws no more at work than at rest: "
        f"{numbers.significant(there)} IOPS/W at a quarter of the rate at 13 ms, "
        f"{numbers.significant(points.quarter('exp-resting'))} IOPS/W at a quarter of that at 20 ms"
    )


def _shares(points: FamilyPoints, name: str) -> str:
    whole = points.one(f"submission-{name}")
    half, quarter = (points.one(f"exp-share-{name}-{share}") for share in (50, 25))
    return (
        f"at {numbers.significant(whole.ms)} ms: all of the capacity {show(whole)}, half "
        f"{show(half)}, a quarter {show(quarter)}; RAID-10 {show(points.one(f'exp-level-{name}'))}. "
        f"All of it at 20 ms: {show(points.at(whole.metric, 'raid-5', 50))}"
    )


def of_baseline(points: FamilyPoints, metric: str) -> Why:
    """Of the untuned baseline."""
    if metric == "MW1":
        return Why(
            "its level and load are not published; 5.6 lies between RAID-5 and RAID-10 at the limit of the "
            "back end",
            lambda: (
                f"RAID-10: {show(points.one('exp-baseline-raid-10'))}; RAID-5: "
                f"{show(points.one('baseline-mw1'))}"
            ),
        )
    if metric == "RR":
        return Why(
            "its load is not published; ours reads at the limit of the back end, and drives at work draw "
            "what manuals state of random reads (for the large ones extrapolated)",
            lambda: _reading(points),
        )
    if metric == "SR":
        return Why(
            "two kinds of drives share the streams in proportion to their number, and its number of streams "
            "is not published",
            lambda: (
                f"{show(points.one('baseline-sr'))} with 16 streams over both, the drives "
                f"{100 * points.one('baseline-sr').busy:.0f} % busy"
            ),
        )
    return Why(
        "the published run never became stable, and so is no steady state; its cache settings are not "
        "published",
        lambda: (
            f"{show(points.one('baseline-sw'))} in steady state, the drives "
            f"{100 * points.one('baseline-sw').busy:.0f} % busy"
        ),
    )


def _reading(points: FamilyPoints) -> str:
    one = points.one("baseline-rr")
    return (
        f"{one.wall_w:,.0f} W at {one.iops:,.0f} reads a second with the drives {100 * one.busy:.0f} % busy, "
        f"{one.idle_w:,.0f} W idle"
    )


def show(one: FamilyPoint) -> str:
    """A point's metric with its unit."""
    from iowatt.studies.emerald2012.compare import unit

    return f"{numbers.significant(one.value)} {unit(one.metric)}"
