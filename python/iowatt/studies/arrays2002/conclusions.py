"""The study's conclusions about energy, optimum and trade-off, from the points alone.

Each function takes points and gives verdicts. Where one differs, its cause is what the points themselves
show (joules by state, accesses for each request, the same array with one thing changed).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from iowatt.studies.arrays2002 import points as design
from iowatt.studies.arrays2002 import words
from iowatt.studies.arrays2002.points import METRICS, NAMES, Point, best, choose
from iowatt.studies.arrays2002.published import DISKS, IDLE_W, UNIT_KIB, WORKLOADS
from iowatt.studies.verdict import Verdict

SLOPE_TOLERANCE: Final = 0.02
"""How far energy per request may be from idle watts times inter-arrival time for each added disk."""


def energy_split(points: Sequence[Point]) -> list[Verdict]:
    """Figure 3: most energy is idle energy, then positioning; active is the least."""
    found = []
    for case in design.cases(choose(points, kind="space")):
        source, workload, level = case
        mine = choose(points, kind="space", source=source, workload=workload, level=level)
        (point,) = choose(mine, disks=DISKS, unit_kib=UNIT_KIB)
        share = {state: joules / point.e_j for state, joules in point.states_j.items()}
        agrees = share["idle"] > share["positioning"] > share["active"]
        ordered = sum(
            one.states_j["idle"] > one.states_j["positioning"] > one.states_j["active"] for one in mine
        )
        split = " / ".join(f"{100 * share[state]:.1f}" for state in design.STATES)
        cause = experiment = ""
        if not agrees:
            cause = (
                f"{words.significant(point.accesses)} accesses a request spend "
                f"{words.significant(point.states_j['positioning'])} J on positioning and "
                f"{words.significant(point.states_j['active'])} J on transfers: requests are large or "
                "seeks short"
            )
            experiment = f"Figure 10: the order is the published one at {ordered} of {len(mine)} points"
        found.append(
            Verdict(
                "energy-split",
                "Most energy is idle energy, then positioning; active is the least",
                words.case(*case),
                "idle, positioning, active",
                f"{split} % at {DISKS} disks, {UNIT_KIB} KiB; this order at {ordered} of {len(mine)} points",
                agrees,
                cause,
                experiment,
            )
        )
    return found


def slope(points: Iterable[Point]) -> tuple[float, float]:
    """J per request and added disk: least squares over disk counts, and idle watts x mean inter-arrival."""
    chosen = list(points)
    disks = np.array([one.disks for one in chosen], dtype=float)
    energy = np.array([one.e_j for one in chosen])
    ours = float(np.polyfit(disks, energy, 1)[0])
    return ours, float(IDLE_W * np.mean([one.interarrival_s for one in chosen]))


def energy_slope(points: Sequence[Point]) -> list[Verdict]:
    """Figure 7: each added disk adds its idle watts over the time between requests."""
    found = []
    for case in design.cases(choose(points, kind="space")):
        source, workload, level = case
        mine = choose(points, kind="space", source=source, workload=workload, level=level, unit_kib=UNIT_KIB)
        if len({one.disks for one in mine}) < 2:
            continue
        ours, expected = slope(mine)
        difference = ours / expected - 1
        agrees = abs(difference) <= SLOPE_TOLERANCE
        cause = experiment = ""
        if not agrees:
            above = [one.e_j - IDLE_W * one.disks * one.interarrival_s for one in mine]
            cause = (
                "the work of a request itself changes with the disks: above idling it takes "
                f"{words.significant(above[0])} J at {mine[0].disks} disks and "
                f"{words.significant(above[-1])} J at {mine[-1].disks}"
            )
            change = above[-1] - above[0]
            experiment = (
                f"Figure 8; the difference of {words.significant(change)} J is "
                f"{words.percent(change / (mine[-1].disks - mine[0].disks) / expected)} a disk"
            )
        found.append(
            Verdict(
                "energy-slope",
                "Each added disk adds its idle watts over the mean time between requests",
                words.case(*case),
                f"{WORKLOADS[workload].slope_j} J at the published rate (derived)",
                f"{ours:.4f} J, idle watts x inter-arrival {expected:.4f} J, {words.percent(difference, 2)}",
                agrees,
                cause,
                experiment,
            )
        )
    return found


def best_energy(points: Sequence[Point]) -> list[Verdict]:
    """Table 5: fewest disks and the largest stripe unit are best for energy."""
    found = []
    for case in design.cases(choose(points, kind="space")):
        source, workload, level = case
        mine = choose(points, kind="space", source=source, workload=workload, level=level)
        least = best(mine, "E")
        if least is None:
            continue
        theirs = WORKLOADS[workload].best[level]["E"]
        agrees = least.place == theirs
        cause = experiment = ""
        if not agrees:
            cause, experiment = _why_not(points, mine, least, theirs, "E")
        found.append(
            Verdict(
                "best-energy",
                "Energy is least with the fewest disks and the largest stripe unit",
                words.case(*case),
                words.place(*theirs),
                f"{words.place_of(least)}, {words.significant(least.e_j, 4)} J a request",
                agrees,
                cause,
                experiment,
            )
        )
    return found


def best_time(points: Sequence[Point]) -> list[Verdict]:
    """Table 5: where response time is least."""
    found = []
    for case in design.cases(choose(points, kind="space")):
        source, workload, level = case
        mine = choose(points, kind="space", source=source, workload=workload, level=level)
        least = best(mine, "T")
        if least is None:
            found.append(_never_steady("best-time", "Where response time is least", case, mine))
            continue
        theirs = WORKLOADS[workload].best[level]["T"]
        agrees = least.place == theirs
        cause = experiment = ""
        if not agrees:
            cause, experiment = _why_not(points, mine, least, theirs, "T")
        found.append(
            Verdict(
                "best-time",
                "Response time is least at the disks and stripe unit of Table 5",
                words.case(*case),
                words.place(*theirs),
                f"{words.place_of(least)}, {words.significant(least.t_ms)} ms",
                agrees,
                cause,
                experiment,
            )
        )
    return found


def trade_off(points: Sequence[Point]) -> list[Verdict]:
    """The study's conclusion: disk count and stripe unit best for energy are not those best for time."""
    found = []
    for case in design.cases(choose(points, kind="space")):
        source, workload, level = case
        mine = choose(points, kind="space", source=source, workload=workload, level=level)
        fast, frugal = best(mine, "T"), best(mine, "E")
        if fast is None or frugal is None:
            found.append(_never_steady("trade-off", TRADE_OFF, case, mine))
            continue
        agrees = fast.disks != frugal.disks and fast.unit_kib != frugal.unit_kib
        slower, dearer = frugal.t_ms / fast.t_ms - 1, fast.e_j / frugal.e_j - 1
        cause = experiment = ""
        if not agrees:
            same = "stripe unit" if fast.unit_kib == frugal.unit_kib else "disk count"
            if fast.place == frugal.place:
                same = "disk count and stripe unit"
            theirs = WORKLOADS[workload].best[level]["T"]
            why, experiment = _why_not(points, mine, fast, theirs, "T")
            cause = f"the {same} is best for both: {why}"
        found.append(
            Verdict(
                "trade-off",
                TRADE_OFF,
                words.case(*case),
                f"T {words.place(*WORKLOADS[workload].best[level]['T'])}, "
                f"E {words.place(*WORKLOADS[workload].best[level]['E'])}",
                f"T {words.place_of(fast)}, E {words.place_of(frugal)}; the best for energy is "
                f"{100 * slower:.1f} % slower, the best for time takes {100 * dearer:.1f} % more energy",
                agrees,
                cause,
                experiment,
            )
        )
    return found


