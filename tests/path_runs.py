"""Runs of paths before an array that takes no time: what is measured is the path alone.

The array answers at once because its controller detects zeros: all data is zeros, written at time zero by a
workload that goes by no path. Writes are of whole pages of 4 KiB, which zeros are detected by.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from iowatt.model.scenario import compile_plan, load, resolve_sources
from iowatt.sources.simulation.simulator import _source, run_core

ARRAY = """
[[array.pool]]
name = "disk"
device = "arrays2002-disk"
count = 1

[array.controller]
zero_detect = true
"""

FILLED = 64 * 2**20

SLOTS = ("port", "processors", "space", "mirror", "storage", "drive")
"""What lies behind the hops of a path."""


def scenario(path: str, workloads: str, more: str = "") -> str:
    """A scenario of one path, by the text of its tables; workload 0 fills the volume with zeros."""
    names = [line.split('"')[1] for line in workloads.splitlines() if line.startswith("name = ")]
    fill = '[[workload]]\nname = "fill"\ntrace = { path = "fill.csv" }\nzero_share = 1.0\n'
    return (
        f'name = "paths"\n{fill}{workloads}\n{ARRAY}\n{more}\n'
        f'[[path]]\nname = "san"\nworkloads = {json.dumps(names)}\n{path}\n'
    )


def trace(folder: Path, name: str, requests: Iterable[Sequence[Any]], replay: str = "") -> str:
    """A workload of requests (seconds, R or W, bytes, offset or 0), and a file that fills what they read."""
    rows = [f"{r[0] * 1e6:.3f},{r[1]},{r[3] if len(r) > 3 else 0},{r[2]}" for r in requests]
    (folder / f"{name}.csv").write_text("\n".join(["time_us,op,offset,size", *rows]) + "\n")
    (folder / "fill.csv").write_text(f"time_us,op,offset,size\n0,W,0,{FILLED}\n")
    return f'[[workload]]\nname = "{name}"\ntrace = {{ path = "{name}.csv" }}\nzero_share = 1.0\n' + (
        f"replay = {replay}\n" if replay else ""
    )


def simulate(text: str, folder: Path = Path(), sets: Sequence[str] = ()) -> dict[str, Any]:
    """What the core returns, with the plan under ``plan``."""
    plan = compile_plan(load(text, sets, base_dir=folder), folder)
    opened = [_source(one) for one in resolve_sources(plan, folder)]
    raw = run_core(json.dumps(plan["simulation"]), opened, lambda _fraction, _requests: None)
    return {**raw, "summary": json.loads(raw["summary"]), "plan": plan}


def times(raw: Mapping[str, Any], workload: int, way: int) -> dict[str, tuple[int, int]]:
    """Waiting and service of all requests of a workload and a direction by slot, nanoseconds."""
    (path,) = raw["plan"]["names"]["paths"]
    names = ["queue", "hba", *(f"{hop} {way}" for hop in path["hops"] for way in ("out", "in")), *SLOTS]
    waited, served = Counter[str](), Counter[str]()
    hops = raw["hops"]
    for row in zip(*(hops[c] for c in ("workload", "way", "slot", "wait_ns", "service_ns")), strict=True):
        if (row[0], row[1]) == (workload, way):
            waited[names[row[2]]] += int(row[3])
            served[names[row[2]]] += int(row[4])
    return {name: (waited[name], served[name]) for name in names}


def total(raw: Mapping[str, Any], workload: int, way: int) -> int:
    """Nanoseconds of all requests of a workload and a direction, over all slots."""
    return sum(sum(pair) for pair in times(raw, workload, way).values())
