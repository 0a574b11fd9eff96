"""Figures of what each system costs: by group, by component, and under the other horizon."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from iowatt.lenses.cost.result import Cost, CostComponent, HorizonUsed, SystemCost, View
from iowatt.pages.cost import words
from iowatt.render import numbers
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain

#: Components shown one by one; beyond, those that are alike are added up.
_MOST: Final = 60


def groups(found: Cost) -> Figure:
    """Stacked bars of each system's groups; a row of the table is a group."""
    names, systems = words.labels(found), found.systems
    shown = words.shown_groups(systems)
    hidden = [words.withheld(found, system) for system in systems]
    rows: list[list[Cell]] = [
        [
            words.NAMES[group],
            *(None if hide else one.by_group.get(group) for one, hide in zip(systems, hidden, strict=True)),
        ]
        for group in shown
    ]
    rows.append(["Total", *(None if hide else one.usd for one, hide in zip(systems, hidden, strict=True))])
    if words.discounted(found):
        present = (None if hide else one.present_usd for one, hide in zip(systems, hidden, strict=True))
        rows.append(["Total in USD of today", *present])
    if any(system.usd is None for system in systems):
        known = (None if hide else one.known_usd for one, hide in zip(systems, hidden, strict=True))
        rows.append(["What has a price", *known])
    data = [
        {
            "type": "bar",
            "orientation": "h",
            "name": words.NAMES[group],
            "y": [plain(name) for name in names],
            "x": [
                0.0 if hide else one.by_group.get(group) or 0.0
                for one, hide in zip(systems, hidden, strict=True)
            ],
            "marker": {"color": words.COLOURS[group]},
            "hovertemplate": "%{y}: %{x:,.4~r} USD<extra>%{fullData.name}</extra>",
        }
        for group in shown
    ]
    drawn = layout(
        axis("Cost over the horizon (USD)"), _systems_axis(), barmode="relative", showlegend=True,
        bargap=0.35,
    )  # fmt: skip
    caption = f"{words.sentence(found.horizon.said)}, as it is paid."
    if any(system.usd is None for system in systems):
        caption += " Of a system without a total only what has a price is drawn."
    if found.choice.excluded:
        caption += f" No candidate: {', '.join(one.system for one in found.choice.excluded)}."
    if "credit" in shown:
        caption += " Credits are left of zero."
    return Figure(
        "groups", "What each system costs, USD", caption,
        Table([Column("Group", text=True), *(Column(name) for name in names)], rows),
        {"data": data, "layout": drawn}, wide=True, brief=True,
    )  # fmt: skip


class _Significant(Column):
    """Figures of very different size, each with three significant digits."""

    def show(self, cell: Cell) -> str:
        """The cell as a person reads it."""
        return numbers.significant(cell) if isinstance(cell, float) else super().show(cell)


def systems(found: Cost) -> Figure:
    """Totals beside what is got for them, a row for each system."""
    excluded = bool(found.choice.excluded)
    compared = bool(found.comparison)
    responses = {
        title: [getattr(one.work, key) for one in found.systems] for title, key in words.RESPONSES.items()
    }
    responses = {
        title: times for title, times in responses.items() if any(time is not None for time in times)
    }
    bases = {one.power_basis for one in found.systems}
    power = f"Power ({bases.pop()})" if len(bases) == 1 else "Power"
    columns = [
        Column("System", text=True),
        *([Column("Candidate", text=True)] if excluded else []),
        Column("Total", "USD"),
        *([Column(f"Against {found.choice.baseline}", "%", rank=1)] if compared else []),
        *(_Significant("Mean" if title == "mean" else title, "ms", rank=1) for title in responses),
        Column(power, "W", rank=2),
        Column("Usable", "TB", rank=3),
        Column("Per usable TB", "USD", rank=1 if found.choice.capacities_differ else 4),
        Column("Work done", "times", rank=5), Column("Lasts", "years", rank=4),
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [
            name,
            *(["no" if words.no_candidate(found, one) else "yes"] if excluded else []),
            None if words.withheld(found, one) else one.usd,
            *([_percent(share)] if compared else []),
            *(times[at] for times in responses.values()),
            one.work.energy_j / one.work.duration_s,
            _terabytes(one),
            None if words.withheld(found, one) else one.usd_per_usable_tb,
            one.repeats, one.years,
        ]
        for at, (name, one, share) in enumerate(
            zip(words.labels(found), found.systems, words.against(found), strict=True)
        )
    ]  # fmt: skip
    return Figure(
        "systems", "What is got for it",
        "Response times, power and capacity beside the totals. Power is the mean of the work.",
        Table(columns, rows), wide=True, brief=True,
    )  # fmt: skip


