"""What failed and how far recovery came: sentences, headlines and tables of a Run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from iowatt.lenses.recovery import FailedUnit, NodeMove, Phase, failures, moves, phases
from iowatt.pages.run.over_time import marked, series_of
from iowatt.render import numbers
from iowatt.render.document import Section
from iowatt.render.figure import Cell, Column, Figure, Table
from iowatt.render.headline import Headline
from iowatt.render.numbers import duration, percent, with_unit
from iowatt.render.phrases import listed

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

MOST_SENTENCES: Final = 3
"""Failures, and moves of nodes, that the verdict has by one."""

MOST_MARKS: Final = 12
"""Lines of failures and recoveries in a chart."""

_UNITS: Final = ((2 * 86400.0, 86400.0), (7200.0, 3600.0), (120.0, 60.0))
"""Seconds from which a length of time is shown in a unit, and the unit's seconds."""

_PHASES: Final = {
    "before": "before the failure", "moving": "while data moves", "degraded": "while degraded",
    "recovering": "during recovery", "after": "after recovery",
}  # fmt: skip

_OF_MOVES: Final = {"before": "before data moves", "after": "after data has moved"}
"""Names of phases where nothing failed."""


@dataclass(frozen=True)
class Recovery:
    """What a Run says of failures; each part is empty where nothing failed and no node moved."""

    run: Run

    @cached_property
    def failures(self) -> list[FailedUnit]:
        """What failed."""
        return failures(self.run)

    @cached_property
    def moves(self) -> list[NodeMove]:
        """What nodes that joined or left made move."""
        return moves(self.run)

    @cached_property
    def phases(self) -> list[Phase]:
        """Response times before, during and after."""
        return [phase for phase in phases(self.run, self.failures, self.moves) if phase.requests]

    @property
    def names(self) -> Mapping[str, str]:
        """Names of the phases."""
        return _PHASES if self.failures else _PHASES | _OF_MOVES

    @property
    def failed(self) -> list[str]:
        """What failed, and whether it was recovered."""
        return _first([failure_sentence(one) for one in self.failures], "failure")

    @property
    def sentences(self) -> list[str]:
        """What failed and was recovered, what that did to response times, and what moved."""
        said = self.failed
        said += _first([move_sentence(one) for one in self.moves], "move")
        if effect := phase_sentence(self.phases, self.names):
            said.append(effect)
        if self.failures:
            to_the_end = any(one.log_first for one in self.failures)
            said += _waited_for_parity(self.run, to_the_end=to_the_end)
        return said

    @property
    def headlines(self) -> Iterator[Headline]:
        """The 95th percentile of each phase."""
        for phase in self.phases:
            median, high = (with_unit(value, "ms") for value in (phase.p50_ms, phase.p99_ms))
            yield Headline(
                f"p95-{phase.kind}", f"p95 {self.names[phase.kind]}", phase.p95_ms, "ms",
                f"p50 {median}, p99 {high}; {numbers.count(phase.requests)} requests",
            )  # fmt: skip

    @property
    def section(self) -> Section | None:
        """The tables of a page; None where nothing failed and no node moved."""
        if not (self.failures or self.moves):
            return None
        figures = [_table(self.failures)] if self.failures else []
        figures += [_moved(self.moves)] if self.moves else []
        figures += [_phases(self.phases, self.names)] if self.phases else []
        return Section("recovery", "Failure and recovery" if self.failures else "Nodes that move", figures)

    def marked(self, figure: Figure) -> Figure:
        """A figure over the Run's intervals with a line where something failed and where it was recovered."""
        series = series_of(self.run.table("intervals"))
        times = _marks(self.failures, self.moves)[:MOST_MARKS]
        return figure if series is None else marked(figure, series, times)


def _marks(failed: Sequence[FailedUnit], moved: Sequence[NodeMove]) -> list[tuple[float, str]]:
    """Times that a chart marks and what happened then; what happens at one time has one mark."""
    at: dict[float, list[str]] = {}
    for one in failed:
        at.setdefault(one.failed_s, []).append(f"{one.what.partition(' (')[0]} failed")
    for time, text in (
        *((one.started_s, "recovery begins") for one in failed),
        *((one.finished_s, "recovered") for one in failed),
        *((move.at_s, f"{_named(move.nodes)} {move.way}") for move in moved),
        *((move.finished_s, "data has moved") for move in moved),
    ):
        if time is not None and text not in at.setdefault(time, []):
            at[time].append(text)
    return [(time, ", ".join(texts)) for time, texts in sorted(at.items())]


