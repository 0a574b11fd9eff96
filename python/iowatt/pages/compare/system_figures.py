"""Figures of several systems side by side: what each does, against the first, and response times of all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from iowatt.lenses.compare.result import NO_VERDICT, BeforeAfter, DifferenceRow, Interval, SideFigures
from iowatt.lenses.compare.systems.result import ComparedSystem, SystemsCompared
from iowatt.lenses.evidence import joined
from iowatt.pages.compare import words
from iowatt.render import numbers, palette, plot
from iowatt.render.figure import Cell, Column, Figure, Labelled, Table, axis, layout, plain, text_columns

_COLUMNS: Final = {
    "mean": ("Mean", 2), "p50": ("p50", 3), "p95": ("p95", 0), "p99": ("p99", 0),
    "iops": ("Throughput", 1), "power_w": ("Power", 0), "joules_per_request": ("Energy per request", 0),
}  # fmt: skip
"""Figures whose difference from the baseline is shown, with the rank of their column."""

_EQUAL: Final = {
    ("work",): "At equal work",
    ("usable capacity",): "At equal capacity",
    ("work", "usable capacity"): "At equal work, capacity",
}
"""Heads of the column of power on equal terms."""

_IN_A_WORD: Final = {"not distinguishable": "chance", NO_VERDICT: "not testable"}


def by_label(found: SystemsCompared) -> dict[str, BeforeAfter]:
    """The comparison of each system but the baseline."""
    others = [one.label for one in found.systems if one.label != found.baseline]
    return dict(zip(others, found.pairs, strict=True))


def ranked_by(found: SystemsCompared) -> str:
    """The statistic of response times that is ranked."""
    return "p95" if found.level is None else found.level.of


def at_equal(found: SystemsCompared) -> str:
    """``at equal work and usable capacity``; empty where neither differs."""
    unequal = found.terms.unequal
    return f"at equal {' and '.join(unequal)}" if unequal else ""


def side_by_side(found: SystemsCompared) -> Figure:
    """Response times, work, power and capacity, a row for each system."""
    shown, equal = found.systems, at_equal(found)
    apart = any(one.not_ranked for one in shown)
    times = list(dict.fromkeys(("p50", "p95", "p99", ranked_by(found))))
    bases = {one.power_basis for one in shown if one.power_w is not None}
    offered = any(one.done_share is not None for one in shown)
    doubted = any(one.tail_doubt for one in shown)
    columns = [
        *text_columns("System", *(["Ranked"] if apart else [])),
        *(Column({"mean": "Mean"}.get(name, name), rank=2 if name == "p50" else 0) for name in times),
        *([Column("Done", "%")] if offered else []), Column("Power"),
        *([Column(_EQUAL[tuple(found.terms.unequal)])] if equal else []), Column("Usable"),
        Column("Energy per request", rank=1), Column("Throughput", rank=1),
        Column("Data loss per year", rank=3),
        *([Column("Tail", text=True, rank=4)] if doubted else []),
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [
            one.label, *(["no" if one.not_ranked else "yes"] if apart else []),
            *(_cell(one.response_time_ms.named(name), "ms") for name in times),
            *([words.percent(one.done_share)] if offered else []), _cell(one.power_w, "W"),
            *([_cell(one.power_equal_w, "W")] if equal else []), _cell(one.usable_tb, "TB"),
            _cell(one.joules_per_request, "J"), _cell(one.iops, "IOPS"), _loss(one),
            *(["not checked" if one.tail_doubt else "checked"] if doubted else []),
        ]
        for one in shown
    ]  # fmt: skip
    notes = [" Done: requests completed of those offered."] if offered else []
    if len(bases) == 1:
        notes.append(f" Power is {'at the wall' if bases == {'wall'} else 'of the drives'}.")
    doubt = joined(one.tail_doubt for one in shown)
    return Figure(
        "side-by-side", "Side by side",
        f"What each system did under its load.{''.join(notes)}{_of_so_many(found)}",
        Table(columns, rows), wide=True, brief=True, remarks=[words.sentence(doubt)] if doubt else [],
    )  # fmt: skip


def _cell(value: float | None, unit: str) -> Cell:
    """A figure in a unit that suits it: an overloaded system answers in seconds, others in milliseconds."""
    return None if value is None else Labelled(value, numbers.with_unit(value, unit))


def _of_so_many(found: SystemsCompared) -> str:
    """What power at equal amounts is of."""
    amounts = "; ".join(
        f"{one.label} {numbers.significant(one.copies)}" for one in found.systems if one.copies is not None
    )
    return f" Power {at_equal(found)} counts, of each system, {amounts}." if at_equal(found) else ""


def _loss(one: ComparedSystem) -> Cell:
    loss = one.loss_per_year
    return None if loss is None else Labelled(loss, numbers.probability(loss))


def against(found: SystemsCompared) -> Figure | None:
    """The difference of each system from the baseline and its verdict; None where all are withheld."""
    told = {label: pair for label, pair in by_label(found).items() if not pair.withheld}
    if not told:
        return None
    shown = dict(_COLUMNS)
    shown.setdefault(ranked_by(found), (ranked_by(found), 0))
    known = {row.metric for pair in told.values() for row in pair.differences}
    columns = [
        *text_columns("System"),
        *(Column(title, rank=rank) for key, (title, rank) in shown.items() if key in known),
    ]
    rows: list[list[Cell]] = []
    for label, pair in told.items():
        by = {row.metric: row for row in pair.differences}
        rows.append([label, *(_difference(by.get(key)) for key in shown if key in known)])
    pairs = numbers.counted(found.comparisons, "comparison")
    return Figure(
        "against", f"Against {found.baseline}",
        "\u201cBetter\u201d and \u201cworse\u201d are significant, with all figures of all systems taken "
        f"together ({pairs}); \u201cchance\u201d is not significant, \u201cnot testable\u201d is not "
        "\u201cno difference\u201d. Power and energy are as run, not at equal work or capacity.",
        Table(columns, rows), wide=True, brief=True,
    )  # fmt: skip


def _difference(row: DifferenceRow | None) -> Cell:
    """``−55.1 % better``."""
    if row is None or row.change is None:
        return None
    change = numbers.change(row.change)
    if change == numbers.SAME:
        return change
    return f"{change} {_IN_A_WORD.get(row.verdict, row.verdict)}"


def trade(found: SystemsCompared) -> Figure | None:
    """Response time against power of every ranked system, with the intervals of both."""
    of, equal = ranked_by(found), at_equal(found)
    if not any(one.metric == "power_equal_w" for one in found.lowest):
        return None
    colours = dict(zip(labels(found), palette.of_systems(labels(found)), strict=True))
    rows: list[list[Cell]] = []
    traces = []
    for one in found.systems:
        time, watts = one.response_time_ms.named(of), one.power_equal_w
        if one.not_ranked or one.response_not_ranked or time is None or watts is None:
            continue
        copies = one.copies or 1.0
        times, powers = _interval(found, one.label, of), _interval(found, one.label, "power_w")
        powers = None if powers is None else (powers[0] * copies, powers[1] * copies)
        colour = colours[one.label]
        rows.append([one.label, watts, *(powers or (None, None)), time, *(times or (None, None))])
        traces.append(
            plot.markers(
                [watts], [time], name=plain(one.label), colour=colour, size=11,
                hover="%{x:,.4~r} W, %{y:,.4~r} ms<extra>%{fullData.name}</extra>",
                error_x=_bar(watts, powers, colour), error_y=_bar(time, times, colour),
            )
        )  # fmt: skip
    if len(rows) < 2:
        return None
    power, level = f"Mean power {equal}".strip(), found.level
    columns = [
        *text_columns("System"), Column(power, "W"), Column("From", "W"), Column("To", "W"),
        Column(of, "ms"), Column("from", "ms"), Column("to", "ms"),
    ]  # fmt: skip
    shapes = [] if level is None else [plot.reference_line(y=level.within_ms, dash="dash")]
    line = "" if level is None else " Dashed: the service level."
    return Figure(
        "trade", "Response time and power",
        f"Lower and further left is better; bars are {100 * found.asked.confidence:g} % intervals of each "
        f"system, where known.{line}",
        Table(columns, rows),
        plot.chart(
            traces, axis(f"{power} (W)"), axis(f"{of} response time (ms)", rangemode="tozero"),
            showlegend=True, shapes=shapes,
        ),
        wide=True,
    )  # fmt: skip


def labels(found: SystemsCompared) -> list[str]:
    """The names of all systems."""
    return [one.label for one in found.systems]


def _interval(found: SystemsCompared, label: str, metric: str) -> Interval | None:
    """The interval of a system's own figure, from its comparison with the baseline; None where not known."""
    pairs = by_label(found)
    if label in pairs:
        return next((row.interval_after for row in pairs[label].differences if row.metric == metric), None)
    own = (row.interval_before for pair in found.pairs for row in pair.differences if row.metric == metric)
    return next((one for one in own if one is not None), None)


