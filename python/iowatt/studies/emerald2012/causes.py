"""Why a figure of ours differs from the published one, and which run shows it."""

from __future__ import annotations

from dataclasses import dataclass

from iowatt.report import numbers
from iowatt.studies.emerald2012.points import Point, Points, best


@dataclass(frozen=True)
class Why:
    """A cause, and the experiment that shows it."""

    cause: str
    experiment: str


def of_figure(points: Points, metric: str, raid: str) -> Why:
    """Of a point of a curve, or of its peak."""
    if metric in ("SR", "SW") and raid == "raid-10":
        return _mirrored_sequential(points, metric)
    if metric == "SR":
        tuned = points.one("exp-tuned-sr")
        return Why(
            "how many streams the driver kept, and how deep, is not published: 16 streams with 3 "
            "requests of 256 KiB each were "
            "fitted to this very row",
            f"one stream with 56 outstanding on 50 drives: {show(tuned)}",
        )
    if metric == "SW":
        return Why(
            "sequential writes stop at what the link between the controllers copies; it was fitted to "
            "this row",
            "RAID-10, whose drives write everything twice, reaches the same "
            f"{show(points.at('SW', 'raid-10', 50))}",
        )
    if metric == "RW":
        deeper = points.of("exp-destages")
        top = best(deeper)
        return Why(
            "the number of destages that a cache has under way decides how fast random writes are, and "
            "where their peak is; it was "
            "fitted to the RAID-5 row",
            f"with 640 destages in place of 320 the peak is {show(top)} at {top.drives} drives",
        )
    unlimited = points.of("exp-unlimited")
    most = max(unlimited, key=lambda one: one.drives)
    return Why(
        "one limit of 40,000 commands a second holds for reads, and for the four of a RAID-5 write and "
        "the two of a RAID-10 one "
        "alike; the published rows imply 38,000 to 41,500, and drives of their own speed below it",
        f"without the limit {show(most)} at {most.drives} drives of 70/30, and no peak up to there; "
        "drives alone give "
        f"{points.at('RR', 'raid-5', 100).iops / 100:.0f} reads a second each at 20 ms",
    )


def of_peak(points: Points, metric: str, raid: str) -> Why:
    """Of the number of drives at a peak."""
    if metric != "MW1" or raid != "raid-10":
        return of_figure(points, metric, raid)
    mirrored, parity = (points.at("MW1", level, 100) for level in ("raid-10", "raid-5"))
    reads = [points.at("RR", level, 100).iops / 100 for level in ("raid-10", "raid-5")]
    return Why(
        "a mirrored read goes to the copy with the shorter queue, then the nearer arm, so that drives in "
        "pairs do more "
        "commands each, and fewer of them reach the limit of the back end. The estimate gives drives of "
        "either level the same",
        f"at 100 drives {1.3 * mirrored.iops / 100:.0f} commands a second each in RAID-10, "
        f"{1.9 * parity.iops / 100:.0f} in "
        f"RAID-5; random reads {reads[0]:.0f} and {reads[1]:.0f}",
    )


def _mirrored_sequential(points: Points, metric: str) -> Why:
    name = metric.lower()
    small = points.of(f"exp-128k-{name}")
    halves = ", ".join(f"{show(one)} at {one.drives} drives" for one in small)
    if metric == "SR":
        tuned = points.one("exp-tuned-sr-raid-10")
        return Why(
            "which streams read which mirrors is not published; the figure stands in braces under a "
            "heading that says 128K",
            f"requests of 128 KiB: {halves}; one stream with 56 outstanding: {show(tuned)} at 50",
        )
    written = points.of("exp-written")
    return Why(
        "the family's limit is on bytes that hosts write; one on bytes that drives write, where each "
        "mirrored byte counts twice, "
        "would fit both levels. The figure stands in braces under a heading that says 128K",
        f"with half of the limit {', '.join(f'{show(one)} at {one.drives}' for one in written)}; "
        f"requests of 128 KiB: {halves}",
    )


def of_submission(points: Points, metric: str) -> Why:
    """Of the measured submission."""
    if metric in ("RR", "MW1", "MW2"):
        name = "rr" if metric == "RR" else "mw1"
        whole = points.one(f"submission-{name}")
        half, quarter = (points.one(f"exp-share-{name}-{share}") for share in (50, 25))
        return Why(
            "it was measured at a shorter response time than the 20 ms of the estimate, and faster: "
            "which share of the capacity was "
            "tested, and at which level, is not published. Half of it shortens the seeks that much",
            f"at the measured {numbers.significant(whole.ms)} ms: all of the capacity {show(whole)}, "
            f"half {show(half)}, a quarter "
            f"{show(quarter)}; RAID-10 {show(points.one(f'exp-level-{name}'))}",
        )
    if metric == "RW":
        return Why(
            "a product's cache is larger than the 128 MiB that stand for the estimator's gains, and "
            "sorts more; level and tested "
            "capacity are not published",
            f"four times the cache and destages {show(points.one('exp-cache'))}; a quarter of the capacity "
            f"{show(points.one('exp-share-rw-25'))}; RAID-10 {show(points.one('exp-level-rw'))}",
        )
    tuned = points.one(f"exp-tuned-{metric.lower()}")
    if metric == "SR":
        return Why(
            "the submission was tuned for this metric (its note says that this is the sequential sweet "
            "spot); by Little's law it had "
            "about 55 requests outstanding",
            f"one stream with 56 outstanding: {show(tuned)} at {numbers.significant(tuned.ms)} ms; 16 "
            "streams of 3: "
            f"{show(points.at('SR', 'raid-5', 50))}",
        )
    return Why(
        "the limit of 850 MB/s on written data is that of the estimate, which the submission beat",
        f"one stream with 56 outstanding: {show(tuned)}, at the limit",
    )


def of_baseline(points: Points, metric: str) -> Why:
    """Of the untuned baseline."""
    if metric == "MW1":
        return Why(
            "its level is not published; 5.6 lies between RAID-5 and RAID-10 at the limit of the back end",
            f"RAID-10: {show(points.one('exp-baseline-raid-10'))}; RAID-5: "
            f"{show(points.one('baseline-mw1'))}",
        )
    if metric == "RR":
        reading = points.one("baseline-rr")
        idle = points.one("idle-baseline")
        return Why(
            "its load was untuned and is not published; ours reads at the limit of the back end, which "
            "keeps the drives "
            f"{100 * reading.busy:.0f} % busy, and their watts at work are those of manuals' random reads",
            f"{reading.wall_w:,.0f} W at {reading.iops:,.0f} reads/s, {idle.idle_w:,.0f} W idle",
        )
    if metric == "SR":
        one = points.one("baseline-sr")
        return Why(
            "two kinds of drives share the streams in proportion to their number, and its number of "
            "streams is not published",
            f"{show(one)} with 16 streams of 3 over both; the drives are {100 * one.busy:.0f} % busy",
        )
    one = points.one("baseline-sw")
    return Why(
        "the published run never became stable, and so is no steady state; its cache settings are not "
        "published",
        f"{show(one)} in steady state, {100 * one.busy:.0f} % of the drives' time",
    )


def show(one: Point) -> str:
    """A point's metric with its unit."""
    from iowatt.studies.emerald2012.compare import unit

    return f"{numbers.significant(one.value)} {unit(one.metric)}"
