"""What failed and how far recovery came: sentences, headlines and tables of a Run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from iowatt.lenses.recovery import FailedUnit, Phase, failures, phases
from iowatt.pages.run.over_time import series_of
from iowatt.render import numbers, plot
from iowatt.render.document import Section
from iowatt.render.figure import Cell, Column, Figure, Table, plain
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
    "before": "before the failure", "degraded": "while degraded", "recovering": "during recovery",
    "after": "after recovery",
}  # fmt: skip


@dataclass(frozen=True)
class Recovery:
    """What a Run says of failures; each part is empty where nothing failed and no node moved."""

    run: Run

    @cached_property
    def failures(self) -> list[FailedUnit]:
        """What failed."""
        return failures(self.run)

    @cached_property
    def phases(self) -> list[Phase]:
        """Response times before, during and after."""
        return [phase for phase in phases(self.run, self.failures) if phase.requests]

    @property
    def failed(self) -> list[str]:
        """What failed, and whether it was recovered."""
        return _first([failure_sentence(one) for one in self.failures], "failure")

    @property
    def sentences(self) -> list[str]:
        """What failed and was recovered, what that did to response times, and what moved."""
        said = self.failed
        if effect := phase_sentence(self.phases):
            said.append(effect)
        if self.failures:
            to_the_end = any(one.log_first for one in self.failures)
            said += _waited_for_parity(self.run, to_the_end=to_the_end)
        return [*said, *_first(list(_moves(self.run)), "move")]

    @property
    def headlines(self) -> Iterator[Headline]:
        """The 95th percentile of each phase."""
        for phase in self.phases:
            median, high = (with_unit(value, "ms") for value in (phase.p50_ms, phase.p99_ms))
            yield Headline(
                f"p95-{phase.kind}", f"p95 {_PHASES[phase.kind]}", phase.p95_ms, "ms",
                f"p50 {median}, p99 {high}; {numbers.count(phase.requests)} requests",
            )  # fmt: skip

    @property
    def section(self) -> Section | None:
        """The tables of a page; None where nothing failed."""
        if not self.failures:
            return None
        figures = [_table(self.failures)]
        figures += [_phases(self.phases)] if self.phases else []
        return Section("recovery", "Failure and recovery", figures)

    def marked(self, figure: Figure) -> Figure:
        """A figure over the Run's intervals with a line where something failed and where it was recovered."""
        series = series_of(self.run.table("intervals"))
        if series is None or figure.spec is None:
            return figure
        times = [(one.failed_s, f"{one.what.partition(' (')[0]} failed") for one in self.failures]
        times += [(one.finished_s, "recovered") for one in self.failures if one.finished_s is not None]
        places = [(time / series.divisor, text) for time, text in times[:MOST_MARKS]]
        shapes = [plot.reference_line(x=at, dash="dot") for at, _ in places]
        texts = [
            {"x": at, "y": 1, "yref": "paper", "yanchor": "top", "xanchor": "left", "showarrow": False,
             "text": plain(text)}
            for at, text in places
        ]  # fmt: skip
        marks = {"shapes": shapes, "annotations": texts}
        return replace(figure, spec={**figure.spec, "layout": {**figure.spec["layout"], **marks}})


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
            "the logs of parity updates come first, and they were not reintegrated when the Run ended "
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
                "lost units there, wait until that parity is true; the rebuild begins when all is."
            )


def phase_sentence(found: Sequence[Phase]) -> str:
    """The 95th percentile of each phase in a sentence; empty where there are not two to compare."""
    if len(found) < 2:
        return ""
    shown = [f"{with_unit(phase.p95_ms, 'ms')} {_PHASES[phase.kind]}" for phase in found]
    worst = max(found, key=lambda phase: phase.p95_ms or 0.0)
    ways = [
        f"{way} {with_unit(value, 'ms')}"
        for way, value in (("reads", worst.read_p95_ms), ("writes", worst.write_p95_ms))
        if value is not None
    ]
    apart = f" ({listed(ways)})" if len(ways) == 2 and worst.kind != "before" else ""
    shown[found.index(worst)] += apart
    return f"The 95th percentile of response times is {listed(shown)}."


def _moves(run: Run) -> Iterator[str]:
    """Nodes that joined or left: how much moved, and how long it took."""
    clusters, end_s = run.summary.get("clusters") or (), run.summary["window"]["end_s"]
    plans = run.plan.get("simulation", {}).get("clusters") or ()
    for cluster, plan in zip(clusters, plans, strict=False):
        names = [node["name"] for node in cluster["nodes"]]
        for move in (move for pool in cluster["pools"] for move in pool["moves"]):
            node = plan["nodes"][names.index(move["node"])]
            did = "joined" if node.get("joins_at_s") is not None else "began to leave"
            moved, members = move["moved"], move["members"]
            said = (
                f"Node {move['node']} {did} at {duration(move['at_s'])}; {moved:,} of {members:,} members of "
                f"placement groups moved ({with_unit(move['moved_bytes'], 'B')})"
            )
            if move["finished_s"] is not None:
                yield f"{said} in {duration(move['finished_s'] - move['at_s'])}."
                continue
            left = (end_s - move["at_s"]) * (members - moved) / moved if moved else None
            rest = "" if left is None else f"; at that rate the rest takes {_about(left)}"
            yield f"{said} by the end of the Run{rest}."


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


def _phases(found: Sequence[Phase]) -> Figure:
    """A row for each phase."""
    rows: list[list[Cell]] = [
        [
            _PHASES[one.kind].capitalize(), one.seconds, one.requests, one.p50_ms, one.p95_ms, one.p99_ms,
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
