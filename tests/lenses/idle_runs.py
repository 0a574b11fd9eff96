"""Runs that consist of given idle periods."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from iowatt.run.bundle import Run
from iowatt.run.idle_spool import IdleSpool

#: 10 W idle, 2 W standby, 4 s down at 5 W, 6 s up at 20 W: (20 + 120 - 2 x 10) / 8 = 15 s to break even.
POWER = {
    "idle_w": 10.0,
    "standby_w": 2.0,
    "spin_down_w": 5.0,
    "spin_down_s": 4.0,
    "spin_up_w": 20.0,
    "spin_up_s": 6.0,
}


def run_of(
    rows: Iterable[tuple[int, float, float, bool]],
    *,
    drives: int = 2,
    window_s: tuple[float, float] = (0.0, 1000.0),
    power: dict[str, Any] | None = POWER,
    spool: bool = True,
) -> Run:
    """A Run in memory with the periods (drive, start s, length s, cut); each drive draws 20 kJ in all."""
    given = list(rows)
    held = IdleSpool()
    held.add(
        np.array([row[0] for row in given], dtype=np.uint32),
        np.array([round(row[1] * 1e9) for row in given], dtype=np.uint64),
        np.array([round(row[2] * 1e9) for row in given], dtype=np.uint64),
        np.array([row[3] for row in given], dtype=np.bool_),
    )
    return Run(
        summary=summary(drives, window_s),
        plan=plan(drives, power),
        scenario_text="",
        idle=held if spool else None,
    )


def summary(drives: int, window_s: tuple[float, float]) -> dict[str, Any]:
    """As much of run.json as the lens reads."""
    start_s, end_s = window_s
    return {
        "schema": "iowatt.run/1",
        "name": "made",
        "notes": [],
        "window": {"start_s": start_s, "end_s": end_s, "duration_s": end_s - start_s, "warmup_s": 0.0},
        "energy": {"total_j": 20_000.0 * drives},
        "devices": [
            {"name": f"disks.{i}", "model": "made-disk", "pool": "disks", "spin_downs": 0, "accesses": 100}
            for i in range(drives)
        ],
    }


def plan(drives: int, power: dict[str, Any] | None) -> dict[str, Any]:
    """As much of plan.json as the lens reads; none of it where there is no power."""
    if power is None:
        return {}
    return {
        "names": {"pools": ["disks"]},
        "simulation": {"pools": [{"count": drives, "device": {"power": power}}]},
    }


def succession(
    lengths_s: Iterable[float], drive: int = 0, gap_s: float = 1.0
) -> list[tuple[int, float, float, bool]]:
    """Whole periods of a drive one after another, from 1 s on."""
    rows, at = [], 1.0
    for length in lengths_s:
        rows.append((drive, at, length, False))
        at += length + gap_s
    return rows
