"""What power policies would save, at which price, and the oracle bound (the study's Figure 6)."""

from __future__ import annotations

from iowatt.lenses.idle.result import IdlePeriods
from iowatt.pages.description.figures.draw import line
from iowatt.render import palette
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout


def table(idle: IdlePeriods) -> Figure | None:
    """All figures of each policy, the oracles first."""
    rows: list[list[Cell]] = [
        [
            row.title,
            100 * row.saved_share,
            None if row.saved_share_of_total is None else 100 * row.saved_share_of_total,
            row.saved_j / 1e3,
            row.delayed,
            100 * row.delayed_share,
            None if row.added_delay_per_access_s is None else 1e3 * row.added_delay_per_access_s,
            row.added_delay_of_delayed_s,
            row.added_delay_max_s,
            row.start_stops,
        ]
        for row in idle.policies
    ]
    columns = [
        Column("Policy", text=True),
        Column("Saved", "%"),
        Column("Saved of total", "%", rank=3),
        Column("Saved energy", "kJ", rank=4),
        Column("Delayed arrivals", rank=1),
        Column("Delayed", "%", rank=2),
        Column("Mean delay", "ms"),
        Column("If delayed", "s"),
        Column("Longest", "s", rank=5),
        Column("Start-stops"),
    ]
    if not rows:
        return None
    return Figure(
        "policies",
        "Every policy",
        "Saved: of the energy of idling through every period, and of all that the drives draw. Delayed: "
        "arrivals that wait for a spin-up, and their share of those that end a period. Mean delay: over "
        "all operations, a lower bound. Each period is taken as it stands: a wait moves no later arrival.",
        Table(columns, rows),
        wide=True,
        brief=True,
    )


def saved(idle: IdlePeriods) -> Figure | None:
    """Saving of each policy, the oracles first."""
    policies = idle.policies
    if not policies:
        return None
    rows: list[list[Cell]] = [[row.title, 100 * row.saved_share] for row in policies]
    oracle = [row.oracle for row in policies]
    bar = {
        "type": "bar",
        "orientation": "h",
        "y": [row[0] for row in rows],
        "x": [row[1] for row in rows],
        "marker": {"color": [palette.RUNS[0] if known else palette.RUNS[2] for known in oracle]},
        "hovertemplate": "%{y}: %{x:,.4~r} % saved<extra></extra>",
    }
    return Figure(
        "saved",
        "Energy saved by policy",
        "Against idling (spinning) through every period; below zero a policy loses. Oracles know how long "
        "a period will be: no two-state policy saves more than the one by energy.",
        Table([Column("Policy", text=True), Column("Saved", "% of idling")], rows),
        {
            "data": [bar],
            "layout": layout(
                axis("Saved (% of the energy of idling)"),
                axis("", type="category", autorange="reversed"),
                showlegend=False,
                bargap=0.3,
            ),
        },
        wide=True,
    )


def price(idle: IdlePeriods) -> Figure | None:
    """Saving against the delay that it costs."""
    known = [
        (row, row.added_delay_per_access_s)
        for row in idle.policies
        if row.added_delay_per_access_s is not None
    ]
    if not any(row.delayed for row, _ in known):
        return None
    rows: list[list[Cell]] = [
        [row.title, 1e3 * delay_s, 100 * row.saved_share, row.start_stops] for row, delay_s in known
    ]
    columns = [
        Column("Policy", text=True),
        Column("Mean delay, at least", "ms"),
        Column("Saved", "% of idling"),
        Column("Start-stops"),
    ]
    kinds: dict[str, list[list[Cell]]] = {"Oracles": [], "Learning, competitive": [], "Fixed thresholds": []}
    for (policy, _), row in zip(known, rows, strict=True):
        fixed = policy.policy.startswith("fixed") or policy.policy == "never"
        kind = "Oracles" if policy.oracle else ("Fixed thresholds" if fixed else "Learning, competitive")
        kinds[kind].append(row)
    data = [
        {
            "type": "scatter",
            # Never is the fixed threshold that does not come.
            "mode": "lines+markers" if kind == "Fixed thresholds" else "markers",
            "name": kind,
            "x": [row[1] for row in members],
            "y": [row[2] for row in members],
            "customdata": [row[0] for row in members],
            "marker": {"size": 10, "color": palette.RUNS[colour], "symbol": symbol},
            "line": {"width": 1, "dash": "dot", "color": palette.RUNS[colour]},
            "hovertemplate": "%{customdata}: %{x:,.4~r} ms for %{y:,.4~r} %<extra></extra>",
        }
        for (kind, members), colour, symbol in zip(
            kinds.items(), (0, 2, 1), ("diamond", "circle", "square"), strict=True
        )
    ]
    return Figure(
        "price",
        "Saving against delay",
        "Up and to the left is better. The delay is added to the response time of the drives' operations, on "
        "average.",
        Table(columns, rows),
        {
            "data": data,
            "layout": layout(
                axis("Mean delay, at least (ms)", rangemode="tozero"),
                axis("Saved (% of idling)"),
                showlegend=True,
            ),
        },
    )


def bound(idle: IdlePeriods) -> Figure | None:
    """The oracles against the time that transitions take."""
    points = idle.oracle_bound
    if not points:
        return None
    whole = points[0].energy_saved_share_of_total is not None
    unit = "% of total" if whole else "% of idling"
    rows: list[list[Cell]] = [
        [point.transition_s, *(None if share is None else 100 * share for share in shares)]
        for point in points
        for shares in [
            (point.energy_saved_share_of_total, point.latency_saved_share_of_total)
            if whole
            else (point.energy_saved_share, point.latency_saved_share)
        ]
    ]
    columns = [
        Column("Stop and start", "s"),
        Column("Oracle by energy", unit),
        Column("Oracle by latency", unit),
    ]
    lengths = [row[0] for row in rows]
    data = [
        line(lengths, [row[1] for row in rows], "Oracle by energy", palette.RUNS[0], "%"),
        line(lengths, [row[2] for row in rows], "Oracle by latency", palette.RUNS[1], "%", dash="dash"),
    ]
    return Figure(
        "bound",
        "Oracle bound against transition time",
        "What perfect knowledge saves if stopping and starting took this long together, at the same watts. "
        "By latency: stops in every period that leaves time for both, and so may lose.",
        Table(columns, rows),
        {
            "data": data,
            "layout": layout(
                axis("Stop and start together (s, log scale)", type="log"),
                axis(f"Saved ({unit})"),
                showlegend=True,
            ),
        },
    )
