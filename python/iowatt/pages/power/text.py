"""The calculator's answer in lines for a terminal: totals, what makes them up, supplies, start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from iowatt.model.power.calculator import ACTIVITIES
from iowatt.model.power.supplies import MODES
from iowatt.render.numbers import NO_VALUE, percent


def lines(found: dict[str, Any]) -> list[str]:
    """All that a person wants to see, widths for 100 columns."""
    text = [f"{found['name']}: {found['drives']:,} drives, {found['raw_gb']:,.0f} GB raw", ""]
    text += _table(["at the wall", "", "W", "VA", "BTU/h", "tons", *_facility_head(found)], _totals(found))
    text += [""]
    text += _table(["component", "count", "idle W", "active W", "failover W"], _components(found))
    supplied = [enclosure for enclosure in found["enclosures"] if enclosure["supply"]]
    if supplied:
        text += [""]
        head = [
            "supplies of",
            "each",
            "load idle",
            "active",
            "failover",
            "efficiency idle",
            "active",
            "failover",
        ]
        text += _table(head, [_supply(enclosure) for enclosure in supplied])
    text += ["", *_start(found["spin_up"])]
    if found["raw_gb_per_w"]:
        text.append(f"ready idle: {found['raw_gb_per_w']:.4g} GB/W raw")
    return text + [f"note: {note}" for note in found["notes"]]


def _facility_head(found: dict[str, Any]) -> list[str]:
    return [] if found["pue"] is None else [f"W at PUE {found['pue']:g}"]


def _totals(found: dict[str, Any]) -> list[list[str]]:
    rows = []
    for mode in MODES:
        for how in ACTIVITIES:
            total = found["modes"][mode][how]
            facility = [] if total["facility_w"] is None else [watts(total["facility_w"])]
            figures = [watts(total[key]) for key in ("wall_w", "va", "btu_per_h")]
            rows.append([mode if how == "idle" else "", how, *figures, f"{total['tons']:.3f}", *facility])
    return rows


def _components(found: dict[str, Any]) -> list[list[str]]:
    rows = []
    for part in found["components"]:
        drawn = part["watts"]
        figures = (drawn["normal"]["idle"], drawn["normal"]["active"], drawn["failover"]["active"])
        rows.append([part["name"], f"{part['count']:,}", *map(watts, figures)])
    return rows


def _supply(enclosure: dict[str, Any]) -> list[str]:
    supply = enclosure["supply"]
    states = supply["fullest"]
    points = (states["normal"]["idle"], states["normal"]["active"], states["failover"]["active"])
    each = f"{supply['count']} x {supply['rating_w']:g} W, {supply['needed']} needed"
    return [
        enclosure["name"],
        each,
        *(percent(p["load"]) for p in points),
        *(percent(p["efficiency"]) for p in points),
    ]


def _start(start: dict[str, Any] | None) -> list[str]:
    if start is None:
        return []
    said = f"switching on: at most {watts(start['peak_w'])} W at the wall"
    if start["at_once"] is None:
        return [f"{said}, all drives at once"]
    took = "" if start["duration_s"] is None else f", {start['duration_s']:.0f} s"
    return [f"{said}, {group(start)}{took}", f"all at once: {watts(start['at_once_peak_w'])} W"]


def group(start: dict[str, Any]) -> str:
    """How many drives a staggered start takes together."""
    drives = "drive" if start["at_once"] == 1 else "drives"
    of = " per enclosure" if start["scope"] == "enclosure" else ""
    return f"{start['at_once']} {drives}{of} at a time"


def watts(value: float | None) -> str:
    """Watts (or VA, BTU/h) with one decimal and thousands separators."""
    return NO_VALUE if value is None else f"{value:,.1f}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Aligned columns, the first to the left."""
    grid = [head, *rows]
    widths = [max(len(row[at]) for row in grid) for at in range(len(head))]
    left = {0} | ({1} if any(row[1] and not row[1][0].isdigit() for row in rows) else set())
    return [
        "  ".join(
            cell.ljust(width) if at in left else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in grid
    ]