def _terabytes(system: SystemCost) -> float | None:
    gigabytes = system.capacity_gb.usable
    return None if gigabytes is None else gigabytes / 1000


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _systems_axis() -> dict[str, Any]:
    """Systems from above downwards, in the order in which they were given."""
    return axis("", type="category", autorange="reversed")


def other(found: Cost) -> Figure:
    """Both normalisations side by side, a pair of bars for each system."""
    names = words.labels(found)
    here = _said(found.horizon)
    there = _said(found.other.horizon)
    columns = [
        Column("System", text=True),
        Column(f"{here}: work done", "times"), Column("lasts", "years"), Column("total", "USD"),
        Column(f"{there}: work done", "times"), Column("lasts", "years"), Column("total", "USD"),
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [
            name, one.repeats, one.years, None if words.withheld(found, one) else one.usd,
            same.repeats, same.years, same.usd,
        ]
        for name, one, same in zip(names, found.systems, found.other.systems, strict=True)
    ]  # fmt: skip
    data = [
        {
            "type": "bar",
            "name": said,
            "x": [plain(name) for name in names],
            "y": [row[at] for row in rows],
            "marker": {"color": colour},
            "hovertemplate": "%{x}: %{y:,.4~r} USD<extra>%{fullData.name}</extra>",
        }
        for said, at, colour in ((here, 3, "#4f7ca8"), (there, 6, "#a9b2bc"))
    ]
    caption = (
        f"{words.sentence(found.horizon.said)}, beside {found.other.horizon.said}: a slow "
        "system does equal work in more time, in equal time it does less work."
    )
    drawn = layout(axis("", type="category"), axis("Total (USD)"), showlegend=True)
    return Figure(
        "other", "Equal work and equal time", caption, Table(columns, rows), {"data": data, "layout": drawn}
    )


def _said(horizon: HorizonUsed) -> str:
    return "Equal work" if horizon.basis == "work" else "Equal time"


def views(found: Cost) -> Figure | None:
    """The views by which others compare storage, a row each."""
    names, systems = words.labels(found), found.systems
    keys: dict[str, View] = {}
    for system in systems:
        for view in system.views:
            keys.setdefault(view.key, view)
    if not keys:
        return None
    rows: list[list[Cell]] = []
    for key, view in keys.items():
        cells: list[Cell] = [
            next((one.value for one in system.views if one.key == key), None) for system in systems
        ]
        rows.append([view.title, view.unit, *cells, view.formula, view.source, view.note])
    columns = [
        Column("View", text=True), Column("Unit", text=True), *(Column(name) for name in names),
        Column("Formula", text=True), Column("Source", text=True), Column("Note", text=True),
    ]  # fmt: skip
    return Figure(
        "views", "Dollars and carbon for what is got", "The same total, over what it buys.",
        Table(columns, rows), wide=True,
    )  # fmt: skip


def components(found: Cost) -> Figure:
    """Every component with its formula; those of many like drives added up."""
    rows: list[list[Cell]] = []
    remarks: list[str] = []
    for name, system in zip(words.labels(found), found.systems, strict=True):
        shown = system.components
        if len(shown) > _MOST:
            shown = _joined(system)
            remarks.append(f"{name}: components of like drives are added up; the workbook has each.")
        rows += [
            [
                name, words.NAMES[one.group], one.title, one.usd, one.quantity, one.unit,
                one.unit_price, one.formula, one.source, one.date or "", one.note,
            ]
            for one in shown
        ]  # fmt: skip
    columns = [
        Column("System", text=True), Column("Group", text=True), Column("Component", text=True),
        Column("Amount", "USD"), Column("Quantity"), Column("Unit", text=True), Column("Price", "USD/unit"),
        Column("Formula", text=True), Column("Source", text=True), Column("Date", text=True),
        Column("Note", text=True),
    ]  # fmt: skip
    return Figure(
        "components", "Every component", "What it is computed from, and by whose figures.",
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
    for ones in joined.values():
        first = ones[0]
        if len(ones) > 1:
            drive = drives[first.device or ""]
            first = first.model_copy(
                update={
                    "title": f"{len(ones)} x {drive.model} ({drive.pool})",
                    "usd": _sum([one.usd for one in ones]),
                    "quantity": _sum([one.quantity for one in ones]),
                }
            )
        shown.append(first)
    return shown


def _sum(values: Sequence[float | None]) -> float | None:
    """None where one is not known."""
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None
