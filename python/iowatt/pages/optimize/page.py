"""The page of `iowatt optimize`: one HTML file in which the space can be explored; it needs nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from iowatt.evaluate.search.optimize import explanation
from iowatt.evaluate.search.optimize.result_view import Explored
from iowatt.lenses.findings import Finding
from iowatt.pages.optimize import text
from iowatt.pages.optimize.figures import by_axis, choice, lines, screen, view
from iowatt.pages.optimize.figures.points import POINTS, Points, table
from iowatt.render import html, numbers
from iowatt.render.figure import Figure
from iowatt.render.headline import Headline

if TYPE_CHECKING:
    import polars as pl

    from iowatt.evaluate.search.optimize.outcome import Outcome
    from iowatt.evaluate.search.optimize.problem import Problem

Sections = Sequence[tuple[str, str, Sequence[Figure]]]

FIRST_ROWS: Final = 60
"""Rows of the table of points in the page as it is written; the script shows more on request."""


@dataclass(frozen=True)
class Counted(Headline):
    """A headline that is a whole number."""

    @property
    def shown(self) -> str:
        """The number as it is."""
        return f"{numbers.count(self.value)}\u00a0{self.unit}"


@dataclass(frozen=True)
class Page:
    """What the page says, before any markup."""

    title: str
    meta: str
    lead: Sequence[str]
    headlines: Sequence[Headline]
    findings: Sequence[Finding]
    notes: Sequence[str]
    reasons: Sequence[tuple[str, Sequence[str]]]
    sections: Sections
    provenance: Sequence[tuple[str, str]]
    scenario: str


def of_outcome(found: Outcome, problem: Problem) -> str:
    """The page of an optimization as it is written beside its table."""
    return render(found.document, found.frame, scenario=problem.given.text)


def render(document: Mapping[str, Any], frame: pl.DataFrame, scenario: str = "") -> str:
    """The page of an outcome (``iowatt.optimize/1`` and its frame); ``scenario`` is the scenario's text."""
    explored = Explored(document, frame)
    points = Points(explored)
    page = _compose(explored, points, scenario)
    drawn = {figure.key: figure for _, _, section in page.sections for figure in section}
    more = view.choices(points) | {
        "heights": lines.heights(points),
        "uprights": lines.uprights(points),
        "mostLines": lines.MOST_LINES,
        "rows": FIRST_ROWS,
    }
    return html.render_page(
        "optimize.html",
        drawn,
        more_scripts=("optimize.js",),
        more_data={"explore": more if view.VIEW in drawn else None},
        page=page,
        exploring=view.VIEW,
        table_of_points=POINTS,
        first_rows=FIRST_ROWS,
    )


def _compose(explored: Explored, points: Points, scenario: str) -> Page:
    document = explored.document
    why = document.get("why") or {}
    reasons = _reasons(why)
    every: list[tuple[str, str, Sequence[Figure | None]]] = [
        ("answer", "The answer", [choice.winner(explored), choice.limits(explored, why)]),
        (
            "why",
            "Why it wins" if explored.winner is not None else "What decides",
            [*choice.neighbours(explored, why), choice.shares(explored, why)],
        ),
        (
            "explore",
            "Explore",
            [view.figure(points), lines.figure(points), table(points)]
            if points.rows and explored.goals
            else [],
        ),
        ("by-axis", "By each axis", by_axis.figures(explored)),
        ("estimates", "Estimates", screen.estimates(explored)),
        ("left-out", "What was left out", [screen.became(points), screen.reasons(explored)]),
    ]
    sections = [
        (key, title, drawn)
        for key, title, given in every
        if (drawn := [figure for figure in given if figure is not None]) or (key == "why" and reasons)
    ]
    return Page(
        str(document.get("scenario") or "scenario"),
        _meta(explored),
        _lead(explored),
        _headlines(explored, why),
        _findings(explored, why),
        [*text.rests_on(explored), *(str(note) for note in document.get("notes") or [])],
        reasons,
        sections,
        _provenance(explored),
        scenario,
    )


def _meta(explored: Explored) -> str:
    document = explored.document
    parts = [text.effort(explored), f"method {document.get('method')}" if document.get("method") else ""]
    parts.append(f"iowatt {document['version']}" if document.get("version") else "")
    return " · ".join(part for part in parts if part)


