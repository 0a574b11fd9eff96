"""The study's tables: the family by equation and simulated, how its members differ, services."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from iowatt.render.figure import Cell, Figure
from iowatt.studies.figures import table
from iowatt.studies.latency2015 import equations, systems
from iowatt.studies.latency2015.points import LatencyPoint, LatencyPoints
from iowatt.studies.latency2015.published import PRINTED, TEXT

#: Fixed parts in us and backgrounds that the table of the printed equation shows.
FIXED_US: Final = (20, 40, 60, 80, 100, 120)
BACKGROUNDS: Final = (0.0, 0.3, 0.6, 0.8)


def printed() -> Figure:
    """What the printed equation leaves open."""
    rows: list[list[Cell]] = []
    for fixed in FIXED_US:
        for background in BACKGROUNDS:
            one = equations.printed(PRINTED.before_ms / 1e3, PRINTED.after_ms / 1e3, fixed * 1e-6, background)
            if one is not None:
                rows.append(
                    [
                        fixed, 100 * background, 1e6 * one.visit_s, 100 * one.before_busy,
                        100 * one.after_busy, one.writes, 1e3 * one.mean_s(2), 1e3 * one.mean_s(1),
                    ]
                )  # fmt: skip
    return TEXT.figure("printed", rows)


def members(points: LatencyPoints) -> Figure:
    """The members: solved, and simulated."""
    rows: list[list[Cell]] = []
    for member in points.members:
        before, after = points.pair("steady", member.key)
        rows.append(
            [
                member.title, member.processors, member.visit_us, member.read_us, member.copy_us,
                1e3 * points.one("alone", member=member.key, express=True).write_ms, before.write_ms,
                100 * (before.write_ms / PRINTED.before_ms - 1), after.write_ms,
                100 * (after.write_ms / PRINTED.after_ms - 1), after.highest_second_ms,
                1e3 * member.equation.mean_s(before.load, 2), 1e3 * member.equation.mean_s(after.load, 1),
            ]
        )  # fmt: skip
    return TEXT.figure(
        "family", rows, remarks=[f"{member.title}: {member.why}." for member in points.members]
    )


SETTINGS: Final = {
    "1MiB, 1MiB": "off",
    "32KiB, 1MiB": "32 KiB, data is sent whole",
    "32KiB, 32KiB": "32 KiB, on the port, too",
    "False": "off",
    "True": "on",
    "watermark": "off: between watermarks",
    "utilisation": "on: by utilisation",
}
"""What a sweep sets, in words."""


@dataclass(frozen=True)
class CandidateMeasurement:
    """Something that can be measured on a real array, of a member under the load of a sweep."""

    name: str
    unit: str
    kind: str
    express: bool
    read: Callable[[LatencyPoint], float]

    def of(self, points: LatencyPoints, member: str) -> float:
        """The value for a member."""
        return self.read(points.one(self.kind, member=member, express=self.express))


def _both(
    name: str, unit: str, kind: str, read: Callable[[LatencyPoint], float]
) -> list[CandidateMeasurement]:
    """A measurement before and after."""
    return [
        CandidateMeasurement(f"{name} {when}", unit, kind, express, read)
        for when, express in (("before", False), ("after", True))
    ]


MEASUREMENTS: Final = (
    *_both("Mean of writes", "ms", "steady", lambda one: one.write_ms),
    CandidateMeasurement("Write bandwidth after", "MiB/s", "steady", True, lambda one: one.write_mib_s),
    *_both("Processors busy", "%", "steady", lambda one: 100 * one.busy),
    *_both("Mean of reads", "ms", "steady", lambda one: one.read_ms),
    *_both("99th percentile of writes", "ms", "steady", lambda one: one.write_p99_ms),
    CandidateMeasurement(
        "Median of writes after", "ms", "steady", True, lambda one: one.writes.quantile_ms(0.5)
    ),
    CandidateMeasurement(
        "Writes within 0.25 ms before", "%", "steady", False, lambda one: 100 * one.writes.share_within(0.25)
    ),
    CandidateMeasurement(
        "Writes within 0.12 ms after", "%", "steady", True, lambda one: 100 * one.writes.share_within(0.12)
    ),
    *_both("Mean of writes with one user,", "ms", "alone", lambda one: one.write_ms),
    *_both("Mean of writes at twice the users,", "ms", "twice", lambda one: one.write_ms),
    *_both("Highest rate of this mix", "IOPS", "steady", lambda one: one.most_iops),
    *_both("Highest second of a checkpoint,", "ms", "checkpoint", lambda one: one.highest_second_ms),
)
"""What an array, a host or a switch can measure; the first three are the same for all members."""


def measured(points: LatencyPoints, measurement: CandidateMeasurement) -> list[float]:
    """A measurement of each member."""
    return [measurement.of(points, member.key) for member in points.members]


def nearest_ratio(values: Sequence[float]) -> float | None:
    """How far the members lie apart: the least ratio of two neighbours, and so what a measurement must
    resolve.

    None where two have the same value, or one has 0.
    """
    ordered = sorted(values)
    if not ordered or ordered[0] <= 0:
        return None
    return min((high / low for low, high in pairwise(ordered)), default=None)


def distinguishing(points: LatencyPoints) -> Figure:
    """Which measurement would distinguish the members."""
    rows: list[list[Cell]] = []
    for one in MEASUREMENTS:
        values = measured(points, one)
        ratio = max(values) / min(values) if min(values) > 0 else None
        nearest = nearest_ratio(values)
        rows.append([one.name, one.unit, *values, ratio, None if nearest is None else 100 * (nearest - 1)])
    titles = " | ".join(member.title for member in points.members)
    return TEXT.figure(
        "telling",
        table(f"Measurement | Unit | {titles} | Highest over lowest | Nearest two differ by (%)", rows),
    )


def best_distinguishing(points: LatencyPoints) -> str:
    """The measurements whose nearest two members lie furthest apart."""
    found = [(nearest_ratio(measured(points, one)) or 0.0, one.name) for one in MEASUREMENTS]
    found = sorted(((ratio, name) for ratio, name in found if ratio), reverse=True)
    best = ", ".join(f"{name.lower()} ({100 * (ratio - 1):.0f} %)" for ratio, name in found[:3])
    return f"A third measurement decides: the members' nearest two differ most in {best}."


def services(points: LatencyPoints, scale: systems.LatencyScale) -> Figure:
    """What other services of the array do to latency."""
    named = {
        "split": "division, beside a scan",
        "zeros": f"zeros, {100 * systems.ZERO_SHARE:.0f} % of the writes",
        "offload": "offload of the cache",
    }
    rows: list[list[Cell]] = [
        [named[one.kind], SETTINGS.get(one.setting, one.setting), *_service(one)]
        for kind in named
        for one in points.of(kind)
    ]
    return TEXT.figure("services", rows, scan=systems.SCAN, services_s=scale.services_s)


def _service(one: LatencyPoint) -> list[Cell]:
    return [
        one.write_ms, one.write_p99_ms, one.host_write_ms, one.host_write_p99_ms, one.host_read_ms,
        100 * one.busy, one.drive_writes,
    ]  # fmt: skip
