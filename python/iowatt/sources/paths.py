"""Paths, and response times over time, as the simulator returns them: its indices get their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from iowatt.run.record import HopCounts, Moments, PathCounts
from iowatt.run.summary_parts import PathExpress
from iowatt.run.tables import POINTS, frame

if TYPE_CHECKING:
    import polars as pl

NS_PER_S = 1e9
OPS = ("read", "write")

Columns = Mapping[str, npt.NDArray[Any]]

#: Slots behind the hops, in order: name and place. The name of the port may be its own.
_BEHIND = (
    ("target port", "port"),
    ("controller processors", "controller"),
    ("cache space", "controller"),
    ("mirror link", "controller"),
    ("storage", "storage"),
    ("drive", "drive"),
)


def series(raw: Columns, bins: Columns, workloads: Sequence[str]) -> pl.DataFrame:
    """The table ``series``: a row by point, workload, direction and block; ``bins`` are theirs in order."""
    import polars as pl

    held = raw["bins"].astype(np.int64)
    rows = len(held)
    # Of every row its bins as a list: rows without any are empty lists, not nulls.
    flat = pl.DataFrame(
        {
            "row": np.repeat(np.arange(rows, dtype=np.uint32), held),
            **{name: np.asarray(bins[name], dtype=np.uint64) for name in ("low_ns", "high_ns", "count")},
        }
    )
    lists = flat.group_by("row", maintain_order=True).agg("low_ns", "high_ns", "count")
    every = pl.DataFrame({"row": np.arange(rows, dtype=np.uint32)})
    lists = every.join(lists, on="row", how="left", maintain_order="left")
    return frame(
        "series",
        {
            "point": pl.Series(POINTS, dtype=pl.String)[raw["point"]],
            "workload": pl.Series(workloads, dtype=pl.String)[raw["workload"]],
            "op": pl.Series(OPS, dtype=pl.String)[raw["way"]],
            "start_s": raw["start_ns"] / NS_PER_S,
            "end_s": raw["end_ns"] / NS_PER_S,
            **{name: raw[name] for name in ("count", "sum_ns", "max_ns")},
            "low_ns": lists["low_ns"].fill_null([]),
            "high_ns": lists["high_ns"].fill_null([]),
            "bin_count": lists["count"].fill_null([]),
        },
    )


def slots(path: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Name, place and way of each slot of a path by its names: the host's queue first, the drive last."""
    # The first hops may be the host's own: its protocol's software, its adapter's bandwidth.
    places = path.get("places") or ["fabric"] * len(path["hops"])
    located = zip(path["hops"], places, strict=True)
    through = [(name, place, way) for name, place in located for way in ("out", "in")]
    (port, place), *behind = _BEHIND
    return [
        ("host queue", "host", ""),
        (path.get("hba") or "HBA", "host", ""),
        *through,
        (path.get("port") or port, place, ""),
        *((name, where, "") for name, where in behind),
    ]


def hops(raw: Columns, names: Mapping[str, Any]) -> pl.DataFrame:
    """The table ``hops``: where the time of requests went, by path, workload, direction and bin."""
    import polars as pl

    known = [slots(path) for path in names["paths"]]
    where = [known[path][slot] for path, slot in zip(raw["path"], raw["slot"], strict=True)]
    titles = pl.Series([path["name"] for path in names["paths"]], dtype=pl.String)
    return frame(
        "hops",
        {
            "path": titles[raw["path"]],
            "workload": pl.Series(names["workloads"], dtype=pl.String)[raw["workload"]],
            "op": pl.Series(OPS, dtype=pl.String)[raw["way"]],
            "hop": [hop for hop, _, _ in where],
            "place": [place for _, place, _ in where],
            "way": [way for _, _, way in where],
            **{name: raw[name] for name in ("low_ns", "high_ns", "requests", "wait_ns", "service_ns")},
        },
    )


def tables(names: Mapping[str, Any], raw: Mapping[str, Any]) -> dict[str, pl.DataFrame | None]:
    """The tables ``series`` and ``hops`` of what the simulator returned; None of what it did not."""
    timed = "series" in raw
    return {
        "series": series(raw["series"], raw["series_bins"], names["workloads"]) if timed else None,
        "hops": hops(raw["hops"], names) if names.get("paths") and "hops" in raw else None,
    }


def remarks(raw: Mapping[str, Any], asked_s: float | None) -> list[str]:
    """That blocks are wider than was asked for, where they are."""
    if asked_s is None or "series" not in raw or not len(raw["series"]["start_ns"]):
        return []
    widest = float((raw["series"]["end_ns"] - raw["series"]["start_ns"]).max()) / NS_PER_S
    if widest <= 1.001 * asked_s:
        return []
    return [f"blocks of response times were widened from {asked_s:g} s to {widest:g} s to bound their number"]


def paths(
    names: Mapping[str, Any], simulation: Mapping[str, Any], summary: Mapping[str, Any]
) -> list[PathCounts]:
    """What the paths of a simulation did, by the plan and the simulator's summary."""
    every = zip(names.get("paths", ()), simulation.get("paths", ()), summary.get("paths", ()), strict=True)
    of = [workload.get("path") for workload in simulation["workloads"]]
    served = list(zip(of, names["workloads"], strict=True))
    return [
        _path(*one, [title for path, title in served if path == number]) for number, one in enumerate(every)
    ]


def _path(
    name: Mapping[str, Any], plan: Mapping[str, Any], counted: Mapping[str, Any], workloads: Sequence[str]
) -> PathCounts:
    known, queue = slots(name), counted["queue"]
    classes = plan.get("port", {}).get("express", ())
    return PathCounts(
        name=name["name"],
        protocol=name["protocol"],
        workloads=workloads,
        lanes=plan["lanes"],
        queue_depth=plan["queue_depth"],
        queue_visits=queue["visits"],
        queue_held=queue["held"],
        queue_wait_s=queue["waited_ns"] / NS_PER_S,
        hops=[_hop(known[station["slot"]], station) for station in counted["stations"]],
        express=[
            PathExpress(
                up_to_bytes=one["up_to_bytes"],
                buffers=one["buffers"],
                taken=did["taken"],
                refused=did["refused"],
            )
            for one, did in zip(classes, counted["express"], strict=True)
        ],
        not_express=counted["not_express"] if classes else None,
    )


def _hop(slot: tuple[str, str, str], station: Mapping[str, Any]) -> HopCounts:
    hop, place, way = slot
    return HopCounts(
        hop=hop,
        place=place,
        way=way,
        visits=station["visits"],
        busy_s=station["busy_ns"] / NS_PER_S,
        wait_s=station["waited_ns"] / NS_PER_S,
        servers=station["servers"],
    )


def response_at(summary: Mapping[str, Any]) -> dict[str, dict[str, Moments]]:
    """Response times at the points within the paths, by point and direction."""
    return {
        one["point"]: {op: Moments.doubling(**of) for op, of in one["response"].items()}
        for one in summary.get("points", ())
    }