def _bar(middle: float, ends: Interval | None, colour: str) -> dict[str, Any]:
    if ends is None:
        return {"visible": False}
    return {
        "type": "data", "symmetric": False, "color": colour, "thickness": 2, "width": 5,
        "array": [max(0.0, ends[1] - middle)], "arrayminus": [max(0.0, middle - ends[0])],
    }  # fmt: skip


def distribution(found: SystemsCompared) -> Figure | None:
    """Cumulative distributions of the response times of all systems."""
    first = found.pairs[0].distribution.before
    curves = {label: pair.distribution.after for label, pair in by_label(found).items()}
    curves = {label: curves.get(label, first) for label in labels(found)}
    if not any(curves.values()):
        return None
    colours = palette.of_systems(list(curves))
    rows: list[list[Cell]] = [
        [label, point[0], 100 * point[1], 100 * point[2]]
        for label, points in curves.items()
        for point in points
    ]
    traces = [
        plot.line(
            [point[0] for point in points], [100 * point[1] for point in points], name=plain(label),
            colour=colour, width=2, dash=("solid", "dash", "dot", "dashdot")[at % 4],
            hover="%{x:,.4~r} ms: %{y:.4~r} %<extra>%{fullData.name}</extra>",
        )
        for at, ((label, points), colour) in enumerate(zip(curves.items(), colours, strict=True))
    ]  # fmt: skip
    columns = [
        *text_columns("System"), Column("Response time up to", "ms"), Column("Finished within", "%"),
        Column("Took longer", "%"),
    ]  # fmt: skip
    x = axis("Response time (ms, log scale)", type="log")
    return Figure(
        "distribution", "Response times of all systems",
        "Share of requests that finished within a response time; further left is faster.",
        Table(columns, rows),
        plot.spec(traces, layout(x, axis("Finished within (%)", range=[0, 101]), showlegend=True)),
        wide=True,
    )  # fmt: skip


