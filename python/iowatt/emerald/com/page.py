"""What ``iowatt emerald com`` shows."""

from __future__ import annotations

from iowatt.emerald.com.result import ComTests
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Cell, Column, Figure, Table, text_columns


def document(found: ComTests) -> Document:
    """The document of COM tests."""
    kind = "modelled" if found.source == "simulation" else "measured"
    return Document(
        key="com",
        kind="capacity optimisation",
        title=found.target,
        meta=f"{kind} · rules {found.rules.profile}",
        verdict=[_verdict(found)],
        sections=[
            Section("tests", "Tests", [_tests(found)]),
            Section("steps", "Steps", [_steps(found)], folded=True),
        ],
        caveats=[Caveat(note.text, note.decides) for note in found.notes],
    )


def _verdict(found: ComTests) -> str:
    there = [one.com for one in found.coms if one.verdict == "yes"]
    tested = sum(one.verdict != "not tested" for one in found.coms)
    which = f" ({', '.join(there)})" if there else ""
    return f"{len(there)} of {tested} tested methods are there{which}; {len(found.coms) - tested} not tested."


def _tests(found: ComTests) -> Figure:
    rows: list[list[Cell]] = [
        [
            one.com, f"{one.verdict} *" if one.unverified else one.verdict, one.why, one.percent,
            one.limit_percent,
        ]
        for one in found.coms
    ]  # fmt: skip
    columns = [
        *text_columns("Method", "There"), Column("Why", text=True), Column("Found", "%", rank=2),
        Column("Limit", "%", rank=2),
    ]  # fmt: skip
    caption = "* by an unverified limit."
    return Figure(
        "tests", "Capacity optimisation methods", caption, Table(columns, rows), wide=True, brief=True
    )


def _steps(found: ComTests) -> Figure:
    rows: list[list[Cell]] = [
        [one.com, step.what, step.free_bytes, step.settled_s] for one in found.coms for step in one.steps
    ]
    columns = [*text_columns("Method", "Step"), Column("Free", "bytes"), Column("Settled after", "s")]
    return Figure("steps", "Free space after each step", "", Table(columns, rows), wide=True)
