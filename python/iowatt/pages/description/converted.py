"""What ``iowatt trace convert`` shows: what was written, and what had to be mended."""

from __future__ import annotations

from typing import Any

from iowatt.pages.description.words import Line, percent


def converted(result: dict[str, Any]) -> list[Line]:
    """What a conversion wrote and what it had to mend."""
    shown = [
        ("written", f"{result['path']}: {result['requests']:,} requests, {_bytes(result['bytes'])}"),
        ("format", result["format"] + (" (detected)" if result["detected"] else "")),
        ("read share", _read_share(result)),
    ]
    if result["origin"]:
        shown.append(("origin", f"time 0 is {result['origin']}"))
    if result["reordered"]:
        shown.append(("order", f"{result['reordered']:,} records were out of order and were sorted"))
    shown += [("note", text) for text in result["notes"]]
    shown += [("skipped", text) for text in result["first_bad"]]
    if result["skipped_bad"] > len(result["first_bad"]):
        shown.append(("skipped", f"{result['skipped_bad']:,} malformed records in all"))
    shown += [("warning", text) for text in result["warnings"]]
    if result["long_gap"]:
        shown.append(("warning", result["long_gap"]))
    return shown


def _read_share(result: dict[str, Any]) -> str:
    reads, writes = result["reads"], result["writes"]
    other = [f"{result[kind]:,} {kind}" for kind in ("trims", "flushes") if result[kind]]
    share = percent(reads / (reads + writes)) if reads + writes else "none"
    return f"{share}: {reads:,} reads, {writes:,} writes" + "".join(f", {text}" for text in other)


def _bytes(count: int) -> str:
    from iowatt.base.units import format_bytes  # the package loads pydantic

    binary = count < 1 << 20  # blocks count in 1024s, capacities in 1000s: the habits of scenarios
    return format_bytes(count, binary=binary)