TRADE_OFF: Final = "Disk count and stripe unit that are best for energy are not those best for time"


def sensitivity(points: Sequence[Point]) -> list[Verdict]:
    """Whether the conclusions stand with one thing about the array changed."""
    found = []
    for kind in ("mechanics", "cache", "spindles"):
        changed = choose(points, kind=kind)
        for source, workload in dict.fromkeys(case[:2] for case in design.cases(changed)):
            mine = choose(changed, source=source, workload=workload)
            base = _same_places(choose(points, kind="space", source=source, workload=workload), mine)
            found.append(_stands(kind, source, workload, base, mine))
    return found


def _stands(kind: str, source: str, workload: str, base: Sequence[Point], mine: Sequence[Point]) -> Verdict:
    """The order of the energy states, the place of the least energy, and the trade-off; with and without."""
    told, kept, moved = [], 0, []
    levels = sorted({one.level for one in mine})
    for level in levels:
        before, after = choose(base, level=level), choose(mine, level=level)
        same = _findings(before) == _findings(after)
        kept += same
        if not same:
            moved.append(_moved(level, before, after))
        told.append(
            f"RAID-{level} T {words.place_of(best(after, 'T'))}, E {words.place_of(best(after, 'E'))}"
        )
    agrees = kept == len(levels)
    return Verdict(
        f"sensitivity-{kind}",
        f"The conclusions stand with {words.KIND[kind]}",
        words.work(source, workload),
        "not examined" if kind != "cache" else "the controller has a cache, its size not given",
        "; ".join(told),
        agrees,
        "" if agrees else "; ".join(moved),
        "" if agrees else "the same points with only this changed: table of sensitivity",
    )


def _moved(level: int, before: Sequence[Point], after: Sequence[Point]) -> str:
    """What has become of the conclusions, and how far the former optimum is from the new one."""
    said = f"RAID-{level}: {_findings(before)} becomes {_findings(after)}"
    was, now = best(before, "T"), best(after, "T")
    there = choose(after, disks=was.disks, unit_kib=was.unit_kib) if was is not None else []
    if now is None or not there:
        return said
    apart = "cannot" if _overlap(there[0], now) else "can"
    return (
        f"{said}; with it requests take {words.significant(now.t_ms)} ms at {words.place_of(now)} and "
        f"{words.significant(there[0].t_ms)} ms at {words.place_of(was)}, which {apart} be told apart at 95 %"
    )


