"""Figures of what each system costs: by group, by component, and under the other horizon."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from iowatt.lenses.cost.result import Cost, CostComponent, CostRatio, SystemCost
from iowatt.lenses.evidence import joined
from iowatt.pages.cost import words
from iowatt.pages.rebuilds import SHORT, in_short, longest
from iowatt.render import numbers, plot
from iowatt.render.figure import (
    Cell,
    Column,
    Figure,
    Labelled,
    Significant,
    Table,
    axis,
    layout,
    plain,
    text_columns,
)

#: Most components shown singly; of more, like ones are added up.
_MOST: Final = 60
_HOVER_X: Final = "%{y}: %{x:,.4~r} USD<extra>%{fullData.name}</extra>"
_HOVER_Y: Final = "%{x}: %{y:,.4~r} USD<extra>%{fullData.name}</extra>"


def _risks(cost: Cost) -> tuple[list[Column], list[list[Cell]]]:
    """Columns of the probability of data loss and of the rebuild that it rests on; the cells by system."""
    if all(one.loss_over_horizon is None for one in cost.systems):
        return [], [[] for _ in cost.systems]
    lives = {numbers.years(one.years) for one in cost.systems}
    period = lives.pop() if len(lives) == 1 else "the horizon"
    slowest = [longest(one.rebuilds) for one in cost.systems]
    bases = {one.basis for one in slowest if one is not None}
    title = f"Rebuild, {SHORT[next(iter(bases))]}" if len(bases) == 1 else "Rebuild"
    cells: list[list[Cell]] = []
    for one, rebuild in zip(cost.systems, slowest, strict=True):
        loss, time = one.loss_over_horizon, None
        if rebuild is not None:
            said = numbers.duration(rebuild.seconds) if len(bases) == 1 else in_short(rebuild)
            time = Labelled(rebuild.seconds, said)
        cells.append([None if loss is None else Labelled(loss, numbers.probability(loss)), time])
    return [Column(f"Data loss in {period}", rank=2), Column(title, rank=4)], cells


def groups(cost: Cost) -> Figure:
    """Stacked bars of each system's groups; a row of the table is a group."""
    names = words.labels(cost)
    shown = words.shown_groups(cost.systems)
    systems = [None if words.withheld(cost, system) else system for system in cost.systems]
    rows: list[list[Cell]] = [
        [words.GROUP_TITLES[group], *(None if one is None else one.by_group.get(group) for one in systems)]
        for group in shown
    ]
    sums = [("Total", "usd")]
    if equal := words.at_equal(cost):
        sums.append((words.sentence(equal), "usd_equal"))
    if words.discounted(cost):
        sums.append(("Total in USD of today", "present_usd"))
    unpriced = any(system.usd is None for system in cost.systems)
    if unpriced:
        sums.append(("Priced parts", "known_usd"))
    rows += [[title, *(None if one is None else getattr(one, key) for one in systems)] for title, key in sums]
    many = [1.0 if one is None or not equal else one.copies or 1.0 for one in systems]
    labels = [
        f"{name} (not a candidate)" if words.no_candidate(cost, system) else name
        for name, system in words.named(cost)
    ]
    traces = [
        plot.bar(
            [
                0.0 if one is None else copies * (one.by_group.get(group) or 0.0)
                for one, copies in zip(systems, many, strict=True)
            ],
            [plain(name) for name in labels], name=words.GROUP_TITLES[group],
            colour=words.GROUP_COLOURS[group], hover=_HOVER_X, orientation="h",
        )
        for group in shown
    ]  # fmt: skip
    drawn = layout(
        axis(f"Cost over the horizon{f', {equal}' if equal else ''} (USD)"), words.SYSTEMS_AXIS,
        barmode="relative", showlegend=True, bargap=0.35,
    )  # fmt: skip
    caption = f"{words.sentence(cost.horizon.said)}, as paid."
    if unpriced:
        caption += " A system without a total shows only its priced parts."
    if equal:
        caption += f" Bars are {equal}: {_so_many(cost)}."
    if cost.choice.excluded:
        caption += f" Not candidates: {', '.join(one.system for one in cost.choice.excluded)}."
    if "credit" in shown:
        caption += " Credits are left of zero."
    return Figure(
        "groups", "What each system costs, USD", caption,
        Table([*text_columns("Group"), *(Column(name) for name in names)], rows), plot.spec(traces, drawn),
        wide=True, brief=True,
    )  # fmt: skip


