"""The documents of ``iowatt trace convert`` and ``generate``: what was written, and what was repaired."""

from __future__ import annotations

from iowatt.base.units import format_bytes
from iowatt.pages.description.sentences import percent
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Cell, Figure, Table, text_columns
from iowatt.trace.result import ConvertedTrace, GeneratedTrace


def converted(trace: ConvertedTrace) -> Document:
    """The document of a conversion."""
    rows: list[list[Cell]] = [
        ["format", trace.format + (" (detected)" if trace.detected else "")],
        ["read share", _read_share(trace)],
    ]
    if trace.origin:
        rows.append(["origin", f"time 0 is {trace.origin}"])
    if trace.reordered:
        rows.append(["order", f"{trace.reordered:,} records were out of order and were sorted"])
    rows += [["skipped", text] for text in trace.first_bad]
    if trace.skipped_bad > len(trace.first_bad):
        rows.append(["skipped", f"{trace.skipped_bad:,} malformed records in all"])
    figure = Figure(
        "read", "Trace", "As it was read.", Table(text_columns("Figure", "Value"), rows), brief=True
    )
    warnings = [note.text for note in trace.warnings] + ([trace.long_gap] if trace.long_gap else [])
    return Document(
        key="convert",
        kind="converted trace",
        title=trace.path,
        meta=f"{trace.requests:,} requests, {_size(trace.bytes)}",
        sections=[Section("read", "Trace", [figure])],
        caveats=[
            *(Caveat(text, True) for text in warnings),
            *(Caveat(note.text, note.decides) for note in trace.notes),
        ],
    )


def generated(trace: GeneratedTrace) -> Document:
    """The document of a synthetic trace."""
    return Document(
        key="generate",
        kind="synthetic trace",
        title=trace.path,
        meta=f"{trace.requests:,} requests, {_size(trace.bytes)}, profile {trace.profile}, seed {trace.seed}",
        caveats=[Caveat(note.text, note.decides) for note in trace.notes],
    )


def _read_share(trace: ConvertedTrace) -> str:
    counts = {"trims": trace.trims, "flushes": trace.flushes}
    other = "".join(f", {count:,} {kind}" for kind, count in counts.items() if count)
    total = trace.reads + trace.writes
    share = percent(trace.reads / total) if total else "none"
    return f"{share}: {trace.reads:,} reads, {trace.writes:,} writes{other}"


def _size(count: int) -> str:
    return format_bytes(count, binary=count < 1 << 20)  # blocks count in 1024s, capacities in 1000s
