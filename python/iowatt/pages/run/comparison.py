"""Several Runs side by side: which has the least of each figure, and every headline with its change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from iowatt.lenses.durability import loss_of_run
from iowatt.lenses.kept_up import kept_up
from iowatt.lenses.warm_start import warm_starts
from iowatt.pages.run import latency
from iowatt.pages.run.headlines import headlines
from iowatt.pages.run.recovery import Recovery
from iowatt.render import numbers, palette
from iowatt.render.document import Document, Section, caveats
from iowatt.render.figure import Cell, Column, Figure, Labelled, Table
from iowatt.render.numbers import change, significant, with_unit
from iowatt.render.phrases import listed

if TYPE_CHECKING:
    from iowatt.render.headline import Headline
    from iowatt.run.bundle import Run

LEAST: Final = {"p95": "p95 response time", "power": "mean power", "per_request": "energy per request"}
"""Figures of the verdict, by key of their headline."""

SAME_WORK: Final = 1.05
"""Highest over lowest throughput up to which Runs are taken to have done the same work."""

_DASHES: Final = ("solid", "dash", "dot", "dashdot")


@dataclass(frozen=True)
class Least:
    """Which Runs have the least of a figure among those that kept up: several where they read the same."""

    key: str
    runs: Sequence[str]
    text: str


@dataclass(frozen=True)
class RunsVerdict:
    """What to read first. ``overloaded`` Runs are not ranked; ``reservations`` limit the ranking."""

    least: Sequence[Least]
    overloaded: Sequence[str]
    reservations: Sequence[str]

    @property
    def sentences(self) -> list[str]:
        """The verdict in words."""
        sentences = [least.text for least in self.least]
        if self.overloaded:
            verb = "is" if len(self.overloaded) == 1 else "are"
            sentences.append(
                f"{listed(self.overloaded)} could not keep up with the load and {verb} not ranked."
            )
        hint = (
            "iowatt cost compares their dollars; iowatt compare says which differences are more than chance."
        )
        return [*sentences, hint]


def document(runs: Sequence[Run], names: Sequence[str]) -> Document:
    """The comparison of two or more Runs; ``names`` tell them apart."""
    found = verdict(runs, names)
    failed = [
        f"{name}: {said}" for name, run in zip(names, runs, strict=True) for said in Recovery(run).failed
    ]
    return Document(
        key="all",
        kind="runs compared",
        title="Comparison",
        verdict=[*failed, *found.sentences],
        chart=distributions(runs, names),
        sections=[Section("side-by-side", "Side by side", [side_by_side(runs, names)])],
        caveats=caveats([], deciding=found.reservations),
    )


def verdict(runs: Sequence[Run], names: Sequence[str]) -> RunsVerdict:
    """What the figures of two or more ``runs`` say; ``names`` tell them apart. No choice is made."""
    steady = [kept_up(run).kept_up for run in runs]
    ranked = [(name, run) for name, run, kept in zip(names, runs, steady, strict=True) if kept]
    figures = [
        (name, {headline.key: headline for headline in headlines(run.summary)}) for name, run in ranked
    ]
    reservations = []
    keys = list(LEAST)
    if len({run.summary["power_basis"] for _, run in ranked}) > 1:
        keys = ["p95"]
        reservations.append(
            "Some of these Runs have their power at the wall and some at the drives: power and energy do not "
            "compare."
        )
    rates = [run.summary["throughput"]["iops"] or 0.0 for _, run in ranked]
    if rates and max(rates) > SAME_WORK * min(rates):
        reservations.append(
            f"The Runs did different work, {significant(min(rates))} to {significant(max(rates))} requests "
            "per second: response times and power are those of different loads."
        )
    reservations += [f"{name}: {text}." for name, run in ranked for text in warm_starts(run)]
    least = [_least(key, [(name, by_key[key]) for name, by_key in figures]) for key in keys]
    overloaded = [name for name, kept in zip(names, steady, strict=True) if not kept]
    return RunsVerdict([found for found in least if found is not None], overloaded, reservations)


def _least(key: str, by_run: Sequence[tuple[str, Headline]]) -> Least | None:
    """The least of a figure; None where fewer than two Runs have it."""
    known = sorted(
        ((headline.value, name, headline) for name, headline in by_run if headline.value is not None),
        key=lambda item: item[0],
    )
    if len(known) < 2:
        return None
    best, (most, worst, _) = known[0][2], known[-1]
    holders = [name for _, name, headline in known if headline.shown == best.shown]
    quantity = LEAST[key]
    if len(holders) == len(known):
        return Least(key, holders, f"All have the same {quantity}, {best.shown}.")
    highest = f"(highest: {worst}, {with_unit(most, best.unit)})"
    return Least(key, holders, f"Lowest {quantity}: {listed(holders)}, {best.shown} {highest}.")


def side_by_side(runs: Sequence[Run], names: Sequence[str]) -> Figure:
    """Headline figures, a row for each, in plain units; with their change against the first Run."""
    by_run = [headlines(run.summary) for run in runs]
    rows: list[list[Cell]] = []
    for row in zip(*by_run, strict=True):
        base = row[0]
        title = f"{base.title} ({base.unit})" if base.unit else base.title
        changes = (_compared(headline.value, base.value) for headline in row[1:])
        rows.append([title, _compared(base.value, None), *changes])
    rows += _system_rows(runs)
    return Figure(
        "comparison",
        "Headline figures",
        "Changes are against the first Run. Which are more than chance: iowatt compare.",
        Table([Column("Figure", text=True), *map(Column, names)], rows),
        wide=True,
        brief=True,
    )


def _system_rows(runs: Sequence[Run]) -> list[list[Cell]]:
    """Usable capacity and the probability of data loss, as far as any of the Runs has them."""
    usable = [run.summary["capacity_gb"]["usable"] for run in runs]
    rows: list[list[Cell]] = []
    if any(usable):
        known = [None if gb is None else gb / 1e3 for gb in usable]
        rows.append(["Usable capacity (TB)", *_against_first(known)])
    losses = [loss_of_run(run) for run in runs]
    if any(loss is not None for loss in losses):
        shown = [None if loss is None else Labelled(loss, numbers.probability(loss)) for loss in losses]
        rows.append(["Data loss a year", *shown])
    return rows


def _against_first(values: Sequence[float | None]) -> list[Cell]:
    """Figures with their change against the first."""
    return [_compared(value, values[0] if at else None) for at, value in enumerate(values)]


def _compared(value: float | None, base: float | None) -> Cell:
    """A figure with its change against the first Run's."""
    if value is None:
        return None
    changed = f" ({change(value / base - 1)})" if base else ""
    return Labelled(value, f"{significant(value)}{changed}")


def distributions(runs: Sequence[Run], names: Sequence[str]) -> Figure:
    """Response-time distributions of all Runs in one chart."""
    styles = zip(names, palette.of_systems(names), runs, strict=True)
    lines: list[latency.Line] = [
        (name, colour, _DASHES[number % len(_DASHES)], latency.points(run.table("latency")))
        for number, (name, colour, run) in enumerate(styles)
    ]
    columns = [Column("Run", text=True), Column("Response time up to", "ms"), Column("Finished within", "%")]
    return Figure(
        "comparison-distribution",
        "Response times of all runs",
        "Share of requests that finished within a response time; further left is faster.",
        Table(columns, [[name, *point[:2]] for name, _, _, kept in lines for point in kept]),
        latency.spec(lines, 1, latency.within_axis()),
        wide=True,
    )
