"""Figures of what each system costs: by group, by component, and the other way round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from iowatt.pages.cost import words
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain

Found = dict[str, Any]

#: Components shown one by one; beyond, those that are alike are added up.
_MOST: Final = 60


def groups(found: Found) -> Figure:
    """Stacked bars of each system's groups."""
    names, systems = words.labels(found), found["systems"]
    shown = words.shown_groups(systems)
    present = words.discounted(found)
    columns = [
        Column("System", text=True), *(Column(words.NAMES[group], "USD") for group in shown),
        Column("Total", "USD"), *([Column("Present value", "USD")] if present else []),
        Column("Usable capacity", "TB"), Column("Total per usable TB", "USD/TB"),
        *([Column("Candidate", text=True)] if found["choice"]["excluded"] else []),
        *([Column(f"Against {found['choice']['baseline']}", "%")] if found["comparison"] else []),
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [
            name, *_usd(found, system, shown, present), _terabytes(system),
            None if words.withheld(found, system) else system["usd_per_usable_tb"],
            *(["no" if words.no_candidate(found, system) else "yes"] if found["choice"]["excluded"] else []),
            *([_percent(share)] if found["comparison"] else []),
        ]
        for name, system, share in zip(names, systems, words.against(found), strict=True)
    ]  # fmt: skip
    data = [
        {
            "type": "bar",
            "orientation": "h",
            "name": words.NAMES[group],
            "y": [plain(name) for name in names],
            "x": [0.0 if words.withheld(found, s) else s["by_group"].get(group) or 0.0 for s in systems],
            "marker": {"color": words.COLOURS[group]},
            "hovertemplate": "%{y}: %{x:,.4~r} USD<extra>%{fullData.name}</extra>",
        }
        for group in shown
    ]
    drawn = layout(
        axis("USD over the horizon"), _systems_axis(), barmode="relative", showlegend=True, bargap=0.35
    )
    caption = f"{words.sentence(found['horizon']['said'])}, as it is paid."
    if any(system["usd"] is None for system in systems):
        caption += " Of a system without a total only what has a price is drawn."
    if found["choice"]["excluded"]:
        named = ", ".join(one["system"] for one in found["choice"]["excluded"])
        caption += f" No candidate: {named}."
    if "credit" in shown:
        caption += " Credits stand left of zero."
    return Figure(
        "groups", "What each system costs", caption, Table(columns, rows), {"data": data, "layout": drawn},
        wide=True,
    )  # fmt: skip


def _usd(found: Found, system: Found, shown: Sequence[str], present: bool) -> list[Cell]:
    """Dollars by group, in total and of today; none of those that would flatter."""
    usd = [*(system["by_group"].get(group) for group in shown), system["usd"]]
    usd += [system["present_usd"]] if present else []
    return [None] * len(usd) if words.withheld(found, system) else usd


def _terabytes(system: Found) -> float | None:
    gigabytes = system["capacity_gb"]["usable"]
    return None if gigabytes is None else gigabytes / 1000


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _systems_axis() -> dict[str, Any]:
    """Systems from above downwards, in the order in which they were given."""
    return axis("", type="category", autorange="reversed")


def other(found: Found) -> Figure:
    """Both normalisations side by side, a pair of bars for each system."""
    names = words.labels(found)
    here = _said(found["horizon"])
    there = _said(found["other"]["horizon"])
    columns = [
        Column("System", text=True),
        Column(f"{here}: work done", "times"), Column("lasts", "years"), Column("total", "USD"),
        Column(f"{there}: work done", "times"), Column("lasts", "years"), Column("total", "USD"),
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [
            name, one["repeats"], one["years"], None if words.withheld(found, one) else one["usd"],
            same["repeats"], same["years"], same["usd"],
        ]
        for name, one, same in zip(names, found["systems"], found["other"]["systems"], strict=True)
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
        f"{words.sentence(found['horizon']['said'])}, beside {found['other']['horizon']['said']}: a slow "
        "system does equal work in more time, in equal time it does less work."
    )
    drawn = layout(axis("", type="category"), axis("Total (USD)"), showlegend=True)
    return Figure(
        "other", "Equal work and equal time", caption, Table(columns, rows), {"data": data, "layout": drawn}
    )


def _said(horizon: Found) -> str:
    return "Equal work" if horizon["basis"] == "work" else "Equal time"


def views(found: Found) -> Figure | None:
    """The views by which others compare storage, a row each."""
    names, systems = words.labels(found), found["systems"]
    keys: dict[str, Found] = {}
    for system in systems:
        for view in system["views"]:
            keys.setdefault(view["key"], view)
    if not keys:
        return None
    rows: list[list[Cell]] = []
    for key, view in keys.items():
        cells: list[Cell] = [
            next((one["value"] for one in system["views"] if one["key"] == key), None) for system in systems
        ]
        rows.append([view["title"], view["unit"], *cells, view["formula"], view["source"], view["note"]])
    columns = [
        Column("View", text=True), Column("Unit", text=True), *(Column(name) for name in names),
        Column("Formula", text=True), Column("Source", text=True), Column("Note", text=True),
    ]  # fmt: skip
    return Figure(
        "views", "Dollars and carbon for what is got", "The same total, over what it buys.",
        Table(columns, rows), wide=True,
    )  # fmt: skip


def components(found: Found) -> Figure:
    """Every component with its formula; those of many like drives added up."""
    rows: list[list[Cell]] = []
    remarks: list[str] = []
    for name, system in zip(words.labels(found), found["systems"], strict=True):
        shown = system["components"]
        if len(shown) > _MOST:
            shown = _joined(system)
            remarks.append(f"{name}: components of like drives are added up; the workbook has each.")
        rows += [
            [
                name, words.NAMES[one["group"]], one["title"], one["usd"], one["quantity"], one["unit"],
                one["unit_price"], one["formula"], one["source"], one["date"] or "", one["note"],
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


def _joined(system: Found) -> list[Found]:
    """Components of drives of one pool and model added up, in order of appearance."""
    drives = {one["name"]: one for one in system["drives"]}
    joined: dict[tuple[object, ...], list[Found]] = {}
    for one in system["components"]:
        drive = drives.get(one["device"])
        kind = one["key"] if drive is None else (drive["pool"], drive["model"], one["key"].split(":")[0])
        joined.setdefault((kind, one["group"], one["formula"], one["unit"], one["unit_price"]), []).append(
            one
        )
    shown = []
    for ones in joined.values():
        first = ones[0]
        if len(ones) > 1:
            drive = drives[first["device"]]
            known = all(one["quantity"] is not None for one in ones)
            first = {
                **first,
                "title": f"{len(ones)} x {drive['model']} ({drive['pool']})",
                "usd": None if any(one["usd"] is None for one in ones) else sum(one["usd"] for one in ones),
                "quantity": sum(one["quantity"] for one in ones) if known else None,
            }
        shown.append(first)
    return shown
