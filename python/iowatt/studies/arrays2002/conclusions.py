"""The study's conclusions about energy, optimum and trade-off, from the points alone.

Each function takes points and gives verdicts. The cause of a difference comes from the points
themselves (joules by state, accesses for each request, the same array with one thing changed).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Final

import numpy as np

from iowatt.render.numbers import significant
from iowatt.studies.arrays2002 import labels
from iowatt.studies.arrays2002 import points as design
from iowatt.studies.arrays2002.points import METRICS, NAMES, DesignPoint, best, choose
from iowatt.studies.arrays2002.published import PRINTED, TEXT, WORKLOADS
from iowatt.studies.result import ClaimVerdict

SLOPE_TOLERANCE: Final = 0.02
"""How far energy per request may be from idle watts times inter-arrival time for each added disk."""


@dataclass(frozen=True)
class _Case:
    """A workload from one source on one level: its points of the design space, and all of the study's."""

    source: str
    workload: str
    level: int
    points: Sequence[DesignPoint]
    every: Sequence[DesignPoint]

    @property
    def title(self) -> str:
        """As tables name it."""
        return labels.case(self.source, self.workload, self.level)

    def published(self, metric: str) -> tuple[int, int]:
        """Disks and stripe unit that Table 5 has as best for a metric."""
        return WORKLOADS[self.workload].best[self.level][metric]


def _each_case(
    judged: Callable[[_Case], ClaimVerdict | None],
) -> Callable[[Sequence[DesignPoint]], list[ClaimVerdict]]:
    """The verdicts on every case of the design space that has one."""

    @wraps(judged)
    def every(points: Sequence[DesignPoint]) -> list[ClaimVerdict]:
        found = (judged(_Case(*case, points)) for case in design.by_case(points))
        return [verdict for verdict in found if verdict is not None]

    return every


@_each_case
def energy_split(case: _Case) -> ClaimVerdict:
    """Figure 3: most energy is idle energy, then positioning; active is the least."""

    def ordered(point: DesignPoint) -> bool:
        joules = point.states_j
        return joules["idle"] > joules["positioning"] > joules["active"]

    (point,) = choose(case.points, disks=PRINTED.disks, unit_kib=PRINTED.unit_kib)
    split = " / ".join(f"{100 * point.states_j[state] / point.e_j:.1f}" for state in design.STATES)
    same = f"{sum(map(ordered, case.points))} of {len(case.points)} points"
    return TEXT.judge(
        "energy-split",
        case.title,
        ours=f"{split} % at {PRINTED.disks} disks, {PRINTED.unit_kib} KiB; this order at {same}",
        agrees=ordered(point),
        accesses=significant(point.accesses),
        positioning_j=significant(point.states_j["positioning"]),
        active_j=significant(point.states_j["active"]),
        same=same,
    )


def slope(points: Iterable[DesignPoint]) -> tuple[float, float]:
    """J per request and added disk: least squares over disk counts, and idle watts x mean inter-arrival."""
    chosen = list(points)
    disks = np.array([one.disks for one in chosen], dtype=float)
    energy = np.array([one.e_j for one in chosen])
    ours = float(np.polyfit(disks, energy, 1)[0])
    return ours, float(PRINTED.idle_w * np.mean([one.interarrival_s for one in chosen]))


@_each_case
def energy_slope(case: _Case) -> ClaimVerdict | None:
    """Figure 7: each added disk adds its idle watts over the time between requests."""
    mine = choose(case.points, unit_kib=PRINTED.unit_kib)
    if len({one.disks for one in mine}) < 2:
        return None
    first, last = mine[0], mine[-1]
    ours, expected = slope(mine)
    difference = ours / expected - 1
    low, high = (one.e_j - PRINTED.idle_w * one.disks * one.interarrival_s for one in (first, last))
    a_disk = (high - low) / (last.disks - first.disks) / expected
    return TEXT.judge(
        "energy-slope",
        case.title,
        ours=f"{ours:.4f} J, idle watts x inter-arrival {expected:.4f} J, {labels.percent(difference, 2)}",
        agrees=abs(difference) <= SLOPE_TOLERANCE,
        slope_j=WORKLOADS[case.workload].slope_j,
        first_j=significant(low),
        disks=first.disks,
        last_j=significant(high),
        most_disks=last.disks,
        difference_j=significant(high - low),
        per_disk=labels.percent(a_disk),
    )


