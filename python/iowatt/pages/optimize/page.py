"""The document of an optimization: the winner, why it wins, and the space to explore."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from iowatt.evaluate.search import metrics
from iowatt.evaluate.search.optimize import FIRM, OptimizationView
from iowatt.evaluate.search.optimize.result import Optimization
from iowatt.pages.optimize import explanation
from iowatt.pages.optimize.explanation import Sentence
from iowatt.pages.optimize.figures import choice, screen, view
from iowatt.pages.optimize.figures.points import ExploredPoints, table
from iowatt.render import numbers, write
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Cell, Column, Figure, Table
from iowatt.render.headline import Headline

if TYPE_CHECKING:
    import polars as pl

    from iowatt.evaluate.search.optimize import OptimizationOutcome, SearchProblem

FIRST_ROWS: Final = 60
"""Rows of the table of points in the page as it is written; the script shows more on request."""


@dataclass(frozen=True)
class CountHeadline(Headline):
    """A headline that is a whole number."""

    @property
    def shown(self) -> str:
        """The number as it is."""
        return f"{numbers.count(self.value)}\u00a0{self.unit}"


def report(found: OptimizationOutcome, problem: SearchProblem) -> str:
    """The page as HTML."""
    return write.page([document(found.document, found.frame, problem.given.text)])


def document(found: Optimization, frame: pl.DataFrame, scenario: str = "") -> Document:
    """The document of an outcome and its table; ``scenario`` is the scenario's text."""
    explored = OptimizationView(found, frame)
    points = ExploredPoints(explored)
    why = found.why
    explorable = bool(points.rows and explored.goals)
    said = explanation.sentences(explored, why)
    more = view.choices(points) | {
        "heights": view.heights(points),
        "uprights": view.uprights(points),
        "mostLines": view.MOST_LINES,
        "rows": FIRST_ROWS,
    }
    return Document(
        key="optimize",
        kind="optimization",
        title=found.scenario,
        meta=" · ".join([explanation.effort(explored), f"method {found.method}", f"iowatt {found.version}"]),
        verdict=list(_verdict(explored)),
        chart=view.view_figure(points) if explorable else None,
        headlines=_headlines(explored),
        sections=[
            _section(
                "answer",
                "The answer",
                [choice.winner(explored), choice.limits(explored, why), _front(explored)],
            ),
            _section(
                "why",
                "Why it wins" if explored.winner is not None else "What decides",
                [*choice.neighbours(explored, why), choice.shares(explored, why)],
                _texts(said, but=("otherwise",)),
            ),
            _section(
                "explore", "All points", [view.lines_figure(points), table(points)] if explorable else []
            ),
            _section("by-axis", "By each axis", choice.by_axis(explored)),
            _section("estimates", "Estimates", screen.estimates(explored)),
            _section("left-out", "What was left out", [screen.became(points), screen.reasons(explored)]),
            Section(
                "otherwise",
                "Other choices, all else at its best",
                [],
                [one.text for one in said if one.about == "otherwise"],
                folded=True,
            ),
        ],
        caveats=list(_caveats(found)),
        provenance=_provenance(explored),
        scenario=scenario,
        scripts=("optimize.js",),
        data={"explore": more if explorable else None},
    )


def _section(key: str, title: str, given: Sequence[Figure | None], sentences: Sequence[str] = ()) -> Section:
    return Section(key, title, [figure for figure in given if figure is not None], sentences)


def _texts(said: Sequence[Sentence], but: Sequence[str]) -> list[str]:
    return [one.text.replace(" %", "\u00a0%") for one in said if one.about not in but]


def _verdict(explored: OptimizationView) -> Iterator[str]:
    """The winner with its objectives, or who comes nearest; then what was asked and whether it is proven."""
    row = explored.winner
    if row is not None:
        figures = []
        for goal in explored.goals:
            known = explored.known(row, goal.metric)
            figure = explanation.value(explored, goal.metric, None if known is None else known[0])
            basis = "" if known is None or known[1] in FIRM else " (estimated)"
            figures.append(f"{explanation.title(explored, goal.metric)} {figure}{basis}")
        by = explored.document.winner_by
        chosen = f" It is {by}." if by and by != "the only objective" else ""
        yield f"Point {row['point']} is best: {explored.label(row)}; {', '.join(figures)}.{chosen}"
    elif explored.nearest is not None:
        broken = explored.nearest.get("violated")
        yield (
            f"No point meets all limits; point {explored.nearest['point']} "
            f"({explored.label(explored.nearest)}) comes nearest"
            f"{f': it violates {broken}' if broken else ''}."
        )
    elif explored.rows:
        yield "No point meets all limits."
    else:
        yield "No point was evaluated."
    yield f"Goal: {explanation.problem_text(explored)}. {explanation.proof(explored)}"


