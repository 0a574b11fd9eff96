"""Figures of the calculator's page, each with its table."""

from __future__ import annotations

from typing import Any

import numpy as np

from iowatt.model.power.calculator import ACTIVITIES
from iowatt.model.power.efficiency import Curve
from iowatt.model.power.supplies import MODES
from iowatt.pages.power.text import group
from iowatt.render import palette
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain

_IDLE, _ACTIVE = palette.STATE_COLOURS["idle"], palette.STATE_COLOURS["active"]
_COLOURS = {"normal": "#0072b2", "redundant": "#009e73", "failover": "#d55e00"}
_MARKS = {"idle": "circle-open", "active": "circle"}


def totals(found: dict[str, Any]) -> Figure:
    """The answer: watts, volt-amperes and heat by mode."""
    columns = [
        Column("Operation", text=True), Column("Array", text=True), Column("Power", "W"),
        Column("Apparent power", "VA"), Column("Heat", "BTU/h"), Column("Cooling", "tons"),
        Column("Supply losses", "W"),
    ]  # fmt: skip
    if found["pue"] is not None:
        columns.append(Column(f"Building, PUE {found['pue']:g}", "W"))
    rows: list[list[Cell]] = []
    for mode in MODES:
        for how in ACTIVITIES:
            total = found["modes"][mode][how]
            keys = ["wall_w", "va", "btu_per_h", "tons", "loss_w"]
            keys += [] if found["pue"] is None else ["facility_w"]
            rows.append([mode, how, *(total[key] for key in keys)])
    return Figure(
        "totals",
        "At the wall",
        "Normal: the supplies share as configured. Redundant: all carry the load alike. Failover: the "
        "redundant ones are lost, the needed ones carry all, and fans run at their failover speed.",
        Table(columns, rows),
        wide=True,
    )


def components(found: dict[str, Any]) -> Figure:
    """Bars of idle and active watts by component."""
    rows: list[list[Cell]] = []
    total = {how: found["modes"]["normal"][how]["wall_w"] for how in ACTIVITIES}
    for part in found["components"]:
        drawn = part["watts"]
        idle, active = drawn["normal"]["idle"], drawn["normal"]["active"]
        share = 100 * active / total["active"] if total["active"] else None
        kept = drawn["failover"]["active"]
        rows.append([part["name"], part["kind"], part["what"], part["count"], idle, active, share, kept])
    table = Table(
        [
            Column("Component", text=True), Column("Kind", text=True), Column("Model or law", text=True),
            Column("Count"), Column("Idle", "W"), Column("Active", "W"), Column("Share, active", "%"),
            Column("Active, failover", "W"),
        ],
        rows,
    )  # fmt: skip
    names = [plain(str(name)) for name in table.column("Component")]
    bars = [
        {
            "type": "bar",
            "orientation": "h",
            "name": title,
            "y": names,
            "x": table.column(title),
            "marker": {"color": colour},
            "hovertemplate": "%{y}: %{x:,.4~r} W<extra>%{fullData.name}</extra>",
        }
        for title, colour in (("Active", _ACTIVE), ("Idle", _IDLE))
    ]
    return Figure(
        "components",
        "By component",
        "All of each component together, normal operation. Drives and parts are what they draw from their "
        "supplies, or at the wall where that is how they are known; the supplies are their losses.",
        table,
        {
            "data": bars,
            "layout": layout(
                axis("Power (W)", rangemode="tozero"),
                axis("", autorange="reversed", ticks="", ticksuffix=" "),
                barmode="group",
                showlegend=True,
                height=max(300, 90 + 42 * len(names)),
            ),
        },
        wide=True,
    )


