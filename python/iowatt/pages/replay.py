"""What ``iowatt replay`` shows: how well the trace's times were kept, and the simulation beside the
measurement."""

from __future__ import annotations

from iowatt.evaluate.replay import ReplayDocument
from iowatt.evaluate.replay.result import SimulatedReplay
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Cell, Column, Figure, Table


def document(found: ReplayDocument) -> Document:
    """The document of a replay."""
    simulated, lateness = found.simulated, found.lateness.text
    return Document(
        key="replay",
        kind="replay",
        title=found.summary["name"],
        verdict=[f"{lateness[:1].upper()}{lateness[1:]}."],
        sections=[] if simulated is None else [Section("comparison", "Comparison", [_comparison(simulated)])],
        caveats=[] if simulated is None else [Caveat(note.text, note.decides) for note in simulated.notes],
    )


def _comparison(simulated: SimulatedReplay) -> Figure:
    columns = [Column("Figure", text=True), Column("Measured"), Column("Simulated"), Column("Ratio")]
    rows: list[list[Cell]] = [
        [f"{one.figure}, {one.unit}", one.measured, one.simulated, one.ratio] for one in simulated.comparison
    ]
    caption = (
        "The same requests on the target and on the scenario's array; the ratio is simulated over measured."
    )
    return Figure("comparison", "Measured and simulated", caption, Table(columns, rows), brief=True)
