"""What drivers that wait for completions left out: percentiles as observed and as modelled without that."""

from __future__ import annotations

from iowatt.lenses.compare.result import BeforeAfter, Omission
from iowatt.pages.compare import words
from iowatt.render import numbers
from iowatt.render.figure import Cell, Column, Figure, Table
from iowatt.render.phrases import listed


def corrected(found: BeforeAfter) -> Figure | None:
    """Observed and corrected percentiles of the sides that could be corrected."""
    sides = [(title, found.omission.of(key)) for key, title in words.SIDES]
    shown = [(title, one, one.modelled) for title, one in sides if one.modelled is not None]
    if not shown:
        return None
    columns = [Column("Percentile", text=True)]
    for title, _, _ in shown:
        columns += [Column(f"{title}, observed", "ms"), Column(f"{title}, modelled", "ms")]
    rows: list[list[Cell]] = [
        [name, *(value for _, _, one in shown for value in (one.observed[name], one.corrected[name]))]
        for name in shown[0][2].observed
    ]
    remarks = [
        f"{title}: {numbers.count(modelled.added)} requests added to {numbers.count(modelled.requests)}; "
        f"expected interval {_intervals(one)} ({one.interval_from})."
        for title, one, modelled in shown
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


def sentences(found: BeforeAfter) -> list[str]:
    """How requests came on both sides, and percentiles with what their loop kept back."""
    said = []
    for key, title in words.SIDES:
        one = found.omission.of(key)
        text = f"{title}: {one.said}."
        if one.modelled is not None:
            times = ", ".join(
                f"{name} {numbers.with_unit(one.modelled.corrected[name], 'ms')}"
                for name in ("p50", "p99", "p99.9")
            )
            text += (
                f" With {numbers.counted(one.modelled.added, 'request')} that it kept back (modelled, "
                f"{one.modelled.of}; one was due every {_intervals(one)}): {times}."
            )
        elif one.waits:
            text += f" Not corrected for requests that it kept back: {one.why_not}."
        said.append(text)
    return said


def _intervals(one: Omission) -> str:
    return listed([numbers.with_unit(value, "ms") for value in one.expected_interval_ms])
