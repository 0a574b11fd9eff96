"""The table of a search: a Run as a row, rows as a frame, and the basis of its figures.

A row has every scalar of ``run.json`` under its dotted name, and a few figures over all drives. Left out are
what differs between equal runs (``simulation``, and ``provenance`` but for version and seed), the lists
(notes, drives, buses, rebuilds), and the energy of single drives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from iowatt.evaluate.search.axes import Cell, SweepPoint
from iowatt.evaluate.search.risk import REBUILD, RiskBasis
from iowatt.evaluate.search.tasks.journal import error_text
from iowatt.model.library import assumed, stand_ins
from iowatt.model.raid import level_of
from iowatt.render.phrases import listed
from iowatt.sources.simulation import DRIVES_ALONE, WHOLE_ARRAY

if TYPE_CHECKING:
    import polars as pl

    from iowatt.run.bundle import Run

# Failed drives that a stripe of the level survives; RAID-1 keeps as many copies as there are drives.
_SURVIVED: Final = {"0": 0, "4": 1, "5": 1, "6": 2, "10": 1}


def failures_survived(plan: Mapping[str, Any]) -> int:
    """The fewest over all pools; spares come after a rebuild, so that they do not count.

    A pool of chunklets survives what its weakest set does. Virtual pools keep data once, on the pools below.
    """
    return min((_of_pool(pool) for pool in plan["simulation"]["pools"]), default=0)


def _of_pool(pool: Mapping[str, Any]) -> int:
    if (chunklets := pool.get("chunklets")) is not None:
        return min((_of_level(one["raid"], one["set_size"]) for one in chunklets["regions"]), default=0)
    return _of_level(pool["raid"], pool["count"])


def _of_level(raid: Mapping[str, Any], drives: int) -> int:
    level, code = level_of(raid)
    if code is not None:
        return code.survives
    return drives - 1 if level == 1 else _SURVIVED[str(level)]


RunRow = dict[str, Cell | None]

TEXTS: Final = ("warnings", "stand_ins", "assumed")
"""Columns of text that may be empty in all points."""

BETWEEN: Final = " | "
"""Between two warnings of a point."""

_LEFT_OUT: Final = ("schema", "notes", "provenance", "simulation", "devices", "buses", "rebuilds")
_SUMMED: Final = ("spin_ups", "spin_downs", "seeks", "accesses")
_AVERAGED: Final = ("utilisation", "queue_length_mean")


def row_of_run(run: Run) -> RunRow:
    """The row of a Run; units are in the names."""
    from iowatt.lenses.findings import findings
    from iowatt.lenses.kept_up import kept_up

    summary, load = run.summary, kept_up(run)
    warnings = [note.text for note in findings(run, load) if note.decides]
    row: RunRow = {
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
        elif key == "parity_logs":
            row |= {f"{key}.{log['pool']}.{inner}": cell for log in value for inner, cell in log.items()}
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
        row |= RiskBasis.of().stated(run)
    return row


def row_warnings(row: Mapping[str, Cell | None]) -> list[str]:
    """The warnings of a row, one by one."""
    warnings = row.get("warnings")
    return warnings.split(BETWEEN) if isinstance(warnings, str) else []


def _flat(name: str, value: Any) -> Iterator[tuple[str, Cell | None]]:
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from _flat(f"{name}.{key}", part)
    elif name.endswith(("ci95", "mean_ci95")):
        for end, at in (("low", 0), ("high", 1)):
            yield f"{name}.{end}", None if value is None else value[at]
    elif value is None or isinstance(value, bool | int | float | str):
        yield name, value


def _by_name(key: str, parts: list[dict[str, Any]]) -> RunRow:
    """Figures of each volume or workload; none for a single one, which the totals describe."""
    if len(parts) < 2:
        return {}
    return {
        name: cell
        for part in parts
        for inner, value in part.items()
        if inner not in ("name", "trace")
        for name, cell in _flat(f"{key}.{part['name']}.{inner}", value)
    }


def _of_drives(devices: list[dict[str, Any]]) -> RunRow:
    row: RunRow = {"devices.count": sum(device.get("drives", 1) for device in devices)}
    for key in _AVERAGED:
        values = [device[key] for device in devices]
        row[f"devices.{key}.mean"] = sum(values) / len(values) if values else None
        row[f"devices.{key}.max"] = max(values, default=None)
    return row | {f"devices.{key}": sum(device[key] for device in devices) for key in _SUMMED}


#: Columns before those of the swept paths and of the Run.
POINT: Final = "point"
STATUS: Final = "status"
ERROR: Final = "error"
RUN: Final = "run"


def build_table(
    paths: Sequence[str],
    rows: Sequence[tuple[SweepPoint, Mapping[str, Any]]],
    bundles: Mapping[int, str] | None = None,
) -> pl.DataFrame:
    """The table: ``point`` (from 1), swept paths, ``status`` (``done``, ``failed``), ``error``, ``run`` if
    there are ``bundles`` (directories by number), then figures, which are null in failed points.

    ``rows`` have the records of :func:`iowatt.evaluate.search.point.evaluate_point`.
    """
    import polars as pl

    columns: dict[str, list[Any]] = {POINT: [point.number for point, _ in rows]}
    for at, path in enumerate(paths):
        columns[path] = alike([point.values[at] for point, _ in rows])
    failed = ["error" in record for _, record in rows]
    columns[STATUS] = ["failed" if bad else "done" for bad in failed]
    columns[ERROR] = [
        error_text(record["error"]) if bad else None for (_, record), bad in zip(rows, failed, strict=True)
    ]
    if bundles is not None:
        columns[RUN] = [
            None if bad else bundles[point.number] for (point, _), bad in zip(rows, failed, strict=True)
        ]
    figures = dict.fromkeys(key for _, record in rows for key in record.get("row", {}))
    for key in figures:
        if key not in columns:
            columns[key] = alike([record.get("row", {}).get(key) for _, record in rows])
    # A column without any value is one of numbers: that is what run.json leaves null.
    frame = pl.DataFrame(
        {
            name: pl.Series(name, values, dtype=None if _some(values) else _empty_type(name))
            for name, values in columns.items()
        }
    )
    return frame.with_columns(pl.col(POINT).cast(pl.Int64))


def _some(values: Sequence[Any]) -> bool:
    return any(value is not None for value in values)


def _empty_type(name: str) -> Any:
    import polars as pl

    return pl.String if name in (ERROR, RUN, *TEXTS) else pl.Float64


def alike(values: Sequence[Any]) -> list[Any]:
    """Values of one type: whole numbers among floats become floats, any other mixture text."""
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int} and all(value is None or abs(value) < 2**63 for value in values):
        return list(values)
    if kinds <= {int, float}:
        return [None if value is None else float(value) for value in values]
    if len(kinds) == 1:
        return list(values)
    return [
        None if value is None else str(value).lower() if isinstance(value, bool) else str(value)
        for value in values
    ]


def basis_line(rows: Sequence[Mapping[str, Any]]) -> str:
    """One line: what the watts of the rows include, which models are stand-ins, what losses rest on.

    Empty without figures.
    """
    return "; ".join([*_watts(rows), *_models(rows), *_rebuilds(rows)])


_REBUILT: Final = {
    "stated": "at the stated rate, which iowatt durability simulates instead",
    "simulated": "simulated under the load",
    "run": "of the Run itself",
}


def _rebuilds(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """What the time of a rebuild is, where data can be lost."""
    bases = sorted({basis for row in rows for basis in str(row.get(REBUILD) or "").split(" and ") if basis})
    return [f"data loss with rebuilds {' or '.join(_REBUILT[basis] for basis in bases)}"] if bases else []


def _watts(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    found = [row["power_basis"] for row in rows if row.get("energy.total_j") is not None]
    alone = found.count("device")
    without = f"{DRIVES_ALONE}, without controllers, enclosures and supplies"
    if not found:
        return []
    if alone in (0, len(found)):
        return [without if alone else WHOLE_ARRAY]
    return [f"in {alone} of {len(found)} points {without}; in the others {WHOLE_ARRAY}"]


def _models(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    stand_ins, assumed = _names(rows, "stand_ins"), _names(rows, "assumed")
    found = []
    if stand_ins:
        found.append(f"{listed(stand_ins)} {'is a stand-in' if len(stand_ins) == 1 else 'are stand-ins'}")
    if assumed:
        found.append(f"some figures of {listed(assumed)} are assumed")
    return found


def _names(rows: Sequence[Mapping[str, Any]], column: str) -> list[str]:
    found = dict.fromkeys(row.get(column) for row in rows)
    return list(dict.fromkeys(name for names in found if names for name in names.split(", ")))
