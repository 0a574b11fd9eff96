"""What ``iowatt power`` shows: an array's power, idle and active, with and without redundancy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from iowatt.model.power import CONTROLLERS, MODES, Mode
from iowatt.model.power.result import ACTIVITIES, CalculatedPower, DriveStart, EnclosureKind, Supply
from iowatt.render import numbers, palette, plot
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain
from iowatt.render.headline import Headline

_IDLE, _ACTIVE = palette.STATE_COLOURS["idle"], palette.STATE_COLOURS["active"]
_COLOURS = {"normal": "#0072b2", "redundant": "#009e73", "failover": "#d55e00"}
_MINUS = "\u2212"
_SAME_W = 0.05
_MARKS = {"idle": "circle-open", "active": "circle"}


def document(found: CalculatedPower) -> Document:
    """The document of an array's power."""
    supplies = _supplies(found)
    start = found.spin_up
    return Document(
        key="power",
        kind="power at the wall",
        title=found.name,
        meta=_meta(found),
        verdict=list(_verdict(found)),
        chart=_components(found),
        headlines=list(_headlines(found)),
        sections=[
            Section("totals", "At the wall", [_totals(found)]),
            Section("failures", "With a part failed", [_failures(found)] if found.failures else []),
            Section("start", "Switching on", [] if start is None else [_start(start)]),
            Section("supplies", "Power supplies", [] if supplies is None else [supplies], folded=True),
        ],
        caveats=[Caveat(note.text, note.decides) for note in found.notes],
        provenance=[(f"source {number}", source) for number, source in enumerate(found.sources, 1)],
    )


def _verdict(found: CalculatedPower) -> Iterator[str]:
    normal = found.modes["normal"]
    idle, active = (_watts(normal[how].wall_w) for how in ACTIVITIES)
    drawn = f"The system draws {idle} idle and {active} active at the wall"
    bare = [one for one in found.enclosures if one.supply is not None and not one.has_redundancy]
    if _has_failover(found):
        failover = _watts(found.modes["failover"]["active"].wall_w)
        yield f"{drawn}; {failover} active after losing the redundant supplies ({_cause(found)})."
    else:
        yield f"{drawn}."
    if bare:
        some = f" of {', '.join(one.name for one in bare)}" if _has_failover(found) else ""
        none = "" if some else "there is no failover, and "
        yield f"No power supply{some} is redundant: {none}losing one is an outage."
    controllers = [one for one in found.failures if one.kind in CONTROLLERS]
    if controllers:
        worst = max(controllers, key=lambda one: one.total["active"].wall_w)
        at = ", ".join(f"{_watts(worst.total[how].wall_w)} {how}" for how in ACTIVITIES)
        fans = worst.total["idle"].wall_w > normal["idle"].wall_w
        faster = " (fans run faster)" if fans else ""
        yield f"With {worst.count - 1} of {worst.count} {worst.component} left: {at}{faster}."
    if found.raw_gb_per_w:
        yield f"Ready idle: {numbers.significant(found.raw_gb_per_w, 4)} GB/W raw."
    start = found.spin_up
    if start is not None:
        took = "" if start.duration_s is None else f" in {numbers.duration(start.duration_s)}"
        at_once = "" if start.at_once is None else f"; all at once {_watts(start.at_once_peak_w)}"
        yield (
            f"Starting the drives takes at most {_watts(start.peak_w)}, {_together(start)}{took}{at_once}."
        )


def _has_failover(found: CalculatedPower) -> bool:
    return any(one.has_redundancy for one in found.enclosures)


def _modes(found: CalculatedPower) -> tuple[Mode, ...]:
    """Operations that differ: without redundant supplies there is one."""
    return MODES if _has_failover(found) else ("normal",)


def _cause(found: CalculatedPower) -> str:
    """What makes the difference of failover: fans at their failover speed, and losses of the supplies."""
    fans = losses = 0.0
    for one in found.components:
        more = one.watts["failover"]["active"] - one.watts["normal"]["active"]
        losses += more if one.kind == "supply loss" else 0.0
        fans += 0.0 if one.kind == "supply loss" else more
    shares = [(fans, "fans at failover speed"), (losses, "supply losses")]
    changes = [(watts, what) for watts, what in shares if abs(watts) >= _SAME_W]
    said = [
        f"{what} {'+' if watts > 0 else _MINUS}{numbers.with_unit(abs(watts), 'W')}"
        for watts, what in changes
    ]
    return ", ".join(said) or "no difference"


def _watts(value: float) -> str:
    """Watts that can be compared with each other: never in kW."""
    return f"{numbers.significant(value, 4)} W"


def _together(start: DriveStart) -> str:
    """How many drives start together."""
    if start.at_once is None:
        return "all drives at once"
    scope = " per enclosure" if start.scope == "enclosure" else ""
    return f"{numbers.counted(start.at_once, 'drive')}{scope} at a time"


