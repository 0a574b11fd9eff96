"""What ``iowatt trace kv-cache`` shows: hits of the tiers, and what storage has to move."""

from __future__ import annotations

from iowatt.base.units import format_bytes
from iowatt.render import numbers
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Cell, Figure, Table, text_columns
from iowatt.trace.kv_cache.result import KvCacheTrace, KvTransfers


def document(found: KvCacheTrace) -> Document:
    """The document of a conversion."""
    blocks = found.blocks
    days = found.written_per_day_bytes
    rows: list[list[Cell]] = [
        ["Prompts", f"{found.prompts:,} in {numbers.duration(found.seconds)}"],
        ["Tokens", f"{found.input_tokens:,} in, {found.output_tokens:,} out"],
        ["A token", f"{format_bytes(found.bytes_per_token, binary=True)} ({found.shape})"],
        ["A block", f"{found.block_tokens} tokens, {format_bytes(found.block_bytes, binary=True)}"],
        ["From memory", f"{numbers.percent(blocks.memory_share)} of {blocks.count:,} blocks"],
        ["From storage", numbers.percent(blocks.storage_share)],
        ["Computed", numbers.percent(blocks.computed_share)],
        ["Read from storage", _moved(found.read)],
        ["Written to storage", _moved(found.written)],
        ["Space used on storage", _size(found.used_bytes)],
        ["Dropped from storage", f"{found.dropped_blocks:,} blocks"],
        ["Written in a day at this rate", "\u2013" if days is None else _size(round(days))],
    ]
    figure = Figure(
        "tiers", "Tiers", "Blocks of all prompts, and what reaches storage.",
        Table(text_columns("Figure", "Value"), rows), brief=True,
    )  # fmt: skip
    return Document(
        key="kv-cache",
        kind="trace of a key-value cache",
        title=found.path,
        meta=f"{found.read.requests + found.written.requests:,} requests, {_size(found.bytes)}",
        verdict=[
            f"Storage reads {_rate(found.read)} and writes {_rate(found.written)} on average, "
            f"{_size(round(found.read.peak_bytes_per_s))} and "
            f"{_size(round(found.written.peak_bytes_per_s))} in the busiest second."
        ],
        sections=[Section("tiers", "Tiers", [figure])],
        caveats=[Caveat(note.text, note.decides) for note in found.notes],
    )


def _size(count: int) -> str:
    return format_bytes(count, binary=False)


def _rate(one: KvTransfers) -> str:
    return "\u2013" if one.mean_bytes_per_s is None else f"{_size(round(one.mean_bytes_per_s))}/s"


def _moved(one: KvTransfers) -> str:
    return f"{_size(one.bytes)} in {one.requests:,} requests, {_rate(one)}"
