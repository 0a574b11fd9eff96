"""What drivers that wait for completions left out: percentiles as observed and as modelled without that."""

from __future__ import annotations

from iowatt.pages.compare import words
from iowatt.pages.compare.words import Found
from iowatt.render import numbers
from iowatt.render.figure import Cell, Column, Figure, Table


def corrected(found: Found) -> Figure | None:
    """Observed and corrected percentiles of the sides that could be corrected."""
    shown = [(key, title, one) for key, title in words.SIDES if (one := found["omission"][key])["modelled"]]
    if not shown:
        return None
    columns = [Column("", text=True)]
    for _, title, _ in shown:
        columns += [Column(f"{title}, observed", "ms"), Column(f"{title}, modelled", "ms")]
    rows: list[list[Cell]] = []
    for name in shown[0][2]["modelled"]["observed"]:
        row: list[Cell] = [name]
        for _, _, one in shown:
            row += [one["modelled"]["observed"][name], one["modelled"]["corrected"][name]]
        rows.append(row)
    remarks = [
        f"{title}: {numbers.count(one['modelled']['added'])} requests added to "
        f"{numbers.count(one['modelled']['requests'])}; expected interval "
        f"{', '.join(numbers.with_unit(value, 'ms') for value in one['expected_interval_ms'])} "
        f"({one['interval_from']})."
        for _, title, one in shown
    ]
    return Figure(
        "omission",
        "What the loop left out",
        "A driver that waits for a completion sends nothing meanwhile. Modelled: a response of several "
        "expected intervals stands for the requests that it kept back, which would have waited an interval "
        "less each, down to one. All requests, at the host.",
        Table(columns, rows),
        remarks=remarks,
    )


def notes(found: Found) -> list[str]:
    """How requests came on both sides, and what was not corrected."""
    said = []
    for key, title in words.SIDES:
        one = found["omission"][key]
        text = f"{title}: {one['said']}"
        if one["waits"] and one["modelled"] is None:
            text += f". Not corrected for requests that it kept back: {one['why_not']}"
        said.append(text)
    return said
