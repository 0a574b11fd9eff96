"""What `iowatt optimize` found, for a terminal: at most 110 characters wide."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from iowatt.evaluate.search.optimize import explanation
from iowatt.evaluate.search.optimize.result_view import FIRM, Explored, Row, number
from iowatt.pages.cost.words import years
from iowatt.render import numbers
from iowatt.render.phrases import listed

if TYPE_CHECKING:
    import polars as pl

WIDE: Final = 110
_PERCENT: Final = re.compile("([0-9]) %")
FRONT_ROWS: Final = 20
_SENTENCES: Final = 16
_CELL: Final = 26
_HEAD: Final = 10
USABLE: Final = "capacity_gb.usable"


def lines(document: Mapping[str, Any], frame: pl.DataFrame) -> Iterator[str]:
    """All of it: what was asked and how much was simulated, the winner, the front, why, what it rests on."""
    explored = Explored(document, frame)
    yield from _head(explored)
    yield ""
    if explored.winner is None:
        yield from _nothing(explored)
    else:
        yield from _winner(explored, explored.winner)
    for said in rests_on(explored):
        yield from _wrapped(said, "note: ")
    if len(explored.front) > 1:
        yield ""
        yield from _front(explored)
    yield from _why(document.get("why") or {})
    yield from _estimator(explored)
    if notes := document.get("notes"):
        yield ""
        for note in notes:
            yield from _wrapped(str(note), "note: ")


def _why(why: Mapping[str, Any]) -> Iterator[str]:
    """What is told here of why: all but what insisting on another setting would cost, which the page has."""
    short = [one["text"] for one in why.get("sentences") or [] if one["about"] != "otherwise"]
    if not short:
        return
    yield ""
    yield "Why"
    for sentence in short[:_SENTENCES]:
        yield from _wrapped(sentence, "- ")
    if len(short) > _SENTENCES:
        yield "  (the page says more)"


def asked(explored: Explored) -> str:
    """The problem in a sentence."""
    goals = [
        f"{'maximize' if goal.maximize else 'minimize'} {explanation.title(explored, goal.metric)}"
        for goal in explored.goals
    ]
    said = listed(goals) or "nothing"
    if explored.limits:
        said += f" with {listed([limit.text for limit in explored.limits])}"
    judged = explored.document.get("judged") or {}
    if judged.get("within_ms") is not None:
        statistic = {"mean": "mean "}.get(judged.get("statistic") or "mean", f"{judged['statistic']} ")
        said += (
            f", each point at its highest rate within a {statistic}response time "
            f"of {numbers.significant(judged['within_ms'])} ms"
        )
    return said


def effort(explored: Explored) -> str:
    """How large the space is and what was done of it."""
    space = explored.document.get("space") or {}
    size, simulated = space.get("size"), space.get("simulated")
    parts = []
    if simulated is not None:
        share = f" ({numbers.percent(simulated / size)} of {numbers.count(size)} points)" if size else ""
        parts.append(f"{numbers.count(simulated)} simulated{share}")
    elif size is not None:
        parts.append(f"{numbers.count(size)} points")
    names = {
        "estimated": "estimated",
        "known_infeasible": "known to be infeasible before",
        "pruned": "pruned by bounds",
        "refused": "cannot be built",
        "failed": "failed",
        "untouched": "not looked at",
    }
    parts += [f"{numbers.count(space[key])} {name}" for key, name in names.items() if space.get(key)]
    return ", ".join(parts)


def proof(explored: Explored) -> str:
    """Whether the winner is proven to be the best."""
    if explored.document.get("proof") == "exact":
        return (
            "proven: every point was simulated, cannot be built, or cannot be on the front by its bounds"
            if explored.winner is not None or explored.front
            else "proven: no point of the space is feasible"
        )
    return "not proven: points that nobody simulated may be better"


def settings(explored: Explored, row: Row) -> list[tuple[str, str]]:
    """The settings of a point."""
    return [(axis.name, axis.of(row)) for axis in explored.axes]


def capacity(explored: Explored, row: Row) -> list[tuple[str, str]]:
    """The usable capacity of a point, where no objective or constraint says it."""
    known = None if USABLE in explored.metrics else explored.known(row, USABLE)
    return (
        []
        if known is None
        else [(explored.column(USABLE).title, explanation.value(explored, USABLE, known[0]))]
    )


def rests_on(explored: Explored) -> list[str]:
    """What dollars (of the winner, or of the point nearest to feasible) and watts rest on, a line each."""
    pricing, basis = explored.document.get("pricing"), explored.document.get("basis")
    return [*([_dollars(pricing)] if pricing else []), *([str(basis)] if basis else [])]


def _dollars(pricing: Mapping[str, Any]) -> str:
    """Over how long, at what price of electricity, and what has a price."""
    horizon, price = pricing["horizon"], pricing["usd_per_kwh"]
    work = horizon["basis"] == "work"
    over = f"the same work {horizon['amount']:,.6g} times" if work else years(horizon["amount"])
    parts = [f"costs are those of {over}", f"electricity by tariff {pricing['tariff']}"]
    if price is not None:
        parts[-1] += f", {numbers.significant(price, 4)} $/kWh"
    if pricing["drives_only"]:
        parts.append("prices of drives only")
    elif pricing["unpriced"]:
        parts.append(f"without prices of {listed(pricing['unpriced'])}")
    return "; ".join(parts)


def constraint_rows(explored: Explored, row: Row) -> list[tuple[str, str, str]]:
    """Each constraint at a point: its text, the value, and what is left."""
    found = []
    for limit in explored.limits:
        known = explored.limited(row, limit)
        value = None if known is None else known[0]
        slack = limit.slack(value)
        held = limit.holds(value)
        if slack is None:
            left = {True: "kept", False: "broken", None: "not known"}[held]
        else:
            figure = explanation.value(explored, limit.metric, abs(slack))
            percent = f" ({numbers.percent(abs(slack / float(limit.value)))})" if limit.value else ""
            left = f"{figure}{percent} {'left' if slack >= 0 else 'beyond the limit'}"
        if known is not None and known[1] not in FIRM:
            left += ", estimated"
        found.append(
            (limit.text, explanation.value(explored, limit.metric, value, beside=number(limit.value)), left)
        )
    return found


def _head(explored: Explored) -> Iterator[str]:
    document = explored.document
    yield from _wrapped(f"{document.get('scenario') or 'scenario'}: {asked(explored)}")
    axes = [f"{axis.name} ({numbers.count(len(axis.settings))})" for axis in explored.axes]
    yield from _wrapped(f"space: {' x '.join(axes) or 'no axis'}", hanging="       ")
    if done := effort(explored):
        yield from _wrapped(f"points: {done}", hanging="        ")
    method = document.get("method")
    seed = f", seed {document['seed']}" if document.get("seed") is not None and method == "search" else ""
    yield from _wrapped(f"method: {method or 'not said'}{seed}; {proof(explored)}", hanging="        ")


def _winner(explored: Explored, row: Row) -> Iterator[str]:
    by = explored.document.get("winner_by")
    yield from _wrapped(f"Winner: point {row['point']}{f' ({by})' if by else ''}")
    pairs = settings(explored, row)
    for goal in explored.goals:
        known = explored.known(row, goal.metric)
        figure = explanation.value(explored, goal.metric, None if known is None else known[0])
        if known is not None and known[1] not in FIRM:
            figure += " (estimated)"
        pairs.append((goal.column.title, figure))
    pairs += capacity(explored, row)
    wide = max((len(name) for name, _ in pairs), default=0)
    for name, figure in pairs:
        yield from _wrapped(f"  {name:<{wide}}  {_plain(figure)}", hanging=" " * (wide + 4))
    yield from _constraints(explored, row)
    for warning in explored.document.get("warnings") or []:
        yield from _wrapped(str(warning), "warning: ")


def _constraints(explored: Explored, row: Row) -> Iterator[str]:
    rows = constraint_rows(explored, row)
    if not rows:
        return
    wide = [max(len(cells[at]) for cells in rows) for at in (0, 1)]
    for text, figure, left in rows:
        yield from _wrapped(f"  {text:<{wide[0]}}  {_plain(figure):>{wide[1]}}  {_plain(left)}")


def _nothing(explored: Explored) -> Iterator[str]:
    if explored.rows:
        yield "No point is feasible."
    else:
        yield "No point was looked at."
    row = explored.nearest
    if row is None:
        return
    yield from _wrapped(f"Nearest: point {row['point']}, {explored.label(row)}")
    if explored.limits:
        yield from _constraints(explored, row)
    if row.get("violated"):
        yield from _wrapped(f"  violates: {row['violated']}", hanging="  ")


def _front(explored: Explored) -> Iterator[str]:
    """The front as a table; settings that all its points share are said once."""
    every = [explored.by_number[number] for number in explored.front]
    rows = _chosen(explored)
    shown = len(rows)
    alike = [axis for axis in explored.axes if len({axis.of(row) for row in every}) == 1]
    axes = [axis for axis in explored.axes if axis not in alike]
    head = f"Front: {len(every)} points" + (f", {shown} of them" if shown < len(every) else "")
    if alike:
        head += f", all with {listed([f'{axis.name} {axis.of(every[0])}' for axis in alike])}"
    yield from _wrapped(head, hanging="       ")
    cells = [["point", *(axis.name for axis in axes), *(goal.column.heading for goal in explored.goals), ""]]
    for row in rows:
        marks = [word for word, one in (("winner", explored.winner), ("knee", explored.knee)) if row is one]
        figures = [
            numbers.significant(None if (known := explored.known(row, g.metric)) is None else known[0], 4)
            for g in explored.goals
        ]
        cells.append([str(row["point"]), *(axis.of(row) for axis in axes), *figures, ", ".join(marks)])
    yield from _table(cells)


def _chosen(explored: Explored) -> list[Row]:
    total = len(explored.front)
    if total <= FRONT_ROWS:
        kept = list(range(total))
    else:
        marked = {
            at
            for at, n in enumerate(explored.front)
            if explored.by_number[n] in (explored.winner, explored.knee)
        }
        even = {round(at * (total - 1) / (FRONT_ROWS - 3)) for at in range(FRONT_ROWS - 2)}
        kept = sorted(marked | even)
    return [explored.by_number[explored.front[at]] for at in kept]


def _table(cells: Sequence[Sequence[str]]) -> Iterator[str]:
    """Columns under headings of several lines; what does not fit on a line is left to the table that is
    written.
    """
    rows = [[_short(_plain(cell), _CELL) for cell in row] for row in cells[1:]]
    widths = [max([0, *(len(row[at]) for row in rows)]) for at in range(len(cells[0]))]
    heads = [
        textwrap.wrap(_short(_plain(head), 3 * _CELL), _broad(head, width), break_on_hyphens=False) or [""]
        for head, width in zip(cells[0], widths, strict=True)
    ]
    widths = [max(width, *map(len, head)) for width, head in zip(widths, heads, strict=True)]
    kept = list(range(len(widths)))
    while sum(widths[at] + 2 for at in kept) > WIDE and len(kept) > 3:
        del kept[-2]
    high = max(len(heads[at]) for at in kept)
    lines = [[([""] * high + head)[-high:][line] for head in heads] for line in range(high)]
    for row in [*lines, *rows]:
        shown = [f"{row[at]:>{widths[at]}}" for at in kept[:-1]] + [row[kept[-1]]]
        yield f"  {'  '.join(shown)}".rstrip()[:WIDE]
    if len(kept) < len(widths):
        yield f"  ({len(widths) - len(kept)} more columns are in the table that is written)"


def _broad(head: str, width: int) -> int:
    """The width of a heading: of its cells, or of its longest word."""
    return max([width, _HEAD, *map(len, head.split())])


def _estimator(explored: Explored) -> Iterator[str]:
    found = explored.document.get("estimator") or {}
    if not found:
        return
    yield ""
    if not found.get("used"):
        yield from _wrapped(f"estimator: not used{_why_not(found)}")
        return
    errors = found.get("errors") or {}
    pilots = f", {numbers.count(found['pilots'])} simulations of single drives" if found.get("pilots") else ""
    yield from _wrapped(
        f"estimator against simulation over {numbers.count(found.get('points'))} points{pilots}:"
        + ("" if errors else " nothing to compare"),
    )
    names = {metric: explanation.title(explored, metric) for metric in errors}
    wide = max((len(name) for name in names.values()), default=0)
    for metric, error in errors.items():
        yield from _wrapped(f"  {names[metric]:<{wide}}  {_plain(error_line(error))}")


def error_line(error: Mapping[str, Any]) -> str:
    """The errors of an estimate in a line."""
    parts = [
        f"{name} {numbers.significant(error[key], 2)} %"
        for key, name in (
            ("median_percent", "median"),
            ("p95_percent", "95th percentile"),
            ("worst_percent", "worst"),
        )
        if error.get(key) is not None
    ]
    bias = error.get("bias_percent")
    if bias is not None:
        parts.append(
            f"bias {'+' if bias > 0 else '−' if bias < 0 else ''}{numbers.significant(abs(bias), 2)} %"
        )
    return ", ".join(parts) or "not known"


def _why_not(found: Mapping[str, Any]) -> str:
    return f": {found['why_not']}" if found.get("why_not") else ""


def _plain(text: str) -> str:
    return text.replace("\u00a0", " ")


def _short(text: str, most: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 3] + "..."


def _wrapped(text: str, lead: str = "", hanging: str | None = None) -> Iterator[str]:
    """A sentence on as many lines as it needs, those after the first indented."""
    indent = len(text) - len(text.lstrip(" "))
    plain = _plain(text)
    wrapped = textwrap.wrap(
        _PERCENT.sub("\\1\u00a0%", plain.strip() if lead else plain),
        WIDE,
        initial_indent=lead,
        subsequent_indent=hanging if hanging is not None else " " * (len(lead) or indent + 2 * bool(indent)),
        break_on_hyphens=False,
        drop_whitespace=True,
        replace_whitespace=False,
    )
    yield from map(_plain, wrapped or [lead.rstrip()])