def failure_sentence(one: FailedUnit) -> str:
    """What failed when, and how far its recovery came."""
    failed = f"{one.what[:1].upper()}{one.what[1:]} failed at {duration(one.failed_s)}"
    moved = with_unit(one.recovered_bytes, "B")
    if one.finished_s is not None and one.started_s is not None:
        took = one.finished_s - one.started_s
        begun = f", {duration(one.started_s - one.failed_s)} after it" if one.started_s > one.failed_s else ""
        onto = f" onto the spare {one.spare}" if one.spare else ""
        return (
            f"{failed} and was recovered: {moved}{onto} in {duration(took)} "
            f"({with_unit(one.bytes_per_s, 'B')}/s){begun}."
        )
    if one.started_s is None:
        return f"{failed}; nothing was recovered within the Run: {_why_not(one)}."
    of = "" if one.lost_bytes is None else f" of {with_unit(one.lost_bytes, 'B')} ({percent(one.share)})"
    rest = "" if one.left_s is None else f"; at that rate the rest takes {_about(one.left_s)}"
    rate = f" at {with_unit(one.bytes_per_s, 'B')}/s" if one.bytes_per_s else ""
    return f"{failed}; {moved}{of} were recovered by the end of the Run{rate}{rest}."


def _about(seconds: float) -> str:
    """A length of time that is an estimate: two digits in the unit that it is shown in."""
    unit = next((unit for least, unit in _UNITS if seconds >= least), 1.0)
    return duration(numbers.rounded_to(seconds / unit, 2) * unit)


def _why_not(one: FailedUnit) -> str:
    if not one.has_room:
        return f"{listed(one.pools)} {'has' if len(one.pools) == 1 else 'have'} no spare drive or spare space"
    left = one.end_s - one.failed_s
    if one.delay_s >= left:
        begins = f"recovery begins {duration(one.delay_s)} after a failure"
        return f"{begins}, and the Run ends {duration(left)} after this one"
    if one.log_first:
        return (
            "the parity log is reintegrated first, which was not complete when the Run ended "
            f"{duration(left)} after the failure"
        )
    return "recovery found no spare drive or spare space"


def _waited_for_parity(run: Run, *, to_the_end: bool) -> Iterator[str]:
    """Requests that waited for a log of parity updates in a Run in which something failed."""
    for log in run.summary.get("parity_logs") or ():
        if log["waits"]:
            mean = with_unit(log["wait_mean_ms"], "ms")
            waited = f"waited {mean} on average for the parity log of {log['pool']}"
            if to_the_end:
                waited = f"waited for the parity log of {log['pool']}, some until the Run ended"
            count = numbers.counted(log["waits"], "request")
            yield (
                f"{count} {waited}: after a failure, writes of stripes with logged updates, and reads of "
                "lost units there, wait until that parity is up to date; the rebuild begins when all is."
            )


def phase_sentence(found: Sequence[Phase], names: Mapping[str, str] = _PHASES) -> str:
    """The 95th percentile of each phase in a sentence; empty where there are not two to compare."""
    if len(found) < 2:
        return ""
    shown = [f"{with_unit(phase.p95_ms, 'ms')} {names[phase.kind]}" for phase in found]
    worst = max(found, key=lambda phase: phase.p95_ms or 0.0)
    ways = [
        f"{way} {with_unit(value, 'ms')}"
        for way, value in (("reads", worst.read_p95_ms), ("writes", worst.write_p95_ms))
        if value is not None
    ]
    apart = f" ({listed(ways)})" if len(ways) == 2 and worst.kind != "before" else ""
    shown[found.index(worst)] += apart
    return f"The 95th percentile of response times is {listed(shown)}."