def supplies(found: dict[str, Any]) -> Figure | None:
    """Efficiency curves with the loads of the fullest enclosure of each kind."""
    supplied = [enclosure for enclosure in found["enclosures"] if enclosure["supply"]]
    if not supplied:
        return None
    rows: list[list[Cell]] = []
    data: list[dict[str, Any]] = []
    loads = np.linspace(0.02, 1.0, 99)
    drawn: set[str] = set()
    for enclosure in supplied:
        supply = enclosure["supply"]
        curve = Curve(tuple((load, eta) for load, eta in supply["points"]))
        shown = supply["efficiency"]
        if str(supply["points"]) not in drawn:
            drawn.add(str(supply["points"]))
            data.append(
                {
                    "type": "scatter", "mode": "lines", "name": plain(shown), "x": (100 * loads).tolist(),
                    "y": [100 * curve.efficiency(float(load)) for load in loads],
                    "line": {"color": palette.RUNS[-len(drawn) % len(palette.RUNS)], "width": 1.5},
                    "hovertemplate": "%{x:.3~r} % load: %{y:.4~r} %<extra></extra>",
                }
            )  # fmt: skip
        for mode in MODES:
            for how in ACTIVITIES:
                state = supply["fullest"][mode][how]
                efficiency = None if state["efficiency"] is None else 100 * state["efficiency"]
                rows.append(
                    [enclosure["name"], mode, how, state["output_w"], 100 * state["load"], efficiency]
                )
    for mode in MODES:
        for how in ACTIVITIES:
            points = [row for row in rows if row[1] == mode and row[2] == how]
            data.append(
                {
                    "type": "scatter", "mode": "markers", "name": f"{mode}, {how}",
                    "x": [row[4] for row in points], "y": [row[5] for row in points],
                    "text": [plain(str(row[0])) for row in points],
                    "marker": {"color": _COLOURS[mode], "symbol": _MARKS[how], "size": 11},
                    "hovertemplate": "%{text}: %{x:.3~r} % load, %{y:.4~r} %<extra>%{fullData.name}</extra>",
                }
            )  # fmt: skip
    columns = [
        Column("Enclosure", text=True), Column("Operation", text=True), Column("Array", text=True),
        Column("Output", "W"), Column("Load of one", "%"), Column("Efficiency", "%"),
    ]  # fmt: skip
    kinds = "; ".join(f"{enclosure['name']}: {_described(enclosure['supply'])}" for enclosure in supplied)
    return Figure(
        "supplies",
        "Supplies",
        "Efficiency by load, and where the supplies of the fullest enclosure of each kind run. In active and "
        "standby the draw of those that stand by counts as loss.",
        Table(columns, rows),
        {
            "data": data,
            "layout": layout(
                axis("Load of one supply (% of its rating)", range=[0, 102]),
                axis("Efficiency (%)"),
                showlegend=True,
            ),
        },
        [kinds],
        wide=True,
    )


def _described(supply: dict[str, Any]) -> str:
    return (
        f"{supply['count']} x {supply['rating_w']:g} W, {supply['needed']} needed, {supply['sharing']}, "
        f"{supply['efficiency']}"
    )


def start(found: dict[str, Any]) -> Figure | None:
    """Power while the drives are started."""
    spin_up = found["spin_up"]
    if spin_up is None:
        return None
    timed = spin_up["duration_s"] is not None
    steps = spin_up["steps"]
    table = Table(
        [Column("Time", "s") if timed else Column("Step"), Column("Power", "W")],
        [[float(at), float(watts)] for at, watts in steps],
    )
    said = f"{group(spin_up)}." if spin_up["at_once"] else "All drives at once."
    return Figure(
        "start",
        "Switching on",
        f"Power at the wall while the drives start. {said} The other parts idle.",
        table,
        {
            "data": [
                {
                    "type": "scatter", "mode": "lines", "x": [*(at for at, _ in steps), 1.05 * steps[-1][0]],
                    "y": [*(watts for _, watts in steps), steps[-1][1]],
                    "line": {"shape": "hv", "color": palette.STATE_COLOURS["spin_up"]},
                    "hovertemplate": "%{y:,.5~r} W<extra></extra>",
                }
            ],
            "layout": layout(
                axis("Time (s)" if timed else "Step (its length is not known)"),
                axis("Power (W)", rangemode="tozero"),
                showlegend=False,
            ),
        },
        wide=True,
    )  # fmt: skip