def _so_many(cost: Cost) -> str:
    """How many of each are compared on equal terms."""
    each = ", ".join(
        f"{numbers.significant(one.copies)} of {one.name}" for one in cost.systems if one.copies is not None
    )
    return f"as many of each as {words.amounts(cost, verbs=True)}, {each}"


def _tail(system: SystemCost) -> str:
    if not system.modelled:
        return "measured"
    return "not checked" if system.work.tail_doubt else "checked"


def systems(cost: Cost) -> Figure:
    """Totals with response times, power, capacity and the risk of losing data, a row for each system."""
    excluded, compared = bool(cost.choice.excluded), bool(cost.comparison)
    equal = words.at_equal(cost)
    responses = {
        title: [getattr(one.work, key) for one in cost.systems] for title, key in words.RESPONSES.items()
    }
    responses = {title: times for title, times in responses.items() if set(times) != {None}}
    doubted = "p95" in responses and any(one.work.tail_doubt for one in cost.systems)
    bases = {one.power_basis for one in cost.systems}
    risk_columns, risks = _risks(cost)
    columns = [
        *text_columns("System", *(["Candidate"] if excluded else [])), Column("Total", "USD"),
        *([Column(words.sentence(equal), "USD", rank=1)] if equal else []),
        *([Column(f"Against {cost.choice.baseline}", "%", rank=3)] if compared else []),
        *(
            Significant("Mean", "ms", rank=2) if title == "mean" else Significant(title, "ms")
            for title in responses
        ),
        *([Column("Tail", text=True, rank=4)] if doubted else []),
        Column(f"Power ({bases.pop()})" if len(bases) == 1 else "Power", "W"),
        Column("Usable", "TB"), *risk_columns,
        Column("Per usable TB", "USD", rank=4 if cost.choice.capacities_differ else 5),
        Column("Work done", "times", rank=6), Column("Lasts", "years", rank=5),
    ]  # fmt: skip
    rows: list[list[Cell]] = []
    for at, ((name, one), share) in enumerate(zip(words.named(cost), words.against(cost), strict=True)):
        shown, usable = not words.withheld(cost, one), one.capacity_gb.usable
        rows.append(
            [
                name, *(["no" if words.no_candidate(cost, one) else "yes"] if excluded else []),
                one.usd if shown else None, *([one.usd_equal if shown else None] if equal else []),
                *([None if share is None else 100 * share] if compared else []),
                *(times[at] for times in responses.values()), *([_tail(one)] if doubted else []),
                one.work.energy_j / one.work.duration_s,
                None if usable is None else usable / 1000, *risks[at],
                one.usd_per_usable_tb if shown else None, one.repeats, one.years,
            ]
        )  # fmt: skip
    caption = "Totals with response times, mean power under load, capacity, and risk of data loss."
    if equal and compared:
        caption += f" The share against {cost.choice.baseline} is {equal}."
    if doubted:
        why = joined(one.work.tail_doubt for one in cost.systems)
        caption += f" Tail: whether the device models were checked against measured tails ({why})."
    return Figure(
        "systems", "What the money buys", caption,
        Table(columns, rows), wide=True, brief=True,
    )  # fmt: skip


