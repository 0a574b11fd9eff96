"""Several Runs side by side: every headline with its change. What is more than chance: `pages.compare`."""

from __future__ import annotations

from collections.abc import Sequence
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
from iowatt.render.numbers import change, significant
from iowatt.render.phrases import listed

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

HINT: Final = (
    "Which differences are more than chance, and which system is ahead at equal work and capacity: "
    "iowatt compare. Their dollars: iowatt cost."
)

_DASHES: Final = ("solid", "dash", "dot", "dashdot")


def document(runs: Sequence[Run], names: Sequence[str]) -> Document:
    """Two or more Runs side by side, without a ranking; ``names`` tell them apart."""
    behind = overloaded(runs, names)
    late = [f"{listed(behind)} did not keep up with the load."] if behind else []
    failed = [
        f"{name}: {said}" for name, run in zip(names, runs, strict=True) for said in Recovery(run).failed
    ]
    return Document(
        key="all",
        kind="runs side by side",
        title="Side by side",
        verdict=[*failed, *late, HINT],
        chart=distributions(runs, names),
        sections=[Section("side-by-side", "Figures", [side_by_side(runs, names)])],
        caveats=caveats([], deciding=reservations(runs, names)),
    )


def overloaded(runs: Sequence[Run], names: Sequence[str]) -> list[str]:
    """The names of Runs that could not keep up with their load."""
    return [name for run, name in zip(runs, names, strict=True) if not kept_up(run).kept_up]


def reservations(runs: Sequence[Run], names: Sequence[str]) -> list[str]:
    """What makes figures of several Runs hard to set beside each other."""
    found = []
    if len({run.summary["power_basis"] for run in runs}) > 1:
        found.append(
            "Some of these Runs have their power at the wall and some at the drives: power and energy do not "
            "compare."
        )
    return found + [
        f"{name}: {text}." for name, run in zip(names, runs, strict=True) for text in warm_starts(run)
    ]


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
        rows.append(["Data loss per year", *shown])
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