def _headlines(explored: OptimizationView) -> list[Headline]:
    """The winner's figures, the tightest limit, how much was simulated, how far the estimates are off."""
    found: list[Headline] = []
    document, row = explored.document, explored.winner
    for at, goal in enumerate(explored.goals if row is not None else []):
        assert row is not None
        known = explored.known(row, goal.metric)
        found.append(
            Headline(
                f"goal-{at}",
                goal.column.title,
                None if known is None else known[0],
                goal.column.unit,
                f"of the winner, {'simulated' if known is None else known[1]}",
            )
        )
    slack = [(one.slack_percent, one) for one in document.why.constraints if one.slack_percent is not None]
    if slack:
        left, least = min(slack, key=lambda pair: pair[0])
        remark = f"{least.text}{', which binds' if least.binds else ''}"
        found.append(Headline("slack", "Margin to the tightest limit", left, "%", remark))
    if len(explored.front) > 1:
        found.append(CountHeadline("front", "Points on the front", len(explored.front), "points"))
    space = document.space
    if space.size:
        remark = f"{numbers.percent(space.simulated / space.size)} of {numbers.count(space.size)} points"
        found.append(CountHeadline("simulated", "Simulated", space.simulated, "points", remark))
    error = document.estimator.errors.get(explored.goals[0].metric) if explored.goals else None
    if error is not None:
        title = explanation.title(explored, explored.goals[0].metric)
        remark = f"median, {title}; 95th percentile {numbers.significant(error.p95_percent, 2)} %"
        found.append(Headline("error", "Error of the estimates", error.median_percent, "%", remark))
    return found


def _front(explored: OptimizationView) -> Figure | None:
    """The front; settings that all its points share are in the caption."""
    if len(explored.front) < 2:
        return None
    every = [explored.by_number[number] for number in explored.front]
    alike = [axis for axis in explored.axes if len({axis.of(row) for row in every}) == 1]
    axes = [axis for axis in explored.axes if axis not in alike]
    columns = [
        metrics.VerbatimColumn("Point"),
        *(Column(axis.name, text=True, rank=1) for axis in axes),
        *(goal.column for goal in explored.goals),
        Column("Mark", text=True),
    ]
    rows: list[list[Cell]] = []
    for row in every:
        marks = [word for word, one in (("winner", explored.winner), ("knee", explored.knee)) if row is one]
        figures = [explored.known(row, goal.metric) for goal in explored.goals]
        rows.append(
            [
                row["point"],
                *(axis.of(row) for axis in axes),
                *(None if known is None else known[0] for known in figures),
                ", ".join(marks),
            ]
        )
    shared = ", ".join(f"{axis.name} {axis.of(every[0])}" for axis in alike)
    caption = "Points that no other point dominates." + (f" All have {shared}." if shared else "")
    return Figure("front", "The front", caption, Table(columns, rows), wide=True, brief=True)


def _caveats(found: Optimization) -> Iterator[Caveat]:
    for warning in found.warnings:
        yield Caveat(f"the winner: {warning.text}", warning.decides)
    if found.pricing is not None:
        yield Caveat(explanation.dollars(found.pricing), decides=True)
    if found.basis:
        yield Caveat(found.basis)
    for note in found.notes:
        yield Caveat(note.text, note.decides)
    if not found.estimator.used:
        reason = f": {found.estimator.why_not}" if found.estimator.why_not else ""
        yield Caveat(f"points were not screened by the estimator{reason}")


def _provenance(explored: OptimizationView) -> list[tuple[str, str]]:
    document = explored.document
    rows = [
        ("Command", document.command or ""),
        ("Method", document.method),
        ("Seed", str(document.seed)),
        ("Asked", explanation.problem_text(explored)),
        ("Points", explanation.effort(explored)),
    ]
    rows += [
        (f"Axis {', '.join(axis.columns)}", f"{len(axis.settings)} settings: {_listed(axis.settings)}")
        for axis in explored.axes
    ]
    return [(title, value) for title, value in rows if value]


def _listed(settings: Sequence[str]) -> str:
    few = "; ".join(settings[:20])
    return few if len(settings) <= 20 else f"{few}; ... {settings[-1]}"