def changed(found: SystemsCompared) -> Figure | None:
    """The keys of the plans in which systems differ from the baseline."""
    rows: list[list[Cell]] = [
        [label, one.key, words.short(one.before), words.short(one.after)]
        for label, pair in by_label(found).items()
        for one in pair.changed.listed
    ]
    more = {label: pair.changed.keys - len(pair.changed.listed) for label, pair in by_label(found).items()}
    if not rows:
        return None
    return Figure(
        "changed", "What differs", "Differences between the resolved plans, seeds excepted.",
        Table(text_columns("System", "Key", found.baseline, "Here"), rows),
        remarks=[f"{label}: {number} more keys differ." for label, number in more.items() if number],
        wide=True,
    )  # fmt: skip


def runs(found: SystemsCompared) -> Figure:
    """The Runs of every system."""
    sides = {label: pair.after for label, pair in by_label(found).items()}
    rows: list[list[Cell]] = [
        [label, run.path or run.name, run.source, str(run.seed), run.window_s, run.requests, run.loop]
        for label in labels(found)
        for run in _side(sides.get(label), found).runs
    ]
    columns = [
        *text_columns("System", "Run", "Source", "Seed"), Column("Window", "s"), Column("Requests"),
        *text_columns("Loop"),
    ]  # fmt: skip
    return Figure("runs", "The Runs", "What is compared.", Table(columns, rows), wide=True)


def _side(known: SideFigures | None, found: SystemsCompared) -> SideFigures:
    return found.pairs[0].before if known is None else known


def each(found: SystemsCompared) -> Iterator[tuple[str, Figure, Sequence[str]]]:
    """Each comparison in full: its table, and what was remarked on it."""
    from dataclasses import replace

    from iowatt.pages.compare import differences

    for number, (label, pair) in enumerate(by_label(found).items(), 1):
        table = differences.table(pair)
        title = f"{label} against {found.baseline}"
        yield (
            label,
            replace(table, key=f"differences-{number}", title=title, brief=False),
            words.remarks(pair),
        )