def _findings(points: Sequence[Point]) -> str:
    """What the points conclude, in a form that can be compared."""
    fast, frugal = best(points, "T"), best(points, "E")
    if fast is None or frugal is None:
        return "no steady point"
    fewest = min(one.disks for one in points)
    default = min(points, key=lambda one: (abs(one.disks - DISKS), abs(one.unit_kib - UNIT_KIB)))
    order = sorted(design.STATES, key=lambda state: -default.states_j[state])
    return (
        f"{', '.join(order)}; least energy {'with' if frugal.disks == fewest else 'not with'} the fewest "
        f"disks; {'other' if fast.disks != frugal.disks else 'the same'} disks for time"
    )


def _same_places(base: Sequence[Point], changed: Sequence[Point]) -> list[Point]:
    """The points of the whole space that the smaller one has too."""
    places = {(one.level, one.place) for one in changed}
    return [one for one in base if (one.level, one.place) in places]


def _never_steady(key: str, claim: str, case: tuple[str, str, int], mine: Sequence[Point]) -> Verdict:
    """No array of the space keeps up."""
    lightest = min(mine, key=lambda one: one.t_ms)
    return Verdict(
        key,
        claim,
        words.case(*case),
        words.place(*WORKLOADS[case[1]].best[case[2]]["T"]),
        "no array keeps up with the load",
        False,
        f"the load is too much: even at {words.place_of(lightest)} requests take "
        f"{words.significant(lightest.t_ms)} ms",
        "every point of the space is overloaded, see the table of all points",
    )


def _why_not(
    points: Sequence[Point], mine: Sequence[Point], ours: Point, theirs: tuple[int, int], metric: str
) -> tuple[str, str]:
    """Why the optimum is elsewhere than published: what the points show, and what moves it."""
    at = choose(mine, disks=theirs[0], unit_kib=theirs[1])
    if not at:
        cause = f"this grid has no {words.place(*theirs)}"
    else:
        there = at[0]
        value = METRICS[metric]
        more = value(there) / value(ours) - 1
        parts = [f"at {words.place(*theirs)} {NAMES[metric]} is {100 * more:.2g} % above the least"]
        parts += _differences(there, ours, metric)
        cause = "; ".join(parts)
    moved = []
    for kind in ("spindles", "mechanics", "ahead", "cache"):
        changed = choose(points, kind=kind, source=ours.source, workload=ours.workload, level=ours.level)
        if changed:
            moved.append(f"{words.KIND[kind]} {words.place_of(best(changed, metric))}")
    other = "synthetic" if ours.source == "captured" else "captured"
    space = choose(points, kind="space", source=other, workload=ours.workload, level=ours.level)
    if space:
        moved.append(f"{words.SOURCE[other]} {words.place_of(best(space, metric))}")
    experiment = f"the same with one thing changed, best {NAMES[metric]}: {', '.join(moved)}"
    if not any(words.place(*theirs) in one for one in moved):
        experiment += "; none of them leads to the published place"
    return cause, experiment


def _differences(there: Point, ours: Point, metric: str) -> list[str]:
    """What tells two points apart, as measured."""
    said = []
    if metric == "E":
        said += [
            f"{state} energy is {words.significant(there.states_j[state], 4)} J there and "
            f"{words.significant(ours.states_j[state], 4)} J here"
            for state in ("positioning", "active")
        ]
    elif there.accesses > 1.02 * ours.accesses:
        said.append(
            f"a request takes {words.significant(there.accesses)} accesses of disks there and "
            f"{words.significant(ours.accesses)} here, each with a positioning of its own "
            f"({words.significant(there.states_j['positioning'])} J against "
            f"{words.significant(ours.states_j['positioning'])} J a request)"
        )
    elif there.accesses < 0.98 * ours.accesses:
        said.append(
            f"a request is spread over {words.significant(ours.accesses)} accesses here, side by side, and "
            f"{words.significant(there.accesses)} there"
        )
    elif there.disks != ours.disks:
        said.append(
            f"a request takes as many accesses; the disks are {there.disks} there and {ours.disks} here"
        )
    if metric == "T" and _overlap(there, ours):
        said.append("their 95 % confidence intervals overlap: they cannot be told apart at this length")
    return said


def _overlap(one: Point, other: Point) -> bool:
    limits = (one.t_low_ms, one.t_high_ms, other.t_low_ms, other.t_high_ms)
    if any(limit is None for limit in limits):
        return False
    low, high, other_low, other_high = (float(limit) for limit in limits if limit is not None)
    return low <= other_high and other_low <= high
