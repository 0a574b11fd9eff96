"""The figure of carbon: in operation and embodied, under each estimate."""

from __future__ import annotations

from iowatt.lenses.cost.result import Cost
from iowatt.pages.cost import words
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain


def carbon(found: Cost) -> Figure:
    """Stacked bars, for each system one of each estimate of embodied carbon."""
    rows: list[list[Cell]] = []
    for name, system in zip(words.labels(found), found.systems, strict=True):
        told = system.carbon
        choices = [(one.estimate, one.embodied_kg) for one in told.choices]
        rows += [
            [
                name, estimate, "yes" if estimate == told.estimate else "no", told.operational_kg, embodied,
                None if embodied is None else told.operational_kg + embodied,
            ]
            for estimate, embodied in choices or [(told.estimate, told.embodied_kg)]
        ]  # fmt: skip
    columns = [
        Column("System", text=True), Column("Estimate", text=True), Column("In use", text=True),
        Column("In operation", "kg CO2e"), Column("Embodied", "kg CO2e"), Column("Together", "kg CO2e"),
    ]  # fmt: skip
    bars = [f"{row[0]}: {row[1]}{' (used)' if row[2] == 'yes' else ''}" for row in rows]
    data = [
        {
            "type": "bar", "orientation": "h", "name": title, "y": [plain(bar) for bar in bars],
            "x": [row[at] or 0.0 for row in rows], "marker": {"color": colour},
            "hovertemplate": "%{y}: %{x:,.4~r} kg<extra>%{fullData.name}</extra>",
        }
        for title, at, colour in (("In operation", 3, "#e69f00"), ("Embodied", 4, "#6b4f3a"))
    ]  # fmt: skip
    drawn = layout(
        axis("kg CO2e over the horizon"), axis("", type="category", autorange="reversed"), barmode="stack",
        showlegend=True, bargap=0.3,
    )  # fmt: skip
    return Figure(
        "carbon", "Carbon",
        "Electricity by the grid's intensity, and what making the drives emitted by each estimate: "
        "those of SSDs differ fifty-fold.",
        Table(columns, rows), {"data": data, "layout": drawn}, wide=len(rows) > 6,
    )  # fmt: skip
