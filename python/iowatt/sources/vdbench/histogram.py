"""``histogram.html`` and those of workloads and devices: requests by response time, for each run.

vdbench counts microseconds; a bin of ``0.020 < 0.040`` ms holds 20 to 39 us.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from iowatt.run.histogram import Histogram
from iowatt.sources.vdbench import text
from iowatt.sources.vdbench.text import Line, Start

_BIN: Final = re.compile(
    r"\s*([0-9]{1,12}(?:[.,][0-9]{0,6})?)\s*<\s*(max|[0-9]{1,12}(?:[.,][0-9]{0,6})?)\s+([0-9][0-9.,'\s]{0,30}?)"
    r"\s+[0-9]{1,3}[.,][0-9]{1,4}\s+[0-9]{1,3}[.,][0-9]{1,4}(?:\s.*)?",
)


@dataclass
class Bins:
    """The bins of one run, in ns; both directions in one where vdbench does not tell them apart."""

    start: Start
    read: Histogram | None = None
    write: Histogram | None = None
    both: Histogram | None = None


_Row = tuple[int, int | None, int]


def read(path: Path, longest_ns: int) -> list[Bins]:
    """The histograms of all runs, in the file's order.

    ``longest_ns``: the longest response that is known, as the end of the last bin, which has none.

    Raises ``InputError`` where a row is no bin.
    """
    found: list[Bins] = []
    title = ""
    rows: list[_Row] = []
    for line in text.lines(path):
        begun = text.start(line)
        if begun is not None:
            _close(found, title, rows, longest_ns)
            found.append(Bins(begun))
            title, rows = "", []
            continue
        lowered = line.text.strip().lower()
        if lowered.endswith(":") and ("read" in lowered or "write" in lowered):
            _close(found, title, rows, longest_ns)
            title, rows = lowered, []
        elif "<" in line.text and "min(ms)" not in lowered:
            rows.append(_bin(line))
    _close(found, title, rows, longest_ns)
    return found


def _bin(line: Line) -> _Row:
    match = _BIN.fullmatch(line.text[:200])
    if match is None:
        raise line.error("damaged", "not a bin of a histogram: least ms < most ms, count, percent, percent")
    low = _ns(match[1])
    high = None if match[2] == "max" else _ns(match[2]) - 1
    if high is not None and high < low:
        raise line.error("damaged", "the bin ends before it begins")
    count = int(re.sub(r"[^0-9]", "", match[3]))
    if count >= 1 << 62:
        raise line.error("out-of-range", "the count of a bin is below 2^62")
    return low, high, count


def _ns(milliseconds: str) -> int:
    return round(float(milliseconds.replace(",", ".")) * 1e6)


def _close(found: list[Bins], title: str, rows: list[_Row], longest_ns: int) -> None:
    if not rows or not found:
        return
    low = [row[0] for row in rows]
    high = [row[1] if row[1] is not None else max(row[0], longest_ns) for row in rows]
    bins = Histogram.of(low, high, [row[2] for row in rows])
    reads, writes = "read" in title, "write" in title
    if reads and writes:
        found[-1].both = bins
    elif reads:
        found[-1].read = bins
    elif writes:
        found[-1].write = bins
