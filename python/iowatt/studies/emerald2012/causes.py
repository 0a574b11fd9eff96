"""Why a figure of ours differs from the published one, and which run shows it.

The reasons are in ``study.toml``. The names in their experiments stand for the point of a sweep
(``{exp-tuned-sr}``), all its points (``{all/exp-written}``), a point of a curve (``{SR/raid-5/50}``), or a
function of this module.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from iowatt.render import numbers
from iowatt.studies.emerald2012 import product
from iowatt.studies.emerald2012.points import FamilyPoint, FamilyPoints, best
from iowatt.studies.emerald2012.published import TEXT, unit

#: Of a study at a scale that leaves the experiment out.
LEFT_OUT: Final = "left out of the reduced study"
#: Commands to drives that a request makes, by level and metric.
_COMMANDS: Final = {"raid-5": {"MW1": 1.9, "60/40": 2.2, "80/20": 1.6}, "raid-10": {"MW1": 1.3}}

Why = Callable[[], tuple[str, str]]
"""Finds the cause, and what was measured that shows it."""


def why(points: FamilyPoints, topic: str, metric: str = "", raid: str = "raid-5") -> Why:
    """The reason of the file for a figure: for metric and level, else for the metric, else for the topic."""
    names = (f"{topic}-{metric}-{raid}", f"{topic}-{metric}", topic)
    reason = next(TEXT.reasons[name] for name in names if name in TEXT.reasons)

    def found() -> tuple[str, str]:
        try:
            return reason.cause, reason.experiment.format_map(_Measured(points, metric, raid))
        except LookupError:
            return reason.cause, LEFT_OUT

    return found


def why_peak(points: FamilyPoints, metric: str, raid: str) -> Why:
    """The reason for the number of drives at a peak."""
    special = metric in _COMMANDS[raid] and (metric, raid) != ("MW1", "raid-5")
    return why(points, "peak" if special else "curve", metric, raid)


def show(one: FamilyPoint) -> str:
    """A point's metric with its unit."""
    return f"{numbers.significant(one.value)} {unit(one.metric)}"


@dataclass(frozen=True)
class _Measured:
    """What the names in an experiment stand for; ``LookupError`` where it was not run."""

    points: FamilyPoints
    metric: str
    raid: str

    def __getitem__(self, name: str) -> str:
        if name in FUNCTIONS:
            return FUNCTIONS[name](self.points, self.metric, self.raid)
        kind, _, rest = name.partition("/")
        if kind == "all":
            return ", ".join(f"{show(one)} at {one.drives} drives" for one in self.points.some(rest))
        if rest:
            raid, drives = rest.split("/")
            return show(self.points.at(kind, raid, int(drives)))
        return show(self.points.one(name))


def _peak_of(kind: str) -> Callable[[FamilyPoints, str, str], str]:
    def peak(points: FamilyPoints, _metric: str, _raid: str) -> str:
        top = best(points.some(kind))
        return f"{show(top)} at {top.drives} drives"

    return peak


def _commands(points: FamilyPoints, metric: str, raid: str) -> str:
    own = _COMMANDS[raid][metric] * points.at(metric, raid, 100).iops / 100
    other = 1.9 * points.at("MW1", "raid-5", 100).iops / 100
    reads = [points.at("RR", level, 100).iops / 100 for level in ("raid-10", "raid-5")]
    return (
        f"{own:.0f}, against {other:.0f} of 70/30 in RAID-5; random reads {reads[0]:.0f} in RAID-10 and "
        f"{reads[1]:.0f} in RAID-5"
    )


def _needed(points: FamilyPoints, metric: str, _raid: str) -> str:
    return "; ".join(
        f"{TEXT.causes[f'product-{one.key}']}: {numbers.significant(product.value(points, one, metric))} "
        f"{unit(metric)}"
        for one in product.ASSUMPTIONS
        if metric in one.metrics
    )


def _resting(points: FamilyPoints, _metric: str, _raid: str) -> str:
    at_13_ms = points.quarter("exp-resting", whole=points.one("submission-mw1"))
    return (
        f"{numbers.significant(at_13_ms)} IOPS/W at a quarter of the rate at 13 ms, "
        f"{numbers.significant(points.quarter('exp-resting'))} IOPS/W at a quarter of that at 20 ms"
    )


def _shares(points: FamilyPoints, metric: str, _raid: str) -> str:
    name = metric.lower()
    whole = points.one(f"submission-{name}")
    half, quarter = (points.one(f"exp-share-{name}-{share}") for share in (50, 25))
    return (
        f"at {numbers.significant(whole.ms)} ms: all of the capacity {show(whole)}, half "
        f"{show(half)}, a quarter {show(quarter)}; RAID-10 {show(points.one(f'exp-level-{name}'))}. "
        f"All of it at 20 ms: {show(points.at(whole.metric, 'raid-5', 50))}"
    )


def _reading(kind: str) -> Callable[[FamilyPoints, str, str], str]:
    return lambda points, *_: _drawn(points.one(kind))


def _drawn(one: FamilyPoint) -> str:
    return (
        f"{one.wall_w:,.0f} W at {one.iops:,.0f} reads a second with the drives {100 * one.busy:.0f} % busy, "
        f"{one.idle_w:,.0f} W idle"
    )


FUNCTIONS: Final[Mapping[str, Callable[[FamilyPoints, str, str], str]]] = {
    "deeper": _peak_of("exp-destages"),
    "unlimited": _peak_of("exp-unlimited"),
    "reads_per_drive": lambda points, *_: f"{points.at('RR', 'raid-5', 100).iops / 100:.0f}",
    "commands": _commands,
    "needed": _needed,
    "resting": _resting,
    "shares": _shares,
    "reading": _reading("baseline-rr"),
    "fewer": _reading("exp-baseline-reads"),
    "busy": lambda points, metric, _: f"{100 * points.one(f'baseline-{metric.lower()}').busy:.0f} %",
}
