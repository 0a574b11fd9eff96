"""The figures of the duty lens on a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from iowatt.render.numbers import NO_VALUE, significant

_NAME: Final = 32


def lines(found: dict[str, Any]) -> Iterator[str]:
    """A table of loads, one of classes, and the notes."""
    unit = found["unit"]
    yield f"{'load':<{_NAME}}{'of highest':>12}{unit:>12}{'W':>10}{unit + '/W':>12}{'ms':>10}"
    named = {one["name"]: one["load"] for one in found["loads"] if len(one["runs"]) == 1}
    shown = [(named.get(one["name"]), one) for one in found["points"]]
    shown += [(one["load"], one) for one in found["loads"] if len(one["runs"]) > 1]
    for mark, one in sorted(shown, key=lambda row: row[1]["throughput"]):
        name = one["name"] if len(one["runs"]) == 1 else "interpolated"
        name = f"{mark}: {name}" if mark else name
        name = name if len(name) < _NAME else name[: _NAME - 4] + "..."
        figures = (one["throughput"], one["watts"], one["throughput_per_w"], one["response_ms"])
        cells = [f"{one['fraction']:>12.1%}"]
        cells += [f"{_shown(v):>{w}}" for v, w in zip(figures, (12, 10, 12, 10), strict=True)]
        yield f"{name:<{_NAME}}{''.join(cells)}"
    yield ""
    heads = (("W", 10), (unit, 12), (f"{unit}/W", 12), ("kWh/year", 12), ("BTU/h", 10))
    yield f"{'class':<12}{'idle + moderate + heavy':>26}{''.join(f'{head:>{w}}' for head, w in heads)}"
    for one in found["classes"]:
        hours = " + ".join(f"{hours:g} h" for hours in one["hours"].values())
        cells = [
            f"{_shown(one[key]):>{w}}"
            for key, w in (
                ("nominal_w", 10), ("nominal_throughput", 12), ("throughput_per_w", 12), ("annual_kwh", 12),
                ("heat_btu_per_h", 10),
            )
        ]  # fmt: skip
        yield f"{one['class']:<12}{hours:>26}{''.join(cells)}"
    yield ""
    for note in found["notes"]:
        yield f"note: {note}"


def _shown(value: float | None) -> str:
    return NO_VALUE if value is None else significant(value)
