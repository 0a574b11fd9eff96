"""What ``iowatt trace convert`` and ``generate`` show: what was written, and what had to be mended."""

from __future__ import annotations

from iowatt.base.units import format_bytes
from iowatt.pages.description.sentences import percent
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Cell, Figure, Table, text_columns
from iowatt.trace.result import ConvertedTrace, GeneratedTrace


def converted(found: ConvertedTrace) -> Document:
    """The document of a conversion."""
    rows: list[list[Cell]] = [
        ["format", found.format + (" (detected)" if found.detected else "")],
        ["read share", _read_share(found)],
    ]
    if found.origin:
        rows.append(["origin", f"time 0 is {found.origin}"])
    if found.reordered:
        rows.append(["order", f"{found.reordered:,} records were out of order and were sorted"])
    rows += [["skipped", text] for text in found.first_bad]
    if found.skipped_bad > len(found.first_bad):
        rows.append(["skipped", f"{found.skipped_bad:,} malformed records in all"])
    figure = Figure(
        "read", "Trace", "As it was read.", Table(text_columns("Figure", "Value"), rows), brief=True
    )
    warnings = [note.text for note in found.warnings] + ([found.long_gap] if found.long_gap else [])
    return Document(
        key="convert",
        kind="converted trace",
        title=found.path,
        meta=f"{found.requests:,} requests, {_size(found.bytes)}",
        sections=[Section("read", "Trace", [figure])],
        caveats=[
            *(Caveat(text, True) for text in warnings),
            *(Caveat(note.text, note.decides) for note in found.notes),
        ],
    )


def generated(found: GeneratedTrace) -> Document:
    """The document of a synthetic trace."""
    return Document(
        key="generate",
        kind="synthetic trace",
        title=found.path,
        meta=f"{found.requests:,} requests, {_size(found.bytes)}, profile {found.profile}, seed {found.seed}",
        caveats=[Caveat(note.text, note.decides) for note in found.notes],
    )


def _read_share(found: ConvertedTrace) -> str:
    counts = {"trims": found.trims, "flushes": found.flushes}
    other = "".join(f", {count:,} {kind}" for kind, count in counts.items() if count)
    total = found.reads + found.writes
    share = percent(found.reads / total) if total else "none"
    return f"{share}: {found.reads:,} reads, {found.writes:,} writes{other}"


def _size(count: int) -> str:
    return format_bytes(count, binary=count < 1 << 20)  # blocks count in 1024s, capacities in 1000s