@_each_case
def best_energy(case: _Case) -> ClaimVerdict | None:
    """Table 5: fewest disks and the largest stripe unit are best for energy."""
    least = best(case.points, "E")
    if least is None:
        return None
    return TEXT.judge(
        "best-energy",
        case.title,
        ours=f"{labels.place_of(least)}, {significant(least.e_j, 4)} J a request",
        agrees=least.place == case.published("E"),
        why=lambda: _why_not(case, least, "E"),
        published=labels.place(*case.published("E")),
    )


@_each_case
def best_time(case: _Case) -> ClaimVerdict:
    """Table 5: where response time is least."""
    least = best(case.points, "T")
    if least is None:
        return _never_steady("best-time", case)
    return TEXT.judge(
        "best-time",
        case.title,
        ours=f"{labels.place_of(least)}, {significant(least.t_ms)} ms",
        agrees=least.place == case.published("T"),
        why=lambda: _why_not(case, least, "T"),
        published=labels.place(*case.published("T")),
    )


@_each_case
def trade_off(case: _Case) -> ClaimVerdict:
    """The study's conclusion: disk count and stripe unit best for energy are not those best for time."""
    fast, frugal = best(case.points, "T"), best(case.points, "E")
    if fast is None or frugal is None:
        return _never_steady("trade-off", case)
    slower, dearer = frugal.t_ms / fast.t_ms - 1, fast.e_j / frugal.e_j - 1

    def why() -> tuple[str, str]:
        same = "stripe unit" if fast.unit_kib == frugal.unit_kib else "disk count"
        same = "disk count and stripe unit" if fast.place == frugal.place else same
        cause, experiment = _why_not(case, fast, "T")
        return f"the {same} is best for both: {cause}", experiment

    return TEXT.judge(
        "trade-off",
        case.title,
        published=f"T {labels.place(*case.published('T'))}, E {labels.place(*case.published('E'))}",
        ours=f"T {labels.place_of(fast)}, E {labels.place_of(frugal)}; the best for energy is "
        f"{100 * slower:.1f} % slower, the best for time takes {100 * dearer:.1f} % more energy",
        agrees=fast.disks != frugal.disks and fast.unit_kib != frugal.unit_kib,
        why=why,
    )


def sensitivity(points: Sequence[DesignPoint]) -> list[ClaimVerdict]:
    """Whether the conclusions stand with one thing about the array changed."""
    found = []
    for kind in ("mechanics", "cache", "spindles"):
        changed = choose(points, kind=kind)
        for source, workload in dict.fromkeys(case[:2] for case in design.cases(changed)):
            mine = choose(changed, source=source, workload=workload)
            base = _same_places(choose(points, kind="space", source=source, workload=workload), mine)
            found.append(_holds_with(kind, source, workload, base, mine))
    return found


def _holds_with(
    kind: str, source: str, workload: str, base: Sequence[DesignPoint], mine: Sequence[DesignPoint]
) -> ClaimVerdict:
    """The order of the energy states, the place of the least energy, and the trade-off; with and without."""
    optima, moved = [], []
    for level in sorted({one.level for one in mine}):
        before, after = choose(base, level=level), choose(mine, level=level)
        if _findings(before) != _findings(after):
            moved.append(_change(level, before, after))
        optima.append(
            f"RAID-{level} T {labels.place_of(best(after, 'T'))}, E {labels.place_of(best(after, 'E'))}"
        )
    return TEXT.judge(
        f"sensitivity-{kind}",
        labels.work(source, workload),
        ours="; ".join(optima),
        agrees=not moved,
        cause="; ".join(moved),
        changed=labels.KIND[kind],
    )


def _change(level: int, before: Sequence[DesignPoint], after: Sequence[DesignPoint]) -> str:
    """What has become of the conclusions, and how far the former optimum is from the new one."""
    said = f"RAID-{level}: {_findings(before)} becomes {_findings(after)}"
    was, now = best(before, "T"), best(after, "T")
    there = choose(after, disks=was.disks, unit_kib=was.unit_kib) if was is not None else []
    if now is None or not there:
        return said
    apart = "cannot" if _overlap(there[0], now) else "can"
    return (
        f"{said}; with it requests take {significant(now.t_ms)} ms at {labels.place_of(now)} and "
        f"{significant(there[0].t_ms)} ms at {labels.place_of(was)}, which {apart} be told apart at 95 %"
    )