def _lead(explored: Explored) -> list[str]:
    asked = text.asked(explored)
    sentences = [f"Asked: {asked}."]
    if explored.winner is not None:
        by = explored.document.get("winner_by")
        sentences.append(
            f"The winner is point {explored.winner['point']}: {explored.label(explored.winner)}"
            f"{f', {by}' if by and by != 'the only objective' else ''}."
        )
    elif explored.nearest is not None:
        sentences.append(
            f"No point is feasible; point {explored.nearest['point']} "
            f"({explored.label(explored.nearest)}) violates least."
        )
    else:
        sentences.append("No point is feasible.")
    return sentences


def _headlines(explored: Explored, why: Mapping[str, Any]) -> list[Headline]:
    """The winner's figures, the tightest limit, how much was simulated, how far the estimates are off."""
    found = []
    row = explored.winner
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
    slack = [one for one in why.get("constraints") or [] if one["slack_percent"] is not None]
    if slack:
        least = min(slack, key=lambda one: one["slack_percent"])
        remark = f"{least['text']}{', which binds' if least['binds'] else ''}"
        found.append(Headline("slack", "Left to the tightest limit", least["slack_percent"], "%", remark))
    if len(explored.front) > 1:
        found.append(Counted("front", "Points on the front", len(explored.front), "points"))
    space = explored.document.get("space") or {}
    if space.get("simulated") is not None and space.get("size"):
        remark = (
            f"{numbers.percent(space['simulated'] / space['size'])} of {numbers.count(space['size'])} points"
        )
        found.append(Counted("simulated", "Simulated", space["simulated"], "points", remark))
    errors = (explored.document.get("estimator") or {}).get("errors") or {}
    first = explored.goals[0].metric if explored.goals else ""
    if first in errors and errors[first].get("median_percent") is not None:
        beyond = numbers.significant(errors[first].get("p95_percent"), 2)
        remark = f"median, {explanation.title(explored, first)}; 95th percentile {beyond} %"
        found.append(
            Headline("error", "Error of the estimates", errors[first]["median_percent"], "%", remark)
        )
    return found


def _findings(explored: Explored, why: Mapping[str, Any]) -> list[Finding]:
    """What must not be missed."""
    document, found = explored.document, []
    space, estimator = document.get("space") or {}, document.get("estimator") or {}
    if explored.winner is None:
        found.append(Finding("warning", "No point keeps all limits, so there is no winner."))
    found += [Finding("warning", f"The winner: {one}") for one in document.get("warnings") or []]
    found += [Finding("warning", sentence) for sentence in explanation.edges({"axes": [], **why})]
    found.append(Finding("remark", f"{text.proof(explored).capitalize()}."))
    if space.get("failed"):
        found.append(
            Finding(
                "warning", f"{numbers.count(space['failed'])} points failed; the table of reasons says why."
            )
        )
    if estimator and not estimator.get("used"):
        reason = f": {estimator['why_not']}" if estimator.get("why_not") else ""
        found.append(Finding("remark", f"Nothing was screened by the estimator{reason}."))
    return found


_ABOUT: Final = (
    ("", ("station", "constraint", "edge", "spread", "runner-up")),
    ("Other choices, all else the same", ("neighbour",)),
    ("Other choices, all else at its best", ("otherwise",)),
)


def _reasons(why: Mapping[str, Any]) -> list[tuple[str, list[str]]]:
    """The sentences in groups."""
    sentences = why.get("sentences") or []
    groups = [
        (title, [one["text"].replace(" %", "\u00a0%") for one in sentences if one["about"] in kinds])
        for title, kinds in _ABOUT
    ]
    return [(title, group) for title, group in groups if group]


def _provenance(explored: Explored) -> list[tuple[str, str]]:
    document = explored.document
    rows = [
        ("Command", document.get("command")),
        ("Method", document.get("method")),
        ("Seed", document.get("seed")),
        ("Asked", text.asked(explored)),
        ("Points", text.effort(explored)),
    ]
    rows += [
        (f"Axis {', '.join(axis.columns)}", f"{len(axis.settings)} settings: {_listed(axis.settings)}")
        for axis in explored.axes
    ]
    return [(title, str(value)) for title, value in rows if value not in (None, "")]


def _listed(settings: Sequence[str]) -> str:
    few = "; ".join(settings[:20])
    return few if len(settings) <= 20 else f"{few}; ... {settings[-1]}"
