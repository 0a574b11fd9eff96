"""Caches alone as a table for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from iowatt.pages.caches.figures import title
from iowatt.pages.caches.page import size_text
from iowatt.render import numbers


def head(found: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """What was simulated, label and text."""
    requests, moved = found["requests"], found["bytes"]
    yield "trace", found["trace"]
    share = numbers.percent(requests["read"] / requests["all"])
    yield (
        "requests",
        f"{requests['all']:,}: {share} reads ({numbers.percent(moved['read'] / moved['all'])} of the bytes)",
    )
    block = found["block_bytes"]
    if block is None:
        yield "footprint", f"{found['footprint']:,} objects"
    else:
        touched = numbers.binary(found["footprint_bytes"])
        yield "footprint", f"{touched}, {found['footprint']:,} blocks of {numbers.binary(block)}"
    if found["warm_up"]["requests_passed"]:
        yield "warm-up", f"{found['warm_up']['requests_passed']:,} requests before these"


def rows(found: dict[str, Any]) -> Iterator[list[str]]:
    """Policy, size, and hit ratios in percent: all, reads, writes, each by requests and by bytes."""
    for cache in found["caches"]:
        ratios = [
            cache[f"{way}{key}"]
            for way in ("", "read_", "write_")
            for key in ("hit_ratio", "hit_bytes_ratio")
        ]
        size = size_text(cache).replace("\u00a0", " ")
        asked = f" ({cache['size']})" if cache["size"].endswith("%") else ""
        shown = [numbers.NO_VALUE if ratio is None else f"{100 * ratio:.2f}" for ratio in ratios]
        yield [title(cache), size + asked, *shown]


_HEAD = (
    ["", "", "all, %", "", "reads, %", "", "writes, %", ""],
    ["policy", "size", *["requests", "bytes"] * 3],
)


def table(found: dict[str, Any]) -> Iterator[str]:
    """The same as lines of aligned columns, under two lines of headings."""
    shown = [*_HEAD, *rows(found)]
    widths = [max(len(row[at]) for row in shown) for at in range(len(_HEAD[1]))]
    for row in shown:
        name, *cells = row
        padded = [cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True)]
        yield "  ".join([name.ljust(widths[0]), *padded]).rstrip()