def _meta(found: CalculatedPower) -> str:
    parts = sum(part.count for part in found.components if part.kind not in ("drives", "supply loss"))
    enclosures = sum(enclosure.count for enclosure in found.enclosures)
    return (
        f"{numbers.counted(found.drives, 'drive')}, {numbers.with_unit(1e9 * found.raw_gb, 'B')} raw · "
        f"{numbers.counted(enclosures, 'enclosure')}, {numbers.counted(parts, 'other part')}"
    )


def _headlines(found: CalculatedPower) -> Iterator[Headline]:
    idle, active = (found.modes["normal"][how] for how in ACTIVITIES)
    swing = active.wall_w / idle.wall_w - 1 if idle.wall_w else 0.0
    per_watt = f"{numbers.significant(found.raw_gb_per_w, 4)} GB/W raw" if found.raw_gb_per_w else ""
    yield Headline("idle", "Idle", idle.wall_w, "W", per_watt)
    yield Headline("active", "Active", active.wall_w, "W", f"{numbers.percent(swing)} above idle")
    if _has_failover(found):
        failover = found.modes["failover"]["active"].wall_w
        remark = f"redundant supplies lost: {_cause(found)}"
        yield Headline("failover", "Active in failover", failover, "W", remark)
    elif any(one.supply is not None for one in found.enclosures):
        yield Headline("failover", "Failover", None, "W", "no power supply is redundant", said="none")
    yield Headline("va", "Apparent power, active", active.va, "VA", "for circuits and UPS")
    cooling = f"{active.tons:.2f} tons of cooling"
    yield Headline("heat", "Heat, active", active.btu_per_h, "BTU/h", cooling)
    if found.spin_up is not None:
        start = found.spin_up
        yield Headline("start", "Peak while starting", start.peak_w, "W", _together(start))
    if found.pue is not None:
        yield Headline("facility", "Building, active", active.facility_w, "W", f"PUE {found.pue:g}")


def _totals(found: CalculatedPower) -> Figure:
    """Power, apparent power and heat by mode."""
    building = [] if found.pue is None else [Column(f"Building, PUE {found.pue:g}", "W", rank=2)]
    columns = [
        Column("Operation", text=True), Column("State", text=True), Column("Power", "W"),
        Column("Apparent", "VA"), Column("Heat", "BTU/h"), Column("Cooling", "tons", rank=1),
        Column("Supply losses", "W", rank=3), *building,
    ]  # fmt: skip
    rows: list[list[Cell]] = []
    for mode in _modes(found):
        for how in ACTIVITIES:
            total = found.modes[mode][how]
            facility: list[Cell] = [] if found.pue is None else [total.facility_w]
            rows.append(
                [mode, how, total.wall_w, total.va, total.btu_per_h, total.tons, total.loss_w, *facility]
            )
    return Figure(
        "totals",
        "At the wall",
        "Normal: the supplies share as configured. Redundant: all of them share the load equally. Failover: "
        "the redundant ones are lost, the needed ones carry all, and fans run at their failover speed."
        if _has_failover(found)
        else "No power supply is redundant.",
        Table(columns, rows),
        wide=True,
        brief=True,
    )


def _failures(found: CalculatedPower) -> Figure:
    """The array's power while one part has failed."""
    normal = found.modes["normal"]
    rows: list[list[Cell]] = []
    for one in found.failures:
        idle, active = (one.total[how] for how in ACTIVITIES)
        rows.append(
            [
                one.component, one.kind, one.count, one.needed, idle.wall_w, active.wall_w,
                active.wall_w - normal["active"].wall_w, active.btu_per_h,
            ]
        )  # fmt: skip
    columns = [
        Column("Failed", text=True), Column("Kind", text=True, rank=2), Column("Of"), Column("Needed"),
        Column("Idle", "W"), Column("Active", "W"), Column("Change, active", "W"),
        Column("Heat, active", "BTU/h", rank=1),
    ]  # fmt: skip
    return Figure(
        "failures",
        "With a part failed",
        "One part has failed and draws nothing. The others take its work: active means that they draw their "
        "active watts. Fans of the enclosure run at their failover speed.",
        Table(columns, rows),
        wide=True,
        brief=True,
    )