def _findings(points: Sequence[DesignPoint]) -> str:
    """What the points conclude, in a form that can be compared."""
    fast, frugal = best(points, "T"), best(points, "E")
    if fast is None or frugal is None:
        return "no steady point"
    fewest = min(one.disks for one in points)
    default = min(
        points, key=lambda one: (abs(one.disks - PRINTED.disks), abs(one.unit_kib - PRINTED.unit_kib))
    )
    order = sorted(design.STATES, key=lambda state: -default.states_j[state])
    return (
        f"{', '.join(order)}; least energy {'with' if frugal.disks == fewest else 'not with'} the fewest "
        f"disks; {'other' if fast.disks != frugal.disks else 'the same'} disks for time"
    )


def _same_places(base: Sequence[DesignPoint], changed: Sequence[DesignPoint]) -> list[DesignPoint]:
    """The points of the whole space that the smaller one has too."""
    places = {(one.level, one.place) for one in changed}
    return [one for one in base if (one.level, one.place) in places]


def _never_steady(key: str, case: _Case) -> ClaimVerdict:
    """No array of the space keeps up."""
    lightest = min(case.points, key=lambda one: one.t_ms)
    place, ms = labels.place_of(lightest), significant(lightest.t_ms)
    return TEXT.judge(
        key,
        case.title,
        published=labels.place(*case.published("T")),
        ours="no array keeps up with the load",
        cause=TEXT.causes["overloaded"].format(place=place, ms=ms),
        experiment="every point of the space is overloaded, see the table of all points",
    )


def _why_not(case: _Case, ours: DesignPoint, metric: str) -> tuple[str, str]:
    """Why the optimum is elsewhere than published: what the points show, and what moves it."""
    points, theirs = case.every, case.published(metric)
    at = choose(case.points, disks=theirs[0], unit_kib=theirs[1])
    if not at:
        cause = f"this grid has no {labels.place(*theirs)}"
    else:
        there = at[0]
        value = METRICS[metric]
        more = value(there) / value(ours) - 1
        parts = [f"at {labels.place(*theirs)} {NAMES[metric]} is {100 * more:.2g} % above the least"]
        parts += _differences(there, ours, metric)
        cause = "; ".join(parts)
    moved = []
    for kind in ("spindles", "mechanics", "ahead", "cache"):
        changed = choose(points, kind=kind, source=ours.source, workload=ours.workload, level=ours.level)
        if changed:
            moved.append(f"{labels.KIND[kind]} {labels.place_of(best(changed, metric))}")
    other = "synthetic" if ours.source == "captured" else "captured"
    space = choose(points, kind="space", source=other, workload=ours.workload, level=ours.level)
    if space:
        moved.append(f"{labels.SOURCE[other]} {labels.place_of(best(space, metric))}")
    experiment = f"the same with one thing changed, best {NAMES[metric]}: {', '.join(moved)}"
    if not any(labels.place(*theirs) in one for one in moved):
        experiment += "; none of them leads to the published place"
    return cause, experiment


def _differences(there: DesignPoint, ours: DesignPoint, metric: str) -> list[str]:
    """How two points differ, as measured."""
    said = []
    if metric == "E":
        said += [
            f"{state} energy is {significant(there.states_j[state], 4)} J there and "
            f"{significant(ours.states_j[state], 4)} J here"
            for state in ("positioning", "active")
        ]
    elif there.accesses > 1.02 * ours.accesses:
        said.append(
            f"a request takes {significant(there.accesses)} accesses of disks there and "
            f"{significant(ours.accesses)} here, each with a positioning of its own "
            f"({significant(there.states_j['positioning'])} J against "
            f"{significant(ours.states_j['positioning'])} J a request)"
        )
    elif there.accesses < 0.98 * ours.accesses:
        said.append(
            f"a request is spread over {significant(ours.accesses)} accesses here, side by side, and "
            f"{significant(there.accesses)} there"
        )
    elif there.disks != ours.disks:
        said.append(
            f"a request takes as many accesses; the disks are {there.disks} there and {ours.disks} here"
        )
    if metric == "T" and _overlap(there, ours):
        said.append("their 95 % confidence intervals overlap: they cannot be told apart at this length")
    return said


def _overlap(one: DesignPoint, other: DesignPoint) -> bool:
    """Whether their confidence intervals overlap; not where one has none."""
    if one.t_low_ms is None or one.t_high_ms is None or other.t_low_ms is None or other.t_high_ms is None:
        return False
    return one.t_low_ms <= other.t_high_ms and other.t_low_ms <= one.t_high_ms
