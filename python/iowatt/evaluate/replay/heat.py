"""The table ``heat`` of what was replayed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import numpy as np

from iowatt.model.heat import EXTENT, LEAST_EXTENT
from iowatt.run.bundle import TABLES, Run
from iowatt.run.tables import frame

#: Extents are halved until the target has at least this many, or they are the smallest possible.
_LEAST_EXTENTS: Final = 1024
_COUNTED: Final = ("reads", "writes", "bytes_read", "bytes_written")


def extent_bytes(capacity: int) -> int:
    """The extent that resolves a target of ``capacity`` bytes."""
    extent = EXTENT
    while extent > LEAST_EXTENT and capacity // extent < _LEAST_EXTENTS:
        extent //= 2
    return extent


def with_heat(run: Run, trace: Path, *, space: str, capacity: int) -> Run:
    """The Run with the table ``heat`` of the trace at ``trace``, whose requests all went to ``space``."""
    from iowatt import core
    from iowatt.trace.open import source

    spec, decoded = source({"path": str(trace)})
    raw = core.trace_heat(decoded, spec, extent_bytes(capacity), None, None)
    measures = json.loads(raw["measures"])
    rows = len(raw["extent"])
    table = frame(
        "heat",
        {
            "point": ["front"] * rows,
            "space": [space] * rows,
            "extent": raw["extent"],
            "start_s": np.asarray(raw["start_ns"]) / 1e9,
            **{name: raw[name] for name in _COUNTED},
        },
    )
    sums = {name: int(table[name].sum()) for name in _COUNTED}
    told = {
        "extent_bytes": measures["extent_bytes"],
        "period_s": measures["period_ns"] / 1e9,
        "spaces": [{"point": "front", "name": space, "capacity_bytes": capacity, **sums}],
    }
    tables = {name: run.table(name) for name in TABLES}
    if run.has("instruments"):
        tables["instruments"] = run.table("instruments")
    return Run(
        summary={**run.summary, "heat": told},
        plan=run.plan,
        scenario_text=run.scenario_text,
        tables={**tables, "heat": table},
    )
