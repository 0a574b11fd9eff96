"""SSDs beside their data sheets, as lines of text and as data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any, Final

from iowatt.base.units import format_duration
from iowatt.evaluate.validation.sheet import BAR, Figure, Sheet

SCHEMA: Final = "iowatt.data-sheets/1"


def document(found: Sequence[Sheet]) -> dict[str, Any]:
    """All of it; SI units."""
    return {
        "schema": SCHEMA,
        "bar": BAR,
        "devices": [
            {**asdict(sheet), "figures": [{**asdict(f), "error": f.error} for f in sheet.figures]}
            for sheet in found
        ],
    }


def lines(found: Sequence[Sheet]) -> Iterator[str]:
    """A table for each drive, and the largest error of all."""
    for sheet in found:
        amplified = sheet.write_amplification
        beside = "" if amplified is None else f", write amplification of random writes {amplified:.2f}"
        yield f"{sheet.device} ({sheet.title}), by its {sheet.simulated_by}{beside}"
        yield from _table(
            ("figure", "published", "simulated", "error", "at"),
            [
                (f.figure, number(f.published, f.unit), _simulated(f), _error(f), f.work)
                for f in sheet.figures
            ],
        )
        if sheet.reads:
            yield "  random reads, so many at a time:"
            rows = [
                (f"{load.outstanding}", f"{load.iops:,.0f}", _time(load.mean_s), _time(load.p99_s))
                for load in sheet.reads
            ]
            yield from _table(("outstanding", "IOPS", "mean", "p99"), rows)
        if sheet.beside_writes:
            yield "  reads beside random writes at 0.7 of the published rate:"
            times = [
                (state, _time(found["mean"]), _time(found["p99"]), _time(found["p999"]))
                for state, found in sheet.beside_writes.items()
            ]
            yield from _table(("drive", "mean", "p99", "p999"), times)
        yield ""
    worst = max((abs(f.error) for s in found for f in s.figures if f.error is not None), default=0.0)
    count = sum(f.error is not None for s in found for f in s.figures)
    bar = f"bar: {100 * BAR:.0f} %"
    yield f"{count} figures of {len(found)} drives; largest error {100 * worst:.1f} % ({bar})"


def _table(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    for row in (heads, *rows):
        yield "    " + "  ".join(map(str.ljust, row, widths)).rstrip()


def number(value: float, unit: str) -> str:
    """A figure for people."""
    if unit == "bytes/s":
        return f"{value / 1e6:,.4g} MB/s"
    if unit == "s":
        return _time(value)
    return f"{value:,.0f}" if unit == "1/s" else f"{value:.3g} {unit}"


def _time(seconds: float) -> str:
    return format_duration(float(f"{seconds:.3g}"))


def _simulated(figure: Figure) -> str:
    return "-" if figure.simulated is None else number(figure.simulated, figure.unit)


def _error(figure: Figure) -> str:
    return "-" if figure.error is None else f"{100 * figure.error:+.1f} %"