def move_sentence(one: NodeMove) -> str:
    """Which nodes joined or left, how much moved and at what rate, and how long the rest takes."""
    did = "joined" if one.way == "joined" else "began to leave"
    node = "Node" if len(one.nodes) == 1 else "Nodes"
    said = f"{node} {_named(one.nodes)} {did} at {duration(one.at_s)}; "
    members, moved = f"{one.members:,} members of placement groups", with_unit(one.moved_bytes, "B")
    rate = f" at {with_unit(one.bytes_per_s, 'B')}/s" if one.bytes_per_s else ""
    if one.finished_s is not None:
        return f"{said}{members} moved ({moved}) in {duration(one.finished_s - one.at_s)}{rate}."
    of = "" if one.share is None else f" of {with_unit(one.planned_bytes, 'B')} ({percent(one.share)})"
    rest = "" if one.left_s is None else f"; at that rate the rest takes {_about(one.left_s)}"
    return f"{said}{moved}{of} of {members} moved by the end of the Run{rate}{rest}."


def _named(nodes: Sequence[str]) -> str:
    """Names of nodes, of many the first two and how many more."""
    return listed(nodes if len(nodes) <= MOST_SENTENCES else [*nodes[:2], f"{len(nodes) - 2:,} more"])


def _first(sentences: list[str], noun: str) -> list[str]:
    more = len(sentences) - MOST_SENTENCES
    if more <= 1:
        return sentences
    return [*sentences[:MOST_SENTENCES], f"{numbers.counted(more, f'more {noun}')}: iowatt report."]


def _table(found: Sequence[FailedUnit]) -> Figure:
    """A row for each failure."""
    rows: list[list[Cell]] = [
        [
            one.what, one.failed_s, one.started_s, one.finished_s, one.recovered_bytes / 1e9,
            None if one.share is None else 100 * one.share,
            None if one.bytes_per_s is None else one.bytes_per_s / 1e6, one.left_s,
        ]
        for one in found
    ]  # fmt: skip
    columns = [
        Column("What failed", text=True), Column("Failed", "s"), Column("Recovery began", "s"),
        Column("Recovered", "s"), Column("Moved", "GB"), Column("Share recovered", "%"),
        Column("Rate", "MB/s"), Column("Left at the end", "s"),
    ]  # fmt: skip
    return Figure(
        "failures", "What failed",
        "Times from the start of the Run; what is left, at the mean rate of recovery.",
        Table(columns, rows), wide=True,
    )  # fmt: skip


def _moved(found: Sequence[NodeMove]) -> Figure:
    """A row for the nodes that joined or left at one time, and each pool."""
    rows: list[list[Cell]] = [
        [
            f"{_named(one.nodes)} {one.way}",
            one.pool, one.at_s, one.finished_s, one.members, one.moved, one.moved_bytes / 1e9,
            None if one.share is None else 100 * one.share,
            None if one.bytes_per_s is None else one.bytes_per_s / 1e6, one.left_s,
        ]
        for one in found
    ]  # fmt: skip
    columns = [
        Column("Nodes", text=True), Column("Pool", text=True), Column("From", "s"), Column("Finished", "s"),
        Column("Members to move", rank=1), Column("Moved", rank=1), Column("Moved", "GB"),
        Column("Share moved", "%"), Column("Rate", "MB/s"), Column("Left at the end", "s"),
    ]  # fmt: skip
    return Figure(
        "node-moves", "Nodes that joined or left",
        "Times from the start of the Run; members of placement groups; what is left, at the mean rate.",
        Table(columns, rows), wide=True,
    )  # fmt: skip


def _phases(found: Sequence[Phase], names: Mapping[str, str]) -> Figure:
    """A row for each phase."""
    rows: list[list[Cell]] = [
        [
            names[one.kind].capitalize(), one.seconds, one.requests, one.p50_ms, one.p95_ms, one.p99_ms,
            one.read_p95_ms, one.write_p95_ms,
        ]
        for one in found
    ]  # fmt: skip
    percentiles = [Column(name, "ms") for name in ("p50", "p95", "p99", "p95 of reads", "p95 of writes")]
    return Figure(
        "recovery-phases", "Response times before, during and after",
        "Of the requests that completed in each phase, as seen at the host.",
        Table([Column("Phase", text=True), Column("Lasted", "s"), Column("Requests"), *percentiles], rows),
        wide=True,
    )  # fmt: skip