def _components(found: CalculatedPower) -> Figure:
    """Bars of idle and active watts by component."""
    whole = found.modes["normal"]["active"].wall_w
    rows: list[list[Cell]] = []
    for part in found.components:
        idle, active = (part.watts["normal"][how] for how in ACTIVITIES)
        share = 100 * active / whole if whole else None
        failover: list[Cell] = [part.watts["failover"]["active"]] if _has_failover(found) else []
        rows.append([part.name, part.kind, part.what, part.count, idle, active, *failover, share])
    lost = [Column("Active, failover", "W")] if _has_failover(found) else []
    table = Table(
        [
            Column("Component", text=True), Column("Kind", text=True, rank=2),
            Column("Model or law", text=True, rank=3), Column("Count"), Column("Idle", "W"),
            Column("Active", "W"), *lost, Column("Share, active", "%", rank=1),
        ],
        rows,
    )  # fmt: skip
    names = [plain(str(name)) for name in table.column("Component")]
    bars = [
        plot.bar(
            table.column(title), names, name=title, colour=colour,
            hover="%{y}: %{x:,.4~r} W<extra>%{fullData.name}</extra>", orientation="h",
        )
        for title, colour in (("Active", _ACTIVE), ("Idle", _IDLE))
    ]  # fmt: skip
    drawn = layout(
        axis("Power (W)", rangemode="tozero"),
        axis("", autorange="reversed", ticks="", ticksuffix=" "),
        barmode="group",
        showlegend=True,
        height=max(300, 90 + 42 * len(names)),
    )
    return Figure(
        "components",
        "By component",
        "Drives and parts at their input, behind the supplies, or at the wall where that is what is known; "
        "the supplies are their losses. Normal operation.",
        table,
        plot.spec(bars, drawn),
        wide=True,
        brief=True,
    )


def _supplies(found: CalculatedPower) -> Figure | None:
    """Efficiency curves, and where the supplies of the fullest enclosure of each kind run."""
    supplied = [(one, one.supply) for one in found.enclosures if one.supply is not None]
    if not supplied:
        return None
    rows: list[list[Cell]] = []
    for enclosure, supply in supplied:
        for mode in _modes(found):
            for how in ACTIVITIES:
                state = supply.fullest[mode][how]
                efficiency = None if state.efficiency is None else 100 * state.efficiency
                rows.append([enclosure.name, mode, how, state.output_w, 100 * state.load, efficiency])
    columns = [
        Column("Enclosure", text=True), Column("Operation", text=True), Column("State", text=True),
        Column("Output", "W"), Column("Load of one", "%"), Column("Efficiency", "%"),
    ]  # fmt: skip
    data = _curves([supply for _, supply in supplied])
    for mode in _modes(found):
        for how in ACTIVITIES:
            points = [row for row in rows if row[1] == mode and row[2] == how]
            data.append(
                plot.markers(
                    [row[4] for row in points], [row[5] for row in points], name=f"{mode}, {how}",
                    colour=_COLOURS[mode], size=11, symbol=_MARKS[how],
                    hover="%{text}: %{x:.3~r} % load, %{y:.4~r} %<extra>%{fullData.name}</extra>",
                    text=[plain(str(row[0])) for row in points],
                )
            )  # fmt: skip
    drawn = layout(
        axis("Load of one supply (% of its rating)", range=[0, 102]), axis("Efficiency (%)"), showlegend=True
    )
    return Figure(
        "supplies",
        "Power supplies",
        "Efficiency over load, and where the supplies of the fullest enclosure of each kind run. With "
        "active-standby sharing, the draw of the standby supplies counts as loss.",
        Table(columns, rows),
        plot.spec(data, drawn),
        ["; ".join(_described(enclosure, supply) for enclosure, supply in supplied)],
        wide=True,
    )


def _curves(supplies: list[Supply]) -> list[dict[str, Any]]:
    """A line for each different efficiency curve."""
    loads = np.linspace(0.02, 1.0, 99)
    different = {tuple(supply.points): supply for supply in supplies}
    return [
        plot.line(
            (100 * loads).tolist(), [100 * supply.efficiency_at(float(load)) for load in loads],
            name=plain(supply.efficiency), colour=palette.RUNS[-number % len(palette.RUNS)], width=1.5,
            hover="%{x:.3~r} % load: %{y:.4~r} %<extra></extra>",
        )
        for number, supply in enumerate(different.values(), 1)
    ]  # fmt: skip


def _described(enclosure: EnclosureKind, supply: Supply) -> str:
    return (
        f"{enclosure.name}: {supply.count} x {supply.rating_w:g} W, {supply.needed} needed, "
        f"{supply.sharing}, {supply.efficiency}"
    )


def _start(start: DriveStart) -> Figure:
    """Power while the drives start."""
    timed = start.duration_s is not None
    at = [time for time, _ in start.steps]
    watts = [drawn for _, drawn in start.steps]
    table = Table(
        [Column("Time", "s") if timed else Column("Step"), Column("Power", "W")],
        [[float(time), float(drawn)] for time, drawn in start.steps],
    )
    data = [
        plot.line(
            [*at, 1.05 * at[-1]], [*watts, watts[-1]], colour=palette.STATE_COLOURS["spin_up"], shape="hv",
            hover="%{y:,.5~r} W<extra></extra>",
        )
    ]  # fmt: skip
    drawn = layout(
        axis("Time (s)" if timed else "Step (its length is not known)"),
        axis("Power (W)", rangemode="tozero"),
        showlegend=False,
    )
    caption = f"Power at the wall while the drives start, {_together(start)}. The other parts idle."
    return Figure("start", "Power while starting", caption, table, plot.spec(data, drawn), wide=True)