def other(cost: Cost) -> Figure:
    """Both horizons, a pair of bars for each system."""
    bases = {"work": "Equal work", "time": "Equal time"}
    titles = [bases[horizon.basis] for horizon in (cost.horizon, cost.other.horizon)]
    columns = [
        *text_columns("System"),
        *(
            column
            for title in titles
            for column in (
                Column(f"{title}: work done", "times"), Column("lasts", "years"), Column("total", "USD")
            )
        ),
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [
            name, one.repeats, one.years, None if words.withheld(cost, one) else one.usd,
            same.repeats, same.years, same.usd,
        ]
        for (name, one), same in zip(words.named(cost), cost.other.systems, strict=True)
    ]  # fmt: skip
    names = [plain(name) for name in words.labels(cost)]
    traces = [
        plot.bar(names, [row[at] for row in rows], name=title, colour=colour, hover=_HOVER_Y)
        for title, at, colour in zip(titles, (3, 6), ("#4f7ca8", "#a9b2bc"), strict=True)
    ]
    caption = (
        f"{words.sentence(cost.horizon.said)}, and {cost.other.horizon.said}: a slow system takes longer for "
        "equal work, and does less in equal time."
    )
    drawn = layout(axis("", type="category"), axis("Total (USD)"), showlegend=True)
    return Figure(
        "other", "Equal work and equal time", caption, Table(columns, rows), plot.spec(traces, drawn)
    )


def views(cost: Cost) -> Figure | None:
    """Common ratios of storage costs, a row each."""
    keys: dict[str, CostRatio] = {}
    for system in cost.systems:
        for view in system.views:
            keys.setdefault(view.key, view)
    if not keys:
        return None
    rows: list[list[Cell]] = []
    for key, view in keys.items():
        values = [
            next((one.value for one in system.views if one.key == key), None) for system in cost.systems
        ]
        rows.append([view.title, view.unit, *values, view.formula, view.source, view.note])
    columns = [
        *text_columns("View", "Unit"), *(Column(name) for name in words.labels(cost)),
        *text_columns("Formula", "Source", "Note"),
    ]  # fmt: skip
    return Figure(
        "views", "Ratios of dollars and carbon", "The total over what it buys.",
        Table(columns, rows), wide=True,
    )  # fmt: skip


def components(cost: Cost) -> Figure:
    """Every component with its formula; those of like drives are added up where there are many."""
    rows: list[list[Cell]] = []
    remarks: list[str] = []
    for name, system in words.named(cost):
        shown = system.components
        if len(shown) > _MOST:
            shown = _joined(system)
            remarks.append(f"{name}: components of like drives are added up; the workbook has each.")
        rows += [
            [
                name, words.GROUP_TITLES[one.group], one.title, one.usd, one.quantity, one.unit,
                one.unit_price, one.formula, one.source, one.date or "", one.note,
            ]
            for one in shown
        ]  # fmt: skip
    columns = [
        *text_columns("System", "Group", "Component"), Column("Amount", "USD"), Column("Quantity"),
        *text_columns("Unit"), Column("Price", "USD/unit"),
        *text_columns("Formula", "Source", "Date", "Note"),
    ]  # fmt: skip
    return Figure(
        "components", "Every component", "The figures it is computed from, and their sources.",
        Table(columns, rows), remarks=remarks, wide=True,
    )  # fmt: skip


def _joined(system: SystemCost) -> list[CostComponent]:
    """Components of drives of one pool and model added up, in order of appearance."""
    drives = {one.name: one for one in system.drives}
    joined: dict[tuple[object, ...], list[CostComponent]] = {}
    for one in system.components:
        drive = drives.get(one.device or "")
        kind = one.key if drive is None else (drive.pool, drive.model, one.key.split(":")[0])
        joined.setdefault((kind, one.group, one.formula, one.unit, one.unit_price), []).append(one)
    shown = []
    for like in joined.values():
        first = like[0]
        if len(like) > 1:
            drive = drives[first.device or ""]
            update = {
                "title": f"{len(like)} x {drive.model} ({drive.pool})",
                "usd": _sum([one.usd for one in like]),
                "quantity": _sum([one.quantity for one in like]),
            }
            first = first.model_copy(update=update)
        shown.append(first)
    return shown


def _sum(values: Sequence[float | None]) -> float | None:
    """None where one is not known."""
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None
