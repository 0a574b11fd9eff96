"""A Run as one row: every scalar of ``run.json`` under its dotted name, and a few figures over all drives.

Left out are what differs between equal runs (``simulation``, and ``provenance`` but for version and seed),
the lists (notes, drives, buses, rebuilds), and the energy of single drives.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from iowatt.evaluate.search.axes import Cell
from iowatt.evaluate.search.redundancy import failures_survived
from iowatt.model.library.source import assumed, stand_ins

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

Row = dict[str, Cell | None]

TEXTS: Final = ("warnings", "stand_ins", "assumed")
"""Columns of text that may be empty in all points."""

BETWEEN: Final = " | "
"""Between two warnings of a point."""

_LEFT_OUT: Final = ("schema", "notes", "provenance", "simulation", "devices", "buses", "rebuilds")
_SUMMED: Final = ("spin_ups", "spin_downs", "seeks", "accesses")
_AVERAGED: Final = ("utilisation", "queue_length_mean")


def of_run(run: Run) -> Row:
    """The row of a Run; units are in the names."""
    from iowatt.lenses.findings import findings
    from iowatt.lenses.kept_up import kept_up

    summary, load = run.summary, kept_up(run)
    warnings = [found.text for found in findings(run) if found.weight == "warning"]
    row: Row = {
        "overloaded": not load.kept_up,
        "done_share": load.done_share,
        "warnings": BETWEEN.join(warnings) or None,
        "stand_ins": ", ".join(stand_ins(run.notes)) or None,
        "assumed": ", ".join(assumed(run.notes)) or None,
    }
    row |= {key: summary["provenance"][key] for key in ("version", "seed")}
    drives = {device["name"] for device in summary["devices"]}
    for key, value in summary.items():
        if key in _LEFT_OUT:
            continue
        if key in ("volumes", "workloads"):
            row |= _by_name(key, value)
        else:
            row |= {
                name: cell
                for name, cell in _flat(key, value)
                if name.removeprefix("energy.by_component_j.") not in drives
            }
    if row.get("energy.unknown") is None:
        row.pop("energy.unknown", None)
    row |= _of_drives(summary["devices"])
    if run.plan.get("simulation"):
        row["redundancy.failures_survived"] = failures_survived(run.plan)
    return row


def warnings(row: Mapping[str, Cell | None]) -> list[str]:
    """The warnings of a row, one by one."""
    said = row.get("warnings")
    return said.split(BETWEEN) if isinstance(said, str) else []


def _flat(name: str, value: Any) -> Iterator[tuple[str, Cell | None]]:
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from _flat(f"{name}.{key}", part)
    elif name.endswith(("ci95", "mean_ci95")):
        for end, at in (("low", 0), ("high", 1)):
            yield f"{name}.{end}", None if value is None else value[at]
    elif value is None or isinstance(value, bool | int | float | str):
        yield name, value


def _by_name(key: str, parts: list[dict[str, Any]]) -> Row:
    """Volumes or workloads apart; of a single one the totals say it all."""
    if len(parts) < 2:
        return {}
    return {
        name: cell
        for part in parts
        for inner, value in part.items()
        if inner not in ("name", "trace")
        for name, cell in _flat(f"{key}.{part['name']}.{inner}", value)
    }


def _of_drives(devices: list[dict[str, Any]]) -> Row:
    row: Row = {"devices.count": len(devices)}
    for key in _AVERAGED:
        values = [device[key] for device in devices]
        row[f"devices.{key}.mean"] = sum(values) / len(values) if values else None
        row[f"devices.{key}.max"] = max(values, default=None)
    return row | {f"devices.{key}": sum(device[key] for device in devices) for key in _SUMMED}
