"""What ``iowatt volume`` shows."""

from __future__ import annotations

from typing import Final

from iowatt.base.units import format_bytes, format_duration
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Cell, Column, Figure, Table, text_columns
from iowatt.sources.volume.result import MadeVolume, VolumeCheck, VolumeStatus

_PARTS: Final = [
    Column("Part", text=True), Column("Read hits"), Column("Write hits"), Column("Read", text=True),
    Column("Written", text=True), Column("Moved in", text=True), Column("Holds", text=True, rank=1),
]  # fmt: skip


def made(found: MadeVolume) -> Document:
    """The document of a volume that was made."""
    stores = " ".join(found.stores)
    return Document(
        key="volume-create",
        kind="volume",
        title=found.name,
        meta=f"{found.scheme}, {format_bytes(found.capacity_bytes, binary=True)}, identity {found.uuid}",
        verdict=[f"Made volume {found.name} on {len(found.stores)} stores."],
        sections=[Section("next", "Next", [], [f"next: iowatt volume serve {stores}"])],
    )


def checked(found: VolumeCheck) -> Document:
    """The document of a check."""
    journal = found.journal
    repairs = [f"wrote the damaged label of {store} anew" for store in found.labels_repaired]
    if journal is not None and journal.torn:
        repairs.append("removed a batch of records that was never complete, and so never acknowledged")
    if journal is not None and journal.older_half:
        repairs.append("went back to the older checkpoint, because the newer one was never complete")
    state = "no map" if journal is None else f"a map of {found.extents} extents"
    verdict = [
        "The volume is sound." if not repairs else f"The volume is sound; repaired: {'; '.join(repairs)}."
    ]
    if journal is not None and not journal.clean:
        verdict.append("It was not stopped in order; what was acknowledged as durable is there.")
    return Document(
        key="volume-check",
        kind="check of a volume",
        title=found.name,
        meta=f"{state}, identity {found.uuid}",
        verdict=verdict,
        sections=[],
    )


def status(found: VolumeStatus) -> Document:
    """The document of a volume in service."""
    rows: list[list[Cell]] = [
        [
            store, part.hits[0], part.hits[1], format_bytes(part.hit_bytes[0], binary=True),
            format_bytes(part.hit_bytes[1], binary=True),
            format_bytes(part.promoted_bytes + part.demoted_bytes, binary=True),
            "" if part.occupied_bytes is None else format_bytes(part.occupied_bytes, binary=True),
        ]
        for store, part in zip(found.stores, found.parts, strict=True)
    ]  # fmt: skip
    more: list[list[Cell]] = [
        ["reads, writes", f"{found.requests[0]}, {found.requests[1]}"],
        ["moves completed", found.migrations],
        ["moves postponed", found.postponed],
        ["copies written back", found.write_backs],
        ["copies evicted", found.evictions],
        ["requests held by a move", f"{found.held}, {format_duration(found.held_s)} in all"],
        ["dirty", format_bytes(found.dirty_bytes, binary=True)],
        ["made durable", f"{found.commits} times"],
    ]
    parts = Figure("parts", "Parts", "Since the volume was started.", Table(_PARTS, rows), brief=True)
    counts = Figure(
        "counts", "Counts", "Since then.", Table(text_columns("Count", "Value"), more), brief=True
    )
    ratio = found.hit_ratio
    hits = "No request yet." if ratio is None else f"{100 * ratio:.1f} % of requests hit {found.stores[0]}."
    failed = [] if found.failed is None else [f"The volume has failed: {found.failed}."]
    media = (
        []
        if found.emulated is None
        else [
            "Emulated media, modelled watts: drives answer as late as their models, and this machine "
            f"{found.emulated.p50_us:.0f} us later (median; 99th percentile {found.emulated.p99_us:.0f} us)."
        ]
    )
    errors = [Caveat(f"{found.store_errors} errors of stores", True)] if found.store_errors else []
    return Document(
        key="volume-status",
        kind="volume",
        title=found.name,
        meta=f"{found.uri}, in service for {format_duration(found.uptime_s)}, {found.clients} clients",
        verdict=[*failed, hits, *media],
        sections=[Section("state", "State", [parts, counts])],
        caveats=errors,
    )
